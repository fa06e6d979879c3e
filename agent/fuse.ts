/** Two rankings of one query into one. */

export interface RankedHit {
  readonly id: string;
  readonly score: number;
}

/** Scores of one query brought to 0 to 1: its best is 1, its worst 0. Ranks alone lose how much better the best one is. */
export const minMax = (hits: readonly RankedHit[]): ReadonlyMap<string, number> => {
  const scores = hits.map((hit) => hit.score);
  const best = Math.max(...scores);
  const range = best - Math.min(...scores);
  return new Map(hits.map((hit) => [hit.id, range > 0 ? 1 - (best - hit.score) / range : 1]));
};

/** `vectorWeight` is the vectors' share, 0 to 1. What one side did not find counts 0 there. */
export const fuseHits = (
  words: readonly RankedHit[],
  vectors: readonly RankedHit[] | undefined,
  vectorWeight: number,
): ReadonlyMap<string, number> => {
  const wordScores = minMax(words);
  if (vectors === undefined) return wordScores;
  const vectorScores = minMax(vectors);
  const ids = new Set([...wordScores.keys(), ...vectorScores.keys()]);
  return new Map(
    [...ids].map((id) => [id, (1 - vectorWeight) * (wordScores.get(id) ?? 0) + vectorWeight * (vectorScores.get(id) ?? 0)]),
  );
};
