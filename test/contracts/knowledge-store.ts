/** What every engine's `KnowledgeStore` does: documents, chunks, the words index, vectors, and labels inside every query. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { hasCode } from '../../agent/errors.ts';
import type { ChunkRecord, DocumentRecord, KnowledgeStore } from '../../agent/ports/knowledge.ts';

export interface OpenedKnowledge {
  readonly knowledge: KnowledgeStore;
  close(): Promise<void>;
}

const IDENTITY = { embedderId: 'test-3', dimensions: 3 };

export const documentRecord = (id: string, over: Partial<DocumentRecord> = {}): DocumentRecord => ({
  id,
  root: '/kb',
  source: `${id}.md`,
  title: `Document ${id}`,
  label: 'public',
  date: '2026-01-02',
  contentHash: `hash-${id}`,
  ...over,
});

export const chunkRecord = (
  documentId: string,
  position: number,
  words: string,
  over: Partial<ChunkRecord> = {},
): ChunkRecord => ({
  id: `${documentId}#${position}`,
  documentId,
  position,
  headingPath: ['Top', 'Below'],
  location: '',
  text: words,
  words,
  bigrams: '',
  ...over,
});

export const testKnowledgeContract = (engine: string, open: () => Promise<OpenedKnowledge>): void => {
  describe(`${engine} keeps the knowledge store's contract`, () => {
    let opened: OpenedKnowledge;
    let knowledge: KnowledgeStore;
    beforeEach(async () => {
      opened = await open();
      knowledge = opened.knowledge;
    });
    afterEach(() => opened.close());

    const put = (id: string, texts: readonly string[], over: Partial<DocumentRecord> = {}) =>
      knowledge.putDocument(
        documentRecord(id, over),
        texts.map((text, position) => chunkRecord(id, position, text)),
      );
    const search = (words: string, labels: readonly string[] = ['public'], limit = 10) =>
      knowledge.searchWords({ words: words.split(' '), bigrams: [] }, labels, limit);
    const found = async (...asked: Parameters<typeof search>) => (await search(...asked)).map((hit) => hit.chunkId);
    const foundBigram = async (bigram: string) =>
      (await knowledge.searchWords({ words: [], bigrams: [bigram] }, ['public'], 10)).map((hit) => hit.chunkId);

    it('lists documents as they were put, by root', async () => {
      await put('a', ['one']);
      await put('b', ['two'], { root: '/other', date: null });
      assert.deepEqual(await knowledge.listDocuments('/kb'), [documentRecord('a')]);
      assert.equal((await knowledge.listDocuments()).length, 2);
      assert.deepEqual(await knowledge.countDocuments(), { documents: 2, chunks: 2, vectors: 0 });
    });

    it('replaces a document with its words and vectors', async () => {
      await knowledge.resetVectors(IDENTITY);
      await put('a', ['apples are red', 'pears are green']);
      await knowledge.putVectors([{ id: 'a#0', vector: Float32Array.of(1, 0, 0) }]);
      await put('a', ['plums are blue']);
      assert.deepEqual(await found('apples pears'), []);
      assert.deepEqual(await found('plums'), ['a#0']);
      assert.deepEqual(await knowledge.listVectors('', 10), []);
      assert.deepEqual(await knowledge.countDocuments(), { documents: 1, chunks: 1, vectors: 0 });
    });

    it('changes nothing when a replacement fails half-way', async () => {
      await put('a', ['apples']);
      const twins = [chunkRecord('a', 0, 'pears'), chunkRecord('a', 0, 'plums')];
      await assert.rejects(knowledge.putDocument(documentRecord('a', { title: 'New' }), twins), (error) =>
        hasCode(error, 'internal'),
      );
      assert.deepEqual(await found('apples'), ['a#0']);
      assert.equal((await knowledge.listDocuments())[0]?.title, 'Document a');
    });

    it('forgets removed documents and ignores unknown ids', async () => {
      await put('a', ['apples']);
      await put('b', ['apples']);
      await knowledge.removeDocuments(['a', 'unknown']);
      assert.deepEqual(await found('apples'), ['b#0']);
      assert.deepEqual(await knowledge.readPassages(['a#0'], ['public']), []);
    });

    it('finds words by their stem, best first with a positive score', async () => {
      await put('a', ['returning goods', 'a refund is a refund']);
      await put('b', ['shipping', 'payment', 'hours']);
      assert.deepEqual(await found('returns'), ['a#0']);
      const hits = await search('refund goods');
      assert.deepEqual(hits.map((hit) => hit.chunkId).sort(), ['a#0', 'a#1']);
      assert.ok(hits.every((hit) => hit.score > 0));
      assert.ok((hits[0]?.score ?? 0) >= (hits[1]?.score ?? 1));
    });

    it('ranks a match in the title before one in the text', async () => {
      await put('a', ['the warranty of a thing'], { title: 'Things' });
      await put('b', ['a thing of one kind'], { title: 'Warranty' });
      for (const n of [1, 2, 3, 4]) await put(`x${n}`, ['nothing to see here']);
      assert.deepEqual(await found('warranty'), ['b#0', 'a#0']);
    });

    it('keeps two-character tokens of Han, kana and hangul as they are', async () => {
      const bigrams = '退货 货政 政策 カタ タカ ガイ ラー がく 한국 국어 々人';
      await knowledge.putDocument(documentRecord('a'), [chunkRecord('a', 0, '', { bigrams })]);
      for (const bigram of bigrams.split(' ')) assert.deepEqual(await foundBigram(bigram), ['a#0'], bigram);
      assert.deepEqual(await foundBigram('カイ'), []);
      assert.deepEqual(await foundBigram('策退'), []);
    });

    it('filters labels inside the search: a hidden chunk neither appears nor takes a place', async () => {
      for (let n = 0; n < 50; n++) await put(`hidden${n}`, ['canary canary canary'], { label: 'board' });
      await put('seen', ['one canary among many other words that make it rank low']);
      assert.deepEqual(await found('canary', ['public'], 1), ['seen#0']);
      assert.deepEqual(await found('canary', ['board', 'public'], 100).then((ids) => ids.length), 51);
      assert.deepEqual(await found('canary', []), []);
      assert.deepEqual(await found('canary', ["public' OR 1=1 --"]), []);
    });

    it('gives the same ids, order and scores whatever the labels hide', async () => {
      const visible = ['alpha beta', 'alpha gamma gamma', 'beta delta epsilon zeta', 'gamma', 'delta alpha eta theta iota'];
      const pairs = ['退货 货政', '退货 保修 修期', '保修 修期 期限 限制', '货政 政策', '税费 税率'];
      const putPairs = (id: string, bigrams: string, label: string) =>
        knowledge.putDocument(documentRecord(id, { label }), [chunkRecord(id, 0, bigrams, { words: '', bigrams })]);
      for (const [n, text] of visible.entries()) await put(`word${n}`, [text]);
      for (const [n, text] of pairs.entries()) await putPairs(`pair${n}`, text, 'public');
      const queries = [
        { words: ['alpha', 'beta'], bigrams: [] },
        { words: ['gamma', 'delta', 'eta-theta'], bigrams: [] },
        { words: [], bigrams: ['退货', '保修', '修期'] },
        { words: ['alpha'], bigrams: ['税', '货政'] },
      ];
      const ask = () => Promise.all(queries.map((query) => knowledge.searchWords(query, ['public'], 10)));
      const before = await ask();
      assert.deepEqual(
        before.map((hits) => hits.length),
        [4, 4, 3, 6],
      );
      // Rare words made common, common ones rarer by comparison, rows added, the average length moved.
      for (let n = 0; n < 250; n++) {
        await put(`hidden${n}`, [`beta eta theta ${'gamma '.repeat(n % 7)}${'filler '.repeat(n)}`], { label: 'board' });
        await putPairs(`hidden-pair${n}`, `保修 修期 税金 ${'期限 '.repeat(n % 50)}`, 'board');
      }
      assert.deepEqual(await ask(), before);
      const asBoard = await knowledge.searchWords({ words: ['alpha', 'beta'], bigrams: [] }, ['public', 'board'], 1000);
      assert.equal(asBoard.length, 254);
    });

    it('reads passages in the order of the ids and leaves out what the labels hide', async () => {
      await put('a', ['first', 'second']);
      await put('b', ['secret'], { label: 'board' });
      const passages = await knowledge.readPassages(['a#1', 'b#0', 'unknown', 'a#0'], ['public']);
      assert.deepEqual(
        passages.map((passage) => passage.chunkId),
        ['a#1', 'a#0'],
      );
      assert.deepEqual(passages[0], {
        chunkId: 'a#1',
        documentId: 'a',
        title: 'Document a',
        headingPath: ['Top', 'Below'],
        source: 'a.md',
        location: '',
        text: 'second',
        date: '2026-01-02',
        label: 'public',
        score: 0,
      });
    });

    it('moves a document to another label with all its chunks', async () => {
      await put('a', ['apples']);
      assert.deepEqual(await found('apples'), ['a#0']);
      assert.deepEqual(await found('apples', ['board']), []);
      await put('a', ['apples'], { label: 'board' });
      assert.deepEqual(await found('apples'), []);
      assert.deepEqual(await found('apples', ['board']), ['a#0']);
    });

    it('reads the neighbours of a chunk, nearest first, under its labels', async () => {
      await put('a', ['0', '1', '2', '3', '4']);
      const ids = async (span: number, labels = ['public']) =>
        (await knowledge.readNeighbours('a#2', labels, span)).map((passage) => passage.chunkId);
      assert.deepEqual(await ids(1), ['a#1', 'a#3']);
      assert.deepEqual(await ids(2), ['a#1', 'a#3', 'a#0', 'a#4']);
      assert.deepEqual(await ids(2, ['board']), []);
      assert.deepEqual(await knowledge.readNeighbours('unknown', ['public'], 1), []);
    });

    it('keeps vectors exactly, in pages ordered by chunk id', async () => {
      await knowledge.resetVectors(IDENTITY);
      await put('a', ['0', '1', '2']);
      const vector = Float32Array.of(0.1, -0.2, 1e-30);
      await knowledge.putVectors(['a#2', 'a#0', 'gone#0'].map((id) => ({ id, vector })));
      const first = await knowledge.listVectors('', 1);
      assert.deepEqual(first, [{ id: 'a#0', label: 'public', vector }]);
      assert.deepEqual(
        (await knowledge.listVectors('a#0', 10)).map((row) => row.id),
        ['a#2'],
      );
      assert.equal((await knowledge.countDocuments()).vectors, 2);
    });

    it('lists chunks without a vector, oldest first, and not the unreadable ones', async () => {
      await knowledge.resetVectors(IDENTITY);
      await put('b', ['old']);
      await put('a', ['young', 'unreadable']);
      await put('c', ['hidden'], { label: 'board' });
      assert.deepEqual(
        await knowledge.countUnembedded(),
        new Map([
          ['board', 1],
          ['public', 3],
        ]),
      );
      assert.deepEqual(await knowledge.listUnembedded(1), [{ id: 'b#0', text: 'old', label: 'public' }]);
      await knowledge.putVectors([
        { id: 'b#0', vector: Float32Array.of(1, 0, 0) },
        { id: 'a#1', vector: null },
      ]);
      assert.deepEqual(
        (await knowledge.listUnembedded(10)).map((row) => row.id),
        ['a#0', 'c#0'],
      );
    });

    it('drops vectors of another identity and keeps those of the same', async () => {
      assert.equal(await knowledge.readIdentity(), undefined);
      await knowledge.resetVectors(IDENTITY);
      await put('a', ['0', '1']);
      await knowledge.putVectors([
        { id: 'a#0', vector: Float32Array.of(1, 0, 0) },
        { id: 'a#1', vector: null },
      ]);
      await knowledge.resetVectors(IDENTITY);
      assert.equal((await knowledge.countDocuments()).vectors, 1);
      const other = { embedderId: 'test-2', dimensions: 2 };
      await knowledge.resetVectors(other);
      assert.deepEqual(await knowledge.readIdentity(), other);
      assert.equal((await knowledge.countDocuments()).vectors, 0);
      assert.deepEqual(
        (await knowledge.listUnembedded(10)).map((row) => row.id),
        ['a#0', 'a#1'],
      );
    });

    it("refuses a vector that is not of the index's dimensions", async () => {
      await put('a', ['0']);
      const write = () => knowledge.putVectors([{ id: 'a#0', vector: Float32Array.of(1, 0) }]);
      await assert.rejects(write(), (error) => hasCode(error, 'index_mismatch'));
      await knowledge.resetVectors(IDENTITY);
      await assert.rejects(write(), (error) => hasCode(error, 'index_mismatch'));
      assert.equal((await knowledge.listUnembedded(10)).length, 1);
    });

    it('grows its revision with every change and with nothing else', async () => {
      let last = await knowledge.readRevision();
      const expectGrowth = async (grows: boolean, work: () => Promise<unknown>) => {
        await work();
        const now = await knowledge.readRevision();
        assert.equal(now > last, grows);
        last = now;
      };
      await expectGrowth(true, () => put('a', ['0']));
      await expectGrowth(true, () => knowledge.resetVectors(IDENTITY));
      await expectGrowth(false, () => knowledge.resetVectors(IDENTITY));
      await expectGrowth(true, () => knowledge.putVectors([{ id: 'a#0', vector: null }]));
      await expectGrowth(false, () => knowledge.putVectors([{ id: 'gone', vector: null }]));
      await expectGrowth(true, () => knowledge.removeDocuments(['a']));
      await expectGrowth(false, () => knowledge.removeDocuments(['a']));
    });

    it('finds what a word is split into only where it stands together, in one column', async () => {
      await put('a', ['RMA-2044 was sent', 'the RMA form for 2044 goods', 'see rma 2044']);
      await put('b', ['2044 goods'], { title: 'An RMA' });
      for (const n of [1, 2, 3, 4, 5]) await put(`x${n}`, ['nothing to see here']);
      assert.deepEqual((await found('rma-2044')).sort(), ['a#0', 'a#2']);
    });

    it('finds by a single character the pairs that begin with it', async () => {
      await knowledge.putDocument(documentRecord('a'), [
        chunkRecord('a', 0, '', { bigrams: '税费 费由' }),
        chunkRecord('a', 1, '', { bigrams: '完税' }),
        chunkRecord('a', 2, '', { bigrams: '税' }),
      ]);
      assert.deepEqual((await foundBigram('税')).sort(), ['a#0', 'a#2']);
    });

    it('reads no word as syntax, and finds nothing by what holds no word', async () => {
      await put('a', ['one two', 'NEAR']);
      for (const text of ['"', "'", '*', '^', '', '🙂', '\0', '\ud800']) {
        assert.deepEqual(await knowledge.searchWords({ words: [text], bigrams: [text] }, ['public'], 10), [], text);
      }
      for (const text of ['one" OR "two', 'title: one', '{words} : one', 'one NOT two', "'; DROP TABLE chunks --"]) {
        assert.deepEqual(await knowledge.searchWords({ words: [text], bigrams: [] }, ['public'], 10), [], text);
      }
      assert.deepEqual(await found('NEAR'), ['a#1']);
    });
  });
};
