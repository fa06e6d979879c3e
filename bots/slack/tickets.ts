/**
 * Tickets in Slack: what makes one (a command, a shortcut, an emoji, a channel, the wish for a person), what is written in its thread,
 * the board that shows it, and the answers to its buttons. A message is one delivery, whichever of these ways it comes.
 */
import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { InboundMessage } from '../../agent/conversation.ts';
import { AppError } from '../../agent/errors.ts';
import type { Gateway, OutboundPart } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { BoardMessage, TicketBoard } from '../../agent/ports/ticket-board.ts';
import type { TicketDesk } from '../../agent/ports/ticket-desk.ts';
import type { PostTarget } from '../../agent/ports/ticket-store.ts';
import { languageOf } from '../../agent/texts.ts';
import type { ArrivalWay, TicketArrival, TicketPerson } from '../../agent/ticket.ts';
import { actionOf, outcomeText, REPLY, textAction } from '../ticket-actions.ts';
import { arrivalOf as arrivalOfQuestion, handOver } from '../ticket-person.ts';
import { conversationId, deliveryId, personId, placeOf, readAddress, type SlackAddress, scopeOf, toAddress } from './address.ts';
import { renderAnswer } from './blocks.ts';
import type { Channels } from './channels.ts';
import type { SlackDelivery } from './delivery.ts';
import type { Click } from './feedback.ts';
import type { Identity } from './intake.ts';
import type { People } from './people.ts';
import { mentionedUsers, plainText } from './text.ts';
import { readTicketClick, ticketPart } from './ticket-blocks.ts';
import { callSlack } from './web-client.ts';

export interface SlackTicketSettings {
  /** Once the channel starts. */
  readonly desk: () => TicketDesk;
  /** Its name without colons. */
  readonly emoji: string;
  /** Place ids in which each message that begins a thread is a ticket. */
  readonly channels: ReadonlySet<string>;
}

export const DRAFT_VIEW = 'threadwise_ticket_draft';
const DRAFT_BLOCK = 'threadwise_ticket_draft_block';
const DRAFT_INPUT = 'threadwise_ticket_draft_input';
/** https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element */
const MAX_INPUT = 3_000;

/** A message as the ways to a ticket know it. */
export interface SourceMessage {
  readonly channelId: string;
  readonly ts: string;
  readonly threadTs: string | undefined;
  readonly userId: string;
  readonly text: string;
}

export interface SlackTickets {
  /** Resolves when the ticket is durable. Throws what the store throws. */
  arrive(message: SourceMessage, how: ArrivalWay): Promise<void>;
  /** A question that is none for the assistant: the asker wants a person. */
  escalate(message: InboundMessage): Promise<void>;
  /** The same of a command, whose root message the app has posted. */
  arriveWith(message: InboundMessage, how: ArrivalWay): Promise<void>;
  /** Whatever is written in channels: begins a ticket where each message is one, belongs to the one of its thread. */
  hear(message: SourceMessage): Promise<void>;
  onReaction(reaction: {
    readonly userId: string;
    readonly name: string;
    readonly channelId: string;
    readonly ts: string;
  }): Promise<void>;
  onShortcut(message: SourceMessage, userId: string): Promise<void>;
  onClick(click: Click & { readonly blockId: string; readonly chosen: string }): Promise<void>;
  onDraft(input: {
    readonly userId: string;
    readonly metadata: string;
    readonly text: string;
    readonly viewId: string;
  }): Promise<void>;
}

export interface SlackTicketOptions {
  readonly settings: SlackTicketSettings;
  readonly gateway: Gateway;
  readonly client: WebClient;
  readonly people: People;
  readonly channels: Channels;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly logger: Logger;
}

const readMetadata = (text: string): readonly [ticketId: string, draftId: string] | undefined => {
  try {
    const [ticketId, draftId]: unknown[] = JSON.parse(text) as unknown[];
    return typeof ticketId === 'string' && typeof draftId === 'string' ? [ticketId, draftId] : undefined;
  } catch {
    return undefined;
  }
};

const DIALOGS = {
  tell: { title: 'Incident', submit: 'Tell all', label: 'What all of them will read' },
  reply: { title: 'Answer to', submit: 'Send', label: 'The answer, as the asker will read it' },
  draft: { title: 'Draft for', submit: 'Keep', label: 'The answer, as the asker will read it' },
};

const dialogOf = (draftId: string) => DIALOGS[draftId === '' ? 'tell' : draftId === REPLY ? 'reply' : 'draft'];

/** `draftId`: as in `textAction`. */
const draftView = (ticketId: string, draftId: string, text: string): ModalView => ({
  type: 'modal',
  callback_id: DRAFT_VIEW,
  private_metadata: JSON.stringify([ticketId, draftId]),
  title: { type: 'plain_text', text: `${dialogOf(draftId).title} ${ticketId}`.slice(0, 24) },
  submit: { type: 'plain_text', text: dialogOf(draftId).submit },
  blocks: [
    {
      type: 'input',
      block_id: DRAFT_BLOCK,
      label: { type: 'plain_text', text: dialogOf(draftId).label },
      element: {
        type: 'plain_text_input',
        action_id: DRAFT_INPUT,
        multiline: true,
        max_length: MAX_INPUT,
        initial_value: text.slice(0, MAX_INPUT),
      },
    },
  ],
});

/** The text of a submitted dialog's `state.values`. */
export const readDraft = (values: Readonly<Record<string, Readonly<Record<string, { value?: string | null }>>>>): string =>
  values[DRAFT_BLOCK]?.[DRAFT_INPUT]?.value ?? '';

export const createSlackTickets = ({
  settings,
  gateway,
  client,
  people,
  channels,
  identity,
  clock,
  logger,
}: SlackTicketOptions): SlackTickets => {
  const { teamId, botUserId } = identity;
  const desk = settings.desk();

  const toText = async (raw: string): Promise<string> => {
    const names = await people.namesOf(mentionedUsers(raw).filter((userId) => userId !== botUserId));
    return plainText(raw, { botUserId, nameOf: (userId) => names.get(userId) });
  };

  const addressOf = ({ channelId, ts, threadTs, userId }: SourceMessage): SlackAddress => {
    const isDirect = channelId.startsWith('D');
    return { channel: channelId, thread: threadTs ?? (isDirect ? '' : ts), question: ts, user: userId };
  };

  const authorOf = async (userId: string): Promise<TicketPerson> => ({
    id: personId(userId),
    displayName: (await people.describe(userId)).displayName,
  });

  const arrivalOf = async (message: SourceMessage, how: ArrivalWay): Promise<TicketArrival> => {
    const { channelId, ts, userId } = message;
    const isDirect = channelId.startsWith('D');
    const address = addressOf(message);
    return {
      deliveryId: deliveryId(teamId, channelId, ts),
      threadId: conversationId(teamId, address),
      how,
      author: await authorOf(userId),
      place: placeOf(channelId, isDirect),
      isPrivate: await channels.isPrivate(channelId),
      address: toAddress(address),
      external: null,
      subject: '',
      text: await toText(message.text),
      receivedAt: clock.now(),
      fields: {},
    };
  };

  const arrivalWith = async (message: InboundMessage, how: ArrivalWay): Promise<TicketArrival> =>
    arrivalOfQuestion(message, how, await channels.isPrivate(readAddress(message.address).channel));

  const mayAsk = async (userId: string, message: SourceMessage): Promise<boolean> => {
    const author = await people.describe(userId);
    if (author.kind === 'bot') return false;
    const address = { ...addressOf(message), user: userId };
    const place = placeOf(message.channelId, message.channelId.startsWith('D'));
    return (
      gateway.refusalFor({ author: { id: personId(userId), ...author }, scope: scopeOf(teamId, address), place }) === undefined
    );
  };

  const arrive = async (message: SourceMessage, how: ArrivalWay): Promise<void> => {
    const { kind } = await desk.arrive(await arrivalOf(message, how));
    logger.info('slack_ticket', { how, outcome: kind });
  };

  const tell = async (
    { channelId, userId, threadTs }: Pick<Click, 'channelId' | 'userId' | 'threadTs'>,
    text: string,
  ): Promise<void> => {
    try {
      await client.chat.postEphemeral({
        channel: channelId,
        user: userId,
        text,
        ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
      });
    } catch (error) {
      logger.warn('slack_notice_failed', { error: error as Error });
    }
  };

  /** The one message at that time, in a thread or not. Undefined where the app cannot see it. */
  const readMessage = async (channelId: string, ts: string): Promise<SourceMessage | undefined> => {
    const { messages = [] } = await callSlack('conversations.replies', () =>
      client.conversations.replies({ channel: channelId, ts, oldest: ts, latest: ts, inclusive: true, limit: 2 }),
    );
    const found = messages.find((message) => message.ts === ts);
    if (found?.user === undefined || found.bot_id !== undefined) return undefined;
    return { channelId, ts, threadTs: found.thread_ts, userId: found.user, text: found.text ?? '' };
  };

  return {
    arrive,
    arriveWith: async (message, how) => {
      await desk.arrive(await arrivalWith(message, how));
    },
    escalate: async (message) => {
      const arrival = await arrivalWith(message, 'escalation');
      await handOver(desk, { arrival, userId: message.author.id, source: 'slack', key: message.deliveryId });
    },
    hear: async (message) => {
      const { channelId, ts, threadTs, userId } = message;
      const isDirect = channelId.startsWith('D');
      if (!isDirect && (threadTs === undefined || threadTs === ts)) {
        if (settings.channels.has(`slack:${channelId}`) && (await mayAsk(userId, message))) await arrive(message, 'channel');
        return;
      }
      await desk.hear({
        deliveryId: deliveryId(teamId, channelId, ts),
        threadId: conversationId(teamId, addressOf(message)),
        author: await authorOf(userId),
        text: await toText(message.text),
        at: clock.now(),
        source: 'slack',
      });
    },
    onReaction: async ({ userId, name, channelId, ts }) => {
      if (name.split('::')[0] !== settings.emoji) return;
      const message = await readMessage(channelId, ts);
      if (message !== undefined && (await mayAsk(userId, message))) await arrive(message, 'emoji');
    },
    onShortcut: async (message, userId) => {
      if (await mayAsk(userId, message)) await arrive(message, 'shortcut');
    },
    onClick: async (click) => {
      const read = readTicketClick(click.actionId, click.blockId);
      if (read === undefined) return;
      const { ticketId, button } = read;
      const userId = personId(click.userId);
      if (button === 'tell_members' || button === 'reply') {
        const view = draftView(ticketId, button === 'reply' ? REPLY : '', '');
        await callSlack('views.open', () => client.views.open({ trigger_id: click.triggerId, view }));
        return;
      }
      if (button === 'draft_edit') {
        const view = await desk.view(ticketId, { userId, place: null });
        const draft = view?.ticket.draft;
        if (draft == null || draft.id !== click.chosen) return tell(click, 'That draft is gone.');
        await callSlack('views.open', () =>
          client.views.open({ trigger_id: click.triggerId, view: draftView(ticketId, draft.id, draft.text) }),
        );
        return;
      }
      const action = actionOf({
        button,
        userId,
        value: button === 'assign' ? personId(click.chosen) : click.chosen,
        now: clock.now(),
      });
      if (action === undefined) return tell(click, 'That was not understood; choose again.');
      const outcome = await desk.act({
        ticketId,
        action,
        actor: { kind: 'person', id: userId },
        source: 'slack',
        key: `slack:${click.triggerId}`,
      });
      const text = outcomeText(outcome);
      if (text !== undefined) await tell(click, text);
    },
    onDraft: async ({ userId, metadata, text, viewId }) => {
      const read = readMetadata(metadata);
      if (read === undefined || text.trim() === '') return;
      const [ticketId, draftId] = read;
      await desk.act({
        ticketId,
        action: textAction(draftId, text, `slack:${viewId}`),
        actor: { kind: 'person', id: personId(userId) },
        source: 'slack',
        key: `slack:${viewId}`,
      });
    },
  };
};

/** At least one; a long answer is several. */
const partsOf = (message: BoardMessage): readonly OutboundPart[] => {
  if (message.kind !== 'answer') return [ticketPart(message)];
  const { text, citations } = message;
  const answer = { text, citations, answered: true, stopReason: 'answered', allowedLinks: [], fallback: false } as const;
  return renderAnswer(answer, languageOf(text)).map((part) => ({ ...part, withFeedback: false }));
};

/** The channel's own delivery, which knows how to post once and to find again. */
export const createSlackBoard = (delivery: Pick<SlackDelivery, 'post' | 'find' | 'update'>, client: WebClient): TicketBoard => {
  const addressOf = async (target: PostTarget) => {
    if (target.kind === 'thread') return target.address;
    if (target.kind === 'channel')
      return toAddress({ channel: target.placeId.replace(/^slack:/u, ''), thread: '', question: '', user: '' });
    const { channel } = await callSlack('conversations.open', () =>
      client.conversations.open({ users: target.userId.replace(/^slack:/u, '') }),
    );
    if (channel?.id === undefined) throw new AppError('channel_rejected', 'Slack opened no direct message with the person');
    return toAddress({ channel: channel.id, thread: '', question: '', user: '' });
  };
  return {
    channel: 'slack',
    post: async (target, message, key) => {
      const address = await addressOf(target);
      const parts = partsOf(message);
      // The last part has the key: until it stands, those before it are looked for.
      for (const [n, part] of parts.slice(0, -1).entries())
        if ((await delivery.find(address, `${key}/${n}`)) === undefined) await delivery.post(address, part, `${key}/${n}`);
      return delivery.post(address, parts.at(-1) ?? { text: '', withFeedback: false }, key);
    },
    find: async (target, key) => delivery.find(await addressOf(target), key),
    update: async (target, ref, message, key) =>
      delivery.update(await addressOf(target), ref, partsOf(message).at(-1) ?? { text: '', withFeedback: false }, key),
  };
};
