/**
 * The calculator: a hand-written parser on decimal arithmetic. No names but its own, no assignment, and every limit checked
 * before anything is calculated; a calculation it will not make is a result with its reason.
 */
import { z } from 'zod';
import type { JsonObject } from '../agent/json.ts';
import type { Tool } from '../agent/ports/tool.ts';
import { angleUnit, evaluate, formatNode, formatValue } from './calculator-evaluate.ts';
import { parseTokens } from './calculator-parser.ts';
import { CalculationRefused, type RefusalKind, refuse } from './calculator-refusal.ts';
import { normaliseExpression } from './calculator-text.ts';
import { tokenise } from './calculator-tokens.ts';

const MAX_CHARS = 500;

export type Calculation =
  | {
      readonly ok: true;
      /** What was read, to be shown beside the value. */
      readonly expression: string;
      readonly value: string;
      readonly currency?: string;
      readonly angle?: 'radians' | 'degrees';
    }
  | { readonly ok: false; readonly kind: RefusalKind; readonly reason: string };

/** Never throws, and never takes long: at most 50 ms for any text. */
export const calculate = (text: string): Calculation => {
  try {
    if (text.length > MAX_CHARS) refuse('limit', `the expression is longer than ${MAX_CHARS} characters`);
    const node = parseTokens(tokenise(normaliseExpression(text)));
    const { value, currency } = evaluate(node);
    const angle = angleUnit(node);
    return {
      ok: true,
      expression: formatNode(node),
      value: formatValue(value),
      ...(currency === undefined ? {} : { currency }),
      ...(angle === undefined ? {} : { angle }),
    };
  } catch (error) {
    if (error instanceof CalculationRefused) return { ok: false, kind: error.kind, reason: error.message };
    throw error;
  }
};

const parameters = z.object({
  expression: z.string().max(10_000).describe('The expression alone, for example: (1299 - 15%) * 3'),
});

export const createCalculator = (): Tool<z.infer<typeof parameters>> => ({
  name: 'calculator',
  description:
    'Calculates exactly: + - * / ^, percent (20% of 150, 100 + 10%), mod, brackets, sqrt, round, min, max, sum, avg, median, ln, log, sin (radians; write sin(30 deg) for degrees). Use it for every calculation.',
  parameters,
  effect: 'read',
  timeoutMs: 1_000,
  run: async ({ expression }) => calculate(expression) satisfies Calculation as JsonObject,
});
