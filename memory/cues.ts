/**
 * The forms by which a sentence shows what it is: a decision, a wish, a promise; a question, small talk. One file a language
 * holds them as data; they name no topic.
 */
import type { ObservationKind } from '../agent/ports/memory.ts';

export type CueLanguage = 'en' | 'de' | 'zh';

/** A sentence of which one pattern holds is of that kind, as surely as `weight` (0 to 1) says. */
export interface KindCue {
  readonly kind: Exclude<ObservationKind, 'result'>;
  readonly weight: number;
  readonly pattern: RegExp;
}

/** Every pattern is matched against one sentence with straight quotes, of bounded length. */
export interface Cues {
  readonly kinds: readonly KindCue[];
  /** The sentence asks, with or without a question mark. */
  readonly question: RegExp;
  /** It wants something done or told now: a request to whoever listens. */
  readonly request: RegExp;
  readonly smallTalk: RegExp;
  /** "Remember that …": stripped from the derived text. */
  readonly explicit: RegExp;
  /** "Oh, by the way, …": stripped from the derived text. */
  readonly leadIn: RegExp;
  /** It starts with a pronoun that stands for something said before. */
  readonly anaphor: RegExp;
  readonly hypothetical: RegExp;
  readonly addressed: RegExp;
  readonly negation: RegExp;
  /** Words that say much and hold little. */
  readonly vague: RegExp;
  readonly time: RegExp;
  /** Numbers written as words. */
  readonly numeral: RegExp;
  /** "Our … is", "the deadline is": something owned or definite gets a value. */
  readonly attribute: RegExp;
  /** Something that happened to the speaker or was done. */
  readonly event: RegExp;
  readonly superlative: RegExp;
  /** How it usually is: every day, always, twice a week. */
  readonly habit: RegExp;
  /** Words that carry no content of their own. */
  readonly stopWords: ReadonlySet<string>;
}

/** Whole words of a spaced script: `\b` does not know letters beyond ASCII. */
export const words = (alternatives: string, flags = 'iu'): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`, flags);

/** The same at the start of a sentence, after a conjunction or a dash. */
export const starting = (alternatives: string): RegExp =>
  new RegExp(
    `^[\\s"'(*–—-]*(?:(?:and|but|so|also|then|oh|well|und|aber|also|dann|ach)[, ]+)?(?:${alternatives})(?![\\p{L}\\p{N}])`,
    'iu',
  );

export const wordSet = (list: string): ReadonlySet<string> => new Set(list.split(' '));
