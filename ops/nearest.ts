const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, left] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, right] of [...b].entries()) {
      next.push(Math.min((row[j] ?? 0) + (left === right ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
};

/** The candidate with the fewest letters to change, case aside. */
export const nearest = (word: string, candidates: readonly string[]): string => {
  const lower = word.slice(0, 100).toLowerCase();
  const scored = candidates.map((candidate) => ({ candidate, letters: distance(lower, candidate.toLowerCase()) }));
  return scored.sort((a, b) => a.letters - b.letters)[0]?.candidate ?? '';
};
