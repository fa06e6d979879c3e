/**
 * What a question is about and what kind of answer it wants, as terms that can be compared with a sentence: stemmed Latin
 * words, numbers, and overlapping bigrams of Chinese, Japanese and Korean runs.
 */
import { stemmer } from 'stemmer';
import { SYNONYM_GROUPS } from './synonyms.ts';

const CJK_RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;
const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+|[\p{L}\p{N}]+(?:[.\-'’][\p{L}\p{N}]+)*/gu;

const STOP_WORDS = new Set(
  (
    'a an and or but the of to in on at by for from with about into over after before as is are was were be been being am do does did doing done ' +
    'have has had having i me my we us our you your he she it its they them their this that these those there here what which who whom whose when where ' +
    'why how can could will would shall should may might must need want get got please tell know if then than so not no any some all each every other ' +
    'another more most much many long just only also too very own same such via per out up down off again still ever long often soon ' +
    "s t don't doesn't isn't aren't can't what's it's i'm let's someone something anything anyone one ones give show find say says mean means happen happens " +
    'like make makes take takes use used using go goes work works apply applies'
  ).split(' '),
);

/** Question words and particles that carry no subject, longest first. */
const CJK_FUNCTION =
  /请问一下|请问|什么时候|多长时间|为什么|怎么样|怎么办|是不是|能不能|可不可以|有没有|多少钱|哪一个|哪一种|哪些|哪里|哪个|哪种|哪位|哪天|什么样|什么|多少|多久|多长|多大|多高|多重|多远|怎么|怎样|如何|是否|可以|能够|需要|应该|我们|你们|他们|咱们|一下|告诉|想要|想知道|关于|或者|以及|还是|因为|如果|的话|时候|时间|几个|几天|几次|几年|几点|何时|为何|谁|几|吗|呢|吧|啊|呀|的|了|是|在|我|你|他|她|它|有|要|请|和|与|或|及|个|对|把|被|那|这|就|都|也|还|会|能|得|地|着|过|到|从|给|让|用|于|里|中|上|下/g;

export type AnswerKind = 'money' | 'duration' | 'number' | 'time' | 'any';

export interface Term {
  /** A stem, a number or a bigram. */
  readonly value: string;
  /** How much of the question it carries. */
  readonly weight: number;
  /** A name, a code or a number: an answer that lacks it answers another question. */
  readonly essential: boolean;
  /** The synonym group it belongs to. */
  readonly concept?: string;
}

const fold = (text: string): string => text.normalize('NFKC').toLowerCase();

const bigramsOf = (run: string): readonly string[] => {
  const letters = [...run];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
};

const isCjk = (token: string): boolean => token.search(CJK_RUN) === 0;

const stemOf = (word: string): string => (/\d/.test(word) ? word : stemmer(word.replace(/['’]s$/, '')));

/** Canonical token of each synonym, and its phrases to look for. Built once from constants. */
const CANONICAL = new Map<string, string>();
const PHRASES: { readonly phrase: string; readonly canonical: string }[] = [];
SYNONYM_GROUPS.forEach((group, index) => {
  for (const entry of group) {
    const canonical = `~${index}`;
    if (isCjk(entry) || entry.includes(' ')) PHRASES.push({ phrase: entry, canonical });
    else CANONICAL.set(stemOf(entry), canonical);
  }
});

/** The concepts of a text: synonym groups that it names, by word or by phrase. */
export const conceptsOf = (text: string): ReadonlySet<string> => {
  const folded = fold(text);
  const concepts = new Set<string>();
  for (const { phrase, canonical } of PHRASES) if (folded.includes(phrase)) concepts.add(canonical);
  for (const token of folded.match(TOKEN) ?? []) {
    const canonical = isCjk(token) ? undefined : CANONICAL.get(stemOf(token));
    if (canonical !== undefined) concepts.add(canonical);
  }
  return concepts;
};

/** Other words for what the text says, for a second search: the members of every concept it names. */
export const synonymsOf = (text: string): readonly string[] => {
  const folded = fold(text);
  const concepts = conceptsOf(text);
  return [...concepts]
    .flatMap((concept) => SYNONYM_GROUPS[Number(concept.slice(1))] ?? [])
    .filter((word) => !folded.includes(word));
};

/** All terms of a document's text. */
export const termSetOf = (text: string): ReadonlySet<string> => {
  const terms = new Set<string>();
  for (const token of fold(text).match(TOKEN) ?? []) {
    if (isCjk(token)) for (const bigram of bigramsOf(token)) terms.add(bigram);
    else {
      terms.add(stemOf(token));
      for (const piece of token.split(/[.\-'’]/)) terms.add(stemOf(piece));
    }
  }
  return terms;
};

/** Inside a sentence a capital marks a name; at its start, or where everything is in capitals, it marks nothing. */
const namesOf = (question: string): ReadonlySet<string> => {
  const names = new Set<string>();
  if (question === question.toUpperCase()) return names;
  const words = [...question.normalize('NFKC').matchAll(/[\p{L}\p{N}]+(?:[.\-][\p{L}\p{N}]+)*/gu)];
  words.forEach((match, index) => {
    const startsSentence = index === 0 || /[.?!:]\s*$/.test(question.slice(0, match.index));
    const isName = /^\p{Lu}/u.test(match[0]) && !startsSentence && match[0] !== 'I';
    if (isName || /\p{L}/u.test(match[0]) === /\p{N}/u.test(match[0])) names.add(match[0].toLowerCase());
  });
  return names;
};

/** The terms that carry a question. Empty when it is made of function words alone. */
export const questionTermsOf = (question: string): readonly Term[] => {
  const names = namesOf(question);
  const terms = new Map<string, Term>();
  const add = (term: Term): void => {
    if (!terms.has(term.value)) terms.set(term.value, term);
  };
  let rest = fold(question);
  for (const { phrase, canonical } of PHRASES) {
    if (!rest.includes(phrase)) continue;
    rest = rest.replaceAll(phrase, ' ');
    add({ value: canonical, weight: 1, essential: false });
  }
  for (const token of rest.match(TOKEN) ?? []) {
    if (isCjk(token)) {
      for (const run of token.replace(CJK_FUNCTION, ' ').split(' ')) {
        // The bigrams of one run share the weight of the words in it, about one for two characters.
        const bigrams = bigramsOf(run);
        const weight = Math.max(1, [...run].length / 2) / bigrams.length;
        for (const bigram of bigrams) if (bigram !== '') add({ value: bigram, weight, essential: false });
      }
    } else if (!STOP_WORDS.has(token)) {
      const essential = names.has(token);
      const concept = CANONICAL.get(stemOf(token));
      add({ value: stemOf(token), weight: essential ? 1.5 : 1, essential, ...(concept === undefined ? {} : { concept }) });
    }
  }
  return [...terms.values()];
};

const KIND_OF_QUESTION: readonly (readonly [AnswerKind, RegExp])[] = [
  [
    'money',
    /\bhow much (?:is|are|does|do|will|would|can|money)\b|\b(?:cost|price|fee|expensive)\b|多少钱|价格|费用|售价|单价|收费/i,
  ],
  [
    'duration',
    /\bhow (?:long|soon|fast|quickly)\b|\bhow many (?:days|hours|weeks|months|years|minutes)\b|多久|多长时间|多少天|几天|几年|几个月|几小时|多少年|期限/i,
  ],
  [
    'number',
    /\bhow (?:many|much|big|large|heavy|high|far|old|often)\b|\b(?:number|percentage|percent|limit|maximum|minimum)\b|多少|几[个次名位台件]|多大|多重|多高|多远|上限|比例/i,
  ],
  ['time', /\bwhen\b|\bwhat (?:time|date|day)\b|\bdeadline\b|什么时候|何时|几点|哪天|几号|截止|日期/i],
];

export const answerKindOf = (question: string): AnswerKind =>
  KIND_OF_QUESTION.find(([, pattern]) => pattern.test(question))?.[0] ?? 'any';

const NUMBER_WORD =
  /\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|ninety|hundred|half|once|twice|dozen)\b|[一二三四五六七八九十百千万两半]/i;
const UNIT_OF_TIME =
  /\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?|immediately|instant|same[- ]day|h|min)\b|秒|分钟|小时|天|日|周|星期|月|年|立即|当天/i;
const SIGN_OF_MONEY = /[$€£¥￥]|\b(?:usd|eur|gbp|cny|dollars?|euros?|pounds?|cents?|free)\b|元|块|免费/i;
const POINT_IN_TIME =
  /\d{1,2}[:.]\d{2}|\b\d{1,2}\s?(?:am|pm)\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|noon|midnight|daily|weekly|monthly|annually|every|within|before|after|by the)\b|\d{4}|[月日号点周]|每|之前|之后|星期/i;

/** Whether a sentence could be an answer of that kind. */
export const hasAnswerOfKind = (sentence: string, kind: AnswerKind): boolean => {
  const hasNumber = /\p{N}/u.test(sentence) || NUMBER_WORD.test(sentence);
  if (kind === 'money') return SIGN_OF_MONEY.test(sentence) || hasNumber;
  if (kind === 'duration')
    return UNIT_OF_TIME.test(sentence) && (hasNumber || /immediately|instant|same[- ]day|立即|当天/i.test(sentence));
  if (kind === 'number') return hasNumber || /\b(?:no|none|unlimited|any number|without limit)\b|无限|不限/i.test(sentence);
  if (kind === 'time') return POINT_IN_TIME.test(sentence) || hasNumber;
  return true;
};

const FOLLOW_UP_START =
  /^\s*(?:and|but|also|then|or|so|what about|how about|what if|same for|ok,? and|those|it|they|那么|那|还有|另外|然后|以及|换成|如果是|要是)(?![\p{Script=Latin}])/iu;
const POINTS_BACK = /\b(?:it|its|they|them|their|that|this|those|these|one|there)\b|它|他们|这个|那个|这些|那些|其中|该|上述/i;

/** Whether the question leans on the one before. */
export const isFollowUp = (question: string): boolean => {
  const terms = questionTermsOf(question);
  if (FOLLOW_UP_START.test(question) || /呢[？?。\s]*$/.test(question)) return true;
  const carried = terms.reduce((sum, term) => sum + term.weight, 0);
  return carried <= 1 || (POINTS_BACK.test(question) && carried <= 3);
};
