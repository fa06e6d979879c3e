/** What every engine's `MemoryStore` does: observations within their audience, pins, notes, accounts, and forgetting. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { IndexedObservation, MemoryStore, PinRecord, Reader } from '../../agent/ports/memory-store.ts';
import type { Store } from '../../agent/ports/store.ts';
import { inboundMessage, turnOf } from './store.ts';

export interface OpenedMemory {
  readonly store: Store;
  readonly memory: MemoryStore;
  close(): Promise<void>;
}

export const observation = (id: string, text: string, over: Partial<IndexedObservation> = {}): IndexedObservation => ({
  id,
  audience: 'place:slack:C1',
  kind: 'fact',
  text,
  quote: text,
  before: '',
  beforeTurnId: null,
  role: 'user',
  authorId: 'slack:U1',
  speaker: 'Ada',
  turnId: `turn-${id}`,
  conversationId: 'slack:T1:C1:1',
  place: { kind: 'channel', id: 'slack:C1' },
  labels: [],
  observedAt: 1_000,
  validUntil: null,
  replacedBy: null,
  significance: 0.7,
  explicit: false,
  terms: { words: text, context: '', date: '', bigrams: '', embedded: `vector of ${text}` },
  ...over,
});

export const pin = (id: string, over: Partial<PinRecord> = {}): PinRecord => ({
  id,
  audience: 'place:slack:C1',
  text: `pin ${id}`,
  state: 'active',
  authorId: 'slack:U1',
  turnId: `turn-${id}`,
  pinnedAt: 1_000,
  ...over,
});

const C1: Reader = { audiences: ['place:slack:C1'], labels: [] };
const ALL_KINDS: readonly IndexedObservation['role'][] = ['user', 'assistant', 'tool'];

export const testMemoryContract = (engine: string, open: () => Promise<OpenedMemory>): void => {
  describe(`${engine} keeps the memory store's contract`, () => {
    let opened: OpenedMemory;
    let memory: MemoryStore;
    beforeEach(async () => {
      opened = await open();
      memory = opened.memory;
    });
    afterEach(() => opened.close());

    const learn = (...observations: readonly IndexedObservation[]) =>
      memory.learnTurn({ turnId: observations[0]?.turnId ?? '', observations, replaced: [], pins: [] });
    const found = async (words: readonly string[], reader: Reader = C1, limit = 10) =>
      (await memory.searchWords({ words, bigrams: [] }, ALL_KINDS, reader, limit)).map(({ id }) => id);
    const readIds = async (ids: readonly string[], reader: Reader) =>
      (await memory.readObservations(ids, reader)).map(({ id }) => id);
    const answer = async (n: number, over: Parameters<typeof inboundMessage>[1] = {}) => {
      await opened.store.accept(inboundMessage(n, over));
      const claim = await opened.store.claim('worker', n, 1_000);
      assert.ok(claim);
      await opened.store.finishTurn(claim.lease, turnOf(claim), [{ text: `answer ${n}` }] as never, [
        { name: 'rows.csv', mediaType: 'text/csv', description: 'Rows.', bytes: Uint8Array.of(n) },
      ]);
      await opened.store.completeTurn(claim.lease, claim.turnId, true);
      await opened.store.release(claim.lease);
      return claim.turnId;
    };

    it('keeps what was learnt from a turn, and learns from it once', async () => {
      const { terms, ...record } = observation('a', 'the launch is in May', { labels: ['finance', 'board', 'finance'] });
      assert.equal(await learn({ ...record, terms }), true);
      const reader = { ...C1, labels: ['board', 'finance', 'everyone'] };
      assert.deepEqual(await memory.readObservations(['gone', 'a'], reader), [{ ...record, labels: ['board', 'finance'] }]);
      assert.equal(await learn(observation('b', 'another', { turnId: 'turn-a' })), false);
      assert.deepEqual(await readIds(['b'], reader), []);
    });

    it('finds words by their stem, in the text, what stood before, and the date', async () => {
      await learn(
        observation('a', 'we launched in spring', {
          terms: {
            words: 'we launched in spring',
            context: 'when is the release',
            date: '7 May 2026',
            bigrams: '',
            embedded: '',
          },
        }),
      );
      await learn(observation('b', '发布', { terms: { words: '', context: '', date: '', bigrams: '发布', embedded: '' } }));
      assert.deepEqual(await found(['launching']), ['a']);
      assert.deepEqual(await found(['release']), ['a']);
      assert.deepEqual(await found(['may']), ['a']);
      assert.deepEqual(
        await memory.searchWords({ words: [], bigrams: ['发'] }, ALL_KINDS, C1, 5).then((hits) => hits.map(({ id }) => id)),
        ['b'],
      );
      assert.ok(((await memory.searchWords({ words: ['spring'], bigrams: [] }, ['user'], C1, 5))[0]?.score ?? 0) > 0);
      assert.deepEqual(await memory.searchWords({ words: ['spring'], bigrams: [] }, ['assistant'], C1, 5), []);
    });

    it('shows a reader the audiences and labels that he holds, and nothing else', async () => {
      await learn(observation('own', 'apples', { audience: 'person:slack:U1' }));
      await learn(observation('other', 'apples', { audience: 'person:slack:U2' }));
      await learn(observation('board', 'apples', { audience: 'person:slack:U1', labels: ['board'] }));
      const reader: Reader = { audiences: ['person:slack:U1', 'place:slack:C1'], labels: ['everyone'] };
      assert.deepEqual(await found(['apples'], reader), ['own']);
      assert.deepEqual(await readIds(['own', 'other', 'board'], reader), ['own']);
      const list = async (over: Reader) => (await memory.listObservations(over, { limit: 9 })).map(({ id }) => id);
      assert.deepEqual(await list(reader), ['own']);
      assert.deepEqual(await list({ ...reader, labels: ['board'] }), ['board', 'own']);
      assert.deepEqual(await list(C1), []);
      assert.equal((await memory.listShelves(reader)).length, 1);
      assert.equal((await memory.listShelves({ ...reader, labels: ['board'] })).length, 2);
    });

    it('ranks over what the reader may read alone: hidden rows move neither order nor scores, and take no place', async () => {
      await learn(observation('a', 'apples and pears in the store'));
      await learn(observation('b', 'apples'));
      const before = await memory.searchWords({ words: ['apples', 'pears'], bigrams: [] }, ALL_KINDS, C1, 2);
      for (let n = 0; n < 20; n += 1) await learn(observation(`h${n}`, 'apples apples pears', { audience: 'person:slack:U2' }));
      assert.deepEqual(await memory.searchWords({ words: ['apples', 'pears'], bigrams: [] }, ALL_KINDS, C1, 2), before);
    });

    it('closes what a newer one replaced: not found any more, listed on demand, without a vector', async () => {
      await memory.resetVectors({ embedderId: 'test', dimensions: 2 });
      await learn(observation('old', 'the deadline is Monday'));
      await memory.putVectors([{ id: 'old', vector: Float32Array.of(1, 0) }]);
      await memory.learnTurn({
        turnId: 'turn-new',
        observations: [observation('new', 'the deadline is Friday')],
        replaced: [{ id: 'old', validUntil: 2_000, replacedBy: 'new' }],
        pins: [pin('p')],
      });
      assert.deepEqual(await found(['deadline']), ['new']);
      assert.deepEqual(await memory.listVectors('', 9), []);
      assert.deepEqual(
        (await memory.listUnembedded(9)).map(({ id, text }) => [id, text]),
        [['new', 'vector of the deadline is Friday']],
      );
      const listed = await memory.listObservations(C1, { withReplaced: true, limit: 9 });
      assert.deepEqual(
        listed.map(({ id, validUntil, replacedBy }) => [id, validUntil, replacedBy]),
        [
          ['new', null, null],
          ['old', 2_000, 'new'],
        ],
      );
      assert.deepEqual(await memory.listObservations(C1, { limit: 9 }).then((rows) => rows.map(({ id }) => id)), ['new']);
      assert.deepEqual(await memory.listPins(['place:slack:C1']), [pin('p')]);
    });

    it('lists the newest first, of some authors alone, up to the limit', async () => {
      await learn(observation('a', 'one', { observedAt: 1 }));
      await learn(observation('b', 'two', { observedAt: 3, authorId: 'slack:U2' }));
      await learn(observation('c', 'three', { observedAt: 2 }));
      const list = async (filter: Parameters<MemoryStore['listObservations']>[1]) =>
        (await memory.listObservations(C1, filter)).map(({ id }) => id);
      assert.deepEqual(await list({ limit: 9 }), ['b', 'c', 'a']);
      assert.deepEqual(await list({ limit: 2 }), ['b', 'c']);
      assert.deepEqual(await list({ authorIds: ['slack:U1'], limit: 9 }), ['c', 'a']);
    });

    it('gives an observation another text, whose words and vector are made anew', async () => {
      await memory.resetVectors({ embedderId: 'test', dimensions: 2 });
      await learn(observation('a', 'the office is in Rome'));
      await memory.putVectors([{ id: 'a', vector: Float32Array.of(1, 0) }]);
      const text = 'the office is in Turin';
      await memory.editObservation('a', text, { words: text, context: '', date: '', bigrams: '', embedded: text });
      await memory.editObservation('gone', text, { words: text, context: '', date: '', bigrams: '', embedded: text });
      assert.deepEqual(await found(['rome']), []);
      assert.deepEqual(await found(['turin']), ['a']);
      assert.equal((await memory.readObservations(['a'], C1))[0]?.text, text);
      assert.deepEqual(await memory.listVectors('', 9), []);
      assert.deepEqual([...(await memory.countUnembedded()).values()], [1]);
    });

    it('takes no vector that was made of an earlier text', async () => {
      await memory.resetVectors({ embedderId: 'test', dimensions: 2 });
      await learn(observation('a', 'the office is in Rome'));
      const [waiting] = await memory.listUnembedded(1);
      const text = 'the office is in Turin';
      await memory.editObservation('a', text, { words: text, context: '', date: '', bigrams: '', embedded: text });
      await memory.putVectors([{ id: 'a', text: waiting?.text ?? '', vector: Float32Array.of(1, 0) }]);
      assert.deepEqual(await memory.listVectors('', 9), []);
      await memory.putVectors([{ id: 'a', text, vector: Float32Array.of(0, 1) }]);
      assert.equal((await memory.listVectors('', 9)).length, 1);
    });

    it('moves an observation to another audience with its labels, and without what stood before it', async () => {
      await memory.resetVectors({ embedderId: 'test', dimensions: 2 });
      const terms = { words: 'apples', context: '', date: '', bigrams: '', embedded: 'apples' };
      const over = { audience: 'person:slack:U1', labels: ['board'], before: 'pears?', beforeTurnId: 'turn-0' };
      await learn(observation('a', 'apples', { ...over, terms: { ...terms, context: 'pears?', embedded: 'pears? apples' } }));
      await memory.putVectors([{ id: 'a', vector: Float32Array.of(1, 0) }]);
      await memory.moveObservation('a', 'tenant:slack:T1', terms);
      await memory.moveObservation('gone', 'tenant:slack:T1', terms);
      const reader: Reader = { audiences: ['tenant:slack:T1'], labels: ['board'] };
      assert.deepEqual(await found(['apples'], { ...reader, audiences: ['person:slack:U1'] }), []);
      assert.deepEqual(await found(['apples'], reader), ['a']);
      assert.deepEqual(await found(['pears'], reader), []);
      assert.deepEqual(await found(['apples'], { ...reader, labels: [] }), []);
      assert.deepEqual(
        (await memory.readObservations(['a'], reader)).map(({ before, beforeTurnId }) => [before, beforeTurnId]),
        [['', null]],
      );
      assert.deepEqual(
        (await memory.listUnembedded(9)).map(({ text, label }) => [text, [label]]),
        [['apples', await memory.listShelves(reader)]],
      );
    });

    it('forgets observations with their words, vectors and notes, and empties the turns they came from', async () => {
      const turnId = await answer(1);
      const kept = await answer(2, { conversationId: 'slack:T1:C1:2' });
      await memory.resetVectors({ embedderId: 'test', dimensions: 2 });
      const mine = observation('a', 'apples', { turnId });
      await learn(mine, observation('said', 'pears', { turnId, role: 'assistant' }), observation('b', 'plums', { turnId }));
      await memory.putVectors([{ id: 'a', vector: Float32Array.of(1, 0) }]);
      await memory.putPin(pin('p', { turnId }));
      await memory.putPin(pin('q'));
      await memory.putNote(mine.conversationId, 'summary', { text: 'apples' });
      await memory.putNote('slack:T1:C1:2', 'summary', { text: 'other' });
      const forgotten = await memory.forget({
        observationIds: ['a', 'gone'],
        turnIds: [turnId, 'gone'],
        pinIds: ['q'],
        bereft: [],
      });
      assert.deepEqual(forgotten, { observations: 2, turns: 1, pins: 2, notes: 1 });
      assert.deepEqual(await found(['apples', 'pears', 'plums']), ['b']);
      assert.deepEqual(await memory.listVectors('', 9), []);
      assert.deepEqual(await memory.listPins(['place:slack:C1']), []);
      assert.equal(await memory.readNote(mine.conversationId, 'summary'), undefined);
      assert.deepEqual(await memory.readNote('slack:T1:C1:2', 'summary'), { text: 'other' });
      const blank = (await opened.store.readTurn(turnId))?.turn;
      assert.deepEqual([blank?.question, blank?.answer.text, blank?.answer.citations], ['', '', []]);
      assert.equal((await opened.store.readTurn(turnId))?.message.text, '');
      assert.deepEqual(
        (await opened.store.readOutbox(turnId)).map(({ part }) => part),
        [null],
      );
      assert.deepEqual(await opened.store.listFiles(turnId), []);
      assert.equal(await opened.store.readFile(turnId, 0), undefined);
      assert.equal((await opened.store.readTurn(kept))?.turn?.question, 'question 2');
      assert.deepEqual((await opened.store.readFile(kept, 0))?.bytes, Uint8Array.of(2));
    });

    it('tells which answered turns nothing was learnt from yet', async () => {
      const first = await answer(1);
      const second = await answer(2);
      await opened.store.accept(inboundMessage(3));
      const unlearnt = async (since = 0, limit = 9) => (await memory.listUnlearnt(since, limit)).map(({ turn }) => turn.turnId);
      assert.deepEqual(await unlearnt(), [first, second]);
      assert.deepEqual(await unlearnt(2), [second]);
      assert.deepEqual(await unlearnt(0, 1), [first]);
      const { scope, place } = inboundMessage(1);
      assert.deepEqual((await memory.listUnlearnt(0, 1))[0]?.at, { scope, place });
      await memory.learnTurn({ turnId: first, observations: [], replaced: [], pins: [] });
      assert.deepEqual(await unlearnt(), [second]);
      assert.equal(
        await memory.learnTurn({ turnId: first, observations: [observation('x', 'x')], replaced: [], pins: [] }),
        false,
      );
    });

    it("lists some people's answered turns, newest first, of one place or of all", async () => {
      const first = await answer(1);
      const direct = await answer(2, { place: { kind: 'direct', id: 'slack:D1' }, conversationId: 'slack:T1:D1' });
      await answer(3, { userId: 'slack:U2', conversationId: 'slack:T1:C1:3' });
      const ids = async (...args: Parameters<MemoryStore['listTurnsOf']>) =>
        (await memory.listTurnsOf(...args)).map(({ turnId }) => turnId);
      assert.deepEqual(await ids(['slack:U1']), [direct, first]);
      assert.deepEqual(await ids(['slack:U1', 'slack:U3'], 'slack:C1'), [first]);
    });

    it('removes what is older than a kind is kept for', async () => {
      await learn(observation('a', 'apples', { observedAt: 1 }));
      await learn(observation('b', 'apples', { observedAt: 5 }));
      await learn(observation('c', 'apples', { observedAt: 1, kind: 'decision' }));
      assert.equal(await memory.purge('fact', 5), 1);
      assert.equal(await memory.purge('fact', 5), 0);
      for (const pinnedAt of [1, 5]) await memory.putPin(pin(`p${pinnedAt}`, { pinnedAt }));
      assert.deepEqual([await memory.purge('pin', 5), await memory.purge('pin', 5)], [1, 0]);
      await memory.putNote('nobody spoke here', 'summary', {});
      assert.deepEqual([await memory.purge('summary', 5), await memory.purge('summary', 5)], [1, 0]);
      assert.deepEqual((await found(['apples'])).sort(), ['b', 'c']);
    });

    it('grows its revision with every change of observations or vectors, and with nothing else', async () => {
      const grows = async (expected: boolean, work: () => Promise<unknown>) => {
        const before = await memory.readRevision();
        await work();
        assert.equal((await memory.readRevision()) > before, expected, String(work));
      };
      await grows(true, () => memory.resetVectors({ embedderId: 'test', dimensions: 2 }));
      await grows(true, () => learn(observation('a', 'apples')));
      await grows(true, () => memory.putVectors([{ id: 'a', vector: Float32Array.of(1, 0) }]));
      await grows(true, () => memory.moveObservation('a', 'tenant:slack:T1', observation('a', 'apples').terms));
      await grows(false, () => memory.putPin(pin('p')));
      await grows(false, () => memory.putNote('c', 'summary', {}));
      await grows(true, () => memory.forget({ observationIds: ['a'], turnIds: [], pinIds: [], bereft: [] }));
      await grows(false, () => memory.forget({ observationIds: ['a'], turnIds: [], pinIds: [], bereft: [] }));
      await grows(false, () => memory.purge('fact', 9));
    });

    it('keeps pins by audience, oldest first, and makes a proposed one active', async () => {
      await memory.putPin(pin('b', { pinnedAt: 2, state: 'proposed' }));
      await memory.putPin(pin('a', { pinnedAt: 1 }));
      await memory.putPin(pin('a', { text: 'again' }));
      await memory.putPin(pin('c', { audience: 'person:slack:U1' }));
      assert.deepEqual(
        (await memory.listPins(['place:slack:C1'])).map(({ id, state, text }) => [id, state, text]),
        [
          ['a', 'active', 'pin a'],
          ['b', 'proposed', 'pin b'],
        ],
      );
      await memory.activatePin('b');
      assert.deepEqual(
        (await memory.listPins(['place:slack:C1', 'person:slack:U1'])).map(({ id, state }) => [id, state]),
        [
          ['a', 'active'],
          ['b', 'active'],
          ['c', 'active'],
        ],
      );
    });

    it('keeps one note of a name for a conversation', async () => {
      assert.equal(await memory.readNote('c', 'summary'), undefined);
      await memory.putNote('c', 'summary', { n: 1 });
      await memory.putNote('c', 'summary', { n: 2 });
      await memory.putNote('c', 'entities', { n: 3 });
      assert.deepEqual(await memory.readNote('c', 'summary'), { n: 2 });
      await memory.removeNotes('c');
      assert.equal(await memory.readNote('c', 'entities'), undefined);
    });

    it('links two accounts by a code that is used once, in time, by an account of another platform', async () => {
      assert.deepEqual(await memory.listAccounts('slack:U1'), ['slack:U1']);
      await memory.putLinkCode('first', 'slack:U1', 100);
      await memory.putLinkCode('second', 'slack:U1', 100);
      assert.equal(await memory.redeemLinkCode('first', 'discord:1', 50), 'unknown');
      assert.equal(await memory.redeemLinkCode('second', 'discord:1', 100), 'unknown');
      assert.equal(await memory.redeemLinkCode('second', 'slack:U2', 50), 'same_channel');
      assert.equal(await memory.redeemLinkCode('second', 'slack:U1', 50), 'same_channel');
      assert.equal(await memory.redeemLinkCode('second', 'discord:1', 50), 'linked');
      assert.equal(await memory.redeemLinkCode('second', 'discord:2', 50), 'unknown');
      assert.deepEqual(await memory.listAccounts('discord:1'), ['discord:1', 'slack:U1']);
      await memory.putLinkCode('third', 'slack:U1', 100);
      assert.equal(await memory.redeemLinkCode('third', 'discord:2', 50), 'same_channel');
      await memory.unlink('discord:1');
      assert.deepEqual(await memory.listAccounts('discord:1'), ['discord:1']);
      assert.deepEqual(await memory.listAccounts('slack:U1'), ['slack:U1']);
    });
  });
};
