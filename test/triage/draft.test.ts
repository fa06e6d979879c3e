import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TicketAction } from '../../agent/ports/ticket-desk.ts';
import type { KnownCategory, TicketReader } from '../../agent/ports/ticket-reader.ts';
import type { Ticket } from '../../agent/ticket.ts';
import type { TicketReading } from '../../agent/ticket-reading.ts';
import { createDraftPolicy, createDraftWriter } from '../../triage/draft.ts';
import { arrival, BEN } from '../fakes/tickets.ts';
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

const policy = (reader: TicketReader) =>
  createDraftPolicy((category) => ({ suggest: 0.6, send: category === 'refund' ? 0.9 : null }), reader);

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
    const bench = openTriageBench({ writeDraft: createDraftWriter(async () => ANSWER), reader, ...policy(reader) });
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

describe('a draft that the team has edited', () => {
  it('stays when the asker adds something, which its card says until somebody edits it again', async () => {
    let written = 0;
    const writeDraft = createDraftWriter(async () => ({ ...ANSWER, text: `Answer ${(written += 1)}. [1]` }));
    const bench = openTriageBench({ writeDraft, reader: readerWith(false) });
    const { desk } = bench.triage;
    const draftNow = async () => (await bench.store.readTicket('T1'))?.draft;
    const act = async (action: TicketAction, key: string) =>
      (await desk.act({ ticketId: 'T1', action, actor: { kind: 'person', id: BEN.id }, source: 'slack', key })).kind;
    const adds = (n: number, text: string) => desk.arrive(arrival(n, { threadId: 'slack:T1:C1:1', text }));
    const says = async () =>
      (await desk.view('T1', { userId: BEN.id, place: null }))?.card.lines.some((line) => /asker.*added/u.test(line));

    await adds(1, 'Where is my refund?');
    await bench.pass(0);
    await adds(2, 'It is order 4711.');
    await bench.pass(0);
    assert.deepEqual([(await draftNow())?.text, await says()], ['Answer 2. [1]', false], 'nobody had edited it');
    const draftId = (await draftNow())?.id ?? '';
    assert.equal(await act({ kind: 'draft_edit', draftId, text: 'Ours.' }, 'edit'), 'done');
    await adds(3, 'And a second one, 4712.');
    await adds(4, 'thanks');
    await bench.pass(0);
    assert.deepEqual([(await draftNow())?.text, (await draftNow())?.state, await says()], ['Ours.', 'edited', true]);
    assert.equal(await act({ kind: 'draft_edit', draftId, text: 'Ours, for both.' }, 'again'), 'done');
    assert.deepEqual([(await draftNow())?.text, await says()], ['Ours, for both.', false]);
    await adds(5, 'And a third.');
    await bench.pass(0);
    assert.equal(await act({ kind: 'draft_drop', draftId }, 'drop'), 'done');
    await bench.pass(0);
    assert.deepEqual(
      [(await draftNow())?.text, (await draftNow())?.state],
      ['Answer 3. [1]', 'proposed'],
      'dropped, it makes room',
    );
    await bench.close();
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
    return policy(reader).maySendAlone({ ...ticket, ...over });
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
    assert.equal(await allowed(false, {}, { fields: { sender: 'unverified' } }), false, 'from whoever a mail claims');
    assert.equal(await allowed(false, {}, { fields: { sender: 'verified' } }), true);
  });
});

/** Every combination of what the policy looks at, against what is written in the documentation. */
describe('the whole matrix of drafts', () => {
  const THRESHOLDS: Readonly<Record<string, { suggest: number | null; send: number | null }>> = {
    refund: { suggest: 0.6, send: 0.9 },
    login: { suggest: 0.6, send: null },
    legal: { suggest: null, send: null },
    other: { suggest: 0, send: 0.5 },
  };
  const of = (category: string | null) => THRESHOLDS[category ?? ''] ?? { suggest: 0.6, send: null };
  const every = <T>(...values: readonly T[]): readonly T[] => values;

  it('sends nothing but what is sure, plain and not sensitive, and suggests what is sure enough', async () => {
    const bench = openTriageBench();
    await bench.triage.desk.arrive(arrival(1));
    await bench.pass(0);
    const ticket = (await bench.store.readTicket('T1')) as Ticket;
    await bench.close();
    const counts = { sent: 0, suggested: 0, shown: 0 };
    for (const category of every('refund', 'login', 'legal', 'other', 'unlisted', null))
      for (const confidence of every(0, 0.59, 0.6, 0.89, 0.9, 1))
        for (const sensitive of every(false, true))
          for (const state of every<KnownCategory['state']>('known', 'removed', 'none'))
            for (const missing of every<readonly string[]>([], ['order']))
              for (const mood of every<'negative' | 'neutral' | null>('negative', 'neutral', null))
                for (const notes of every<TicketReading['notes']>(
                  [],
                  ['cut'],
                  ['instructions'],
                  ['personal_data'],
                  ['models_disagree'],
                ))
                  for (const handOff of every(null, { to: null, askedAt: 0, isConfirmed: true }))
                    for (const incidentId of every(null, 'T9'))
                      for (const setBy of every<Ticket['categorySetBy']>('reading', 'person')) {
                        const reading = readingOf(category, {
                          category: { value: category, confidence, source: 'classifier' },
                          sentiment: { value: mood, confidence: 1, source: 'rule' },
                          missing,
                          notes,
                        });
                        const known = { id: category ?? '', name: '', description: '', team: null, sensitive, required: [] };
                        const categoryOf = (): KnownCategory =>
                          state === 'known' ? { state, category: known } : state === 'removed' ? { state, id: 'x' } : { state };
                        const { maySendAlone, isOnlyShown } = createDraftPolicy(of, { categoryOf });
                        const one = {
                          ...ticket,
                          category,
                          categorySetBy: category === null ? null : setBy,
                          reading,
                          handOff,
                          incidentId,
                        };
                        const { suggest, send } = of(category);
                        const isPlain = missing.length === 0 && mood !== 'negative' && (notes.length === 0 || notes[0] === 'cut');
                        const isAlone =
                          category !== null && state === 'known' && !sensitive && handOff === null && incidentId === null;
                        const sent = send !== null && confidence >= send && isPlain && isAlone;
                        const sureness = category === null ? 0 : setBy === 'person' ? 1 : confidence;
                        const shown = suggest === null || sureness < suggest;
                        const where = JSON.stringify({ category, confidence, sensitive, state, missing, mood, notes, setBy });
                        assert.deepEqual([maySendAlone(one), isOnlyShown(one)], [sent, shown], where);
                        counts[sent ? 'sent' : shown ? 'shown' : 'suggested'] += 1;
                      }
    assert.deepEqual(counts, { sent: 56, suggested: 30_184, shown: 21_600 });
  });

  it('sends nothing without a reader, and nothing of a ticket that was not read', async () => {
    const bench = openTriageBench();
    await bench.triage.desk.arrive(arrival(1));
    const ticket = { ...((await bench.store.readTicket('T1')) as Ticket), category: 'refund' };
    await bench.close();
    assert.equal(createDraftPolicy(of, undefined).maySendAlone({ ...ticket, reading: readingOf('refund') }), false);
    assert.equal(createDraftPolicy(of, readerWith(false)).maySendAlone(ticket), false);
  });

  it('that is only shown is sent by nobody before a person edited it, and has no button for that', async () => {
    const bench = openTriageBench({ writeDraft: createDraftWriter(async () => ANSWER), isOnlyShown: () => true });
    await bench.triage.desk.arrive(arrival(1, { text: 'refund' }));
    await bench.pass(0);
    const { draft } = (await bench.store.readTicket('T1')) as Ticket;
    let clicks = 0;
    const act = async (action: TicketAction) => {
      const outcome = await bench.triage.desk.act({
        ticketId: 'T1',
        action,
        actor: { kind: 'person', id: 'slack:U2' },
        source: 'slack',
        key: `k${(clicks += 1)}`,
      });
      return outcome.kind === 'not_possible' ? outcome.why : outcome.kind;
    };
    const buttons = async () =>
      (await bench.triage.desk.view('T1', { userId: 'slack:U2', place: null }))?.card.buttons.map(({ id }) => id).slice(0, 3);
    const send = { kind: 'draft_send', draftId: draft?.id ?? '' } as const;
    assert.deepEqual(await buttons(), ['draft_edit', 'draft_drop', 'assign_me']);
    assert.match(await act(send), /^this draft is only shown, since its category is not sure enough/);
    assert.equal(await act({ kind: 'draft_edit', draftId: send.draftId, text: 'Five days.' }), 'done');
    assert.deepEqual(await buttons(), ['draft_send', 'draft_edit', 'draft_drop']);
    assert.equal(await act(send), 'done');
    await bench.close();
  });
});
