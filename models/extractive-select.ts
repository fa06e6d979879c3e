/**
 * Which sentences of the passages answer a question, and whether any does. A sentence is judged by how much of the
 * question it covers, itself first, its heading, title and neighbours after; a name, code or number that the question asks
 * about must occur, or the passage speaks of something else.
 */
import { sentencesOf } from '../agent/sentences.ts';
import { type AnswerKind, conceptsOf, hasAnswerOfKind, type Term, termSetOf } from './extractive-terms.ts';

/** What the search tool returned, as a model reads it. */
export interface FoundPassage {
  readonly n: number;
  readonly title: string;
  readonly heading: string;
  readonly location: string;
  readonly text: string;
}

export interface Wanted {
  readonly terms: readonly Term[];
  readonly kind: AnswerKind;
}

export interface SupportedSentence {
  readonly n: number;
  readonly text: string;
  readonly score: number;
}

/** How much of a term counts by where it stands. */
const PLACE_WEIGHT = { sentence: 1, heading: 0.95, title: 0.8, neighbour: 0.7, passage: 0.5 } as const;
/** Share of the question that the best sentence must cover. */
const ENOUGH = 0.55;
/** A further sentence is added when it is nearly as good as the best. */
const NEARLY = 0.9;
const MAX_SENTENCES = 3;
const MAX_LIST_ITEMS = 8;
const SHORT_ROW_LENGTH = 400;

interface Candidate {
  readonly n: number;
  readonly text: string;
  readonly before: string;
  readonly after: string;
  readonly passage: FoundPassage;
  readonly rank: number;
}

const isTableRow = (passage: FoundPassage): boolean => /^row\b/.test(passage.location) && passage.text.length <= SHORT_ROW_LENGTH;
const isQuestion = (text: string): boolean => /[?？]\s*$/.test(text);

const candidatesOf = (passages: readonly FoundPassage[]): readonly Candidate[] =>
  passages.flatMap((passage, rank) => {
    const sentences = isTableRow(passage) ? [passage.text.trim()] : sentencesOf(passage.text);
    return sentences.map((text, index) => ({
      n: passage.n,
      text,
      before: sentences[index - 1] ?? '',
      after: sentences[index + 1] ?? '',
      passage,
      rank,
    }));
  });

/** Everything a text answers a term with: its own terms, and its concepts under their canonical names. */
const readingOf = (text: string): ReadonlySet<string> => new Set([...termSetOf(text), ...conceptsOf(text)]);

export interface Selection {
  readonly sentences: readonly SupportedSentence[];
  /** The coverage of the best sentence, 0 to 1. */
  readonly support: number;
}

/** Best first. Empty when nothing supports an answer; `support` tells how near the best came. */
export const selectSentences = (wanted: Wanted, passages: readonly FoundPassage[]): Selection => {
  const total = wanted.terms.reduce((sum, term) => sum + term.weight, 0);
  if (total === 0) return { sentences: [], support: 0 };
  const readings = new Map<string, ReadonlySet<string>>();
  const read = (text: string): ReadonlySet<string> => {
    const known = readings.get(text) ?? readingOf(text);
    readings.set(text, known);
    return known;
  };
  const scored = candidatesOf(passages)
    .filter((candidate) => !isQuestion(candidate.text))
    .map((candidate) => {
      const { passage } = candidate;
      const places = [
        [read(candidate.text), PLACE_WEIGHT.sentence],
        [read(passage.heading), PLACE_WEIGHT.heading],
        [read(passage.title), PLACE_WEIGHT.title],
        [read(candidate.before), isQuestion(candidate.before) ? PLACE_WEIGHT.heading : PLACE_WEIGHT.neighbour],
        [read(candidate.after), PLACE_WEIGHT.passage],
        [read(passage.text), PLACE_WEIGHT.passage],
      ] as const;
      let covered = 0;
      let lacksEssential = false;
      for (const term of wanted.terms) {
        let best = 0;
        for (const [terms, weight] of places) {
          if (weight <= best) continue;
          if (terms.has(term.value)) best = weight;
          else if (term.concept !== undefined && terms.has(term.concept)) best = Math.max(best, weight * 0.9);
        }
        covered += best * term.weight;
        if (best === 0 && term.essential) lacksEssential = true;
      }
      const coverage = covered / total;
      const fits = hasAnswerOfKind(candidate.text, wanted.kind);
      const support = lacksEssential ? Math.min(coverage, ENOUGH / 2) : coverage;
      const own = wanted.terms.reduce((sum, term) => (read(candidate.text).has(term.value) ? sum + term.weight : sum), 0) / total;
      const score = support + (fits ? (wanted.kind === 'any' ? 0 : 0.2) : -0.25) + 0.15 * own - 0.015 * candidate.rank;
      return { candidate, support: fits ? support : support * 0.9, score };
    })
    .sort((a, b) => b.score - a.score);
  const best = scored[0];
  if (best === undefined) return { sentences: [], support: 0 };
  if (best.support < ENOUGH) return { sentences: [], support: best.support };
  const chosen: SupportedSentence[] = [];
  const seen = new Set<string>();
  for (const { candidate, support, score } of scored) {
    if (chosen.length >= MAX_SENTENCES || support < ENOUGH || score < best.score * NEARLY) break;
    const folded = candidate.text.toLowerCase().replace(/\s+/g, ' ');
    if (seen.has(folded)) continue;
    seen.add(folded);
    chosen.push({ n: candidate.n, text: candidate.text, score });
  }
  return { sentences: withListItems(chosen, passages), support: best.support };
};

/** A sentence that introduces a list answers nothing without it. */
const withListItems = (chosen: readonly SupportedSentence[], passages: readonly FoundPassage[]): readonly SupportedSentence[] =>
  chosen.flatMap((sentence) => {
    if (!/[:：]\s*$/.test(sentence.text)) return [sentence];
    const passage = passages.find((candidate) => candidate.n === sentence.n);
    const all = passage === undefined ? [] : sentencesOf(passage.text);
    const at = all.indexOf(sentence.text);
    const items = all.slice(at + 1, at + 1 + MAX_LIST_ITEMS).filter((text) => !chosen.some((other) => other.text === text));
    return [sentence, ...items.map((text) => ({ n: sentence.n, text, score: sentence.score }))];
  });
