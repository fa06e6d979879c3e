/** The sentences of a turn as memory reads them: with German dates kept whole, each with its place, bounded in number and length. */
import { sentencesOf } from '../agent/sentences.ts';
import { languageOf } from '../agent/texts.ts';
import { unpairedRemoved } from '../agent/unicode.ts';
import type { CueLanguage } from './cues.ts';
import { chinese } from './cues-zh.ts';
import { scrubSecrets } from './secrets.ts';

/** What follows in a longer text is a document, and not something said. */
const MAX_TEXT_CHARS = 40_000;
/** Longer than any secret but a key block: one that the cut divides lies within it. */
const CUT_MARGIN_CHARS = 8_000;
const MAX_SENTENCES = 300;
/** A pattern sees no more of a sentence than this, and a quote is no longer. */
export const MAX_SENTENCE_CHARS = 600;

/** "Am 15. März" and "Nr. 5" go on behind their dot. */
const GOES_ON =
  /(?:(?<![\d.,])\d{1,2}|(?<![\p{L}])(?:nr|str|bzw|evtl|inkl|ca|z\. ?b|d\. ?h|u\. ?a|usw|ggf|abs|art|st|co|inc|ltd|corp))\.$/iu;
const MONTH_NEXT =
  /^(?:januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|jan|feb|apr|jun|jul|aug|sep|okt|nov|dez|quartal|jahrestag|stock|jahrhundert)/iu;

const goesOn = (piece: string, next: string): boolean => {
  const end = GOES_ON.exec(piece.slice(-12));
  return end !== null && (/\d/.test(end[0]) ? MONTH_NEXT.test(next) : true);
};

const headOf = (text: string): string =>
  text.length <= MAX_TEXT_CHARS
    ? scrubSecrets(text)
    : scrubSecrets(text.slice(0, MAX_TEXT_CHARS + CUT_MARGIN_CHARS)).slice(0, -CUT_MARGIN_CHARS);

/** In order, each a verbatim piece of `text`, but that a mark stands where a secret was. */
export const readSentences = (text: string): string[] => {
  const clean = unpairedRemoved(headOf(text));
  const sentences: string[] = [];
  let from = 0;
  let open: { start: number; end: number } | undefined;
  const close = (): void => {
    if (open !== undefined) sentences.push(clean.slice(open.start, open.end).slice(0, MAX_SENTENCE_CHARS).trim());
    open = undefined;
  };
  for (const piece of sentencesOf(clean)) {
    if (sentences.length >= MAX_SENTENCES) break;
    const start = clean.indexOf(piece, from);
    from = start + piece.length;
    if (open !== undefined && goesOn(clean.slice(open.start, open.end), piece)) open.end = from;
    else {
      close();
      open = { start, end: from };
    }
  }
  close();
  return sentences;
};

const GERMAN =
  /(?<![\p{L}])(?:der|die|das|den|dem|des|und|ist|nicht|ich|wir|ein|eine|einen|für|mit|auf|bis|zu|zum|zur|werde|werden|wird|habe|haben|hat|sind|von|vom|im|es|sie|er|dass|aber|auch|noch|bei|nach|statt|uns|unser|unsere|mein|meine|immer|nur|kein|keine|bitte|wie|was|du|dir|mir|mich|dich|ohne|gegen|durch|vor|seit|über|als|wenn|lieber|keinen|einer|einem|sich|hat|kann|muss|soll|alle|mehr|so|da|man|doch|schon|in|sondern|aus|am|an|um|beim|steht|sie|seine|ihre|wer|wann|wo|welche[rsmn]?)(?![\p{L}])|[äöüß]/giu;
const ENGLISH =
  /(?<![\p{L}])(?:the|and|is|not|i|we|a|an|for|with|on|to|of|will|are|was|were|have|has|that|this|it|they|he|she|but|at|by|from|my|our|your|you|be|in|as|if|do|does|what|how|who|please|me|i'm|i'll|i've|than|over|all|can|without|no|from|into|before|after|which|when|there|their|his|her|its|us|or|so|now|new|who|would|should|about|more|only|any|some|just)(?![\p{L}])/giu;
/** Where small words do not tell: umlauts, and how German verbs and nouns end. */
const GERMAN_ENDING =
  /[äöüß]|\p{L}{3}(?:tet|zugt|ert|iert|ung|ungen|keit|heit|lich|isch|schaft|chten|tzen|eren|elt)(?![\p{L}])/iu;
const WORD = /\p{L}+/gu;

const hits = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Undefined where the text is in none of the three: it is judged by its numbers, dates and names alone. */
export const cueLanguageOf = (text: string): CueLanguage | undefined => {
  const sample = text.slice(0, 2_000).replaceAll('’', "'");
  if (/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(sample)) return undefined;
  if (
    languageOf(sample) === 'zh' ||
    (/\p{Script=Han}/u.test(sample) && chinese.kinds.some(({ pattern }) => pattern.test(sample)))
  )
    return 'zh';
  const total = hits(sample, WORD);
  const german = hits(sample, GERMAN);
  const english = hits(sample, ENGLISH);
  if (german === 0 && english === 0) return total > 8 ? undefined : GERMAN_ENDING.test(sample) ? 'de' : 'en';
  // A third Latin language shares a few small words with both.
  if (Math.max(german, english) < total * 0.1 && total > 6) return undefined;
  return german > english || (german === english && GERMAN_ENDING.test(sample)) ? 'de' : 'en';
};
