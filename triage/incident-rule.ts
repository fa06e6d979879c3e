/**
 * When alike tickets are one incident: so many people tell of one thing within a window that the rate at which such tickets come
 * otherwise does not explain it. Pure; what is known is handed in, so that a process that comes after a crash decides the same.
 */
import type { SeenTicket } from '../agent/ports/ticket-index.ts';

export interface IncidentRule {
  /** Tickets further apart than this do not make an incident. */
  readonly windowMs: number;
  /** People, at least. */
  readonly minAuthors: number;
  /** How likely so many may be by chance, at most. */
  readonly maxChance: number;
}

export const INCIDENT_RULE: IncidentRule = { windowMs: 3_600_000, minAuthors: 4, maxChance: 0.001 };

/** The chance that two are of one category. On unseen requests of 77 categories, 3 of 1,000 pairs of two categories reach it. */
const SAME_CATEGORY = 0.35;
/** Nearer than most pairs of one request. Below it they speak of different things within a category. */
const RELATED = 0.35;
/** Where no category is known the vectors alone decide; 1 of 10,000 pairs of different requests is as near. */
const SAME_MEANING = 0.86;
/** So often a thing comes about in a window that was never seen before. */
const UNSEEN_RATE = 0.2;
/** A later ticket joins when it is like so many of the members. */
const JOIN_SHARE = 0.5;
const COMPARED_MEMBERS = 12;

const dot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
};

const agreementOf = (a: SeenTicket, b: SeenTicket): number =>
  a.categories.reduce(
    (sum, { category, confidence }) =>
      sum + confidence * (b.categories.find((other) => other.category === category)?.confidence ?? 0),
    0,
  );

/** A word in capitals may be a code or a shout. */
const isCertain = (code: string): boolean => /[\d_]/u.test(code);

export const isAlike = (a: SeenTicket, b: SeenTicket): boolean => {
  if (a.codes.some((code) => b.codes.includes(code))) return true;
  if (a.codes.some(isCertain) && b.codes.some(isCertain)) return false;
  const nearness = a.vector === null || b.vector === null ? undefined : dot(a.vector, b.vector);
  if (a.categories.length === 0 || b.categories.length === 0) return (nearness ?? 0) >= SAME_MEANING;
  return agreementOf(a, b) >= SAME_CATEGORY && (nearness ?? 1) >= RELATED;
};

/** The chance of `count` or more where `rate` are expected: https://en.wikipedia.org/wiki/Poisson_distribution. */
export const chanceOf = (count: number, rate: number): number => {
  let term = Math.exp(-rate);
  let below = 0;
  for (let n = 0; n < count; n += 1) {
    below += term;
    term *= rate / (n + 1);
  }
  return Math.max(0, 1 - below);
};

export interface OpenIncident {
  readonly incidentId: string;
  /** Oldest first. */
  readonly members: readonly SeenTicket[];
}

export interface Known {
  readonly open: readonly OpenIncident[];
  /** Earlier tickets of no incident, within the window and before it. */
  readonly earlier: readonly SeenTicket[];
  /** Since when all of them are known, epoch ms. */
  readonly since: number;
}

export type IncidentDecision =
  | { readonly kind: 'none' }
  | { readonly kind: 'joins'; readonly incidentId: string }
  /** The ticket itself is the last member. `expected`: of such tickets in a window otherwise. */
  | { readonly kind: 'opens'; readonly members: readonly SeenTicket[]; readonly expected: number };

/** What a new ticket does: it joins an incident of which it tells the same, opens one together with earlier tickets, or neither. */
export const decideIncident = (
  ticket: SeenTicket,
  { open, earlier, since }: Known,
  { windowMs, minAuthors, maxChance }: IncidentRule,
): IncidentDecision => {
  const joined = open.find(({ members }) => {
    const compared = members.slice(-COMPARED_MEMBERS);
    const alike = compared.filter((member) => isAlike(ticket, member)).length;
    return alike > 0 && alike >= JOIN_SHARE * compared.length;
  });
  if (joined !== undefined) return { kind: 'joins', incidentId: joined.incidentId };
  const from = ticket.at - windowMs;
  const alike = earlier.filter((other) => other.at <= ticket.at && other.ticketId !== ticket.ticketId && isAlike(ticket, other));
  const members = [...alike.filter(({ at }) => at > from), ticket];
  const authors = new Set(members.map(({ authorId }) => authorId)).size;
  if (authors < minAuthors) return { kind: 'none' };
  const windowsBefore = Math.max(0, (from - since) / windowMs);
  // As if it had come at that rate for one window more than was watched.
  const expected = (alike.length - members.length + 1 + UNSEEN_RATE) / (windowsBefore + 1);
  return chanceOf(authors, expected) <= maxChance ? { kind: 'opens', members, expected } : { kind: 'none' };
};
