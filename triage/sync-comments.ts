/** Comments, both ways: each comes once and goes once, in order, also where nobody knows whether it went. */
import { hasCode } from '../agent/errors.ts';
import type { Ticket, TicketEvent } from '../agent/ticket.ts';
import type { OutsideComment, OutsideTicket } from './connectors/connector.ts';
import { answersElsewhere } from './sync-merged.ts';
import { type Outgoing, outgoingOf } from './sync-outgoing.ts';
import type { TicketSync } from './sync-state.ts';
import type { SyncWork } from './sync-work.ts';

const MAX_MERGES = 20;

/** An event of the ticket, or `of` another one that it went on in. */
interface Position {
  readonly of?: string;
  readonly seq: number;
}

/** As a webhook of the same helpdesk names it. */
const idHere = ({ system }: SyncWork, outside: OutsideTicket, { id }: OutsideComment): string => `${system}:${outside.id}:${id}`;

const takeComment = async (work: SyncWork, ticket: Ticket, outside: OutsideTicket, comment: OutsideComment): Promise<void> => {
  const { system, desk, store, actorOf } = work;
  const { by, author, text, isPublic, at } = comment;
  const key = idHere(work, outside, comment);
  const cameFromThere = ticket.threadId.startsWith(`${system}:`);
  if (isPublic && (by === 'other' || (by === 'requester' && cameFromThere))) {
    const from = by === 'other' ? 'other' : 'asker';
    await desk.hear({ deliveryId: key, threadId: ticket.threadId, author, from, text, at, source: system });
    return;
  }
  let goesOnIn = ticket;
  for (let n = 0; n < MAX_MERGES && goesOnIn.mergedInto !== null; n += 1)
    goesOnIn = (await store.readTicket(goesOnIn.mergedInto)) ?? goesOnIn;
  const action = { kind: 'comment', commentId: key, text, isPublic } as const;
  await desk.act({ ticketId: goesOnIn.id, action, actor: actorOf(author.id), source: system, key });
};

/** What is remembered when one of them is over there, or is not to go there. */
const past = ({ told }: TicketSync, { of, seq }: Position): Pick<TicketSync, 'pushedSeq'> | Pick<TicketSync, 'told'> =>
  of === undefined ? { pushedSeq: seq } : { told: { ...told, [of]: seq } };

export const takeComments = async (
  work: SyncWork,
  ticket: Ticket,
  events: readonly TicketEvent[],
  outside: OutsideTicket,
): Promise<void> => {
  const { state, keep } = work;
  const { intent } = state();
  const sent = intent === null ? undefined : outside.comments.find(({ marker }) => marker === intent.marker);
  if (sent !== undefined && intent !== null)
    await keep({ own: [...state().own, sent.id, intent.marker], ...past(state(), intent), intent: null });
  const own = new Set(state().own);
  const known = new Set(
    events.flatMap(({ change }) =>
      change.kind === 'commented' ? [change.commentId] : change.kind === 'message_added' ? [change.message.deliveryId] : [],
    ),
  );
  for (const comment of outside.comments) {
    const isOwn = own.has(comment.id) || (comment.marker !== null && own.has(comment.marker));
    if (!isOwn && !known.has(idHere(work, outside, comment))) await takeComment(work, ticket, outside, comment);
  }
};

const pushComment = async (work: SyncWork, outsideId: string, position: Position, { comment }: Outgoing): Promise<void> => {
  const { connector, system, state, keep, send, made, tell, markerOf, signal } = work;
  const { of = '', seq } = position;
  // After a try whose outcome was unknown the marker stays the same: should it come to light late, it is recognised.
  const { intent } = state();
  const marker = intent?.seq === seq && (intent.of ?? '') === of ? intent.marker : markerOf();
  try {
    const push = () => connector.addComment(outsideId, { ...comment, marker }, signal);
    const added = await send(push, { intent: { ...position, marker } });
    await keep({ ...made(added.version), own: [...state().own, added.id, marker], ...past(state(), position), intent: null });
  } catch (error) {
    if (!hasCode(error, 'helpdesk_rejected')) throw error;
    await tell(`comment:${of}${seq}`, `${system} did not take a comment of this ticket: ${error.message}`);
    await keep({ ...past(state(), position), intent: null });
  }
};

export const pushComments = async (work: SyncWork, outsideId: string): Promise<void> => {
  const { connector, ticketId, state, keep } = work;
  const events = await work.readEvents();
  for (const one of outgoingOf(ticketId, events, state().pushedSeq, connector))
    await pushComment(work, outsideId, { seq: one.seq }, one);
  const last = events.at(-1)?.seq ?? 0;
  if (last > state().pushedSeq) await keep({ pushedSeq: last });
  for (const one of await answersElsewhere(work, outsideId))
    await pushComment(work, outsideId, { of: one.of, seq: one.seq }, one);
};
