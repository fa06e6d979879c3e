/**
 * What must agree before two observations are one, and what tells a new value from an old: numbers, names, negations, and the
 * words that turn a sentence round.
 */
import { CUES } from './significance-score.ts';
import { cueLanguageOf } from './significance-sentences.ts';

const MAX_CHARS = 600;
const HAN_RUN = /\p{Script=Han}+/u;
const TOKEN = /\p{Script=Han}|[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*|\p{N}+(?:[.,:/-]\p{N}+)*%?/gu;

/** One to twelve and the tens, as digits: "eight days" and "8 days" agree. */
const NUMERALS: ReadonlyMap<string, string> = new Map(
  [
    'one two three four five six seven eight nine ten eleven twelve',
    'ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf',
  ].flatMap((list) => list.split(' ').map((word, i): [string, string] => [word, String(i + 1)])),
);
const HAN_NUMERALS = '零一二三四五六七八九十';
/** Before these a Chinese numeral counts; elsewhere it is part of a word. */
const HAN_COUNTED = /[月日号点时分天周年个位名次件台家条本张倍岁块元种项份篇米斤度层楼页万千百季期成轮]/u;

const normalNumber = (token: string): string => token.replace(/(?<=\d)[.,](?=\d{3}(?!\d))/g, '').replace(',', '.');

/** Lower-cased words, single Han characters, numbers in one form; at most as many as a sentence has. */
export const tokensOf = (text: string, maxChars = MAX_CHARS): string[] => {
  const plain = text.slice(0, maxChars).normalize('NFKC').replaceAll('’', "'");
  const raw = plain.match(TOKEN) ?? [];
  return raw.map((token, i) => {
    if (/^\p{N}/u.test(token)) return normalNumber(token);
    const han = HAN_NUMERALS.indexOf(token);
    if (han > 0 && HAN_COUNTED.test(raw[i + 1] ?? '')) return String(han);
    if (token === '两' && HAN_COUNTED.test(raw[i + 1] ?? '')) return '2';
    const lower = token.toLowerCase();
    return NUMERALS.get(lower) ?? lower;
  });
};

const NEGATION =
  /^(?:not|no|never|none|nothing|nobody|neither|nor|without|cannot|.+n't|nicht|nie|niemals|kein|keine[rsmn]?|nichts|niemand|ohne|weder|不|没|未|别|无|勿|非)$/u;
/** They turn a statement round or bound it, and weigh more than their length. */
const TURNING =
  /^(?:only|except|unless|almost|nearly|about|approximately|around|least|most|max|maximum|min|minimum|up|before|after|until|since|from|to|under|over|above|below|more|less|fewer|greater|increase[ds]?|decrease[ds]?|rise|rose|fell|up|down|start(?:s|ed)?|begin(?:s|ning)?|end(?:s|ed)?|open(?:s|ed)?|close[sd]?|left|right|in|out|on|off|first|last|old|new|former|formerly|previously|now|probably|maybe|might|may|possibly|if|any|all|every|some|no longer|enabled?|disabled?|allow(?:s|ed)?|forbid(?:s|den)?|accept(?:s|ed)?|reject(?:s|ed)?|win|won|lose|lost|hired?|fired?|nur|außer|fast|etwa|ungefähr|rund|mindestens|höchstens|maximal|minimal|vor|nach|bis|seit|ab|unter|über|mehr|weniger|beginnt|endet|öffnet|schließt|erste[rsn]?|letzte[rsn]?|alte[rsn]?|neue[rsn]?|früher|jetzt|nun|vielleicht|wohl|wenn|falls|alle|jede[rsn]?|erlaubt|verboten|angenommen|abgelehnt|只|仅|除|约|最|前|后|上|下|多|少|高|低|增|减|升|降|开|关|始|止|曾|现|可|若|如|都|每|旧|新|左|右|内|外|买|卖|进|出|早|晚|大|小)$/u;
const WEEKDAY_OR_MONTH =
  /^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$|^(?:january|february|march|april|may|june|july|august|september|october|november|december)$|^(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)s?$|^(?:januar|februar|märz|mai|juni|juli|oktober|dezember)$|^(?:today|tomorrow|yesterday|tonight|heute|morgen|gestern|今|明|昨)$/u;

const sorted = (list: readonly string[]): string => [...list].sort().join(' ');

/** Names as the script shows them: capitals inside a sentence, capital runs, Latin words among Chinese. */
export const namesOf = (text: string): readonly string[] => {
  const words =
    text
      .slice(0, MAX_CHARS)
      .normalize('NFKC')
      .match(/[\p{L}\p{M}][\p{L}\p{M}\p{N}_.-]*/gu) ?? [];
  const chinese = HAN_RUN.test(text);
  return words
    .filter((word, i) =>
      chinese ? /^[A-Za-z]/.test(word) : /^\p{Lu}/u.test(word) && (i > 0 || /\p{Lu}.*\p{Lu}|\p{N}/u.test(word)),
    )
    .filter((word) => !/^(?:I|I'\p{L}+)$/u.test(word))
    .map((word) => word.toLowerCase().replace(/(?:'s|[.-])$/u, ''));
};

/** Everything that has to be equal in both, in one string. */
export const fixedPartsOf = (text: string): string => {
  const tokens = tokensOf(text);
  return [
    sorted(tokens.filter((token) => /^\p{N}/u.test(token) || WEEKDAY_OR_MONTH.test(token))),
    String(tokens.filter((token) => NEGATION.test(token)).length),
    sorted([...new Set(tokens.filter((token) => TURNING.test(token)))]),
    sorted([...new Set(namesOf(text))]),
  ].join('|');
};

/** Ties of two words by their stem: "prefers" and "preferred". Han characters tie only with themselves. */
export const isSameWord = (a: string, b: string): boolean => {
  if (a === b) return true;
  const shorter = Math.min(a.length, b.length);
  if (shorter < 4 || /^\p{N}|\p{Script=Han}/u.test(a)) return false;
  let same = 0;
  while (same < shorter && a[same] === b[same]) same += 1;
  return same >= Math.max(4, shorter - 1) && Math.max(a.length, b.length) - same <= 3;
};

/** The words that carry content, in order. */
export const contentOf = (text: string): string[] => {
  const language = cueLanguageOf(text) ?? 'en';
  const { stopWords } = CUES[language];
  return tokensOf(text).filter((token) => !stopWords.has(token) || NEGATION.test(token));
};

export const isNegation = (token: string): boolean => NEGATION.test(token);
export const isNumber = (token: string): boolean => /^\p{N}/u.test(token);
