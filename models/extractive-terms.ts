/**
 * Text as terms that can be compared: Latin words by their stem, Chinese words as they are, and the meanings (lines of
 * synonyms) that both name. A question becomes weighted terms, a sentence a reading that says which of them it holds.
 */
import { stemmer } from 'stemmer';
import {
  CJK_RUN,
  cjkWordsIn,
  foldText,
  knownStems,
  LATIN_TOKEN,
  meaningsOfCjk,
  meaningsOfStem,
  membersOf,
  type PlacedPhrase,
  phrasesAt,
  type Reading,
  shownByOf,
  stemOf,
} from './extractive-lexicon.ts';

/** Words that carry no subject. */
const STOP_WORDS = new Set(
  (
    'a an and or but the of to in on at by for from with about into over after before as is are was were be been being am do does did doing done ' +
    'have has had having i me my mine we us our ours you your yours he she his her it its they them their this that these those there here what which ' +
    'who whom whose when where why how can could will would shall should may might must need want get got please tell know if then than so not no any ' +
    'some all each every other another more most much many long just only also too very own same such via per out up down off again still ever often ' +
    "soon s t m re ve ll don't doesn't isn't aren't can't what's whats it's i'm i've i'd let's there's where's who's how's someone something anything " +
    'anyone everyone somebody anybody nobody everybody else different really one ones say says happen happens like make makes take takes go goes going come comes anyhow hi hello hey thanks between until during ' +
    'because while yet already now ok okay actually really currently im dont cant doesnt isnt next exactly ' +
    'please whatever whether anyway simply basically sort somehow guys dear sir madam suddenly gonna wanna gotta'
  ).split(' '),
);
/** Words that stand in nearly every document: they tell little about which sentence is meant. */
const COMMON_WORDS = new Set(
  (
    'company employee staff people person day days time times hour hours year month week way thing kind type sort place part number amount work use format option method husband wife friend mother father mum dad colleague wrong ' +
    'receive bring enter give given offer provide possible allow allowed permit permitted find show see look put set keep customer user guest ' +
    'member product service order help support information detail question mean means meaning include included available apply item money new first ' +
    'decide cover handle process require arrange choose organise organize run add hold ask try think wonder love end start begin free version country stay home length duration ' +
    'read watch type click press try hear listen speak write turn move leave stay live sit stand walk carry hold put pull push throw fill load use read check watch look seem appear become remain ' +
    'continue keep stop avoid ignore miss forget remember notice realise realize suppose guess hope wish plan prefer care mind matter worry bother manage handle deal treat cause affect concern involve ' +
    'happen occur arrive reach return stay send receive obtain gain grow rise drop fall reduce lower increase ' +
    'whole entire full half certain special particular specific regular usual normal common general main single double several few couple lot bit little small short tiny huge nice good bad well better best worse fine right true real sure clear easy hard simple quick ' +
    'weird strange odd awful great perfect able ready busy alone together inside outside here somewhere anywhere everywhere elsewhere online today tomorrow yesterday tonight sometimes always never often usually rarely already almost nearly about around maybe perhaps probably possibly simply directly straight immediately suddenly finally lately recently ' +
    'myself yourself himself herself itself ourselves themselves without within instead besides except against among towards upon ' +
    'kitchen house street town city room place point case reason problem issue matter fact idea example side top bottom front middle rest name story word line piece ' +
    'man woman boy girl son daughter brother sister parent grandmother grandfather grandma grandpa aunt uncle neighbour boss guy kid mate ' +
    'accidentally properly correctly wrongly personally officially purse pocket purpose sake turn chance moment minute second ' +
    'cost price fee charge pay paid limit maximum minimum max min far big large old fast quickly late early business expect accept available visit ' +
    '公司 员工 我们公司 时间 需要 问题 情况 规定 要求 标准 产品 服务 使用 支持 可以 东西 办理 提供 工作 同事 最晚 开到 上限 最多 最少 最高 方式 一个月 一天 一年 一个 每天 每月 每年 允许 什么价 价格 费用 收费 多少钱 要多少钱 怎么办 处理 意思 什么意思 是什么 多大 适合 打 报多少 能报 大的 换一次 要换 要改 多久换'
  )
    .split(' ')
    .map((word) => (/^[a-z]/.test(word) ? stemmer(word) : word)),
);
const COMMON_WEIGHT = 0.35;
/** Several words that mean one thing. */
const PHRASE_WEIGHT = 1.2;
const COMMON_PHRASE_WEIGHT = 0.6;
/** A number counts something; the sentence that answers seldom repeats it. */
const NUMBER_WEIGHT = 0.2;
const NAME_WEIGHT = 1.4;
/** A single Chinese character left over between words. */
const CHARACTER_WEIGHT = 0.5;

const CJK_STOP_WORDS = new Set(
  (
    '请问 一下 什么 什么样 什么时候 时候 多少 多久 多长 多长时间 怎么 怎么样 怎样 如何 为什么 为何 何时 哪 哪个 哪些 哪里 哪儿 哪种 哪位 哪天 哪家 几 几个 几天 几次 几年 几点 几位 几楼 ' +
    '一直 总是 已经 马上 突然 经常 通常 刚刚 正在 谁 是 是否 是不是 有 有没有 没有 能 能不能 能否 可以 可不可以 能够 会 会不会 要 需 需要 应该 必须 想 想要 想知道 知道 告诉 我 你 您 他 她 它 我们 你们 他们 咱们 我能 自己 这 那 这个 那个 ' +
    '这些 那些 的 了 吗 呢 吧 啊 呀 嘛 和 与 或 或者 及 以及 还是 也 都 就 才 还 再 又 很 太 最 更 完 做完 看完 打完 把 被 给 让 对 对于 关于 在 从 到 向 往 用 以 为 于 由 里 中 上 下 内 外 之内 以内 之前 之后 前 后 ' +
    '因为 所以 如果 的话 但是 不过 那么 然后 另外 个 名 位 次 件 一 一个 请 得 地 着 过 来 去 做 弄 搞 算 呗 哦 嗯 啥 咋 咋办 咋样 没 不 别 说 叫 行 行不行 好 放 发 回来 开到 今年 明年 谁在 总共 一共 一般 具体 目前 现在 天 元 块 月 年 日 号'
  ).split(' '),
);

export interface Term {
  /** A stem, or a Chinese word. */
  readonly value: string;
  /** How much of the question it carries. */
  readonly weight: number;
  /** A name or a code: an answer that lacks it answers another question. */
  readonly essential: boolean;
  readonly meanings: readonly number[];
  /** A price is also told by a sum of money, opening hours by a time of day, a call by a number. */
  readonly shownBy: 'money' | 'hours' | 'phone' | undefined;
  /** The words of a phrase, each of which tells something by itself. */
  readonly parts: readonly Term[];
}

const DETERMINERS = new Set(['my', 'the', 'a', 'an', 'your', 'our', 'i', 'is', 'are', 'do']);

const termOf = (
  value: string,
  weight: number,
  essential: boolean,
  meanings: readonly number[] = [],
  parts: readonly Term[] = [],
): Term => ({
  value,
  parts,
  weight,
  essential,
  meanings,
  shownBy: shownByOf(meanings),
});

/** `Europe` in `European`, but no word in one that merely begins alike. */
const isCompoundOf = (a: string, b: string): boolean =>
  Math.min(a.length, b.length) >= 5 &&
  Math.abs(a.length - b.length) <= 4 &&
  (a.startsWith(b) || b.startsWith(a)) &&
  !/[\d ]/.test(a + b);

/** How well a phrase is held by its words apart. */
const IN_PARTS = 0.95;

/** How well a reading holds a term, 0 to 1. */
export const strengthOf = (term: Term, reading: Reading): number => {
  const isCjk = /[^\u0000-\u024f]/.test(term.value);
  if (isCjk ? reading.folded.includes(term.value) : reading.stems.has(term.value)) return 1;
  if (term.meanings.some((meaning) => reading.meanings.has(meaning))) return 0.9;
  if (term.parts.length > 0) {
    const total = term.parts.reduce((sum, { weight }) => sum + weight, 0);
    return (IN_PARTS * term.parts.reduce((sum, part) => sum + part.weight * strengthOf(part, reading), 0)) / total;
  }
  if (!isCjk) return term.value.length >= 5 && [...reading.stems].some((stem) => isCompoundOf(stem, term.value)) ? 0.8 : 0;
  const characters = [...term.value].filter((character) => !CJK_STOP_WORDS.has(character));
  if (characters.length < 2) return 0;
  const held = characters.filter((character) => reading.folded.includes(character)).length / characters.length;
  return held === 1 ? 0.7 : held >= 0.5 ? 0.4 : 0;
};

/** Inside a sentence a capital marks a name; at its start, or where most words have one, it marks nothing. */
const namesOf = (question: string): ReadonlySet<string> => {
  const names = new Set<string>();
  const words = [...question.normalize('NFKC').matchAll(LATIN_TOKEN)];
  const capitals = words.filter(([word]) => /^\p{Lu}/u.test(word)).length;
  const isShouted = words.length > 2 && capitals / words.length > 0.6;
  const hasCjk = question.search(CJK_RUN) >= 0;
  for (const match of words) {
    const [word] = match;
    const startsSentence = !hasCjk && /(?:^|(?<!\b(?:dr|mr|mrs|ms|prof|st|no))[.?!:])\s*$/i.test(question.slice(0, match.index));
    const isCode =
      /\p{L}/u.test(word) && /\p{N}/u.test(word) && !/^\d+(?:st|nd|rd|th|am|pm|h|m|km|kg|g|cm|mm|gb|mb|tb|k|x|元|%)$/i.test(word);
    const isName = /^\p{Lu}/u.test(word) && !startsSentence && !isShouted && !/^I(?:['’].*)?$/.test(word) && !CALENDAR.test(word);
    const hasInnerCapital = /\p{Ll}\p{Lu}/u.test(word);
    if (isCode || isName || (hasInnerCapital && !isShouted)) names.add(foldText(word));
    const isYear = /^(?:19|20)\d\d$/.test(word);
    if (isYear) names.add(word);
    if (!isShouted && isName === false && /^\d+(?:\.\d+)?$/.test(word) && NUMBERED.test(question.slice(0, match.index)))
      names.add(word);
  }
  return names;
};

const CALENDAR =
  /^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$|^(?:january|february|march|april|may|june|july|august|september|october|november|december)$/i;
/** Words after which a number is the name of something. */
const NUMBERED =
  /(?:\b(?:error|code|version|form|article|section|model|level|step|room|gate|http|status)|错误|代码|版本|型号|故障码)\s*$/i;

const SEGMENTER = new Intl.Segmenter('zh', { granularity: 'word' });

/** A number, alone or with what it counts. */
const CJK_QUANTITY = /^[零一二三四五六七八九十百千万两几半]+[天年月日元块个次]?$/;

/** A helping verb in front is cut off; characters that the segmenter leaves single belong together. */
const wordsOf = (text: string): readonly string[] => {
  const words: string[] = [];
  let open = false;
  for (const { segment } of SEGMENTER.segment(text)) {
    const word = segment.length === 2 ? segment.replace(/^[要能想]/, '') : segment;
    const isSingle = [...word].length === 1 && !CJK_STOP_WORDS.has(word) && !CJK_QUANTITY.test(word) && word.trim() !== '';
    if (isSingle && open && word === segment) words.push(`${words.pop()}${word}`);
    else if (word.trim() !== '') words.push(word);
    open = isSingle;
  }
  return words;
};

const cjkWeightOf = (word: string): number =>
  COMMON_WORDS.has(word) ? COMMON_WEIGHT : [...word].length === 1 ? CHARACTER_WEIGHT : 1;

const cjkTermsOf = (run: string): readonly Term[] => {
  const terms: Term[] = [];
  let rest = run;
  for (const word of cjkWordsIn(run)) {
    if (!rest.includes(word)) continue;
    rest = rest.replaceAll(word, ' ');
    terms.push(termOf(word, cjkWeightOf(word), false, meaningsOfCjk(word)));
  }
  for (const word of wordsOf(rest)) {
    if (CJK_STOP_WORDS.has(word) || CJK_QUANTITY.test(word)) continue;
    terms.push(termOf(word, cjkWeightOf(word), false));
  }
  return terms;
};

/** What a phrase means, with what the phrases inside it mean: `get my money back` is also `money back`. */
const meaningsWithin = (stems: readonly string[], placed: PlacedPhrase): readonly number[] =>
  placed.at
    .flatMap((at) => phrasesAt(stems, at))
    .filter((other) => other.at.every((place) => placed.at.includes(place)))
    .flatMap(({ phrase }) => phrase.meanings);

/** The terms that carry a question, each once. Empty when it is made of function words alone. */
export const questionTermsOf = (question: string): readonly Term[] => {
  const terms = new Map<string, Term>();
  const add = (term: Term): void => {
    if (!terms.has(term.value)) terms.set(term.value, term);
  };
  // How long, how many: the kind of the answer says it.
  const folded = foldText(question).replace(/\bhow (?:long|soon|fast|quickly|early|late|many|much)\b/g, ' ');
  for (const [run] of folded.matchAll(CJK_RUN)) for (const term of cjkTermsOf(run)) add(term);

  const names = namesOf(question);
  const tokens = (folded.match(LATIN_TOKEN) ?? []).flatMap((token) =>
    token.includes('-') && !/\d/.test(token) ? token.split('-') : [token],
  );
  const stems = tokens.map(stemOf);
  const single = (at: number): Term | undefined => {
    const token = tokens[at] as string;
    const stem = stems[at] as string;
    const essential = names.has(token);
    if (!essential && (STOP_WORDS.has(token) || STOP_WORDS.has(token.split("'")[0] as string))) return undefined;
    if (!essential && /^[\d.,:]+$/.test(token)) return termOf(token, NUMBER_WEIGHT, false);
    return termOf(stem, essential ? NAME_WEIGHT : COMMON_WORDS.has(stem) ? COMMON_WEIGHT : 1, essential, meaningsOf(stem));
  };
  const taken = new Set<number>();
  for (let at = 0; at < tokens.length; at += 1) {
    if (taken.has(at)) continue;
    const [placed] = phrasesAt(stems, at);
    const words = placed?.at.map((place) => tokens[place] as string) ?? [];
    if (placed !== undefined && words.some((word) => !STOP_WORDS.has(word))) {
      const isCommon = words.every((word) => STOP_WORDS.has(word) || COMMON_WORDS.has(stemOf(word)));
      const parts = placed.at.flatMap((place) => single(place) ?? []);
      const standAlone = parts.length > 1 || words.every((word) => DETERMINERS.has(word) || !STOP_WORDS.has(word));
      const weight = isCommon ? COMMON_PHRASE_WEIGHT : PHRASE_WEIGHT;
      add(termOf(placed.phrase.stems.join(' '), weight, false, meaningsWithin(stems, placed), standAlone ? parts : []));
      for (const place of placed.at) taken.add(place);
      continue;
    }
    const term = single(at);
    if (term !== undefined) add(term);
  }
  return [...terms.values()];
};

/** A letter too many, too few, or two swapped; in long words also a wrong one. The first letter is right. */
export const isMisspelling = (a: string, b: string): boolean => {
  if (a === b || a[0] !== b[0] || Math.min(a.length, b.length) < 5 || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (a[start] !== undefined && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  if (a.length !== b.length) return a.length > b.length ? restA.slice(1) === restB : restA === restB.slice(1);
  if (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2)) return true;
  return a.length >= 8 && restA.slice(1) === restB.slice(1);
};

/** Of the stem, or of the one word that it may be a misspelling of. */
const meaningsOf = (stem: string): readonly number[] => {
  const meanings = meaningsOfStem(stem);
  if (stem.length < 5 || /\d/.test(stem) || meanings.length > 0) return meanings;
  for (const known of knownStems()) if (isMisspelling(stem, known)) return meaningsOfStem(known);
  return [];
};

/** The other words for what a question asks, for a second search. */
export const otherWordsOf = (question: string): readonly string[] => {
  const meanings = new Set(questionTermsOf(question).flatMap((term) => term.meanings));
  return [...new Set([...meanings].flatMap(membersOf))];
};
