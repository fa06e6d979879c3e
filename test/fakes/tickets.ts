/** Arrivals and events of tickets, for tests. */
import type { NewTicketEvent, TicketArrival, TicketChange, TicketDraft, TicketPerson } from '../../agent/ticket.ts';

export const ANNA: TicketPerson = { id: 'slack:U1', displayName: 'Anna' };
export const BEN: TicketPerson = { id: 'slack:U2', displayName: 'Ben' };

/** The n-th message: a thread of its own in `slack:C1`, by Anna, `n` seconds after the epoch. */
export const arrival = (n: number, over: Partial<TicketArrival> = {}): TicketArrival => ({
  deliveryId: `slack:T1:C1:${n}`,
  threadId: `slack:T1:C1:${n}`,
  how: 'channel',
  author: ANNA,
  place: { kind: 'channel', id: 'slack:C1' },
  isPrivate: false,
  address: { channel: 'C1', thread: String(n) },
  external: null,
  subject: '',
  text: `problem ${n}`,
  receivedAt: n * 1_000,
  fields: {},
  ...over,
});

export const event = (change: TicketChange, over: Partial<NewTicketEvent> = {}): NewTicketEvent => ({
  at: 1_000,
  actor: { kind: 'person', id: BEN.id },
  source: 'slack',
  change,
  ...over,
});

export const draft = (id: string): TicketDraft => ({ id, text: 'Answer [1].', citations: [], confidence: 0.8, language: 'en' });
