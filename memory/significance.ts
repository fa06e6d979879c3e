/**
 * What of a turn is worth remembering, by the form of its sentences and without a model: decisions, preferences, facts,
 * commitments, corrections and opinions; not small talk, questions, requests, secrets, nor text that gives orders.
 */
import { termsOf } from '../agent/overlap.ts';
import type { ObservationKind } from '../agent/ports/memory.ts';
import type { Cues } from './cues.ts';
import { holdsSecret } from './secrets.ts';
import { contentWordsIn, isIdle } from './significance-idle.ts';
import { isSameObservation } from './significance-merge.ts';
import { isErrand, isOrder, isOverride, isReminder } from './significance-orders.ts';
import { CUES, type Judgement, judgeSentence } from './significance-score.ts';
import { cueLanguageOf, readSentences } from './significance-sentences.ts';
import { fixedPartsOf } from './significance-values.ts';

/** From here on a sentence is kept. One threshold for every language and kind. */
export const SIGNIFICANT = 0.5;
const EXPLICIT_SIGNIFICANCE = 0.9;
/** Of one turn; the most significant stay. */
const MAX_OBSERVATIONS = 24;
const MAX_KNOWN = 1_000;
const MAX_DERIVED_CHARS = 700;
const MIN_DERIVED_CHARS = 4;
/** So many sentences after one of a clear kind belong to it: its reason, its terms. */
const MAX_LINKS = 2;
/** Shorter sentences are read in the language of the turn. */
const MIN_OWN_LANGUAGE_CHARS = 60;
/** The mean specificity of a common turn's sentences. */
const COMMON_DENSITY = 0.276;
const DENSITY_SHARE = 1.5;
/** What shares all its words with something known loses this much of its significance at most. */
const MAX_STALE = 0.2;

export interface TurnText {
  readonly text: string;
  readonly role: 'user' | 'assistant' | 'tool';
  /** As shown: the subject of what is said in the first person. */
  readonly speaker: string;
  /** `untrusted`: documents, tool results, forwarded text. It states facts, and wishes nothing. */
  readonly origin: 'person' | 'untrusted';
  /** What is remembered already of the same speaker and place. */
  readonly known?: readonly string[];
}

export interface ObservationDraft {
  readonly kind: ObservationKind;
  /** Without its lead-in, and with the sentence before it where a pronoun stands for something said there. */
  readonly text: string;
  /** Occurs in the turn word for word. */
  readonly quote: string;
  /** 0 to 1. */
  readonly significance: number;
  /** The person asked for it to be remembered. */
  readonly explicit: boolean;
  /** Who it is about, where the form shows it. */
  readonly subject?: string;
}

const FIRST_PERSON = /^(?:(?:i|we|my|our|ich|wir|meine?|unsere?)(?!\p{L})|i'|我|咱)/iu;
const LEADING_NAME = /^\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+){0,2}(?= \p{Ll}| ?\p{Script=Han})/u;

const subjectOf = (text: string, speaker: string, cues: Cues | undefined): string | undefined => {
  if (FIRST_PERSON.test(text)) return speaker;
  const name = LEADING_NAME.exec(text)?.[0];
  const [first = ''] = name?.toLowerCase().split(' ') ?? [];
  return cues?.stopWords.has(first) === true || cues?.explicit.test(first) === true ? undefined : name;
};

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** "Please remember that the gate is locked" says: the gate is locked. */
const withoutLead = (sentence: string, cues: Cues | undefined): string => {
  if (cues === undefined) return sentence;
  const told = sentence.search(cues.explicit) === 0 ? sentence.replace(cues.explicit, '').trim() : sentence;
  const bare = told.replace(cues.leadIn, '').trim();
  return bare.length < MIN_DERIVED_CHARS ? sentence : capitalised(bare);
};

/** 0 for what is known already, or all but; less than 1 for what says much the same with the same numbers and names. */
const noveltyOf = (text: string, known: readonly string[]): number => {
  const terms = termsOf(text);
  const fixed = fixedPartsOf(text);
  let novelty = 1;
  for (const old of known) {
    if (isSameObservation({ text: old }, { text })) return 0;
    if (fixedPartsOf(old) !== fixed) continue;
    const oldTerms = termsOf(old);
    let shared = 0;
    for (const term of terms) if (oldTerms.has(term)) shared += 1;
    if (terms.size > 0) novelty = Math.min(novelty, 1 - 2 * MAX_STALE * Math.max(0, shared / terms.size - 0.5));
  }
  return novelty;
};

interface Reading {
  readonly quote: string;
  readonly cues: Cues | undefined;
  readonly explicit: boolean;
  readonly refers: boolean;
  /** Undefined for what is never kept. */
  readonly judged: Judgement | undefined;
}

const readTurn = ({ text, role, origin }: TurnText): readonly Reading[] => {
  const trusted = origin === 'person' && role !== 'tool';
  const quotes = readSentences(text);
  const ofTurn = cueLanguageOf(quotes.slice(0, 20).join(' '));
  /** "Please remember the following:" asks for the next sentence. */
  let announced = false;
  return quotes.map((quote) => {
    const plain = quote.replace(/[’‘]/gu, "'");
    const language = plain.length < MIN_OWN_LANGUAGE_CHARS ? ofTurn : (cueLanguageOf(plain) ?? ofTurn);
    const cues = language === undefined ? undefined : CUES[language];
    const explicit = trusted && (announced || cues?.explicit.test(plain) === true);
    const told =
      explicit && cues !== undefined
        ? plain
            .replace(cues.explicit, ' ')
            .replace(/[?？]+$/u, '')
            .trim()
        : plain;
    announced = explicit && !announced && contentWordsIn(told, cues) < 2;
    const forbidden =
      holdsSecret(quote) ||
      isOverride(plain) ||
      ((explicit || isReminder(plain)) && isErrand(told)) ||
      (!trusted && isOrder(plain));
    const found = announced || forbidden ? undefined : judgeSentence(told, language);
    const idle = found === undefined || isIdle(told, cues, explicit ? { ...found, cued: true } : found);
    return { quote, cues, explicit, refers: cues?.anaphor.test(plain) === true, judged: idle ? undefined : found };
  });
};

/** How much of the turn tells something, against a common turn: a fact counts less among questions and musings. 0 of one sentence. */
const densityOf = (readings: readonly Reading[]): number => {
  if (readings.length < 2) return 0;
  const told = readings.reduce((sum, { judged }) => sum + Math.max(0, judged?.specificity ?? 0), 0) / readings.length;
  return DENSITY_SHARE * (1 - 1 / readings.length) * (told - COMMON_DENSITY);
};

/** Of one turn, in the order said. Pure; linear in the length of the text and in what is known. */
export const findObservations = (turn: TurnText): readonly ObservationDraft[] => {
  const { role, speaker, known = [] } = turn;
  const recent = known.slice(-MAX_KNOWN);
  const readings = readTurn(turn);
  const density = densityOf(readings);
  const drafts: ObservationDraft[] = [];
  /** The draft of the sentence before, and how many have carried on from one of a clear kind. */
  let previous: ObservationDraft | undefined;
  let links = MAX_LINKS;
  for (const { quote, cues, explicit, refers, judged } of readings) {
    const before = previous;
    previous = undefined;
    if (judged === undefined) continue;
    const lead = before !== undefined && !judged.cued && links < MAX_LINKS ? before : undefined;
    if (lead !== undefined) links += 1;
    else links = judged.cued || explicit ? 0 : MAX_LINKS;
    // What an assistant states without a mark of its own comes from documents and is found there again.
    if (role === 'assistant' && !judged.cued && lead === undefined) continue;
    const bare = withoutLead(quote, cues);
    const least = explicit ? EXPLICIT_SIGNIFICANCE : lead === undefined ? 0 : SIGNIFICANT;
    const significance = Math.min(1, Math.max(judged.score + density, least)) * noveltyOf(bare, recent);
    if (significance < SIGNIFICANT) continue;
    const subject = lead === undefined ? subjectOf(bare, speaker, cues) : lead.subject;
    previous = {
      kind: role === 'tool' ? 'result' : (lead?.kind ?? judged.kind),
      text: lead !== undefined && refers ? `${lead.text} ${bare}`.slice(-MAX_DERIVED_CHARS) : bare,
      quote,
      significance,
      explicit,
      ...(subject === undefined ? {} : { subject }),
    };
    drafts.push(previous);
  }
  if (drafts.length <= MAX_OBSERVATIONS) return drafts;
  const kept = new Set([...drafts].sort((a, b) => b.significance - a.significance).slice(0, MAX_OBSERVATIONS));
  return drafts.filter((draft) => kept.has(draft));
};
