/** Tickets like one: found by words and by vectors, and told apart from mere likeness by what both name. */

import { hasCode } from '../agent/errors.ts';
import { termsOf } from '../agent/overlap.ts';
import type { Embedder } from '../agent/ports/embedder.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { SeenTicket, TicketsAdmitted } from '../agent/ports/ticket-index.ts';
import type { TicketStore } from '../agent/ports/ticket-store.ts';
import type { SimilarReason, SimilarTicket, Ticket } from '../agent/ticket.ts';
import { wordQuery } from '../agent/words.ts';

export interface SimilarFinder {
  /** Keeps what the ticket says for later ones. */
  index(ticket: Ticket, signal: AbortSignal): Promise<SeenTicket>;
  /** Nearest first, at most three, none that a reader of the ticket's card might not know of. */
  find(ticket: Ticket, seen: SeenTicket): Promise<readonly SimilarTicket[]>;
}

const MAX_INDEXED_CHARS = 2_000;
const CANDIDATES = 12;
const SHOWN = 3;
/** Below it they share a subject at most. */
const ALIKE = 0.55;
const SAME_MEANING = 0.8;
const SAME_WORDS = 0.6;
/** What was solved longer ago is no duplicate: it came back. */
const DUPLICATE_MS = 7 * 24 * 3_600_000;

const TELLING = new Set(['order_number', 'error_code', 'link']);

/** Private tickets are known to their author and their team: others of both may be shown beside one. */
export const admittedBeside = ({ isPrivate, author, team }: Ticket): TicketsAdmitted => ({
  privateOf: isPrivate ? { authorId: author.id, team } : null,
});

export const isAdmitted = (other: Ticket, { privateOf }: TicketsAdmitted): boolean =>
  !other.isPrivate || (privateOf !== null && other.author.id === privateOf.authorId && other.team === privateOf.team);

const textOf = ({ subject, text }: Ticket): string => `${subject}\n${text}`.trim().slice(0, MAX_INDEXED_CHARS);

/** Twice what both hold, of what each holds. */
const sharedWords = (a: string, b: string): number => {
  const [one, two] = [termsOf(a), termsOf(b)];
  const both = [...one].filter((term) => two.has(term)).length;
  return one.size + two.size === 0 ? 0 : (2 * both) / (one.size + two.size);
};

/** As they are written, by what is compared of them. */
const entitiesOf = ({ reading }: Ticket): ReadonlyMap<string, string> =>
  new Map((reading?.entities ?? []).flatMap(({ kind, text }) => (TELLING.has(kind) ? [[text.toLowerCase(), text]] : [])));

const reasonsOf = (ticket: Ticket, other: Ticket, words: number, meaning: number | undefined): readonly SimilarReason[] => {
  const theirs = entitiesOf(other);
  return [
    ...(ticket.author.id === other.author.id ? [{ kind: 'same_author' } as const] : []),
    ...[...entitiesOf(ticket)].flatMap(([same, text]) => (theirs.has(same) ? [{ kind: 'same_entity', text } as const] : [])),
    ...(words >= SAME_WORDS ? [{ kind: 'same_words' } as const] : []),
    ...((meaning ?? 0) >= SAME_MEANING ? [{ kind: 'same_meaning' } as const] : []),
  ];
};

/** Who wrote it or what it names has to be the same, and what it says as well. */
const isDuplicate = (ticket: Ticket, other: Ticket, reasons: readonly SimilarReason[]): boolean => {
  const kinds = new Set(reasons.map(({ kind }) => kind));
  const isRecent = other.solvedAt === null || ticket.openedAt - other.solvedAt < DUPLICATE_MS;
  const isOne = kinds.has('same_author') || kinds.has('same_entity');
  const saysTheSame =
    kinds.has('same_words') || kinds.has('same_meaning') || (kinds.has('same_author') && kinds.has('same_entity'));
  return isRecent && other.status !== 'closed' && isOne && saysTheSame;
};

export const createSimilarFinder = (store: TicketStore, embedder: Embedder | undefined, logger: Logger): SimilarFinder => {
  /** Null as well while the embedder is away: words are compared then, and tickets go on. */
  const vectorOf = async (text: string, signal: AbortSignal): Promise<Float32Array | null> => {
    if (embedder === undefined || text === '' || !embedder.canRead(text)) return null;
    try {
      return (await embedder.embed([text], signal))[0] ?? null;
    } catch (error) {
      if (!hasCode(error, 'embedder_unavailable')) throw error;
      logger.warn('ticket_without_vector', { error });
      return null;
    }
  };

  return {
    index: async (ticket, signal) => {
      const text = textOf(ticket);
      const { category, categorySetBy, reading } = ticket;
      const seen: SeenTicket = {
        ticketId: ticket.id,
        at: ticket.openedAt,
        authorId: ticket.author.id,
        categories:
          category !== null && categorySetBy !== 'reading'
            ? [{ category, confidence: 1 }]
            : reading?.outOfScope.value === true
              ? []
              : (reading?.candidates ?? []),
        codes: (reading?.entities ?? []).flatMap(({ kind, text: code }) => (kind === 'error_code' ? [code.toLowerCase()] : [])),
        vector: await vectorOf(text, signal),
      };
      await store.indexTicket(seen, text, embedder?.id ?? null);
      return seen;
    },

    find: async (ticket, { vector }) => {
      const admitted = admittedBeside(ticket);
      const [words, vectors] = await Promise.all([
        store.searchTicketWords(wordQuery(textOf(ticket)), admitted, CANDIDATES),
        vector === null || embedder === undefined ? [] : store.searchTicketVectors(vector, embedder.id, admitted, CANDIDATES),
      ]);
      const meanings = new Map(vectors.map(({ id, score }) => [id, score]));
      const ids = new Set([...words, ...vectors].map(({ id }) => id));
      ids.delete(ticket.id);
      const others = await Promise.all([...ids].map((id) => store.readTicket(id)));
      return others
        .flatMap((other): readonly SimilarTicket[] => {
          if (other === undefined || other.status === 'merged' || !isAdmitted(other, admitted)) return [];
          const shared = sharedWords(textOf(ticket), textOf(other));
          const meaning = meanings.get(other.id);
          const reasons = reasonsOf(ticket, other, shared, meaning);
          const similarity = Math.min(1, Math.max(0, meaning ?? 0, shared));
          const found = { ticketId: other.id, similarity, reasons, isDuplicate: isDuplicate(ticket, other, reasons) };
          return found.isDuplicate || similarity >= ALIKE ? [found] : [];
        })
        .sort((a, b) => Number(b.isDuplicate) - Number(a.isDuplicate) || b.similarity - a.similarity)
        .slice(0, SHOWN);
    },
  };
};
