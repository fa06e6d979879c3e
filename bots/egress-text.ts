/**
 * Text that holds what a reader sees and nothing else: no invisible characters that carry hidden words, no control characters
 * that move a terminal's cursor, no broken surrogates.
 */

/** C0 without tab and line feed, DEL, C1. */
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/gu;

/**
 * Characters without a glyph: soft hyphen, grapheme joiner, Arabic letter mark, Hangul fillers, Khmer inherent vowels, Mongolian
 * selectors, zero-width and bidi controls, word joiner and invisible operators, byte order mark, variation selectors of both
 * blocks, annotation anchors, shorthand and musical format controls, the tag block.
 */
const INVISIBLE =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** Emoji keep their joiners, selectors and flag tags: a whole known sequence, or pictographs that are joined one by one. */
const EMOJI =
  /\p{RGI_Emoji}|\p{Extended_Pictographic}[\u{fe0f}\p{Emoji_Modifier}]?(?:\u{200d}\p{Extended_Pictographic}[\u{fe0f}\p{Emoji_Modifier}]?)+/gv;

const stripInvisible = (text: string): string => {
  let cleaned = '';
  let end = 0;
  for (const match of text.matchAll(EMOJI)) {
    cleaned += text.slice(end, match.index).replace(INVISIBLE, '') + match[0];
    end = match.index + match[0].length;
  }
  return cleaned + text.slice(end).replace(INVISIBLE, '');
};

/** Well-formed text of visible characters, spaces, tabs and line feeds. Emoji sequences stay whole. Idempotent. */
export const cleanText = (text: string): string =>
  stripInvisible(
    text
      .toWellFormed()
      .replace(/\r\n?|[\u0085\u2028\u2029]/gu, '\n')
      .replace(CONTROL, ''),
  );

/** The same on one line. */
export const cleanLine = (text: string): string => cleanText(text).replace(/\s+/gu, ' ').trim();
