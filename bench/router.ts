/**
 * How often the pre-selection of tools keeps the right one among twenty, and how much of their descriptions it saves: the "simple"
 * questions of the Berkeley Function-Calling Leaderboard, each with its own function and nineteen of other questions. The data set
 * lies beside the repository; without it there is nothing to measure.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { AppError } from '../agent/errors.ts';
import { DEFAULT_LIMITS } from '../agent/limits.ts';
import type { ToolSpec } from '../agent/ports/model-provider.ts';
import type { Tool } from '../agent/ports/tool.ts';
import { createRouter } from '../agent/router.ts';
import { createTokenCounter } from '../memory/tokens.ts';
import type { BenchRow } from './row.ts';

const DATA = new URL('../../shared/data/bfcl/BFCL_v4_simple_python.json', import.meta.url);
const TOOLS = 20;
const SEEDS = 5;

const record = z.object({
  question: z.array(z.array(z.object({ role: z.string(), content: z.string() }))),
  function: z.array(z.object({ name: z.string(), description: z.string(), parameters: z.record(z.string(), z.json()) })),
});

const createRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

const readQuestions = (): readonly { readonly text: string; readonly gold: ToolSpec }[] => {
  let lines: string[];
  try {
    lines = readFileSync(DATA, 'utf8').trim().split('\n');
  } catch (cause) {
    throw new AppError('source_missing', `expected the questions of BFCL at ${DATA.pathname}, got none`, { cause });
  }
  return lines.map((line) => {
    const { question, function: functions } = record.parse(JSON.parse(line));
    const [gold] = functions;
    if (gold === undefined) throw new TypeError('a question without a function');
    return { text: question[0]?.at(-1)?.content ?? '', gold };
  });
};

const toolOf = ({ name, description }: ToolSpec): Tool => ({
  name,
  description,
  parameters: z.unknown(),
  effect: 'read',
  timeoutMs: 1,
  run: async () => null,
});

export async function* run(): AsyncGenerator<BenchRow> {
  const questions = readQuestions();
  const all = [...new Map(questions.map(({ gold }) => [gold.name, gold])).values()];
  const { count } = createTokenCounter();
  const tokensOf = new Map(all.map((spec) => [spec.name, count(JSON.stringify(spec))]));
  const sum = (specs: readonly ToolSpec[]): number => specs.reduce((total, { name }) => total + (tokensOf.get(name) ?? 0), 0);
  let kept = 0;
  let before = 0;
  let after = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const random = createRandom(seed);
    for (const { text, gold } of questions) {
      const specs = [gold];
      while (specs.length < TOOLS) {
        const other = all[Math.floor(random() * all.length)];
        if (other !== undefined && !specs.some(({ name }) => name === other.name))
          specs.splice(Math.floor(random() * TOOLS), 0, other);
      }
      const offered = createRouter(specs.map(toolOf), specs).select(text, DEFAULT_LIMITS.toolsOffered);
      if (offered.some(({ name }) => name === gold.name)) kept += 1;
      before += sum(specs);
      after += sum(offered);
    }
  }
  const n = questions.length * SEEDS;
  const row = (metric: string, value: number): BenchRow => ({
    bench: 'router',
    case: `${DEFAULT_LIMITS.toolsOffered} of ${TOOLS} tools`,
    metric,
    value: Math.round(value * 10_000) / 10_000,
    unit: 'share',
    n,
  });
  yield row('right_tool_kept', kept / n);
  yield row('schema_tokens_left', after / before);
}
