/** How wide a text is in the fonts of charts, and a text cut to a width. Measured here, since there is no canvas to ask. */
import { graphemeBoundary } from '../agent/unicode.ts';

/** Advance widths of the characters from the space to `~`, in thousandths of the font size, as Noto Sans has them. */
const ASCII = [
  260, 269, 408, 646, 572, 831, 732, 225, 300, 300, 551, 572, 268, 322, 268, 372, 572, 572, 572, 572, 572, 572, 572, 572, 572,
  572, 268, 268, 572, 572, 572, 434, 899, 639, 650, 632, 730, 556, 519, 728, 741, 339, 273, 619, 524, 907, 760, 781, 605, 781,
  622, 549, 556, 731, 600, 930, 586, 566, 572, 329, 372, 329, 572, 444, 281, 561, 615, 480, 615, 564, 344, 615, 618, 258, 258,
  534, 258, 935, 618, 605, 615, 615, 413, 479, 361, 618, 508, 786, 529, 510, 470, 380, 551, 380, 572,
];
/** Latin with accents, Greek and Cyrillic, whose mean is 590 to 660; all others are taken for as wide as they are high. */
const NARROW = /[\u00a0-\u052f\u1e00-\u1fff\u2010-\u2027]/;
const NARROW_WIDTH = 660;
const HANGUL = /[\uac00-\ud7a3]/;
const HANGUL_WIDTH = 920;
const MARK = /\p{Mn}/u;

const widthOf = (char: string): number => {
  if (MARK.test(char)) return 0;
  if (NARROW.test(char)) return NARROW_WIDTH;
  return HANGUL.test(char) ? HANGUL_WIDTH : 1_000;
};

/** In the unit of `fontSize`. */
export const textWidth = (text: string, fontSize: number): number => {
  let thousandths = 0;
  for (const char of text) {
    thousandths += ASCII[char.charCodeAt(0) - 0x20] ?? widthOf(char);
  }
  return (thousandths * fontSize) / 1_000;
};

/** The end of the longest beginning that is no wider, or the start of the longest ending. No character is split. */
const fitting = (text: string, fontSize: number, maxWidth: number): number => {
  let end = Math.min(text.length, Math.ceil((maxWidth / fontSize) * 5));
  while (end > 0 && textWidth(text.slice(0, end), fontSize) > maxWidth) end = graphemeBoundary(text, end - 1);
  return end;
};

const tailFrom = (text: string, fontSize: number, maxWidth: number): number => {
  let from = text.length;
  for (const { segment } of [...new Intl.Segmenter('en').segment(text.slice(-80))].reverse()) {
    if (textWidth(text.slice(from - segment.length), fontSize) > maxWidth) break;
    from -= segment.length;
  }
  return from;
};

/** The whole text, or its two ends with an ellipsis between: names often differ at their end. */
export const cutToWidth = (text: string, fontSize: number, maxWidth: number): string => {
  if (textWidth(text, fontSize) <= maxWidth) return text;
  const room = maxWidth - textWidth('…', fontSize);
  const tail = tailFrom(text, fontSize, room * 0.4);
  const head = fitting(text, fontSize, room - textWidth(text.slice(tail), fontSize));
  return `${text.slice(0, head).trimEnd()}…${text.slice(tail).trimStart()}`;
};

/** In two lines at most, parted at a space where there is one. */
export const linesOf = (text: string, fontSize: number, maxWidth: number): readonly string[] => {
  if (textWidth(text, fontSize) <= maxWidth) return [text];
  const end = fitting(text, fontSize, maxWidth);
  const space = text.lastIndexOf(' ', end);
  const at = space > end / 2 ? space : end;
  return [text.slice(0, at).trimEnd(), cutToWidth(text.slice(at).trim(), fontSize, maxWidth)];
};
