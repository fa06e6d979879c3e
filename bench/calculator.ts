/**
 * Whether the calculator is right and quick: every expression of a set of school mathematics against exact fractions, and texts at
 * random. The set lies beside the repository; without it there is nothing to compare with.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { looksLikeArithmetic } from '../agent/arithmetic.ts';
import { AppError } from '../agent/errors.ts';
import { calculate } from '../tools/calculator.ts';
import { evaluateExactly, isRounded } from './calculator/exact.ts';
import { cpuMsOf, createRandom, randomText } from './calculator/fuzz.ts';
import type { BenchRow } from './row.ts';

const DATA = new URL('../../shared/data/gsm8k/expressions.tsv', import.meta.url);
const CLINC = new URL('../../shared/data/clinc150/train-and-val.json', import.meta.url);
/** Intents that ask for a calculation, and two more that a calculator answers: what day it is, and that it knows no rates. */
const CALCULATIONS = new Set(['calculator', 'measurement_conversion']);
const ANSWERED_TOO = new Set(['date', 'exchange_rate']);
const DIGITS = 30;
const FUZZED = 100_000;
const SEED = 1;
const LIMIT_MS = 50;

const readRows = (): readonly (readonly [expression: string, result: string])[] => {
  try {
    return readFileSync(DATA, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((row) => row.split('\t') as [string, string]);
  } catch (cause) {
    throw new AppError('source_missing', `expected the expressions of GSM8K at ${DATA.pathname}, got none`, { cause });
  }
};

const questions = z.record(z.string(), z.array(z.tuple([z.string(), z.string()])));

const readQuestions = (): readonly (readonly [text: string, intent: string])[] => {
  try {
    return Object.values(questions.parse(JSON.parse(readFileSync(CLINC, 'utf8')))).flat();
  } catch (cause) {
    throw new AppError('source_missing', `expected the questions of CLINC150 at ${CLINC.pathname}, got none`, { cause });
  }
};

const row = (name: string, metric: string, value: number, unit: string, n: number, note?: string): BenchRow => ({
  bench: 'calculator',
  case: name,
  metric,
  value,
  unit,
  n,
  ...(note === undefined ? {} : { note }),
});

export async function* run(): AsyncGenerator<BenchRow> {
  const rows = readRows();
  let right = 0;
  let agreeing = 0;
  for (const [expression, expected] of rows) {
    const result = calculate(expression);
    if (!result.ok) continue;
    if (isRounded(result.value, evaluateExactly(expression), DIGITS)) right += 1;
    const wanted = Number(expected.replaceAll(',', ''));
    // The set rounds some of its results.
    if (Math.abs(Number(result.value) - wanted) <= Math.max(0.01, Math.abs(wanted) * 0.005)) agreeing += 1;
  }
  yield row('school mathematics', 'right_to_30_digits', right / rows.length, 'share', rows.length);
  yield row('school mathematics', 'as_the_set_rounds', agreeing / rows.length, 'share', rows.length);

  const asked = readQuestions();
  const calculations = asked.filter(([, intent]) => CALCULATIONS.has(intent));
  const others = asked.filter(([, intent]) => !CALCULATIONS.has(intent) && !ANSWERED_TOO.has(intent));
  const taken = (list: typeof asked): number => list.filter(([text]) => looksLikeArithmetic(text) !== undefined).length;
  yield row('questions', 'others_taken', taken(others), 'questions', others.length);
  yield row(
    'questions',
    'calculations_taken',
    taken(calculations) / calculations.length,
    'share',
    calculations.length,
    'many hold no number to calculate with',
  );

  const random = createRandom(SEED);
  let longest = 0;
  let over = 0;
  let thrown = 0;
  let answered = 0;
  for (let i = 0; i < FUZZED; i += 1) {
    const text = randomText(random);
    const ms = cpuMsOf(() => {
      try {
        looksLikeArithmetic(text);
        if (calculate(text, 0).ok) answered += 1;
      } catch {
        thrown += 1;
      }
    });
    longest = Math.max(longest, ms);
    if (ms >= LIMIT_MS) over += 1;
  }
  yield row('texts at random', 'thrown', thrown, 'texts', FUZZED, `seed ${SEED}`);
  yield row('texts at random', 'over_50_ms', over, 'texts', FUZZED, 'processor time of telling and calculating');
  yield row('texts at random', 'longest', longest, 'ms', FUZZED);
  yield row('texts at random', 'calculated', answered / FUZZED, 'share', FUZZED, 'the others are refused with a reason');
}
