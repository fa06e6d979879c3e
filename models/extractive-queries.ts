/**
 * Which named query a question asks for, without a language model. A query is taken only when it accounts for all that the question
 * says: a word that neither its description, its examples nor its parameters know means that something else is asked.
 */

import { foldText, type Reading, readingOf, stemOf } from './extractive-lexicon.ts';
import { type CardParameter, fillParameters, type Piece, piecesOf } from './extractive-query-values.ts';
import { questionTermsOf, strengthOf, type Term } from './extractive-terms.ts';
import { plainWords } from './query-words.ts';

export interface QueryCard {
  readonly name: string;
  /** The tool that answers with the parameters as its arguments. Undefined: the tool of named queries. */
  readonly tool?: string | undefined;
  readonly description: string;
  /** Questions that it answers. */
  readonly examples: readonly string[];
  readonly parameters: Readonly<Record<string, CardParameter>>;
}

export interface QueryMatch {
  readonly query: string;
  readonly tool?: string;
  readonly parameters: Readonly<Record<string, string | number>>;
}

/** What a question wants of the things it names. */
type Wanted = 'count' | 'average' | 'most' | 'least' | 'list';

/** Share of the question that the query must know, and of one of its phrases that the question must say. */
const ENOUGH_KNOWN = 0.9;
const ENOUGH_SAID = 0.4;
/** Where no value of a parameter speaks for the query. */
const ENOUGH_SAID_ALONE = 0.6;
const OTHER_WANTED_COST = 0.3;
const FILLED_BONUS = 0.03;

const WANTED: readonly (readonly [Wanted, RegExp])[] = [
  ['average', /\b(?:average|mean|median|typical|on average)\b/i],
  ['most', /\b(?:most|highest|largest|biggest|longest|tallest|best|top|greatest)\b/i],
  ['least', /\b(?:least|lowest|smallest|cheapest|shortest|fewest|worst|easiest|minimum)\b/i],
  ['count', /\b(?:how (?:many|much|often)|number|numbers|count|total|sum|population)\b/i],
];
/** Words that say how to answer, and nothing about what: they add no condition. */
const MANNER = new Set(
  (
    'how many much often number numbers count total sum average mean most highest largest biggest longest tallest best top greatest least ' +
    'lowest smallest cheapest shortest fewest worst easiest list show give name me all each every per by for there have has are is the of in ' +
    'please which what who do does did we you at on a an with and or more less than over under after before since one ones ' +
    'come comes came out receive received located available times people any all get give given return display find where when kind kinds type types sort sorts ' +
    'break down rank sort arrange tell look search see know could can would let help i we our am be been was were as to that ' +
    'appear occur exist run offer contain include cover carry along across during into through among ' +
    'big large long high tall frequently better worth everything altogether overall'
  )
    .split(' ')
    .map(stemOf),
);

const wantedOf = (text: string): Wanted => WANTED.find(([, pattern]) => pattern.test(text))?.[0] ?? 'list';

const restOf = (pieces: readonly Piece[], used: ReadonlySet<number>): string =>
  pieces
    .filter(({ text }, at) => !used.has(at) && !MANNER.has(stemOf(foldText(text))))
    .map(({ text, isFirst }) => plainWords(isFirst ? text.toLowerCase() : text))
    .join(' ');

const shareHeld = (terms: readonly Term[], reading: Reading): number => {
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  return total === 0 ? 1 : terms.reduce((sum, term) => sum + term.weight * strengthOf(term, reading), 0) / total;
};

interface Known {
  readonly card: QueryCard;
  readonly vocabulary: Reading;
  /** The words of its description and examples without the values that stand in them. */
  readonly phrases: readonly (readonly Term[])[];
  readonly wanted: ReadonlySet<Wanted>;
}

const isIn =
  (vocabulary: Reading) =>
  (word: string): boolean =>
    questionTermsOf(plainWords(word.toLowerCase())).every((term) => strengthOf(term, vocabulary) > 0.5);

const knowCard = (card: QueryCard, today: string): Known => {
  const texts = [card.description, ...card.examples];
  const aboutParameters = Object.entries(card.parameters).flatMap(([name, { description = '', after = [] }]) => [
    name.replaceAll('_', ' '),
    description,
    ...after,
  ]);
  const own = readingOf(plainWords([card.description, ...aboutParameters].join('. ')));
  // A value in an example is no word of the query: another question has another one.
  const withoutValues = (text: string): string => {
    const pieces = piecesOf(text);
    const { used } = fillParameters(pieces, card.parameters, isIn(own), today);
    return pieces.flatMap(({ text: piece }, at) => (used.has(at) ? [] : [piece])).join(' ');
  };
  const vocabulary = readingOf(
    plainWords([card.description, ...card.examples.map(withoutValues), ...aboutParameters].join('. ')),
  );
  const parameterNames = readingOf(plainWords(aboutParameters.join('. ')));
  return {
    card,
    vocabulary,
    phrases: texts.flatMap((text) => {
      const pieces = piecesOf(text);
      const { used } = fillParameters(pieces, card.parameters, isIn(own), today);
      const terms = questionTermsOf(restOf(pieces, used).toLowerCase());
      // `city` of "Population of a city" is said by the name of one.
      const others = terms.filter((term) => strengthOf(term, parameterNames) < 0.8);
      return others.length === 0 ? [terms] : [terms, others];
    }),
    wanted: new Set(texts.map(wantedOf)),
  };
};

const scoreOf = (question: string, pieces: readonly Piece[], { card, vocabulary, phrases, wanted }: Known, today: string) => {
  const { values, used, missing } = fillParameters(pieces, card.parameters, isIn(vocabulary), today);
  if (missing > 0) return undefined;
  // A figure or a quoted name that no parameter takes is a condition that the query does not have.
  if (pieces.some(({ text, quoted }, at) => !used.has(at) && (quoted || /^\d/.test(text)))) return undefined;
  const rest = restOf(pieces, used);
  const terms = questionTermsOf(rest);
  const known = shareHeld(terms, vocabulary);
  const isForeign = terms.some((term) => term.essential && strengthOf(term, vocabulary) < 0.5);
  const reading = readingOf(rest);
  const said = Math.max(...phrases.map((phrase) => (phrase.length === 0 ? 0 : shareHeld(phrase, reading))));
  const enoughSaid = Object.keys(values).length > 0 ? ENOUGH_SAID : ENOUGH_SAID_ALONE;
  if (known < ENOUGH_KNOWN || isForeign || said < enoughSaid) return undefined;
  const asked = wantedOf(question);
  // A number or an average is not told by a query that lists.
  if ((asked === 'count' || asked === 'average') && !wanted.has(asked)) return undefined;
  const cost = wanted.has(asked) ? 0 : OTHER_WANTED_COST;
  const score = known + said - cost + FILLED_BONUS * Object.keys(values).length;
  const tool = card.tool === undefined ? {} : { tool: card.tool };
  return { score, match: { query: card.name, ...tool, parameters: values } };
};

/** `today` is a day such as 2026-03-31. The best query, or undefined where none accounts for the whole question. */
export type MatchQuery = (question: string, today: string) => QueryMatch | undefined;

const MAX_QUESTION_CHARS = 400;

export const createQueryMatcher = (cards: readonly QueryCard[]): MatchQuery => {
  const known = cards.map((card) => knowCard(card, '2000-01-01'));
  return (question, today) => {
    if (question.length > MAX_QUESTION_CHARS) return undefined;
    const pieces = piecesOf(question);
    const scored = known.flatMap((one) => scoreOf(question, pieces, one, today) ?? []);
    return scored.sort((a, b) => b.score - a.score)[0]?.match;
  };
};
