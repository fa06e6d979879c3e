/**
 * Whether a newer statement takes an older one's place: the same subject and attribute, and another value. Said of states only
 * ("is", "lives in", "costs"), never of events, and only where one part of the sentence differs.
 */
import type { Stated } from './significance-merge.ts';
import { contentOf, isNegation, isNumber, isSameWord, namesOf, tokensOf } from './significance-values.ts';

const MAX_CHARS = 600;
/** "Was moved to" says "is now", in the words of an older statement. */
const CHANGED_TO: readonly (readonly [RegExp, string])[] = [
  [
    /(?<!\p{L})(?:was|were|is|are|has been|have been|got|will be)(?: now| just)? (?:moved|changed|postponed|pushed(?: back)?|extended|set|raised|lowered|increased|reduced|updated|shifted|brought forward|renamed|delayed) (?:to|until)(?!\p{L})/giu,
    ' is now ',
  ],
  [/(?<!\p{L})(?:moved|changed|shifted) to(?!\p{L})/giu, ' is now '],
  [/(?<!\p{L})(?:wurde|wurden|wird|ist|sind)(?: nun| jetzt)? auf(?!\p{L})/giu, ' ist jetzt '],
  [/(?:被|已经?)?(?:改为|改成|改到|变为|变成|更新为|调整为|推迟到|提前到|延期到|换成|改至|推迟至)/gu, '现在是'],
];
const MARKER =
  /(?<!\p{L})(?:now|currently|actually|instead|updated?|correction|longer|any ?more|anymore|these days|meanwhile|jetzt|nun|inzwischen|aktuell|mittlerweile|neuerdings|stattdessen|mehr|verschoben|geändert|verlängert|erhöht|gesenkt|angehoben|reduziert|aktualisiert|korrektur)(?!\p{L})|现在|目前|如今|已经|更正|不再/giu;
const PUTS_NOW =
  /(?<!\p{L})(?:now|instead|no longer|any ?more|jetzt|nun|inzwischen|mittlerweile|neuerdings|stattdessen|nicht mehr)(?!\p{L})|现在|如今|不再/iu;
/** One value at a time holds of these. */
const STATE =
  /(?<!\p{L})(?:is|are|was|were|'s|am|i'm|will be|has|have|costs?|takes?|lasts?|lives?|works?|starts?|begins?|ends?|opens?|closes?|expires?|reports? to|belongs?|runs?|sits?|leads?|owns?|prefers?|uses?|equals?|contains?|ist|sind|war|bin|hat|haben|habe|kostet|dauert|wohnt?e?|lebt?e?|arbeitet?e?|beginnt|endet|öffnet|schließt|läuft|gehört|heißt|lautet|beträgt|liegt|leitet|bevorzugt|nutzt|verwendet)(?!\p{L})|[是为在叫有住等]|价格|开始|结束|到期|喜欢|使用|[开关]门|营业|[上下]班|举行/iu;
const SINGLE_PLACE = /(?<!\p{L})(?:lives?|works?|wohnt?e?|lebt?e?|arbeitet?e?)(?!\p{L})|住|工作/iu;
/** "A designer", "a mother": both may hold. */
const INDEFINITE = /^(?:a|an|one|ein|eine|einer|einem|einen|des|some|part|teil|also|auch|个|一)$/u;
const OPPOSITES: readonly (readonly [string, string])[] = [
  ['enabled', 'disabled'],
  ['open', 'closed'],
  ['allowed', 'forbidden'],
  ['on', 'off'],
  ['active', 'inactive'],
  ['public', 'private'],
  ['mandatory', 'optional'],
  ['required', 'optional'],
  ['free', 'paid'],
  ['approved', 'rejected'],
  ['remote', 'onsite'],
  ['online', 'offline'],
  ['erlaubt', 'verboten'],
  ['offen', 'geschlossen'],
  ['aktiv', 'inaktiv'],
  ['pflicht', 'freiwillig'],
  ['kostenlos', 'kostenpflichtig'],
  ['genehmigt', 'abgelehnt'],
  ['öffentlich', 'privat'],
  ['aktiviert', 'deaktiviert'],
];
const HAN_OPPOSITES: readonly (readonly [string, string])[] = [
  ['开启', '关闭'],
  ['允许', '禁止'],
  ['公开', '私有'],
  ['免费', '收费'],
  ['通过', '否决'],
  ['必须', '可选'],
  ['打开', '关闭'],
  ['启用', '停用'],
];
const COMPARES = /(?<!\p{L})(?:over|than|rather|instead|to|statt|als|gegenüber|vor)(?!\p{L})|而不是|胜过|比|不喜欢/iu;
const REPLACES: readonly RegExp[] = [
  /(?<!\p{L})from (?<old>[^.,;]{1,60}?) (?:over )?to (?=\S)/iu,
  /(?<!\p{L})(?:instead of|rather than|replac(?:es|ed|ing)|no longer (?:use|uses|using)|dropped|dropping) (?<old>[^.,;]{1,60}?)(?= for| with| in| as| on| at|[.,;]|$)/iu,
  /(?<!\p{L})von (?<old>[^.,;]{1,60}?) (?:auf|zu|nach) (?=\S)/iu,
  /(?<!\p{L})(?:statt|anstelle von|anstatt|ersetzt|ersetzen) (?<old>[^.,;]{1,60}?)(?= für| durch| in| bei| als|[.,;]|$)/iu,
  /从 ?(?<old>[^，。；]{1,30}?) ?(?:改|换|迁移?|转|切换|升级|搬)(?:为|成|到|至|用)/u,
  /(?:而不是|不再使用|不再用|代替|取代|替换) ?(?<old>[^，。；]{1,30})/u,
];

const plainOf = (text: string): string => {
  let plain = text.slice(0, MAX_CHARS).normalize('NFKC').replaceAll('’', "'");
  for (const [pattern, replacement] of CHANGED_TO) plain = plain.replace(pattern, replacement);
  return plain.replace(/\s+/gu, ' ').trim();
};

const holdsAll = (tokens: readonly string[], wanted: readonly string[]): boolean =>
  wanted.length > 0 && wanted.every((word) => tokens.some((token) => isSameWord(token, word)));

const oldValueIn = (text: string, pattern: RegExp): string => pattern.exec(text)?.groups?.['old'] ?? '';

/** "From A to B", "B instead of A": replaces what says A of the same thing. */
const replacesOld = (newer: string, older: string): boolean => {
  const olderTokens = contentOf(older);
  for (const pattern of REPLACES) {
    const old = contentOf(oldValueIn(newer, pattern));
    // The older says so too.
    if (!holdsAll(olderTokens, old) || holdsAll(contentOf(oldValueIn(older, pattern)), old)) continue;
    const rest = olderTokens.filter((token) => !old.some((word) => isSameWord(word, token)) && !STATE.test(token));
    const newerTokens = contentOf(newer).filter((token) => !old.some((word) => isSameWord(word, token)));
    const shared = rest.filter((token) => newerTokens.some((word) => isSameWord(word, token))).length;
    if (shared >= 1 && shared >= rest.length / 2) return true;
  }
  return false;
};

interface Difference {
  readonly before: readonly string[];
  readonly older: readonly string[];
  readonly newer: readonly string[];
  readonly after: readonly string[];
}

/** The one stretch in which the two differ: what stands before and after it is the same. */
const differenceOf = (older: readonly string[], newer: readonly string[]): Difference => {
  const shorter = Math.min(older.length, newer.length);
  let head = 0;
  while (head < shorter && isSameWord(older[head] as string, newer[head] as string)) head += 1;
  let tail = 0;
  while (tail < shorter - head && isSameWord(older.at(-1 - tail) as string, newer.at(-1 - tail) as string)) tail += 1;
  return {
    before: older.slice(0, head),
    older: older.slice(head, older.length - tail),
    newer: newer.slice(head, newer.length - tail),
    after: older.slice(older.length - tail),
  };
};

const isOpposite = (a: readonly string[], b: readonly string[]): boolean => {
  const [left, right] = [a.join(''), b.join('')];
  return [...OPPOSITES, ...HAN_OPPOSITES].some(([x, y]) => (left === x && right === y) || (left === y && right === x));
};

const negationsIn = (tokens: readonly string[]): number => tokens.filter(isNegation).length;
const withoutNegation = (tokens: readonly string[]): readonly string[] => tokens.filter((token) => !isNegation(token));
const MAX_VALUE_WORDS = 4;
const MAX_VALUE_HAN = 8;

const hasName = (plain: string, value: readonly string[]): boolean => {
  const names = namesOf(plain);
  return value.some((token) => names.includes(token));
};

const DATE_WORD =
  /^(?:\p{N}.*|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|januar|februar|märz|mai|juni|juli|oktober|dezember|am|pm|uhr|noon|midnight|[月日号点年周一二三四五六七八九十半上下午])$/u;

/** Both values are numbers or dates; or both are names; or the newer says that it holds from now on. */
const isOtherValue = (older: string, newer: string, { before, older: old, newer: fresh }: Difference, puts: boolean): boolean => {
  const han = /\p{Script=Han}/u.test(old.join('') + fresh.join(''));
  const most = han ? MAX_VALUE_HAN : MAX_VALUE_WORDS;
  if (old.length === 0 || fresh.length === 0 || old.length > most || fresh.length > most) return false;
  const dated = (list: readonly string[]): boolean => list.every((token) => DATE_WORD.test(token));
  if (dated(old) && dated(fresh)) return true;
  if (old.some(isNumber) !== fresh.some(isNumber) && !puts) return false;
  const raw = tokensOf(older);
  const articled = INDEFINITE.test(raw[raw.indexOf(old[0] as string) - 1] ?? '');
  if (han)
    return (
      !articled && ((puts && before.length >= 1) || new RegExp(`(?:是|为|叫|在|于)\\s*${old.join('\\s*')}`, 'iu').test(older))
    );
  const named = hasName(older, old) && hasName(newer, fresh);
  return (named && !articled) || (puts && before.length >= 2);
};

/** True where the newer statement closes the validity of the older; false in every doubtful case. */
export const contradicts = (newer: Stated, older: Stated): boolean => {
  if (newer.subject !== undefined && older.subject !== undefined && newer.subject.toLowerCase() !== older.subject.toLowerCase())
    return false;
  const [fresh, old] = [plainOf(newer.text), plainOf(older.text)];
  if (replacesOld(fresh, old)) return true;
  const freshTokens = contentOf(fresh.replace(MARKER, (marker) => (marker === '不再' ? '不' : ' ')));
  const oldTokens = contentOf(old.replace(MARKER, (marker) => (marker === '不再' ? '不' : ' ')));
  if (freshTokens.length === 0 || oldTokens.length === 0) return false;
  const flipped = differenceOf(withoutNegation(oldTokens), withoutNegation(freshTokens));
  if (flipped.older.length === 0 && flipped.newer.length === 0) {
    return flipped.before.length + flipped.after.length >= 2 && negationsIn(oldTokens) % 2 !== negationsIn(freshTokens) % 2;
  }
  if (negationsIn(oldTokens) !== negationsIn(freshTokens)) return false;
  if (!STATE.test(fresh) || !STATE.test(old)) return false;
  const difference = differenceOf(oldTokens, freshTokens);
  const known = difference.before.length + difference.after.length;
  if (difference.before.length === 0) return false;
  if (isOpposite(difference.older, difference.newer)) return known >= 1;
  const swapped = [...oldTokens].sort().join(' ') === [...freshTokens].sort().join(' ');
  if (swapped) return COMPARES.test(fresh) && COMPARES.test(old);
  const enough =
    known >= 2 ||
    SINGLE_PLACE.test(fresh) ||
    (newer.subject !== undefined && older.subject !== undefined) ||
    /^(?:my|our|mein|unser|the|der|die|das)/iu.test(fresh);
  return enough && isOtherValue(old, fresh, difference, PUTS_NOW.test(newer.text));
};
