/** Text that may be stored and sent anywhere: no half characters, and cuts that split none. */

/** Lone surrogates are dropped; providers refuse a whole request for one of them. */
export const unpairedRemoved = (text: string): string =>
  text.isWellFormed() ? text : text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '');

/** A cut looks back no further than this for the start of a character: longer clusters are noise. */
const MAX_GRAPHEME_UNITS = 64;

/** The end of the last whole character (as a person sees it) at or before `at`. */
export const graphemeBoundary = (text: string, at: number): number => {
  if (at >= text.length) return text.length;
  if (at <= 0) return 0;
  const from = Math.max(0, at - MAX_GRAPHEME_UNITS);
  const piece = text.slice(from, at + MAX_GRAPHEME_UNITS);
  let boundary = 0;
  for (const { index } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(piece)) {
    if (from + index > at) break;
    boundary = index;
  }
  return boundary === 0 && from > 0 ? at : from + boundary;
};

/** At most `maxChars` UTF-16 units: the head, a mark that names what is missing, and the tail. */
export const cutMiddle = (text: string, maxChars: number): string => {
  if (text.length <= maxChars) return text;
  const mark = ` … [${text.length - maxChars} more characters left out] … `;
  const room = Math.max(0, maxChars - mark.length);
  const head = graphemeBoundary(text, Math.ceil(room * 0.75));
  const tail = graphemeBoundary(text, text.length - Math.floor(room * 0.25));
  return `${text.slice(0, head)}${mark}${text.slice(tail)}`;
};
