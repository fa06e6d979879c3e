/**
 * How much a sentence holds that is worth keeping: the kind its form shows, and how specific it is. Numbers, dates and names
 * raise it; guesses, requests and words that say little lower it.
 */
import type { ObservationKind } from '../agent/ports/memory.ts';
import type { CueLanguage, Cues } from './cues.ts';
import { german } from './cues-de.ts';
import { english } from './cues-en.ts';
import { chinese } from './cues-zh.ts';

export const CUES: Readonly<Record<CueLanguage, Cues>> = { en: english, de: german, zh: chinese };

/** Added for each sign of a specific statement, and taken off for each sign of a vague one. */
const WEIGHTS = {
  plain: 0.29,
  label: 0.13,
  time: 0.12,
  name: 0.12,
  secondName: 0.03,
  quoted: 0.04,
  number: 0.1,
  secondNumber: 0.06,
  unit: 0.06,
  numeral: 0.1,
  attribute: 0.1,
  superlative: 0.08,
  dash: 0.07,
  short: 0.06,
  event: 0.06,
  habit: -0.02,
  vague: -0.04,
  addressed: -0.06,
  hypothetical: -0.11,
  anaphor: -0.11,
  negation: -0.12,
} as const;

type Sign = keyof typeof WEIGHTS;

/** A cue of 0.6 stands alone; a weaker one wants something specific beside it. */
const CUE_SHARE = 0.71;
const SPECIFIC_SHARE = 0.5;
const MIN_CUED = 0.15;

const NUMBER = /\p{N}+(?:[.,:/-]\p{N}+)*/gu;
const UNIT =
  /\p{N}\s?(?:%|°|[€$£¥]|(?:ms|s|h|min|k|m|g|km|kg|mm|cm|[kmgt]b|kwh?|l|pm|am|uhr|eur|usd|euros?|dollars?|lit(?:er|re)s?|tons?|tonnes?|tonnen|hours?|stunden?|minutes?|minuten?|days?|tagen?)(?!\p{L})|[元度米吨升台人件]|公里|公斤|小时|分钟)/iu;
const LATIN_NAME = /(?<=[\p{L}\p{N},;:)'"”–—-]\s{0,2}["'(“‘]?)(?<![.!?]\s)\p{Lu}\p{Ll}+(?:['-]\p{Lu}\p{Ll}+)*/gu;
const MARKED_NAME = /(?<![\p{L}])(?:\p{Lu}{2,}\d*|\p{L}+\p{Ll}\p{Lu}\p{L}*|\p{L}+\d+|@[\w.]{2,})(?![\p{L}])/gu;
const LATIN_WORD = /[A-Za-z][A-Za-z0-9.-]{2,}/gu;
const GERMAN_NAME = /\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+|(?<!\p{L})(?:in|aus|nach|bei|von|mit|für|an) \p{Lu}\p{Ll}+/gu;
const QUOTED_NAME = /["“‘「《][^"“”‘’「」《》]{2,60}["”’」》]/u;
/** Capitalised for grammar, and no name. */
const NO_NAME = /^(?:I|Oh|OK|Okay|Hey|Hi|The|AI|TV|PC|Mr|Mrs|Ms|Dr|ASAP|FYI|BTW|LOL)$/u;
const LABEL = /^[^\p{P}\d\n]{2,30}[:：]\s*\S/u;

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** In German every noun is written like a name, so only two in a row or an unusual form count. */
const namesIn = (sentence: string, language: CueLanguage | undefined): number => {
  const marked = sentence.match(MARKED_NAME)?.filter((name) => !NO_NAME.test(name)).length ?? 0;
  if (language === 'zh') return Math.max(marked, countOf(sentence, LATIN_WORD));
  if (language === 'de') return marked + countOf(sentence, GERMAN_NAME);
  return marked + (sentence.match(LATIN_NAME)?.filter((name) => !NO_NAME.test(name)).length ?? 0);
};

export interface Judgement {
  readonly kind: Exclude<ObservationKind, 'result'>;
  /** 0 to 1. */
  readonly score: number;
  /** The kind was read off the sentence's own form, and is no guess. */
  readonly cued: boolean;
  /** Of its numbers, dates, names and vague words alone; it may be below 0. */
  readonly specificity: number;
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value));

/** Which signs the sentence shows, and how often those count that count more than once. */
const signsOf = (sentence: string, language: CueLanguage | undefined): Record<Sign, number> => {
  const cues = language === undefined ? undefined : CUES[language];
  const numbers = countOf(sentence, NUMBER);
  const names = namesIn(sentence, language);
  const has = (pattern: RegExp | undefined): number => (pattern?.test(sentence) === true ? 1 : 0);
  return {
    plain: 1,
    number: Math.min(1, numbers),
    secondNumber: numbers > 1 ? 1 : 0,
    unit: has(UNIT),
    name: Math.min(1, names),
    secondName: Math.min(2, Math.max(0, names - 1)),
    quoted: has(QUOTED_NAME),
    label: has(LABEL),
    dash: has(/[—–]/u),
    short: sentence.length < 45 ? 1 : 0,
    time: has(cues?.time),
    numeral: has(cues?.numeral),
    attribute: has(cues?.attribute),
    event: has(cues?.event),
    superlative: has(cues?.superlative),
    habit: has(cues?.habit),
    addressed: has(cues?.addressed),
    hypothetical: has(cues?.hypothetical),
    anaphor: has(cues?.anaphor),
    negation: has(cues?.negation),
    vague: cues === undefined ? 0 : Math.min(3, countOf(sentence, cues.vague)),
  };
};
const specificityOf = (sentence: string, language: CueLanguage | undefined): number => {
  let sum = 0;
  for (const [sign, times] of Object.entries(signsOf(sentence, language))) sum += WEIGHTS[sign as Sign] * times;
  return sum;
};

/** The kind of the surest cue, and how significant the sentence is before novelty. */
export const judgeSentence = (sentence: string, language: CueLanguage | undefined): Judgement => {
  const cues = language === undefined ? undefined : CUES[language];
  const specificity = specificityOf(sentence, language);
  let best: { kind: Judgement['kind']; weight: number } | undefined;
  for (const { kind, weight, pattern } of cues?.kinds ?? []) {
    if ((best === undefined || weight > best.weight) && pattern.test(sentence)) best = { kind, weight };
  }
  if (best === undefined) return { kind: 'fact', score: clamp(specificity), cued: false, specificity };
  return {
    kind: best.kind,
    score: clamp(Math.max(specificity, best.weight * CUE_SHARE + Math.max(MIN_CUED, specificity) * SPECIFIC_SHARE)),
    cued: best.weight >= 0.5,
    specificity,
  };
};
