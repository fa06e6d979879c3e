/** What the journal holds of a run: each model turn and each tool result, read back as it was written. */
import { z } from 'zod';
import type { Evidence } from './conversation.ts';
import type { JsonValue } from './json.ts';
import type { ModelTurn } from './ports/model-provider.ts';
import type { RunJournal } from './run.ts';

const usage = z.object({ inputTokens: z.number(), outputTokens: z.number() });

const modelTurn = z.object({
  text: z.string(),
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.string() })),
  finishReason: z.enum(['stop', 'tool_calls', 'length', 'content_filter', 'refusal', 'interrupted']),
  usage,
  model: z.string(),
  fallback: z.boolean().optional(),
  answered: z.boolean().optional(),
});

const evidence = z.object({
  n: z.number(),
  chunkId: z.string(),
  documentId: z.string(),
  title: z.string(),
  headingPath: z.array(z.string()),
  source: z.string(),
  location: z.string(),
  text: z.string(),
  date: z.string().nullable(),
  label: z.string(),
  score: z.number(),
});

const toolOutcome = z.object({
  content: z.string(),
  code: z.string().nullable(),
  evidence: z.array(evidence),
});

/** A tool's result as the model reads it. `code` is null when it worked. */
export interface ToolOutcome {
  readonly content: string;
  readonly code: string | null;
  /** What the call retrieved, under the numbers that `content` names. */
  readonly evidence: readonly Evidence[];
}

export interface StepJournal {
  readonly size: number;
  findModel(step: number): ModelTurn | undefined;
  putModel(step: number, turn: ModelTurn): Promise<void>;
  findTool(step: number, index: number): ToolOutcome | undefined;
  putTool(step: number, index: number, outcome: ToolOutcome): Promise<void>;
  /** Of all journaled tool results. */
  evidence(): readonly Evidence[];
}

/** An entry of another shape (written by another version) counts as absent: its step is done again. */
export const openJournal = async (journal: RunJournal): Promise<StepJournal> => {
  const models = new Map<string, ModelTurn>();
  const outcomes = new Map<string, ToolOutcome>();
  for (const { key, value } of await journal.read()) {
    if (key.startsWith('model:')) {
      const parsed = modelTurn.safeParse(value);
      if (!parsed.success) continue;
      const { fallback, answered, ...turn } = parsed.data;
      models.set(key, {
        ...turn,
        ...(fallback === undefined ? {} : { fallback }),
        ...(answered === undefined ? {} : { answered }),
      });
    } else if (key.startsWith('tool:')) {
      const parsed = toolOutcome.safeParse(value);
      if (parsed.success) outcomes.set(key, parsed.data);
    }
  }
  const write = (key: string, value: ModelTurn | ToolOutcome): Promise<void> =>
    // Both are plain data that JSON holds without loss.
    journal.write({ key, value: value as unknown as JsonValue });
  return {
    size: models.size + outcomes.size,
    findModel: (step) => models.get(`model:${step}`),
    putModel: (step, turn) => write(`model:${step}`, turn),
    findTool: (step, index) => outcomes.get(`tool:${step}:${index}`),
    putTool: (step, index, outcome) => write(`tool:${step}:${index}`, outcome),
    evidence: () => [...outcomes.values()].flatMap((outcome) => outcome.evidence),
  };
};
