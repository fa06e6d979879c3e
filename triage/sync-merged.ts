/** A ticket that goes on in another one: what is answered there reaches whoever asked over here as well. */
import type { Ticket, TicketEvent } from '../agent/ticket.ts';
import { commentOf, historyOf, type Outgoing } from './sync-outgoing.ts';
import type { SyncWork } from './sync-work.ts';

export interface AnswerElsewhere extends Outgoing {
  /** The ticket that it was given in. */
  readonly of: string;
}

/** Those of a ticket's events that came while the other one was merged into it. */
const whileWith = (events: readonly TicketEvent[], ticketId: string): readonly TicketEvent[] => {
  let isWith = false;
  return events.filter(({ change }) => {
    if (change.kind === 'merge_taken' && change.ticketId === ticketId) isWith = true;
    if (change.kind === 'merge_given_back' && change.ticketId === ticketId) isWith = false;
    return isWith;
  });
};

/** A private ticket is for its own asker alone. */
const mayReach = (asker: Ticket, { isPrivate, author }: Ticket, isPublic: boolean): boolean =>
  !isPrivate || (!isPublic && asker.isPrivate && asker.author.id === author.id);

/** By the team and the assistant, in each ticket after the last that was told; but for those that were given in this double. */
export const answersElsewhere = async (work: SyncWork, outsideId: string): Promise<readonly AnswerElsewhere[]> => {
  const { connector, store, system, state } = work;
  const ticket = await work.readHere();
  if (connector.isPublic && ticket.isPrivate) return [];
  const found: AnswerElsewhere[] = [];
  const seen = new Set([ticket.id]);
  const follow = async (from: string, events: readonly TicketEvent[]): Promise<void> => {
    for (const { change } of events) {
      if (change.kind !== 'merged_into' || seen.has(change.ticketId)) continue;
      const of = change.ticketId;
      seen.add(of);
      const all = await store.readEvents(of);
      const history = historyOf(of, all);
      const now = history.at(-1);
      const then = whileWith(all, from);
      for (const event of then) {
        const at = history[event.seq - 1];
        const isAnswer = event.change.kind === 'message_added' && ['team', 'assistant'].includes(event.change.message.from);
        if (!isAnswer || event.seq <= (state().told[of] ?? 0) || at === undefined || now === undefined) continue;
        if (!mayReach(ticket, at, connector.isPublic) || !mayReach(ticket, now, connector.isPublic)) continue;
        if (event.change.message.deliveryId.startsWith(`comment:${system}:${outsideId}:`)) continue;
        const comment = commentOf(event, all, connector);
        if (comment !== undefined) found.push({ of, seq: event.seq, comment });
      }
      await follow(of, then);
    }
  };
  await follow(ticket.id, await work.readEvents());
  return found;
};
