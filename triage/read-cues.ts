/** How it is said: sentiment, impact and urgency by word lists in English, German and Chinese. Without a cue there is no guess. */
import type { Degree, Judged, Priority, Sentiment } from '../agent/ticket-reading.ts';
import { escapePattern } from './read-pattern.ts';
import type { Taxonomy } from './taxonomy.ts';

/** Words stand at a boundary; a trailing `*` takes any ending. Chinese is found anywhere. */
const patternOf = (words: string): RegExp =>
  new RegExp(
    words
      .split('|')
      .map((word) => word.trim())
      .map((word) => {
        if (/\p{Script=Han}/u.test(word)) return escapePattern(word);
        const isOpen = word.endsWith('*');
        const body = escapePattern(isOpen ? word.slice(0, -1) : word);
        return `(?<![\\p{L}\\p{N}])${body}${isOpen ? '\\p{L}*' : '(?![\\p{L}\\p{N}])'}`;
      })
      .join('|'),
    'giu',
  );

const NEGATIVE = patternOf(
  `angry|annoy*|unacceptable|terrible|awful|horrible|frustrat*|disappoint*|ridiculous|worst|useless|fed up|furious|scam|rip-off|outrageous|unhappy|upset|disgust*|never again|waste of|still no|again and again|for the third time|
   verärgert|ärgerlich|ärger|unverschämt*|inakzeptabel|katastroph*|enttäusch*|frustrier*|schlecht*|furchtbar|wütend|unzufrieden|frechheit|betrug|lächerlich|schon wieder|zum dritten mal|reicht mir|
   生气|愤怒|失望|太差|差劲|糟糕|气死|无法接受|不能接受|垃圾|骗子|投诉|受够|太慢|非常不满|不满意`.replace(/\n\s*/gu, ''),
);
const POSITIVE = patternOf(
  `thank you so much|great|excellent|love|awesome|perfect|fantastic|amazing|happy with|pleased|wonderful|works well|
   super|toll|großartig|perfekt|klasse|begeistert|hervorragend|zufrieden|wunderbar|freue mich|
   太好了|非常好|很棒|满意|喜欢|优秀|完美|感谢你们|好用`.replace(/\n\s*/gu, ''),
);
/** Right before a cue it turns it round: `not great`, `nicht zufrieden`, `不满意`. */
const NEGATED = /(?:\b(?:not|never|isn't|wasn't|don't|no|nicht|kein|keine|nie)(?:\s+\p{L}+)?\s+|[不没])$/iu;
const SHOUTING = /\p{Lu}{4,}(?:\s+\p{Lu}{2,}){2,}|!{2,}|！{2,}/u;

const HIGH_IMPACT = patternOf(
  `everyone|everybody|all users|all customers|whole company|entire team|all of us|company-wide|outage|down for all|production|data loss|lost all|security breach|hacked|breach|leak*|
   alle|niemand|keiner|ganze firma|gesamte*|sämtliche|ausfall|produktion|datenverlust|gehackt|sicherheitslücke|datenleck|
   所有人|全部用户|所有用户|全公司|整个团队|大家都|瘫痪|宕机|生产环境|数据丢失|被盗|泄露|黑客`.replace(/\n\s*/gu, ''),
);
const LOW_IMPACT = patternOf(
  `cosmetic|typo|minor|small thing|nice to have|suggestion|feature request|just curious|
   kleinigkeit|tippfehler|schönheitsfehler|vorschlag|nur neugierig|kosmetisch|
   小问题|错别字|建议|好奇`.replace(/\n\s*/gu, ''),
);
const HIGH_URGENCY = patternOf(
  `urgent*|asap|immediately|right away|right now|emergency|critical|deadline|today|blocked|cannot work|can't work|as soon as possible|within the hour|
   dringend*|sofort|eilt|eilig|umgehend|notfall|kritisch|schnellstmöglich|heute noch|frist|unverzüglich|blockiert|
   紧急|马上|立刻|立即|尽快|急|今天之内|加急|截止`.replace(/\n\s*/gu, ''),
);
const LOW_URGENCY = patternOf(
  `no rush|no hurry|whenever you|when you have time|not urgent|at your convenience|eventually|some day|
   keine eile|eilt nicht|nicht dringend|irgendwann|bei gelegenheit|wenn sie zeit haben|
   不急|不着急|有空|方便的时候`.replace(/\n\s*/gu, ''),
);

const ABSTAINED = { value: null, confidence: 0, source: 'rule' } as const;

const countCues = (text: string, pattern: RegExp): { readonly plain: number; readonly turned: number } => {
  let plain = 0;
  let turned = 0;
  for (const match of text.matchAll(pattern)) {
    if (NEGATED.test(text.slice(Math.max(0, match.index - 24), match.index))) turned += 1;
    else plain += 1;
  }
  return { plain, turned };
};

export const readSentiment = (text: string): Judged<Sentiment> => {
  const bad = countCues(text, NEGATIVE);
  const good = countCues(text, POSITIVE);
  const negative = bad.plain + good.turned + (SHOUTING.test(text) ? 1 : 0);
  const positive = good.plain;
  if (negative === 0 && positive === 0) return ABSTAINED;
  const total = negative + positive;
  const confidence = Math.min(0.95, 0.8 + 0.05 * total);
  if (negative >= 2 * positive) return { value: 'negative', confidence, source: 'rule' };
  if (positive >= 2 * negative) return { value: 'positive', confidence, source: 'rule' };
  return { value: null, confidence: Math.max(negative, positive) / total, source: 'rule' };
};

const readDegree = (text: string, high: RegExp, low: RegExp, usual: Degree | undefined): Judged<Degree> => {
  const lowCues = countCues(text, low).plain;
  // `not urgent` is a low cue and no high one.
  const highCues = countCues(text, high).plain - lowCues;
  if (highCues > 0) return { value: 'high', confidence: highCues > 1 ? 0.9 : 0.8, source: 'rule' };
  if (lowCues > 0) return { value: 'low', confidence: 0.85, source: 'rule' };
  return usual === undefined ? ABSTAINED : { value: usual, confidence: 0.7, source: 'rule' };
};

/** `usual` is what the taxonomy says of the category: it holds where the text has no cue. */
export const readImpact = (text: string, usual: Degree | undefined): Judged<Degree> =>
  readDegree(text, HIGH_IMPACT, LOW_IMPACT, usual);
export const readUrgency = (text: string, usual: Degree | undefined): Judged<Degree> =>
  readDegree(text, HIGH_URGENCY, LOW_URGENCY, usual);

/** What is not known counts as medium and makes the priority less sure; abstains where neither is known. */
export const priorityOf = (impact: Judged<Degree>, urgency: Judged<Degree>, table: Taxonomy['priorities']): Judged<Priority> => {
  if (impact.value === null && urgency.value === null) return ABSTAINED;
  const source = impact.source === 'model' || urgency.source === 'model' ? 'model' : 'rule';
  const sureness = (degree: Judged<Degree>): number => (degree.value === null ? 0.8 : degree.confidence);
  return {
    value: table[impact.value ?? 'medium'][urgency.value ?? 'medium'],
    confidence: sureness(impact) * sureness(urgency),
    source,
  };
};
