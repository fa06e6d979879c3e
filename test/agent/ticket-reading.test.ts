import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TicketReading, ticketReading } from '../../agent/ticket-reading.ts';

const ABSTAINED = { value: null, confidence: 0, source: 'rule' } as const;

const reading: TicketReading = {
  taxonomyId: 'a1',
  readAt: 1_000,
  outOfScope: { value: false, confidence: 0.97, source: 'classifier' },
  category: { value: 'billing', confidence: 0.91, source: 'classifier' },
  candidates: [{ category: 'billing', confidence: 0.91 }],
  impact: ABSTAINED,
  urgency: ABSTAINED,
  priority: { value: 'normal', confidence: 0.6, source: 'rule' },
  language: { value: 'de', confidence: 0.99, source: 'rule' },
  sentiment: ABSTAINED,
  product: ABSTAINED,
  entities: [{ kind: 'order_number', text: 'A-1042' }],
  missing: ['invoice'],
  nearest: [{ exampleId: 'e1', text: 'Charged twice', category: 'billing', similarity: 0.8 }],
  notes: ['personal_data'],
};

test('a reading is stored as JSON and read back the same', () => {
  assert.deepEqual(ticketReading.parse(JSON.parse(JSON.stringify(reading))), reading);
});

test('a stored reading with a confidence above 1 or an unknown priority is refused', () => {
  const sure = { ...reading, category: { ...reading.category, confidence: 1.2 } };
  const odd = { ...reading, priority: { value: 'p0', confidence: 1, source: 'rule' } };
  assert.equal(ticketReading.safeParse(sure).success, false);
  assert.equal(ticketReading.safeParse(odd).success, false);
});
