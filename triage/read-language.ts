/** The language of a text, or none: by its script, by its small words, and by tinyld where both leave it open. */
import { detectAll } from 'tinyld/light';
import type { Judged } from '../agent/ticket-reading.ts';

const SMALL_WORDS: Readonly<Record<string, string>> = {
  en: 'the is are was were my your our not and or of to in on for with this that have has had do does did can could would please when why how what it i we you from but cannot',
  de: 'der die das ist sind war waren mein meine meinen ihr ihre nicht und oder von zu in auf für mit dies dieser diese habe hat hatte kann können bitte wann warum wie was es ich wir sie aber den dem ein eine einen noch seit',
  fr: 'le la les est sont était mon ma mes votre pas et ou de à dans sur pour avec ce cette ai a avait peut pouvez quand pourquoi comment que il je nous vous mais un une des du ne',
  es: 'el la los las es son era mi mis su no y o de a en por para con este esta he ha había puede cuando cómo qué lo yo nosotros usted pero un una del se',
  it: 'il lo la gli le è sono era mio mia non e o di a in su per con questo questa ho ha può quando perché come che io noi ma un una del della si',
  nl: 'de het een is zijn was mijn uw niet en of van naar in op voor met dit dat heb heeft had kan kunnen wanneer waarom hoe wat ik wij u maar nog geen',
  pt: 'o a os as é são era meu minha seu não e ou de em no na por para com este esta tenho tem posso pode quando como que eu nós mas um uma do da se',
};
const LANGUAGES = Object.entries(SMALL_WORDS).map(([language, words]) => ({ language, words: new Set(words.split(' ')) }));

const SCRIPTS = [
  { language: 'ja', pattern: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu },
  { language: 'ko', pattern: /\p{Script=Hangul}/gu },
  { language: 'zh', pattern: /\p{Script=Han}/gu },
] as const;
const WORD = /\p{L}+/gu;
/** Codes and addresses are of no language. */
const NO_LANGUAGE = /https?:\/\/\S+|\S*@\S+|\S*\d\S*|\p{Lu}{2,}/gu;
const SENTENCE_END = /[.!?。！？\n]+/u;

const MIN_WORDS = 3;
const MAX_CHARACTERS = 2_000;
/** Of the characters of East Asian scripts and the words of others together. */
const MAIN_SHARE = 0.6;
const TINYLD_SURE = 0.5;

/** Set by hand: a script tells more than words, and words more than a guess. */
const CONFIDENCE = { script: 0.99, words: 0.97, guess: 0.85 } as const;

interface Guess {
  readonly language: string;
  readonly confidence: number;
}

const byScript = (text: string, wordCount: number): Guess | undefined => {
  for (const { language, pattern } of SCRIPTS) {
    const count = text.match(pattern)?.length ?? 0;
    // A few kana among many Han characters still make it Japanese.
    const own = language === 'ja' ? count + (text.match(/\p{Script=Han}/gu)?.length ?? 0) : count;
    if (count >= 2 && own >= MAIN_SHARE * (own + wordCount)) return { language, confidence: CONFIDENCE.script };
  }
  return undefined;
};

const guessLanguage = (text: string): Guess | undefined => {
  const clean = text.slice(0, MAX_CHARACTERS).replace(NO_LANGUAGE, ' ');
  const words = (clean.toLowerCase().match(WORD) ?? []).filter(
    (word) => !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(word),
  );
  const scripted = byScript(clean, words.length);
  if (scripted !== undefined) return scripted;
  if (words.length < MIN_WORDS) return undefined;
  const counts = LANGUAGES.map(({ language, words: small }) => ({
    language,
    count: words.filter((word) => small.has(word)).length,
  })).sort((a, b) => b.count - a.count);
  const [first, second] = counts;
  const guessed = detectAll(words.join(' '))[0];
  if (first !== undefined && first.count >= 2 && first.count >= 1.5 * (second?.count ?? 0)) {
    return { language: first.language, confidence: CONFIDENCE.words };
  }
  if (guessed === undefined) return undefined;
  if (first !== undefined && first.count > 0 && guessed.lang === first.language)
    return { language: guessed.lang, confidence: CONFIDENCE.words };
  return guessed.accuracy >= TINYLD_SURE ? { language: guessed.lang, confidence: CONFIDENCE.guess } : undefined;
};

/** `told` is taken as it is. Abstains for a few words, and where several languages share a text. */
export const readLanguage = (text: string, told?: string): { readonly language: Judged<string>; readonly isMixed: boolean } => {
  const sizes = new Map<string, number>();
  for (const sentence of text.slice(0, MAX_CHARACTERS).split(SENTENCE_END)) {
    const guess = guessLanguage(sentence);
    if (guess !== undefined) sizes.set(guess.language, (sizes.get(guess.language) ?? 0) + sentence.length);
  }
  const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const isMixed = sizes.size > 1 && Math.max(...sizes.values()) < MAIN_SHARE * all;
  if (told !== undefined && /^[a-z]{2}$/u.test(told))
    return { language: { value: told, confidence: 1, source: 'rule' }, isMixed };
  const guess = guessLanguage(text);
  if (guess === undefined || isMixed) return { language: { value: null, confidence: 0, source: 'rule' }, isMixed };
  return { language: { value: guess.language, confidence: guess.confidence, source: 'rule' }, isMixed };
};
