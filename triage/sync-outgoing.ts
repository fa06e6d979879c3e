/** What of a ticket's events goes to a helpdesk, and which of them came from there. Pure. */
import type { Ticket, TicketEvent } from '../agent/ticket.ts';
import { applyEvent, openFrom } from '../agent/ticket-events.ts';
import type { Connector, NewComment } from './connectors/connector.ts';

/** The event that made a value what it is; undefined where it is as the ticket began. */
export const lastChangeOf = <T>(
  events: readonly TicketEvent[],
  ticketId: string,
  valueOf: (ticket: Ticket) => T,
): TicketEvent | undefined => {
  const [first, ...rest] = events;
  if (first === undefined) return undefined;
  let ticket = openFrom(ticketId, first);
  let last: TicketEvent | undefined;
  for (const event of rest) {
    const next = applyEvent(ticket, event);
    if (valueOf(next) !== valueOf(ticket)) last = event;
    ticket = next;
  }
  return last;
};

/** An asker's message is theirs; that it opens the ticket again is our own doing, and goes there. */
const isAskersTurn = ({ actor, change }: TicketEvent): boolean =>
  actor.kind === 'person' && (change.kind === 'reopened' || (change.kind === 'message_added' && change.message.from === 'asker'));

export const cameFrom = (system: string, event: TicketEvent): boolean => event.source === system && !isAskersTurn(event);

const NAMES = { asker: 'The asker', team: 'The team', assistant: 'The assistant', other: 'Somebody in the thread' } as const;

/** Undefined for what is no comment, came from there, or may not be read there. */
export const outgoingOf = (
  { source, change }: TicketEvent,
  { isPrivate }: Pick<Ticket, 'isPrivate'>,
  { system, isPublic, hasNotes }: Pick<Connector, 'system' | 'isPublic' | 'hasNotes'>,
): Omit<NewComment, 'marker'> | undefined => {
  if (source === system || (isPrivate && isPublic)) return undefined;
  if (change.kind === 'message_added') {
    const { author, from, text } = change.message;
    return { text: `${author.displayName || NAMES[from]}:\n\n${text}`, isPublic: true };
  }
  if (change.kind === 'commented' && !change.isPublic && hasNotes) return { text: change.text, isPublic: false };
  return undefined;
};
