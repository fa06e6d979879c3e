/** Discord as a channel: `/ask`, mentions answered in their thread, replies, follow-ups, direct messages. */

import { type Client, Events, type Message } from 'discord.js';
import type { Answer } from '../../agent/conversation.ts';
import type { Channel, Gateway, OutboundPart } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { Language } from '../../agent/texts.ts';
import { sanitiseAnswer } from '../egress.ts';
import { withSources } from '../egress-sources.ts';
import { toDiscordMarkdown } from '../markdown-discord.ts';
import { splitBlocks } from '../split.ts';
import { backfill, createPlaces, type DiscordCursor } from './backfill.ts';
import { createConnection } from './connection.ts';
import { createDiscordDelivery } from './delivery.ts';
import { createIntake } from './intake.ts';
import { createInteractionHandler } from './interactions.ts';
import { createDiscordRest } from './rest.ts';

export interface DiscordChannelOptions {
  readonly token: string;
  /** Another address of Discord's interface, as `http://127.0.0.1:3000/api`. */
  readonly apiUrl?: string;
  /** The privileged Message Content intent is on: follow-ups in a thread need no mention. */
  readonly messageContent: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Keeps the last message of each place over a restart. Without it nothing is fetched that was said meanwhile. */
  readonly cursor?: DiscordCursor;
  /** One edit per this time in one channel. Default 1,200; 0 switches pacing off. */
  readonly editIntervalMs?: number;
  /** Requests a second, all told. Default 50, which is Discord's own limit; Infinity switches it off. */
  readonly requestsPerSecond?: number;
}

/** Under Discord's 2,000, so that an asker's name fits in front. */
const MAX_PART_UNITS = 1_900;
const EDIT_INTERVAL_MS = 1_200;
const REQUESTS_PER_SECOND = 50;

export const renderAnswer = (answer: Answer, language: Language): readonly OutboundPart[] => {
  const tree = withSources(sanitiseAnswer(answer), { language, withQuotes: true });
  const texts = splitBlocks(tree, MAX_PART_UNITS, toDiscordMarkdown);
  const hasFeedback = answer.stopReason === 'answered' || answer.stopReason === 'not_known';
  return texts.map((text, index) => ({ text, withFeedback: hasFeedback && index === texts.length - 1 }));
};

export const createDiscordChannel = (options: DiscordChannelOptions): Channel => {
  const { token, clock, logger, messageContent } = options;
  const connection = createConnection({
    apiUrl: options.apiUrl,
    hasMessageContent: messageContent,
    requestsPerSecond: options.requestsPerSecond ?? REQUESTS_PER_SECOND,
    logger,
  });
  const { client } = connection;
  client.rest.setToken(token);
  const places = createPlaces(options.cursor, clock, logger);
  const delivery = createDiscordDelivery({
    rest: createDiscordRest(client.rest),
    botId: () => client.user?.id,
    clock,
    logger,
    editIntervalMs: options.editIntervalMs ?? EDIT_INTERVAL_MS,
  });
  let isTaking = false;

  /** Runs a handler whose failure is logged: nobody awaits an event. */
  const guard = (event: string, run: () => Promise<unknown>): void => {
    run().catch((error: unknown) => logger.error('discord_event_failed', { event, error: error as Error }));
  };

  /** The messages of one channel are looked at one after the other, in the order they came. */
  const lines = new Map<string, Promise<void>>();
  const inLine = (channelId: string, run: () => Promise<void>): Promise<void> => {
    const turn = (lines.get(channelId) ?? Promise.resolve()).then(run);
    const settled = turn.catch(() => undefined);
    lines.set(channelId, settled);
    void settled.then(() => {
      if (lines.get(channelId) === settled) lines.delete(channelId);
    });
    return turn;
  };

  const listen = (ready: Client<true>, gateway: Gateway): void => {
    const intake = createIntake({ client: ready, gateway, clock, places, hasMessageContent: messageContent });
    const onInteraction = createInteractionHandler({ gateway, clock, logger, isTaking: () => isTaking });
    const hand = (message: Message): Promise<void> => {
      const seen = intake.see(message);
      return inLine(message.channelId, async () => {
        if (isTaking) await intake.onMessage(seen);
      });
    };
    client.on(Events.InteractionCreate, (interaction) => guard('interaction', () => onInteraction(interaction)));
    client.on(Events.MessageCreate, (message) => {
      if (message.author.id === ready.user.id) {
        if (typeof message.nonce === 'string')
          delivery.noteOwn({ nonce: message.nonce, channelId: message.channelId, id: message.id });
        return;
      }
      guard('message', () => hand(message));
    });
    client.on(Events.MessageUpdate, (before, after) =>
      guard('edit', async () => {
        if (after.partial) return;
        const known = { partial: before.partial, content: before.content };
        await inLine(after.channelId, () => intake.onEdit(known, after));
      }),
    );
    client.on(Events.MessageDelete, (message) =>
      guard('delete', () => inLine(message.channelId, () => intake.onDelete(message.id))),
    );
    client.on(Events.MessageBulkDelete, (messages) => {
      for (const message of messages.values())
        guard('delete', () => inLine(message.channelId, () => intake.onDelete(message.id)));
    });
    const catchUp = (): void => guard('backfill', () => backfill({ client: ready, places, clock, logger, hand }));
    catchUp();
    // A new session, unlike a resumed one, does not replay what was missed.
    client.on(Events.ShardReady, catchUp);
  };

  return {
    name: 'discord',
    async start(gateway) {
      await places.load();
      isTaking = true;
      // In place before the first event is handed out.
      client.once(Events.ClientReady, (ready) => listen(ready, gateway));
      await connection.login(token);
    },
    async stopIntake() {
      isTaking = false;
      await Promise.all(lines.values());
      await places.flush();
    },
    async close() {
      isTaking = false;
      delivery.stop();
      await places.flush();
      await connection.close();
    },
    status: () => connection.status(),
    render: (answer, _turnId, language) => renderAnswer(answer, language),
    post: (address, part, key) => delivery.post(address, part, key),
    find: (address, key) => delivery.find(address, key),
    update: (address, ref, part, key) => delivery.update(address, ref, part, key),
    progress: (address, ref, text, key) => delivery.progress(address, ref, text, key),
  };
};
