import type { RankedHit } from '../fuse.ts';
import type { WordQuery } from '../words.ts';

/** What of a ticket is compared with others. */
export interface SeenTicket {
  readonly ticketId: string;
  /** When it came, epoch ms. */
  readonly at: number;
  readonly authorId: string;
  /** What it may be, with how sure that is; empty where nobody can tell. */
  readonly categories: readonly { readonly category: string; readonly confidence: number }[];
  /** Error codes that it names. */
  readonly codes: readonly string[];
  /** Of length 1; null where there is none, or one of another embedder. */
  readonly vector: Float32Array | null;
}

/** Public tickets, and of the private ones those of this author in this team. */
export interface TicketsAdmitted {
  readonly privateOf: { readonly authorId: string; readonly team: string | null } | null;
}

/**
 * Tickets by what they say. What is left out by `admitted` changes nothing of what is found, not even its order. Throws
 * `AppError('store_*')`.
 */
export interface TicketIndex {
  /** Replaces what was known of the ticket. Throws `AppError('ticket_missing')`. */
  indexTicket(seen: SeenTicket, text: string, embedderId: string | null): Promise<void>;
  /** By words, best first; incidents are not among them. */
  searchTicketWords(query: WordQuery, admitted: TicketsAdmitted, limit: number): Promise<readonly RankedHit[]>;
  /** By the cosine of their vectors, best first, among the 10,000 latest. */
  searchTicketVectors(
    vector: Float32Array,
    embedderId: string,
    admitted: TicketsAdmitted,
    limit: number,
  ): Promise<readonly RankedHit[]>;
  /** The latest that came no later than `until` and belong to no incident, or to this one; oldest first. */
  listSeen(filter: {
    readonly isPrivate: boolean;
    readonly until: number;
    readonly incidentId: string | null;
    readonly embedderId: string | null;
    readonly limit: number;
  }): Promise<readonly SeenTicket[]>;
}
