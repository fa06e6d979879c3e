/**
 * Counts the tokens of a text with the bundled o200k ranks. The table takes some time to build, so it is built in slices
 * beside other work; until then, and for long texts, the count is an estimate from above.
 */
import type { CountTokens } from '../agent/ports/window.ts';

/** The merge costs the square of an unbroken run's length; so no run is longer than this. */
const MAX_PIECE_CHARS = 128;
/** Longer texts are estimated: an exact count of them is never worth its time. */
const MAX_EXACT_CHARS = 4_000;
const TOKENS_PER_SLICE = 4_000;
const WARM_UP_TEXT = '\u{1f600}'.repeat(MAX_PIECE_CHARS / 2);

/** From above for prose, code and ids in Latin script, Chinese, Japanese, Korean, Cyrillic and emoji. Linear, no table. */
export const estimateTokens = (text: string): number => {
  let tenths = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 32) tenths += 3.5;
    else if (code < 128) tenths += 8;
    else if (code >= 0xd800 && code <= 0xdfff) tenths += 16;
    else tenths += 11;
  }
  return Math.ceil(tenths / 10);
};

interface Ranks {
  readonly pattern: RegExp;
  /** Keyed by the token's bytes, one UTF-16 unit a byte. */
  readonly byBytes: ReadonlyMap<string, number>;
}

const nextTurnOfTheLoop = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** Byte pair encoding of one piece: the pair of lowest rank is merged until none is left. */
const countPiece = (bytes: string, ranks: ReadonlyMap<string, number>): number => {
  if (bytes.length < 2 || ranks.has(bytes)) return 1;
  const starts = Array.from({ length: bytes.length + 1 }, (_, i) => i);
  const rankOfPair = (i: number): number =>
    i + 2 < starts.length ? (ranks.get(bytes.slice(starts[i], starts[i + 2])) ?? Infinity) : Infinity;
  const pairs = starts.map((_, i) => rankOfPair(i));
  for (;;) {
    let best = 0;
    let bestRank = Infinity;
    for (let i = 0; i < pairs.length; i += 1) {
      const rank = pairs[i] as number;
      if (rank < bestRank) {
        bestRank = rank;
        best = i;
      }
    }
    if (bestRank === Infinity) return starts.length - 1;
    starts.splice(best + 1, 1);
    pairs.splice(best + 1, 1);
    pairs[best] = rankOfPair(best);
    if (best > 0) pairs[best - 1] = rankOfPair(best - 1);
  }
};

const countExactly = (text: string, ranks: Ranks): number => {
  let count = 0;
  for (let from = 0; from < text.length; ) {
    let end = Math.min(from + MAX_PIECE_CHARS, text.length);
    const unit = text.charCodeAt(end - 1);
    if (end < text.length && unit >= 0xd800 && unit <= 0xdbff) end -= 1;
    for (const [piece] of text.slice(from, end).matchAll(ranks.pattern)) {
      count += countPiece(Buffer.from(piece, 'utf8').toString('latin1'), ranks.byBytes);
    }
    from = end;
  }
  return count;
};

const loadRanks = async (): Promise<Ranks> => {
  const { default: table } = await import('js-tiktoken/ranks/o200k_base');
  const byBytes = new Map<string, number>();
  // A line is a name, the rank of its first token, and its tokens in base64.
  for (const line of table.bpe_ranks.split('\n')) {
    let from = line.indexOf(' ', line.indexOf(' ') + 1) + 1;
    let rank = Number(line.split(' ', 2)[1]);
    while (from > 0 && from < line.length) {
      if (byBytes.size % TOKENS_PER_SLICE === 0) await nextTurnOfTheLoop();
      const space = line.indexOf(' ', from);
      byBytes.set(atob(line.slice(from, space === -1 ? undefined : space)), rank);
      rank += 1;
      from = space + 1;
    }
  }
  const ranks = { pattern: new RegExp(table.pat_str, 'gu'), byBytes };
  // The first counts run uncompiled, ten times slower; here they hold nobody up.
  for (let round = 0; round < 40; round += 1) {
    await nextTurnOfTheLoop();
    countExactly(WARM_UP_TEXT, ranks);
  }
  return ranks;
};

export interface TokenCounter {
  /** Never holds the thread for long: 4,000 characters of any kind take under 50 ms. The first call starts `load`. */
  readonly count: CountTokens;
  /** Builds the table; counts are exact (for texts up to 4,000 characters) from then on. Safe to call again. */
  load(): Promise<void>;
}

export const createTokenCounter = (): TokenCounter => {
  let ranks: Ranks | undefined;
  let loading: Promise<void> | undefined;
  const load = (): Promise<void> => {
    loading ??= loadRanks().then(
      (loaded) => {
        ranks = loaded;
      },
      // Without the table the estimate goes on serving.
      () => undefined,
    );
    return loading;
  };
  const count: CountTokens = (text) => {
    if (ranks === undefined) void load();
    return ranks === undefined || text.length > MAX_EXACT_CHARS ? estimateTokens(text) : countExactly(text, ranks);
  };
  return { count, load };
};
