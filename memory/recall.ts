/**
 * What is remembered about a question: by words and by meaning, within the audiences that everyone who will read the answer
 * belongs to, and within a budget of tokens. Roles are looked for apart, since long answers would swamp what people said.
 */
import type { RankedHit } from '../agent/fuse.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { RecalledObservation } from '../agent/ports/memory.ts';
import type { MemoryStore, ObservationRecord, Reader } from '../agent/ports/memory-store.ts';
import type { CountTokens } from '../agent/ports/window.ts';
import type { VectorSearch } from '../agent/vector-search.ts';
import { wordQuery } from '../agent/words.ts';
import { type Ranked, rankObservations } from './rank.ts';

/** How many hits each side hands over. */
const ARM_HITS = 200;
const MAX_QUESTION_CHARACTERS = 2_000;
/** So many at most, and none so much weaker than the best. */
const MAX_RECALLED = 10;
const MIN_SHARE_OF_BEST = 0.4;
/** What a date, a speaker and a source cost beside the text. */
const FRAME_TOKENS = 16;
const ROLES: readonly (readonly ObservationRecord['role'][])[] = [['user'], ['assistant', 'tool']];

export interface RankRequest {
  readonly question: string;
  readonly reader: Reader;
  readonly signal: AbortSignal;
  /** Default both. */
  readonly by?: 'words' | 'vectors' | 'both';
}

/** Best first: all that was found. */
export type RankMemories = (request: RankRequest) => Promise<readonly Ranked[]>;

export const createRanking = (options: {
  readonly store: MemoryStore;
  readonly vectors: VectorSearch | undefined;
  readonly clock: Clock;
}): RankMemories => {
  const { store, vectors, clock } = options;

  const searchWords = async (question: string, reader: Reader): Promise<readonly RankedHit[]> => {
    const terms = wordQuery(question);
    if (terms.words.length + terms.bigrams.length === 0) return [];
    const hits = await Promise.all(ROLES.map((roles) => store.searchWords(terms, roles, reader, ARM_HITS)));
    return hits.flat();
  };

  const searchVectors = async (query: string, reader: Reader, signal: AbortSignal): Promise<readonly RankedHit[] | undefined> => {
    if (vectors === undefined) return undefined;
    const [labels, revision] = await Promise.all([store.listShelves(reader), store.readRevision()]);
    return labels.length === 0 ? [] : vectors.search({ query, revision, labels, limit: ARM_HITS, signal });
  };

  return async ({ question: asked, reader, signal, by = 'both' }) => {
    const question = asked.slice(0, MAX_QUESTION_CHARACTERS).toWellFormed();
    const [words, nearest] = await Promise.all([
      by === 'vectors' ? [] : searchWords(question, reader),
      by === 'words' ? undefined : searchVectors(question, reader, signal),
    ]);
    signal.throwIfAborted();
    const ids = [...new Set([...words, ...(nearest ?? [])].map(({ id }) => id))];
    const records = (await store.readObservations(ids, reader)).filter(({ validUntil }) => validUntil === null);
    return rankObservations({ words, vectors: nearest, records, question, now: clock.now() });
  };
};

/** Where it was said, for people. */
export const sourceOf = ({ conversationId, place }: ObservationRecord, here: string): string => {
  if (conversationId === here) return 'this conversation';
  return place.kind === 'channel' ? place.id : place.kind === 'direct' ? 'direct message' : 'this machine';
};

const asRecalled = ({ record, score }: Ranked, here: string): RecalledObservation => ({
  id: record.id,
  kind: record.kind,
  text: record.text,
  speaker: record.speaker,
  role: record.role,
  observedAt: record.observedAt,
  source: sourceOf(record, here),
  score,
});

/** The best that fit the budget. What is too long for what is left makes room for what is shorter. */
export const fitRecalled = (
  ranked: readonly Ranked[],
  options: {
    readonly here: string;
    /** Turns that stand in the window anyway. */
    readonly shown: ReadonlySet<string>;
    readonly budgetTokens: number;
    readonly countTokens: CountTokens;
  },
): readonly RecalledObservation[] => {
  const { here, shown, budgetTokens, countTokens } = options;
  const open = ranked.filter(({ record }) => !shown.has(record.turnId));
  const least = (open[0]?.score ?? 0) * MIN_SHARE_OF_BEST;
  const chosen: RecalledObservation[] = [];
  let left = budgetTokens;
  for (const one of open) {
    if (chosen.length === MAX_RECALLED || one.score < least) break;
    const cost = countTokens(one.record.text) + FRAME_TOKENS;
    if (cost > left) continue;
    left -= cost;
    chosen.push(asRecalled(one, here));
  }
  return chosen;
};
