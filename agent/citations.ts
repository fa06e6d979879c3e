/**
 * What an answer may cite: markers `[n]` are checked against the passages that were retrieved, and each cited passage is
 * quoted word for word by its sentence that supports the claim best.
 */
import type { Citation, Evidence } from './conversation.ts';
import { overlapOf, termsOf } from './overlap.ts';
import { sentencesOf } from './sentences.ts';

/** A marker: `[1]`, `[1, 2]`, `[1-3]`, `【1】`; not a Markdown link's text, not a footnote's definition. */
const MARKER = /[ \t]*[[［【]\s*(\d{1,3}(?:\s*[,，、–-]\s*\d{1,3})*)\s*[\]］】](?![(:])/gu;
/** Code is left as it is: `row[1]` in it cites nothing. */
const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]+`)/u;
const URL = /https?:\/\/[^\s<>"'`[\]{}|\\^（）【】「」『』，。；！？、]+/giu;
const MAX_RANGE = 10;

const numbersOf = (list: string): number[] =>
  list.split(/[,，、]/u).flatMap((part) => {
    const [from = 0, to = from] = part.split(/[–-]/u).map(Number);
    const count = Math.min(Math.max(to - from + 1, 1), MAX_RANGE);
    return Array.from({ length: count }, (_, i) => from + i);
  });

/** Text of a document may hold brackets that look like markers; quoted in an answer they would cite. */
export const withoutMarkers = (text: string): string => text.replace(MARKER, '');

/** The sentence that a marker at the end of `before` stands behind. */
const claimBefore = (before: string): string => sentencesOf(withoutMarkers(before.slice(-2000))).at(-1) ?? '';

/** The sentence of the passage that holds most of one of the claims; of equals the shorter one. Verbatim, never empty. */
export const quoteFor = (claims: readonly string[], passage: string): string => {
  const sentences = sentencesOf(passage);
  const claimTerms = claims.map(termsOf);
  let best = sentences[0] ?? passage.trim();
  let bestScore = -1;
  for (const sentence of sentences) {
    const terms = termsOf(sentence);
    const score = Math.max(0, ...claimTerms.map((claim) => overlapOf(claim, terms)));
    if (score > bestScore || (score === bestScore && score > 0 && sentence.length < best.length)) {
      best = sentence;
      bestScore = score;
    }
  }
  return best;
};

/** What stands word for word in the passage is quoted as it is, however many sentences it has; part of one is made whole. */
const longer = (verbatim: string | undefined, sentence: string): string =>
  verbatim !== undefined && verbatim.length >= sentence.length ? verbatim : sentence;

export interface CitedText {
  readonly text: string;
  readonly citations: readonly Citation[];
}

/**
 * The text with its markers checked and renumbered 1..k in their order, and the citations they point at. A marker without
 * evidence is gone from the text. Pure.
 */
export const citeText = (text: string, evidence: readonly Evidence[]): CitedText => {
  const byNumber = new Map(evidence.map((item) => [item.n, item]));
  const order = new Map<number, number>();
  const claims = new Map<number, string[]>();
  const quotes = new Map<number, string>();
  const parts = text.split(CODE);
  const cited = parts.map((part, index) => {
    if (index % 2 === 1) return part;
    let claimed = 0;
    return part.replace(MARKER, (marker: string, list: string, offset: number) => {
      const known = numbersOf(list).filter((n) => byNumber.has(n));
      if (known.length === 0) return '';
      // The marker before may have stood in front of its sentence's full stop.
      const segment = part
        .slice(claimed, offset)
        .replace(/^[\s.。!！?？,，;；:：)）]+/u, '')
        .trim();
      claimed = offset + marker.length;
      const claim = claimBefore(part.slice(0, offset));
      const numbers = known.map((n) => {
        if (!order.has(n)) order.set(n, order.size + 1);
        claims.set(n, [...(claims.get(n) ?? []), claim]);
        if (segment !== '' && !quotes.has(n) && byNumber.get(n)?.text.includes(segment)) quotes.set(n, segment);
        return order.get(n) as number;
      });
      const space = /^[ \t]*/u.exec(marker)?.[0] ?? '';
      return `${space}${[...new Set(numbers)].map((n) => `[${n}]`).join('')}`;
    });
  });
  const citations = [...order].map(([n, renumbered]): Citation => {
    const item = byNumber.get(n) as Evidence;
    return {
      n: renumbered,
      title: item.title,
      source: item.source,
      quote: longer(quotes.get(n), quoteFor(claims.get(n) ?? [], item.text)),
      chunkId: item.chunkId,
      headingPath: item.headingPath,
      location: item.location,
      date: item.date,
      label: item.label,
    };
  });
  return { text: cited.join('').trim(), citations };
};

/** The addresses that occur in the texts, without trailing punctuation, each once. */
export const linksIn = (texts: readonly string[]): string[] => {
  const links = new Set<string>();
  for (const text of texts) {
    for (const [match] of text.matchAll(URL)) {
      let link = match.replace(/[.,;:!?*_~]+$/u, '');
      // A closing bracket belongs to the address only where one was opened in it.
      while (link.endsWith(')') && link.split('(').length < link.split(')').length) link = link.slice(0, -1);
      links.add(link);
    }
  }
  return [...links];
};
