/**
 * A text cut into its sentences, each a verbatim piece of it: what a citation quotes and what the keyless model answers with.
 * English and Chinese rules; a hard-wrapped line goes on, a list item, a heading or a table row stands alone.
 */

const ABBREVIATIONS = new Set(
  'mr mrs ms dr prof sr jr st vs etc eg ie e.g i.e approx appr dept est fig figs inc ltd co corp no nos vol ch sec pp al cf ca max min tel ext jan feb mar apr jun jul aug sep sept oct nov dec u.s u.k a.m p.m'.split(
    ' ',
  ),
);

const CJK_END = '。！？；';
const LATIN_END = '.!?…';
const CLOSING = '"\'”’)]}»」』）】*_`';
const STANDALONE_LINE = /^\s*(?:[-*+•·]\s|\d{1,3}[.)]\s|#{1,6}\s|\||>\s|[（(]?[一二三四五六七八九十]+[、)）])/u;

const isSpace = (char: string | undefined): boolean => char === undefined || /\s/u.test(char);

const isAbbreviation = (text: string, dot: number): boolean => {
  let start = dot;
  while (start > 0 && dot - start < 12 && /[\p{L}.]/u.test(text[start - 1] as string)) start -= 1;
  const word = text.slice(start, dot);
  if (word === '') return false;
  return /^\p{Lu}$/u.test(word) || ABBREVIATIONS.has(word.toLowerCase());
};

/** `1.` at the start of a line numbers the line; it ends nothing. */
const isListNumber = (text: string, dot: number): boolean => /(?:^|\n)\s*\d{1,3}$/u.test(text.slice(Math.max(0, dot - 12), dot));

const endsSentence = (text: string, at: number): boolean => {
  const char = text[at] as string;
  if (CJK_END.includes(char)) return true;
  if (!LATIN_END.includes(char)) return false;
  let after = at + 1;
  while (after < text.length && CLOSING.includes(text[after] as string)) after += 1;
  if (!isSpace(text[after])) return /\p{Script=Han}/u.test(text[after] as string) && char !== '.';
  if (char !== '.') return true;
  if (isAbbreviation(text, at) || isListNumber(text, at)) {
    // An abbreviation ends a sentence only where the text ends.
    return text.slice(after).trim() === '';
  }
  const next = /\S/u.exec(text.slice(after, after + 40))?.[0];
  return next === undefined || !/\p{Ll}/u.test(next);
};

/** Blocks that never share a sentence: split at blank lines, and around lines that stand alone. */
const blocksOf = (text: string): string[] => {
  const blocks: string[] = [];
  let current = '';
  const close = (): void => {
    if (current.trim() !== '') blocks.push(current);
    current = '';
  };
  for (const line of text.split(/(?<=\n)/u)) {
    if (line.trim() === '') {
      close();
      continue;
    }
    if (STANDALONE_LINE.test(line)) close();
    current += line;
    if (/^\s*(?:#{1,6}\s|\|)/u.test(line)) close();
  }
  close();
  return blocks;
};

/** In order, trimmed, never empty; each occurs in `text` word for word. Linear in the length of the text. */
export const sentencesOf = (text: string): string[] => {
  const sentences: string[] = [];
  for (const block of blocksOf(text)) {
    let start = 0;
    for (let at = 0; at < block.length; at += 1) {
      if (!endsSentence(block, at)) continue;
      let end = at + 1;
      while (end < block.length && (CLOSING + LATIN_END + CJK_END).includes(block[end] as string)) end += 1;
      const sentence = block.slice(start, end).trim();
      if (sentence !== '') sentences.push(sentence);
      start = end;
      at = end - 1;
    }
    const rest = block.slice(start).trim();
    if (rest !== '') sentences.push(rest);
  }
  return sentences;
};
