/** Whether a ticket has moved on since the card that somebody clicked on, so that the click would now do something else. */
import type { TicketAction } from '../agent/ports/ticket-desk.ts';
import type { Ticket } from '../agent/ticket.ts';
import { isLive } from './incidents.ts';

/** What of the ticket an action rests on: where that is as it was seen, the action does what was meant. */
const basisOf = (ticket: Ticket, kind: TicketAction['kind']): readonly unknown[] => {
  switch (kind) {
    case 'assign':
      return [ticket.assignee];
    case 'draft_edit':
    case 'draft_send':
    case 'draft_drop':
      return [ticket.draft?.id, ticket.draft?.text];
    case 'solve':
    case 'close':
    case 'reopen':
    case 'snooze':
      return [isLive(ticket) ? 'live' : ticket.status, ticket.episode];
    case 'unmerge':
      return [ticket.mergedInto];
    case 'leave_incident':
      return [ticket.incidentId];
    default:
      return [];
  }
};

const nowOf = ({ assignee, status, mergedInto, incidentId }: Ticket, kind: TicketAction['kind']): string => {
  switch (kind) {
    case 'assign':
      return assignee === null ? 'nobody has it now' : `${assignee} has it now`;
    case 'draft_edit':
    case 'draft_send':
    case 'draft_drop':
      return 'its draft is another one now';
    case 'unmerge':
      return mergedInto === null ? 'it stands alone now' : `it goes on in ${mergedInto} now`;
    case 'leave_incident':
      return incidentId === null ? 'it is in no incident now' : `it is in ${incidentId} now`;
    default:
      return `it is ${status} now`;
  }
};

/** In words, for whoever acted; undefined where the action does what was seen. */
export const movedOn = (seen: Ticket, now: Ticket, { kind }: TicketAction): string | undefined => {
  const [before, after] = [basisOf(seen, kind), basisOf(now, kind)];
  return before.every((one, n) => one === after[n])
    ? undefined
    : `${now.id} has changed since you looked: ${nowOf(now, kind)}. Look again, then choose.`;
};
