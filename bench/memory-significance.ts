/**
 * What the rules of memory keep and what they skip: the labelled sentences of MemPalace's extraction set in three languages, the
 * small-talk intents of CLINC150, small talk and questions of our own, and the evidence turns of BFCL's memory track. The data
 * sets lie beside the repository. Shares are given by halves: the weights were fitted, and what failed was read, on the even half
 * of each set only. The texts of the extraction set were known when the forms were written, and the shares of both halves when the
 * last constants were set, so the odd half is not unseen.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../agent/errors.ts';
import { termsOf } from '../agent/overlap.ts';
import { findObservations, type ObservationDraft } from '../memory/significance.ts';
import { judgeSentence } from '../memory/significance-score.ts';
import { cueLanguageOf, readSentences } from '../memory/significance-sentences.ts';
import type { BenchRow } from './row.ts';

const SMALL_TALK = new URL('../test/fixtures/small-talk/', import.meta.url);
const SMALL_TALK_INTENTS = new Set(
  'greeting goodbye thank_you how_old_are_you what_is_your_name tell_joke fun_fact are_you_a_bot meaning_of_life who_made_you do_you_have_pets where_are_you_from what_are_your_hobbies who_do_you_work_for what_can_i_ask_you'.split(
    ' ',
  ),
);
const LANGUAGES = [
  { language: 'en', file: 'dataset.jsonl' },
  { language: 'de', file: 'dataset.de.jsonl' },
  { language: 'zh', file: 'dataset.zh.jsonl' },
] as const;

const textRecord = z.object({ id: z.string(), text: z.string() });
const labelRecord = z.object({ id: z.string(), memories: z.array(z.object({ type: z.string(), content: z.string() })) });
const intents = z.object({ val: z.array(z.tuple([z.string(), z.string()])) });
const answerRecord = z.object({ id: z.string(), source: z.string() });
const conversation = z.object({ question: z.array(z.array(z.object({ role: z.string(), content: z.string() }))) });

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new AppError('source_missing', `expected a public data set at ${path}, got none`, { cause });
  }
};
const readLines = <T>(path: string, schema: z.ZodType<T>): T[] =>
  readText(path)
    .trim()
    .split('\n')
    .map((line) => schema.parse(JSON.parse(line)));

const observe = (text: string): readonly ObservationDraft[] =>
  findObservations({ text, role: 'user', speaker: 'the speaker', origin: 'person' });

type Half = 'even' | 'odd';
const halfOf = (n: number): Half => (n % 2 === 0 ? 'even' : 'odd');
const HALVES = ['even', 'odd', 'all'] as const;

/** Shares of each half and of all. */
function* shares(
  name: string,
  metric: string,
  outcomes: readonly { readonly half: Half; readonly holds: boolean }[],
): Generator<BenchRow> {
  for (const half of HALVES) {
    const counted = outcomes.filter((outcome) => half === 'all' || outcome.half === half);
    const value = counted.filter(({ holds }) => holds).length / Math.max(1, counted.length);
    yield {
      bench: 'memory',
      case: `significance, ${name}, ${half}`,
      metric,
      value: Math.round(value * 1_000) / 1_000,
      unit: 'share',
      n: counted.length,
    };
  }
}

/** The sentence that a label was made from: of the English text the one that shares most with it, its counterpart elsewhere. */
const sentenceOf = (content: string, english: string, text: string): string => {
  const wanted = termsOf(content);
  const scores = readSentences(english).map((sentence) => {
    const terms = termsOf(sentence);
    return [...wanted].filter((term) => terms.has(term)).length / Math.sqrt(terms.size + 4);
  });
  const best = scores.indexOf(Math.max(...scores));
  const sentences = readSentences(text);
  const at =
    sentences.length === scores.length ? best : Math.round((best * (sentences.length - 1)) / Math.max(1, scores.length - 1));
  return sentences[at] ?? '';
};

function* extractionRows(folder: string): Generator<BenchRow> {
  const labels = readLines(join(folder, 'labels.jsonl'), labelRecord);
  const textsOf = (file: string): Map<string, string> =>
    new Map(readLines(join(folder, file), textRecord).map(({ id, text }) => [id, text]));
  const english = textsOf('dataset.jsonl');
  for (const { language, file } of LANGUAGES) {
    const texts = textsOf(file);
    const outcomes = labels.flatMap(({ id, memories }) => {
      const text = texts.get(id) ?? '';
      const found = observe(text);
      const types = new Set(memories.map(({ type }) => type));
      return memories.map(({ content }) => {
        const sentence = sentenceOf(content, english.get(id) ?? '', text);
        const hits = found.filter(({ quote }) => sentence.includes(quote) || quote.includes(sentence));
        return {
          half: halfOf(Number(/\d+/.exec(id)?.[0])),
          kept: hits.length > 0,
          right: hits.some(({ kind }) => types.has(kind)),
        };
      });
    });
    yield* shares(
      `labels ${language}`,
      'kept',
      outcomes.map(({ half, kept }) => ({ half, holds: kept })),
    );
    yield* shares(
      `labels ${language}`,
      'kind_right',
      outcomes.map(({ half, right }) => ({ half, holds: right })),
    );
  }
}

const skipped = (texts: readonly string[]): { half: Half; holds: boolean }[] =>
  texts.map((text, i) => ({ half: halfOf(i), holds: observe(text).length === 0 }));

function* smallTalkRows(folder: string): Generator<BenchRow> {
  const { val } = intents.parse(JSON.parse(readText(join(folder, 'train-and-val.json'))));
  yield* shares(
    'small talk clinc150',
    'skipped',
    skipped(val.filter(([, intent]) => SMALL_TALK_INTENTS.has(intent)).map(([text]) => text)),
  );
  for (const { language } of LANGUAGES) {
    const own = readFileSync(new URL(`${language}.txt`, SMALL_TALK), 'utf8')
      .trim()
      .split('\n');
    yield* shares(`small talk ${language}`, 'skipped', skipped(own));
  }
}

/** Quotes and dashes differ between the answers' sources and the turns. */
const normal = (text: string): string =>
  text
    .replace(/[“”]/gu, '"')
    .replace(/[‘’]/gu, "'")
    .replace(/\s*—\s*/gu, '—')
    .replace(/\s+/gu, ' ')
    .toLowerCase();
const bare = (text: string): string =>
  text
    .trim()
    .replace(/^["']+|["']+$/gu, '')
    .trim();

/** The score of the sentence that tells most, whatever the threshold. */
const bestOf = (text: string): number =>
  Math.max(0, ...readSentences(text).map((sentence) => judgeSentence(sentence, cueLanguageOf(sentence)).score));

/** What any threshold could reach: with the turns in the order of their best sentence, and a share of them kept. */
function* rankedRows(turns: readonly { readonly content: string; readonly half: Half; readonly isEvidence: boolean }[]) {
  for (const half of HALVES) {
    const ranked = turns
      .filter((turn) => half === 'all' || turn.half === half)
      .map((turn) => ({ ...turn, score: bestOf(turn.content) }))
      .sort((a, b) => b.score - a.score);
    const places = ranked.flatMap(({ isEvidence }, place) => (isEvidence ? [place] : []));
    const keptOfHalf = places.filter((place) => place < Math.floor(ranked.length / 2)).length / places.length;
    const share = ((places[Math.ceil(places.length * 0.9) - 1] ?? 0) + 1) / ranked.length;
    for (const [metric, value, n] of [
      ['kept_of_best_half', keptOfHalf, places.length],
      ['turns_for_0.9', share, ranked.length],
    ] as const) {
      const name = `significance, evidence turns bfcl by rank, ${half}`;
      yield { bench: 'memory', case: name, metric, value: Math.round(value * 1_000) / 1_000, unit: 'share', n };
    }
  }
}

function* evidenceRows(folder: string): Generator<BenchRow> {
  const prefix = join(folder, 'memory_prereq_conversation');
  const turns = readdirSync(prefix)
    .sort()
    .flatMap((file) =>
      readLines(join(prefix, file), conversation).flatMap(({ question }) =>
        question.flat().map(({ content }) => ({
          scenario: /memory_(\w+)\.json/.exec(file)?.[1],
          content,
          plain: normal(content),
          isEvidence: false,
        })),
      ),
    );
  let questions = 0;
  for (const { id, source } of readLines(join(folder, 'possible_answer', 'BFCL_v4_memory.json'), answerRecord)) {
    const parts = bare(normal(source))
      .split('...')
      .map(bare)
      .filter((part) => part !== '');
    const turn = turns.find(({ scenario, plain }) => id.includes(`-${scenario}-`) && parts.every((part) => plain.includes(part)));
    if (turn === undefined) continue;
    turn.isEvidence = true;
    questions += 1;
  }
  const outcomes = turns.map(({ content, isEvidence }, i) => ({
    half: halfOf(i),
    holds: observe(content).length > 0,
    isEvidence,
    content,
  }));
  for (const row of shares('turns bfcl', 'kept', outcomes)) yield row;
  for (const row of shares(
    'evidence turns bfcl',
    'kept',
    outcomes.filter(({ isEvidence }) => isEvidence),
  ))
    yield { ...row, note: `the evidence of ${questions} questions` };
  yield* rankedRows(outcomes);
}

/** Rows of every set under the folder of the public data. Throws `AppError('source_missing')` where one is not there. */
export async function* measureSignificance(dataFolder: string): AsyncGenerator<BenchRow> {
  yield* extractionRows(join(dataFolder, 'memory-extraction'));
  yield* smallTalkRows(join(dataFolder, 'clinc150'));
  yield* evidenceRows(join(dataFolder, 'bfcl'));
}
