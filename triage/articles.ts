/**
 * What tickets teach, from the wish to the shelf. The ticket says what is to be done and this does it, as often as it is called: who
 * comes after a crash between an approval and its document puts the same document again.
 */
import { withoutMarkers } from '../agent/citations.ts';
import type { ArticleShelf } from '../agent/ports/article-shelf.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { TicketStore } from '../agent/ports/ticket-store.ts';
import { ASSISTANT, SYSTEM, type Ticket, type TicketActor, type TicketChange, type TicketEvent } from '../agent/ticket.ts';
import { type SolvedThread, saysEnough, threadOf } from './article-text.ts';
import type { WriteArticle } from './article-write.ts';

export interface ArticleOptions {
  readonly store: TicketStore;
  readonly shelf: ArticleShelf;
  readonly write: WriteArticle;
  /** The narrowest label that the readers of the ticket's place hold. */
  readonly labelOf: (ticket: Ticket) => string;
  /** A document was put: it has no vectors yet. */
  readonly onShelved: () => void;
  readonly clock: Clock;
}

export interface Articles {
  /** Brings the ticket's article as far as it goes now. Rejects with the signal's reason, `AppError('ticket_moved')`, `store_*`. */
  keepUp(ticket: Ticket, signal: AbortSignal): Promise<Ticket>;
  /** Out of the documents, now. */
  withdraw(ticketId: string): Promise<void>;
  /** What its sources are gone of, or what no ticket stands behind, is taken out. Resolves with when to look again. */
  sweep(signal: AbortSignal): Promise<number>;
}

const SWEEP_MS = 10_000;

export const createArticles = ({ store, shelf, write, labelOf, onShelved, clock }: ArticleOptions): Articles => {
  let sweptRevision: number | undefined;

  const append = async (ticket: Ticket, change: TicketChange, actor: TicketActor = SYSTEM): Promise<Ticket> => {
    const event = { at: clock.now(), actor, source: 'triage', change };
    const { tickets } = await store.append([{ ticketId: ticket.id, expectedVersion: ticket.version, events: [event] }]);
    return tickets[0] ?? ticket;
  };

  const isOver = ({ status }: Ticket): boolean => status === 'solved' || status === 'closed';

  /** What was said then is nothing that everyone was to read, whatever the ticket is now. */
  const wasPrivate = (events: readonly TicketEvent[]): boolean =>
    events.some(
      ({ change }) =>
        (change.kind === 'opened' && change.arrival.isPrivate) || (change.kind === 'privacy_set' && change.isPrivate),
    );

  /** A person solved it with what no document had. */
  const teaches = (ticket: Ticket, thread: SolvedThread): boolean => {
    const { isPrivate, incidentId, reading, draft } = ticket;
    const hadDraft = draft !== null && draft.state !== 'dropped';
    return (
      !isPrivate &&
      incidentId === null &&
      reading?.outOfScope.value !== true &&
      !hadDraft &&
      thread.isByTeam &&
      thread.isSaidSolved &&
      saysEnough(thread)
    );
  };

  const propose = async (ticket: Ticket, signal: AbortSignal): Promise<Ticket> => {
    const isWanted = ticket.articleNeed === 'wanted';
    if (!isOver(ticket) || ticket.incident !== null || (!isWanted && (ticket.articleNeed === 'none' || ticket.article != null)))
      return ticket;
    const events: readonly TicketEvent[] = await store.readEvents(ticket.id);
    const thread = threadOf(ticket, events);
    if (!isWanted && (wasPrivate(events) || !teaches(ticket, thread))) return ticket;
    const written = await write({ ticket, thread, isWanted }, signal);
    if (written === undefined) return append(ticket, { kind: 'article_needless' });
    const article = { ...written, id: `a${ticket.version + 1}`, label: labelOf(ticket) };
    return append(ticket, { kind: 'article_proposed', article }, ASSISTANT);
  };

  const publish = async (ticket: Ticket): Promise<Ticket> => {
    const { article } = ticket;
    if (article == null) return ticket;
    const approved = (await store.readEvents(ticket.id)).findLast(({ change }) => change.kind === 'article_approved');
    const text = withoutMarkers(article.text);
    await shelf.put({ ticketId: ticket.id, text, label: article.label, approvedAt: approved?.at ?? clock.now() });
    onShelved();
    return append(ticket, { kind: 'article_published', articleId: article.id });
  };

  const keepUp: Articles['keepUp'] = async (ticket, signal) => {
    const { article } = ticket;
    if (article == null || !article.isShelved) return propose(ticket, signal);
    const isPublic = article.state === 'approved' || article.state === 'published';
    if (isPublic && ticket.isPrivate && !article.despitePrivate)
      return keepUp(await append(ticket, { kind: 'article_stale', articleId: article.id, gone: [] }), signal);
    if (article.state === 'approved') return publish(ticket);
    if (isPublic) return ticket;
    await shelf.remove(ticket.id);
    return append(ticket, { kind: 'article_withdrawn', articleId: article.id });
  };

  const check = async (ticketId: string): Promise<void> => {
    const ticket = await store.readTicket(ticketId);
    const article = ticket?.article;
    if (ticket === undefined || article == null || !article.isShelved) return shelf.remove(ticketId);
    if (article.state !== 'published') return;
    const gone = await shelf.findGone(article.citations.map(({ source }) => source));
    if (gone.length === 0) return;
    await append(ticket, { kind: 'article_stale', articleId: article.id, gone });
    await shelf.remove(ticketId);
  };

  return {
    keepUp,
    withdraw: (ticketId) => shelf.remove(ticketId),
    sweep: async (signal) => {
      const revision = await shelf.readRevision();
      if (revision !== sweptRevision) {
        for (const ticketId of await shelf.list()) {
          signal.throwIfAborted();
          await check(ticketId);
        }
        sweptRevision = revision;
      }
      return clock.now() + SWEEP_MS;
    },
  };
};
