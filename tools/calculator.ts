/**
 * The calculator: a hand-written parser on decimal arithmetic. No names but its own, no assignment, and every limit checked
 * before anything is calculated; a calculation it will not make is a result with its reason.
 */
import { z } from 'zod';
import type { JsonObject } from '../agent/json.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Tool } from '../agent/ports/tool.ts';
import { dayOf, daysLater, formatClock, formatDate, weekdayName, weekdaysAround } from './calculator-dates.ts';
import { evaluate } from './calculator-evaluate.ts';
import { angleUnit, formatNode, formatRounded, formatValue, holds } from './calculator-format.ts';
import { type NamedDays, type Node, parseTokens } from './calculator-parser.ts';
import { readPhrases } from './calculator-phrases.ts';
import { CalculationRefused, type RefusalKind, refuse } from './calculator-refusal.ts';
import { joinFractions, joinGroups, normaliseExpression } from './calculator-text.ts';
import { tokenise } from './calculator-tokens.ts';
import { formatMeasure, isOf } from './calculator-units.ts';

const MAX_CHARS = 500;

export type Calculation =
  | {
      readonly ok: true;
      /** What was read, to be shown beside the value. */
      readonly expression: string;
      /** Up to 30 digits, a date as year-month-day, or a time of day as hours:minutes. */
      readonly value: string;
      /** The value as a person reads it, where it has a long fraction. */
      readonly rounded?: string;
      readonly unit?: string;
      readonly currency?: string;
      readonly weekday?: string;
      readonly angle?: 'radians' | 'degrees';
      readonly note?: string;
    }
  | { readonly ok: false; readonly kind: RefusalKind; readonly reason: string };

/** `nowMs` is of the epoch; without it `today` is refused. */
const namedDaysOf = (nowMs: number | undefined): NamedDays => {
  if (nowMs === undefined) return new Map();
  const today = dayOf(nowMs);
  return new Map([['today', today], ['tomorrow', today + 1], ['yesterday', today - 1], ...weekdaysAround(today)]);
};

const notesOf = (node: Node, text: string, namedDays: NamedDays): readonly string[] => {
  const today = namedDays.get('today');
  const notes: string[] = [];
  if (today !== undefined && /\b(?:today|tomorrow|yesterday|(?:next|last)\p{L}+day|\p{L}+dayofnextweek)\b/iu.test(text))
    notes.push(`today is ${formatDate(today)} in UTC`);
  const counts = (kind: 'workday') => (part: Node) =>
    (part.kind === 'measured' && isOf(part.measure, kind)) || (part.kind === 'convert' && part.to !== '%' && isOf(part.to, kind));
  if (holds(node, counts('workday')))
    notes.push('working days are Monday to Friday, the first date not counted; holidays are not known');
  return notes;
};

const solve = (text: string, nowMs: number | undefined): Calculation => {
  if (text.length > MAX_CHARS)
    refuse('limit', `the expression is longer than ${MAX_CHARS} characters; calculate it in several steps`);
  const namedDays = namedDaysOf(nowMs);
  const read = joinGroups(readPhrases(joinFractions(normaliseExpression(text))));
  const node = parseTokens(tokenise(read), namedDays);
  const result = evaluate(node);
  const expression = formatNode(node);
  const notes = notesOf(node, read, namedDays);
  if (result.kind === 'date') {
    const note = notes.join('; ');
    const weekday = weekdayName(result.days);
    return { ok: true, expression, value: formatDate(result.days), weekday, ...(note === '' ? {} : { note }) };
  }
  if (result.kind === 'clock') {
    const later = daysLater(result.seconds);
    const day =
      later === 0
        ? []
        : [
            Math.abs(later) === 1
              ? `on the day ${later > 0 ? 'after' : 'before'}`
              : `${Math.abs(later)} days ${later > 0 ? 'later' : 'earlier'}`,
          ];
    const note = [...day, ...notes].join('; ');
    return { ok: true, expression, value: formatClock(result.seconds), ...(note === '' ? {} : { note }) };
  }
  const { value, measure, currency } = result;
  const unit = measure === '%' ? '%' : measure.length === 0 ? undefined : formatMeasure(measure, value);
  const rounded = formatRounded(value);
  const angle = angleUnit(node);
  const note = [result.note, ...notes].filter((part) => part !== undefined).join('; ');
  return {
    ok: true,
    expression,
    value: formatValue(value),
    ...(rounded === undefined ? {} : { rounded }),
    ...(unit === undefined ? {} : { unit }),
    ...(currency === undefined ? {} : { currency }),
    ...(angle === undefined ? {} : { angle }),
    ...(note === '' ? {} : { note }),
  };
};

/** Never throws, and never takes long: at most 50 ms for any text. */
export const calculate = (text: string, nowMs?: number): Calculation => {
  try {
    return solve(text, nowMs);
  } catch (error) {
    if (error instanceof CalculationRefused) return { ok: false, kind: error.kind, reason: error.message };
    throw error;
  }
};

const parameters = z.object({
  expression: z.string().max(10_000).describe('The expression alone, for example: (1299 - 15%) * 3'),
});

export const createCalculator = (deps: { readonly clock?: Clock } = {}): Tool<z.infer<typeof parameters>> => ({
  name: 'calculator',
  description:
    'Calculates exactly: + - * / ^, percent (20% of 150, 100 + 10%, 20 / 80 in %), mod, brackets, sqrt, round, ln, log, sin (radians; write sin(30 deg) for degrees), lists (sum, avg, median, min, max, count, stdev, stdevp, var, varp, percentile(90; 1, 2, 3)), units (5 miles in km, 72 F in C, 3.5 GB in MB, 2 h 30 min in min), dates (2026-03-01 + 45 days, 2026-03-15 - 2026-01-01 in weeks, today + 10 workdays) and times of day (14:30 + 95 min, 17:45 - 9:15). Use it for every calculation.',
  parameters,
  effect: 'read',
  readsUntrusted: false,
  timeoutMs: 1_000,
  run: async ({ expression }) => calculate(expression, deps.clock?.now()) satisfies Calculation as JsonObject,
});
