import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KnownCategory, TicketReader } from '../../agent/ports/ticket-reader.ts';
import type { Ticket } from '../../agent/ticket.ts';
import type { TicketReading } from '../../agent/ticket-reading.ts';
import { createDraftWriter, createSendingPolicy } from '../../triage/draft.ts';
import { arrival } from '../fakes/tickets.ts';
import { createFakeReader, linesOf, openTriageBench, readingOf } from '../fakes/triage-bench.ts';

const CITATION = {
  n: 1,
  title: 'Returns',
  source: 'returns.md',
  quote: 'Refunds take five days.',
  chunkId: 'c1',
  headingPath: [],
  location: '',
  date: null,
};
const ANSWER = { text: 'Refunds take five days. [1]', citations: [CITATION], answered: true };

const readerWith = (sensitive: boolean, over: Partial<TicketReading> = {}): TicketReader => ({
  ...createFakeReader(),
  read: async () => readingOf('refund', { category: { value: 'refund', confidence: 0.95, source: 'classifier' }, ...over }),
  categoryOf: (): KnownCategory => ({
    state: 'known',
    category: { id: 'refund', name: 'Refund', description: '', team: 'billing', sensitive, required: [] },
  }),
});

const policy = (reader: TicketReader) => createSendingPolicy({ categories: new Set(['refund']), minConfidence: 0.9 }, reader);

describe('a draft', () => {
  it('is proposed on the card with its source, and sent by nobody where the policy does not say so', async () => {
    const asked: string[] = [];
    const writeDraft = createDraftWriter(async (_ticket, text) => {
      asked.push(text);
      return ANSWER;
    });
    const bench = openTriageBench({ writeDraft, reader: readerWith(false) });
    await bench.triage.desk.arrive(arrival(1, { subject: 'Late', text: 'Where is my refund?' }));
    await bench.pass(0);
    const ticket = (await bench.store.readTicket('T1')) as Ticket;
    assert.deepEqual([ticket.draft?.state, ticket.draft?.text, ticket.firstAnsweredAt], ['proposed', ANSWER.text, null]);
    assert.deepEqual(asked, ['Late\nWhere is my refund?']);
    assert.ok(linesOf(bench.board).every((line) => !line.endsWith(ANSWER.text)));
    await bench.close();
  });

  it('is sent once where the policy lets its category be sent alone', async () => {
    const reader = readerWith(false);
    const bench = openTriageBench({ writeDraft: createDraftWriter(async () => ANSWER), reader, maySendAlone: policy(reader) });
    await bench.triage.desk.arrive(arrival(1));
    await bench.pass(0);
    await bench.pass(60_000);
    const ticket = (await bench.store.readTicket('T1')) as Ticket;
    assert.deepEqual([ticket.draft?.state, ticket.status], ['sent', 'waiting']);
    assert.equal(linesOf(bench.board).filter((line) => line === `thread 1: ${ANSWER.text}`).length, 1);
    await bench.close();
  });

  it('is none without a source, and nothing is lost when it cannot be written', async () => {
    for (const answer of [
      async () => ({ ...ANSWER, citations: [] }),
      async () => ({ ...ANSWER, answered: false }),
      async () => Promise.reject(new Error('down')),
    ]) {
      const bench = openTriageBench({ writeDraft: createDraftWriter(answer), reader: readerWith(false) });
      await bench.triage.desk.arrive(arrival(1));
      await bench.pass(0);
      await bench.pass(120_000);
      const ticket = (await bench.store.readTicket('T1')) as Ticket;
      assert.deepEqual([ticket.draft, ticket.route?.team], [null, 'billing']);
      await bench.close();
    }
  });
});

describe('the policy of sending', () => {
  const allowed = async (sensitive: boolean, reading: Partial<TicketReading>, over: Partial<Ticket> = {}): Promise<boolean> => {
    const reader = readerWith(sensitive, reading);
    const bench = openTriageBench({ reader });
    await bench.triage.desk.arrive(arrival(1));
    await bench.pass(0);
    const ticket = (await bench.store.readTicket('T1')) as Ticket;
    await bench.close();
    return policy(reader)({ ...ticket, ...over });
  };

  it('lets a sure ticket of a named category go, and nothing that is sensitive, unsure, odd, angry, incomplete or with a person', async () => {
    assert.equal(await allowed(false, {}), true);
    assert.equal(await allowed(true, {}), false, 'sensitive');
    assert.equal(
      await allowed(false, { category: { value: 'refund', confidence: 0.89, source: 'classifier' } }),
      false,
      'unsure',
    );
    assert.equal(
      await allowed(false, { category: { value: 'login', confidence: 1, source: 'model' } }),
      false,
      'another category',
    );
    assert.equal(await allowed(false, { category: { value: null, confidence: 1, source: 'model' } }), false, 'none');
    assert.equal(await allowed(false, { notes: ['instructions'] }), false, 'speaks to software');
    assert.equal(await allowed(false, { notes: ['too_few_examples'] }), false, 'too few examples');
    assert.equal(await allowed(false, { missing: ['order'] }), false, 'something is missing');
    assert.equal(await allowed(false, { sentiment: { value: 'negative', confidence: 0.9, source: 'rule' } }), false, 'angry');
    assert.equal(await allowed(false, {}, { handOff: { to: null, askedAt: 0, isConfirmed: true } }), false, 'with a person');
    assert.equal(await allowed(false, {}, { incidentId: 'I1' }), false, 'part of an incident');
  });
});
