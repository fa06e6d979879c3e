/**
 * How much of what answers a question long-term memory finds, on public conversations with known evidence: entries are put in word
 * for word through the product's own store, and found by its own ranking, by words alone, by vectors alone, and by both.
 */
import { createEmbedding } from '../agent/embedding.ts';
import type { Embedder } from '../agent/ports/embedder.ts';
import type { IndexedObservation } from '../agent/ports/memory-store.ts';
import { createVectorSearch } from '../agent/vector-search.ts';
import { createExactIndex } from '../memory/exact.ts';
import { dayInWords, MAX_BEFORE_CHARACTERS, termsOf } from '../memory/observation-terms.ts';
import { occasionOf, type Ranked, rankOccasions } from '../memory/rank.ts';
import { createRanking, type RankMemories, type RankRequest } from '../memory/recall.ts';
import { createLocalEmbedder } from '../models/local-embedder.ts';
import { systemClock } from '../ops/clock.ts';
import { silentLogger } from '../ops/silent-log.ts';
import { openSqliteStore } from '../store/sqlite.ts';
import { DATA_FOLDER, type Entry, type RecallQuestion, type RecallSet, readBfclMemory, readLocomo } from './memory/sets.ts';
import { measureSignificance } from './memory-significance.ts';
import type { BenchRow } from './row.ts';

const signal = new AbortController().signal;

const asObservation = (set: RecallSet, { id, text, speaker, before, session, saidAt }: Entry): IndexedObservation => {
  const record = {
    id,
    audience: `person:bench:${set.name}`,
    kind: 'fact' as const,
    text,
    quote: text,
    before: before.length <= MAX_BEFORE_CHARACTERS ? before : '',
    beforeTurnId: null,
    role: 'user' as const,
    authorId: speaker,
    speaker,
    turnId: `${set.name} ${id}`,
    conversationId: session,
    place: { kind: 'direct' as const, id: 'bench' },
    labels: [],
    observedAt: saidAt,
    validUntil: null,
    replacedBy: null,
    significance: 1,
    explicit: false,
  };
  return { ...record, terms: termsOf(record) };
};

/** A question is asked of several arms; its vector is made once. */
const remember = (embedder: Embedder): Embedder => {
  const known = new Map<string, Promise<readonly Float32Array[]>>();
  return {
    ...embedder,
    embed: (texts, ...more) => {
      const [text] = texts;
      if (texts.length > 1 || text === undefined) return embedder.embed(texts, ...more);
      const vectors = known.get(text) ?? embedder.embed(texts);
      known.set(text, vectors);
      return vectors;
    },
  };
};

interface Memory {
  readonly rank: RankMemories;
  close(): Promise<void>;
}

/** Everything of one set, in a store of its own. Without an embedder it is found by words alone. */
const openMemory = async (observations: readonly IndexedObservation[], embedder: Embedder | undefined): Promise<Memory> => {
  const { memory: store, close } = openSqliteStore({ folder: ':memory:', clock: systemClock });
  await store.learnTurn({ turnId: 'all', observations, replaced: [], pins: [] });
  const options = { store, clock: systemClock, logger: silentLogger };
  if (embedder !== undefined) await createEmbedding({ ...options, embedder }).fill();
  const createIndex = async (dimensions: number) => createExactIndex({ dimensions });
  const vectors = embedder && createVectorSearch({ ...options, embedder, createIndex, mend: '', queryEmbedTimeoutMs: 60_000 });
  // Days after the last entry, as a question would come.
  const now = Math.max(...observations.map(({ observedAt }) => observedAt)) + 86_400_000;
  return {
    rank: createRanking({ store, vectors, clock: { ...systemClock, now: () => now } }),
    close: async () => {
      await vectors?.close();
      await close();
    },
  };
};

/** What is found for a question, best first: ids of entries or of sessions. */
type Find = (question: string) => Promise<readonly string[]>;

interface Tally {
  n: number;
  at5: number;
  at10: number;
}

const measure = async (questions: readonly RecallQuestion[], find: Find): Promise<Tally> => {
  const tally = { n: questions.length, at5: 0, at10: 0 };
  for (const { text, evidence } of questions) {
    const found = await find(text);
    const share = (k: number): number => evidence.filter((id) => found.slice(0, k).includes(id)).length / evidence.length;
    tally.at5 += share(5);
    tally.at10 += share(10);
  }
  return tally;
};

interface Measured {
  readonly isTuning: boolean;
  readonly what: string;
  readonly by: string;
  readonly tally: Tally;
}

const idsOf = (ranked: readonly Ranked[]): readonly string[] => ranked.map(({ record }) => record.id);

async function* measureSet(set: RecallSet, what: string, withSessions: boolean, embedder: Embedder): AsyncGenerator<Measured> {
  const reader = { audiences: [`person:bench:${set.name}`], labels: [] };
  const whole = set.entries.map((entry) => asObservation(set, entry));
  const memory = await openMemory(whole, embedder);
  const bare = await openMemory(
    whole.map((one) => ({ ...one, before: '', terms: { ...one.terms, context: '', date: '' } })),
    undefined,
  );
  const findBy =
    (from: Memory, by: NonNullable<RankRequest['by']>): Find =>
    async (question) =>
      idsOf(await from.rank({ question, reader, signal, by }));
  const measured = async (name: string, unit: string, questions: readonly RecallQuestion[], find: Find): Promise<Measured> => ({
    isTuning: set.isTuning,
    what: unit,
    by: name,
    tally: await measure(questions, find),
  });
  try {
    yield measured('words, bare', what, set.questions, findBy(bare, 'words'));
    yield measured('words', what, set.questions, findBy(memory, 'words'));
    yield measured('vectors', what, set.questions, findBy(memory, 'vectors'));
    yield measured('fused', what, set.questions, findBy(memory, 'both'));
    if (!withSessions) return;
    const occasions = new Map(whole.map((one) => [one.id, occasionOf(one)]));
    const questions = set.questions.map(({ text, evidence }) => ({
      text,
      evidence: [...new Set(evidence.map((id) => occasions.get(id) ?? ''))],
    }));
    const bySession =
      (by: NonNullable<RankRequest['by']>): Find =>
      async (question) =>
        rankOccasions(await memory.rank({ question, reader, signal, by }), question).map(({ id }) => id);
    const sessions = await openMemory(
      [...sessionsOf(set)].map((entry) => asObservation(set, entry)),
      undefined,
    );
    try {
      const findWhole: Find = async (question) =>
        (await sessions.rank({ question, reader, signal, by: 'words' })).map(({ record }) => occasionOf(record));
      yield measured('words', 'LoCoMo by session', questions, findWhole);
      yield measured('vectors', 'LoCoMo by session', questions, bySession('vectors'));
      yield measured('fused', 'LoCoMo by session', questions, bySession('both'));
    } finally {
      await sessions.close();
    }
  } finally {
    await Promise.all([memory.close(), bare.close()]);
  }
}

/** Each session as one entry: its day, and who said what. */
const sessionsOf = function* ({ entries }: RecallSet): Generator<Entry> {
  for (const [session, said] of Map.groupBy(entries, (entry) => entry.session)) {
    const [first] = said;
    if (first === undefined) continue;
    const lines = said.map(({ speaker, text }) => `${speaker}: ${text}`);
    yield { ...first, id: session, before: '', text: [dayInWords(first.saidAt), ...lines].join('\n') };
  }
};

const PARTS = [
  { name: 'tuned on', has: (isTuning: boolean) => isTuning },
  { name: 'others', has: (isTuning: boolean) => !isTuning },
  { name: 'all', has: () => true },
] as const;

export async function* run(): AsyncGenerator<BenchRow> {
  const embedder = remember(createLocalEmbedder({ clock: systemClock, logger: silentLogger }));
  const all: Measured[] = [];
  try {
    for (const set of readLocomo()) for await (const one of measureSet(set, 'LoCoMo by turn', true, embedder)) all.push(one);
    for (const set of readBfclMemory()) for await (const one of measureSet(set, 'BFCL by turn', false, embedder)) all.push(one);
  } finally {
    await embedder.close();
  }
  for (const [what, ofSet] of Map.groupBy(all, (one) => one.what)) {
    for (const [by, tallies] of Map.groupBy(ofSet, (one) => one.by)) {
      for (const { name, has } of PARTS) {
        const of = tallies.filter(({ isTuning }) => has(isTuning)).map(({ tally }) => tally);
        const n = of.reduce((sum, tally) => sum + tally.n, 0);
        const share = (key: 'at5' | 'at10'): number =>
          Math.round((of.reduce((sum, tally) => sum + tally[key], 0) / n) * 10_000) / 10_000;
        const row = { bench: 'memory', case: `${what}, ${name}`, unit: 'share', n };
        yield { ...row, metric: `recall@5 ${by}`, value: share('at5') };
        yield { ...row, metric: `recall@10 ${by}`, value: share('at10') };
      }
    }
  }
  yield* measureSignificance(DATA_FOLDER);
}
