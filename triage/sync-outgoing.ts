/** What of a ticket's events goes to a helpdesk, and which of them came from there. Pure. */
import type { Ticket, TicketEvent, TicketMessage } from '../agent/ticket.ts';
import { applyEvent, openFrom } from '../agent/ticket-events.ts';
import type { Connector, NewComment } from './connectors/connector.ts';

/** The ticket as each of its events left it. */
export const historyOf = (ticketId: string, events: readonly TicketEvent[]): readonly Ticket[] => {
  const [first, ...rest] = events;
  if (first === undefined) return [];
  const history = [openFrom(ticketId, first)];
  let ticket = openFrom(ticketId, first);
  for (const event of rest) {
    ticket = applyEvent(ticket, event);
    history.push(ticket);
  }
  return history;
};

/** The event that made a value what it is; undefined where it is as the ticket began. */
export const lastChangeOf = <T>(
  events: readonly TicketEvent[],
  ticketId: string,
  valueOf: (ticket: Ticket) => T,
): TicketEvent | undefined => {
  const values = historyOf(ticketId, events).map(valueOf);
  return events.findLast((_event, n) => n > 0 && values[n] !== values[n - 1]);
};

/** An asker's message is theirs; that it opens the ticket again is our own doing, and goes there. */
const isAskersTurn = ({ actor, change }: TicketEvent): boolean =>
  actor.kind === 'person' && (change.kind === 'reopened' || (change.kind === 'message_added' && change.message.from === 'asker'));

export const cameFrom = (system: string, event: TicketEvent): boolean => event.source === system && !isAskersTurn(event);

/** Whether all of it may be read by whoever reads over there. */
export const wasNeverHidden = (
  ticketId: string,
  events: readonly TicketEvent[],
  { isPublic }: Pick<Connector, 'isPublic'>,
): boolean => !isPublic || historyOf(ticketId, events).every(({ isPrivate }) => !isPrivate);

const NAMES = { asker: 'The asker', team: 'The team', assistant: 'The assistant', other: 'Somebody in the thread' } as const;

type Side = Pick<Connector, 'system' | 'isPublic' | 'hasNotes'>;

/** What the `[n]` of a draft that was sent point at, by title: not everyone over there may open the documents. */
const sourcesOf = (events: readonly TicketEvent[], { deliveryId, text }: TicketMessage): string => {
  const sent = events.flatMap(({ change }) => (change.kind === 'draft_proposed' ? [change.draft] : []));
  const { citations = [] } = sent.findLast(({ id }) => deliveryId.startsWith('draft:') && deliveryId.endsWith(`:${id}`)) ?? {};
  const cited = citations.filter(({ n }) => text.includes(`[${n}]`));
  const lines = cited.map(({ n, title }) => `[${n}] ${title.replace(/\s+/gu, ' ').trim()}`);
  return lines.length === 0 ? '' : `\n\nSources:\n${lines.join('\n')}`;
};

/** Whoever it came from. */
export const commentOf = (
  { change }: TicketEvent,
  events: readonly TicketEvent[],
  { isPublic, hasNotes }: Omit<Side, 'system'>,
): Omit<NewComment, 'marker'> | undefined => {
  if (change.kind === 'message_added') {
    const { author, from, text } = change.message;
    // Who writes is not for everyone to read.
    const name = (isPublic ? '' : author.displayName) || NAMES[from];
    return { text: `${name}:\n\n${text}${sourcesOf(events, change.message)}`, isPublic: true };
  }
  if (change.kind === 'merged_into') return { text: `This goes on in ${change.ticketId}.`, isPublic: true };
  if (change.kind === 'unmerged') return { text: 'This goes on here again.', isPublic: true };
  if (change.kind === 'commented' && !change.isPublic && hasNotes) return { text: change.text, isPublic: false };
  return undefined;
};

export interface Outgoing {
  readonly seq: number;
  readonly comment: Omit<NewComment, 'marker'>;
}

/** The comments after `afterSeq` that are not from there and may be read there: what was said in private stays private for ever. */
export const outgoingOf = (
  ticketId: string,
  events: readonly TicketEvent[],
  afterSeq: number,
  side: Side,
): readonly Outgoing[] => {
  const history = side.isPublic ? historyOf(ticketId, events) : [];
  if (history.at(-1)?.isPrivate === true) return [];
  return events.flatMap((event, n): readonly Outgoing[] => {
    const isHidden = event.source === side.system || history[n]?.isPrivate === true;
    const comment = event.seq <= afterSeq || isHidden ? undefined : commentOf(event, events, side);
    return comment === undefined ? [] : [{ seq: event.seq, comment }];
  });
};
