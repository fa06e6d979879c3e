/** Discord as a channel: `/ask`, mentions answered in their thread, replies, follow-ups, direct messages. */

import {
  type Client,
  Events,
  type Message,
  type MessageReaction,
  type PartialMessageReaction,
  type PartialUser,
  type User,
} from 'discord.js';
import { hasCode } from '../../agent/errors.ts';
import type { Channel, Gateway } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { TicketBoard } from '../../agent/ports/ticket-board.ts';
import { createLines } from '../lines.ts';
import { reconnectDelayMs } from '../retry.ts';
import { withPersonButton } from '../ticket-person.ts';
import { placeId } from './address.ts';
import { backfill, backfillMentions, createPlaces, type DiscordCursor } from './backfill.ts';
import { createConnection } from './connection.ts';
import { createDiscordDelivery } from './delivery.ts';
import { createIntake, textOf } from './intake.ts';
import { createInteractionHandler } from './interactions.ts';
import { createMembers } from './members.ts';
import { renderAnswer } from './render.ts';
import { createDiscordRest } from './rest.ts';
import { createDiscordBoard } from './ticket-board.ts';
import { createTicketClicks } from './ticket-clicks.ts';
import { createDiscordTickets, type DiscordTicketSettings } from './tickets.ts';

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
  /** Undefined where tickets are not set up. */
  readonly tickets?: DiscordTicketSettings | undefined;
  /** One edit per this time in one channel. Default 1,200; 0 switches pacing off. */
  readonly editIntervalMs?: number;
  /** Requests a second, all told. Default 50, which is Discord's own limit; Infinity switches it off. */
  readonly requestsPerSecond?: number;
}

const EDIT_INTERVAL_MS = 1_200;
/** A start waits so long for Discord; then it goes on in the background. */
const START_WAIT_MS = 10_000;
const REQUESTS_PER_SECOND = 50;

export interface DiscordChannel extends Channel {
  readonly board: TicketBoard;
}

export const createDiscordChannel = (options: DiscordChannelOptions): DiscordChannel => {
  const { token, clock, logger, messageContent } = options;
  const connection = createConnection({
    token,
    apiUrl: options.apiUrl,
    hasMessageContent: messageContent,
    hasReactions: options.tickets !== undefined,
    requestsPerSecond: options.requestsPerSecond ?? REQUESTS_PER_SECOND,
    logger,
  });
  const places = createPlaces(options.cursor, clock, logger);
  const rest = createDiscordRest({ request: (call) => connection.client().rest.request(call) });
  const delivery = createDiscordDelivery({
    rest,
    botId: () => connection.client().user?.id,
    clock,
    logger,
    editIntervalMs: options.editIntervalMs ?? EDIT_INTERVAL_MS,
  });
  const stopping = new AbortController();
  let isTaking = false;

  /** Runs a handler whose failure is logged: nobody awaits an event. */
  const guard = (event: string, run: () => Promise<unknown>): void => {
    run().catch((error: unknown) => logger.error('discord_event_failed', { event, error: error as Error }));
  };

  /** The messages of one channel are looked at one after the other, in the order they came. */
  const lines = createLines();

  const listen = (client: Client<true>, gateway: Gateway): void => {
    const members = createMembers(client, clock);
    const settings = options.tickets;
    const tickets = settings === undefined ? undefined : createDiscordTickets({ settings, gateway, members, clock, logger });
    const intake = createIntake({ client, gateway, clock, places, members, hasMessageContent: messageContent, tickets });
    const onInteraction = createInteractionHandler({
      gateway,
      members,
      clock,
      logger,
      isTaking: () => isTaking,
      onTicket: tickets === undefined ? undefined : createTicketClicks({ tickets, clock, logger }),
      onAskPerson: tickets?.onAskPerson,
    });
    const hand = (message: Message): Promise<void> => {
      const seen = intake.see(message);
      return lines.run(message.channelId, async () => {
        if (isTaking) await intake.onMessage(seen);
      });
    };
    client.on(Events.InteractionCreate, (interaction) => guard('interaction', () => onInteraction(interaction)));
    client.on(Events.MessageCreate, (message) => {
      if (message.author.id === client.user.id) {
        if (typeof message.nonce === 'string')
          delivery.noteOwn({ nonce: message.nonce, channelId: message.channelId, id: message.id });
        return;
      }
      guard('message', () => hand(message));
    });
    if (tickets !== undefined) {
      const onReaction = async (reaction: MessageReaction | PartialMessageReaction, by: User | PartialUser): Promise<void> => {
        if (!isTaking || !tickets.isTicketEmoji(reaction.emoji.name)) return;
        const message = reaction.message.partial ? await reaction.message.fetch() : reaction.message;
        await tickets.onReaction({ message, text: textOf(message) }, by.partial ? await by.fetch() : by);
      };
      client.on(Events.MessageReactionAdd, (reaction, by) => guard('reaction', () => onReaction(reaction, by)));
    }
    client.on(Events.MessageUpdate, (before, after) =>
      guard('edit', async () => {
        if (after.partial) return;
        const known = { partial: before.partial, content: before.content };
        await lines.run(after.channelId, () => intake.onEdit(known, after));
      }),
    );
    client.on(Events.MessageDelete, (message) =>
      guard('delete', () => lines.run(message.channelId, () => intake.onDelete(message.id))),
    );
    client.on(Events.MessageBulkDelete, (messages) => {
      for (const message of messages.values())
        guard('delete', () => lines.run(message.channelId, () => intake.onDelete(message.id)));
    });
    const catchUp = (): void =>
      guard('backfill', async () => {
        const isOfTickets = (channelId: string): boolean => settings?.channels.has(placeId(channelId)) === true;
        const missed = { client, places, isOfTickets, clock, logger, hand };
        await backfill(missed);
        if (options.cursor !== undefined) await backfillMentions(missed);
      });
    catchUp();
    // A new session, unlike a resumed one, does not replay what was missed.
    client.on(Events.ShardReady, catchUp);
  };

  /**
   * Logs in, again and again while Discord is out of reach: the rest of the assistant works meanwhile. What the token or the
   * settings forbid is not tried again, since each try uses up one of the day's sessions.
   */
  const keepConnecting = async (gateway: Gateway): Promise<void> => {
    for (let failures = 1; !stopping.signal.aborted; failures += 1) {
      try {
        return await connection.login((ready) => listen(ready, gateway));
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (hasCode(error, 'channel_auth')) {
          logger.error('discord_refused', { error });
          throw error;
        }
        logger.warn('discord_start_failed', { failures, error: error as Error });
        await clock.sleep(reconnectDelayMs(failures, Math.random), stopping.signal).catch(() => undefined);
      }
    }
  };

  return {
    name: 'discord',
    async start(gateway) {
      await places.load();
      isTaking = true;
      const waited = new AbortController();
      const late = clock.sleep(START_WAIT_MS, AbortSignal.any([waited.signal, stopping.signal])).catch(() => undefined);
      await Promise.race([keepConnecting(gateway), late]).finally(() => waited.abort());
    },
    async stopIntake() {
      isTaking = false;
      stopping.abort();
      await lines.settled();
      await places.flush();
    },
    async close() {
      isTaking = false;
      stopping.abort();
      delivery.stop();
      await connection.close();
      await places.flush();
    },
    status: () => connection.status(),
    render: (answer, _turnId, language) => {
      const parts = renderAnswer(answer, language);
      return options.tickets === undefined ? parts : withPersonButton(parts, answer);
    },
    post: (address, part, key, bytes) => delivery.post(address, part, key, bytes),
    find: (address, key) => delivery.find(address, key),
    update: (address, ref, part, key) => delivery.update(address, ref, part, key),
    progress: (address, ref, text, key) => delivery.progress(address, ref, text, key),
    board: createDiscordBoard({ delivery, rest }),
  };
};
