/** What the journal holds of a run: each model turn and each tool result, read back as it was written. */
import { z } from 'zod';
import { type Attachment, MEDIA_TYPES } from './attachment.ts';
import type { Evidence } from './conversation.ts';
import type { JsonValue } from './json.ts';
import type { ModelTurn, RawToolCall } from './ports/model-provider.ts';
import type { JournalEntry } from './ports/store.ts';
import type { ArrivedMessage, RunJournal } from './run.ts';

const usage = z.object({ inputTokens: z.number(), outputTokens: z.number() });

const modelTurn = z.object({
  text: z.string(),
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.string(), problem: z.string().optional() })),
  finishReason: z.enum(['stop', 'tool_calls', 'length', 'content_filter', 'refusal', 'interrupted']),
  usage,
  model: z.string(),
  reasoning: z.string().optional(),
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

/** Bytes stand in the journal as Base64. */
const file = z.object({
  name: z.string(),
  mediaType: z.enum(MEDIA_TYPES),
  description: z.string(),
  bytes: z.base64().transform((text): Uint8Array => Buffer.from(text, 'base64')),
});

const toolOutcome = z.object({
  content: z.string(),
  code: z.string().nullable(),
  evidence: z.array(evidence),
  full: z.string().optional(),
  retryAfterMs: z.number().optional(),
  files: z.array(file).optional(),
});

const refusal = z.object({
  tool: z.string(),
  arguments: z.string(),
  decision: z.enum(['denied', 'expired', 'unavailable']),
});
const arrived = z.array(z.object({ speaker: z.string(), text: z.string() }));

/** A call with these arguments was not agreed to. */
export type Refused = z.infer<typeof refusal>;

/** Entries under `arrived:STEP` are written by the run's owner: see `takeArrived` of run.ts. */
export const ARRIVED = 'arrived';

/** Undefined for an entry of another kind or shape. */
export const readArrived = ({ key, value }: JournalEntry): readonly ArrivedMessage[] | undefined =>
  key.startsWith(`${ARRIVED}:`) ? arrived.safeParse(value).data : undefined;

/** A tool's result as the model reads it. `code` is null when it worked. */
export interface ToolOutcome {
  readonly content: string;
  readonly code: string | null;
  /** What the call retrieved, under the numbers that `content` names. */
  readonly evidence: readonly Evidence[];
  /** The whole result, where `content` is a part of it. */
  readonly full?: string;
  /** Of a failure: the tool must not be called again before this time has passed. */
  readonly retryAfterMs?: number;
  /** What the call attached to the answer. */
  readonly files?: readonly Attachment[];
}

/**
 * Every `put` resolves when the entry is durable: what it tells of is used after that and not before. What is kept by `keepTool`
 * becomes durable together with whatever is written next, and `durable` is waited for before it is used.
 */
export interface StepJournal {
  readonly size: number;
  findModel(step: number): ModelTurn | undefined;
  putModel(step: number, turn: ModelTurn): Promise<void>;
  findTool(step: number, index: number): ToolOutcome | undefined;
  keepTool(step: number, index: number, outcome: ToolOutcome): void;
  /** Resolves when all that was kept is durable. Throws what a write of it threw. */
  durable(): Promise<void>;
  /** A write was begun: without an outcome beside it, nobody knows whether it happened. */
  hasBegun(step: number, index: number): boolean;
  putBegun(step: number, index: number): Promise<void>;
  findRefusal(step: number, index: number): Refused | undefined;
  putRefusal(step: number, index: number, refused: Refused): Promise<void>;
  /** What was folded in before this step. */
  findArrived(step: number): readonly ArrivedMessage[] | undefined;
  /** Of all journaled tool results. */
  evidence(): readonly Evidence[];
  /** The same. */
  files(): readonly Attachment[];
}

/** Without the keys that are undefined. */
const defined = <Value extends object>(value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Value;

const asModelTurn = ({ toolCalls, ...turn }: z.infer<typeof modelTurn>): ModelTurn =>
  defined({ ...turn, toolCalls: toolCalls.map((call) => defined(call) as RawToolCall) }) as ModelTurn;

const storedOutcome = ({ files, ...outcome }: ToolOutcome) => ({
  ...outcome,
  ...(files === undefined
    ? {}
    : { files: files.map((kept) => ({ ...kept, bytes: Buffer.from(kept.bytes).toString('base64') })) }),
});

/** An entry of another shape (written by another version) counts as absent: its step is done again. */
export const openJournal = async (journal: RunJournal): Promise<StepJournal> => {
  const models = new Map<string, ModelTurn>();
  const outcomes = new Map<string, ToolOutcome>();
  const refusals = new Map<string, Refused>();
  const begun = new Set<string>();
  const arrivals = new Map<string, readonly ArrivedMessage[]>();
  for (const entry of await journal.read()) {
    const { key, value } = entry;
    switch (key.slice(0, key.indexOf(':'))) {
      case 'model': {
        const parsed = modelTurn.safeParse(value);
        if (parsed.success) models.set(key, asModelTurn(parsed.data));
        break;
      }
      case 'tool': {
        const parsed = toolOutcome.safeParse(value);
        if (parsed.success) outcomes.set(key, defined(parsed.data) as ToolOutcome);
        break;
      }
      case 'approval': {
        const parsed = refusal.safeParse(value);
        if (parsed.success) refusals.set(key, parsed.data);
        break;
      }
      case 'begun':
        begun.add(key);
        break;
      case ARRIVED: {
        const messages = readArrived(entry);
        if (messages !== undefined) arrivals.set(key, messages);
        break;
      }
      default:
    }
  }
  const write = (key: string, value: JsonValue | ModelTurn | ReturnType<typeof storedOutcome>): Promise<void> =>
    // All are plain data that JSON holds without loss.
    journal.write({ key, value: value as unknown as JsonValue });
  let kept: Promise<void>[] = [];
  return {
    size: models.size + outcomes.size,
    findModel: (step) => models.get(`model:${step}`),
    putModel: (step, turn) => write(`model:${step}`, turn),
    findTool: (step, index) => outcomes.get(`tool:${step}:${index}`),
    keepTool: (step, index, outcome) => {
      const written = write(`tool:${step}:${index}`, storedOutcome(outcome));
      // Whoever waits for `durable` is told of a failure; the run may also end before.
      written.catch(() => undefined);
      kept.push(written);
    },
    durable: async () => {
      const writes = kept;
      kept = [];
      await Promise.all(writes);
    },
    hasBegun: (step, index) => begun.has(`begun:${step}:${index}`),
    putBegun: (step, index) => write(`begun:${step}:${index}`, true),
    findRefusal: (step, index) => refusals.get(`approval:${step}:${index}`),
    putRefusal: (step, index, refused) => write(`approval:${step}:${index}`, refused),
    findArrived: (step) => arrivals.get(`${ARRIVED}:${step}`),
    evidence: () => [...outcomes.values()].flatMap((outcome) => outcome.evidence),
    files: () => [...outcomes.values()].flatMap(({ files = [] }) => files),
  };
};
