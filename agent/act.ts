/** One step's tool calls: judged by the loop guard and the degradation ladder, run, and their results put into the transcript. */
import type { Approvals } from './approval.ts';
import { canonicalJson, parseArguments } from './arguments.ts';
import type { Meter } from './budget.ts';
import type { Degradation } from './degradation.ts';
import { cutTurn, invalidArguments, repeatedCall, setAside } from './envelope.ts';
import { type AppError, ERRORS, type ErrorCode, hasCode } from './errors.ts';
import type { ExecuteStep, PlannedCall } from './execute.ts';
import { validName } from './history.ts';
import type { StepJournal, ToolOutcome } from './journal.ts';
import type { JsonObject } from './json.ts';
import type { LoopLayers } from './layers.ts';
import type { RunLimits } from './limits.ts';
import type { ToolCall } from './messages.ts';
import type { Logger } from './ports/logger.ts';
import type { ModelTurn, RawToolCall } from './ports/model-provider.ts';
import { redactArguments } from './redact.ts';
import type { ToolRegistry } from './registry.ts';
import type { CallResult, Detector, GuardedCall, RepeatGuard } from './repeat-guard.ts';
import { readMoreHint, stepCaps } from './results.ts';
import type { RunContext } from './run-context.ts';
import { BudgetReached } from './run-end.ts';
import type { SystemNote } from './system-notes.ts';
import type { RunTranscript } from './transcript.ts';
import { cutMiddle, unpairedRemoved } from './unicode.ts';

export interface ActDeps {
  readonly run: RunContext;
  readonly journal: StepJournal;
  readonly transcript: RunTranscript;
  readonly meter: Meter;
  readonly approvals: Approvals;
  readonly guard: RepeatGuard;
  readonly degradation: Degradation;
  readonly execute: ExecuteStep;
  readonly registry: ToolRegistry;
  readonly limits: RunLimits;
  readonly layers: LoopLayers;
  readonly logger: Logger;
}

export interface ActOutcome {
  /** The next step has no tools: the model must answer with what there is. */
  readonly mustAnswer: boolean;
  /** A tool is missing or down, so another one may be wanted than those first offered. */
  readonly widen: boolean;
}

export type Act = (step: number, turn: ModelTurn) => Promise<ActOutcome>;

interface Plan extends PlannedCall {
  /** As the history keeps it: canonical arguments, a name that providers take. */
  readonly stored: ToolCall;
  readonly args: JsonObject | undefined;
  readonly guarded: GuardedCall;
  /** The guard knows of it and waits for its result. */
  readonly isWatched: boolean;
}

const NOTE_OF: Readonly<Record<Detector, SystemNote>> = {
  same_call: 'circling',
  alternation: 'circling',
  no_news: 'circling',
  unknown_tool: 'unknown_tools',
};

const rulesOf = (code: string | null) => (code === null ? undefined : ERRORS[code as ErrorCode]);

/** Text that is cut off in the middle of JSON tells that the whole turn was, whatever its finish reason says. */
const isCut = ({ arguments: text, problem }: RawToolCall): boolean => {
  if (problem !== undefined || text.trim() === '') return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
};

const askedOf = ({ question, input: { history, scope } }: RunContext): readonly string[] => [
  question,
  ...history.flatMap((turn) => (turn.userId === scope.userId ? [turn.question] : [])),
];

export const createAct = (deps: ActDeps): Act => {
  const { run, journal, transcript, meter, approvals, guard, degradation, execute, registry, limits, layers, logger } = deps;
  let calls = 0;
  /** Whole results by call id. */
  const shelf = new Map<string, string>();

  const refusalOf = (raw: RawToolCall, guarded: GuardedCall, turnIsCut: boolean): { refused?: AppError; isWatched: boolean } => {
    if (raw.problem !== undefined) return { refused: invalidArguments(raw.problem), isWatched: false };
    if (turnIsCut) return isCut(raw) ? { isWatched: false } : { refused: cutTurn(), isWatched: false };
    if (layers.repeatGuard && guard.announce(guarded) !== undefined && guarded.isKnown) {
      return { refused: repeatedCall(), isWatched: false };
    }
    if (layers.degradation && guarded.isKnown) {
      const waitMs = degradation.admit(raw.name);
      if (waitMs !== undefined) return { refused: setAside(raw.name, Math.ceil(waitMs / 1000)), isWatched: true };
    }
    return { isWatched: true };
  };

  const plan = (raw: RawToolCall, turnIsCut: boolean): Plan => {
    calls += 1;
    const parsed = parseArguments(raw.arguments);
    const args = parsed.ok ? parsed.value : undefined;
    const call: ToolCall = { id: `call_${calls}`, name: raw.name, arguments: raw.arguments };
    const stored = { ...call, name: validName(raw.name), arguments: args === undefined ? '{}' : canonicalJson(args) };
    const guarded = {
      name: raw.name,
      signature: `${raw.name}\n${args === undefined ? raw.arguments : stored.arguments}`,
      isKnown: registry.find(raw.name) !== undefined,
    };
    return { call, stored, args, guarded, ...refusalOf(raw, guarded, turnIsCut) };
  };

  /** One step counts once for a tool, however many calls of it there were. */
  const climb = (step: number, plans: readonly Plan[], outcomes: readonly ToolOutcome[]): ReadonlyMap<string, number> => {
    const levels = new Map<string, number>();
    if (!layers.degradation) return levels;
    const byTool = Map.groupBy(plans.entries(), ([, { call }]) => call.name);
    for (const [tool, entries] of byTool) {
      if (registry.find(tool) === undefined) continue;
      const codes = entries.map(([index]) => outcomes[index]?.code ?? null);
      const hasFailed = codes.some((code) => rulesOf(code)?.counts === true);
      const waitMs = Math.max(0, ...entries.map(([index]) => outcomes[index]?.retryAfterMs ?? 0));
      const level = degradation.record(tool, codes.includes(null) ? 'succeeded' : hasFailed ? 'failed' : 'undecided', waitMs);
      levels.set(tool, level);
      if (hasFailed) run.emit({ type: 'guard_acted', step, layer: 'degradation', detail: `${tool}:${level}` });
    }
    return levels;
  };

  /** From the second failure of a tool on, its failure says what else there is. */
  const advised = (content: string, level: number, tool: string): string => {
    if (level < 2) return content;
    const others = registry.tools.map(({ name }) => name).filter((name) => name !== tool);
    const told = JSON.parse(content) as { advice: string };
    const way =
      others.length === 0
        ? 'Answer with what you have.'
        : `Use another tool (${others.join(', ')}), or answer with what you have.`;
    return JSON.stringify({ ...told, advice: `${told.advice} ${tool} has failed ${level} times in a row. ${way}` });
  };

  const observe = (plans: readonly Plan[], outcomes: readonly ToolOutcome[]): void => {
    if (!layers.repeatGuard) return;
    for (const [index, { guarded, isWatched }] of plans.entries()) {
      if (!isWatched) continue;
      const { content, code, evidence } = outcomes[index] as ToolOutcome;
      const result: CallResult = {
        content,
        hasFailed: rulesOf(code)?.counts === true,
        found: evidence.map(({ chunkId }) => chunkId),
      };
      guard.observe(guarded, result);
    }
  };

  /** What the model is shown of each result: its share of the step's room, with the whole on the shelf. */
  const show = (plans: readonly Plan[], outcomes: readonly ToolOutcome[], levels: ReadonlyMap<string, number>): string[] => {
    const maxChars = layers.resultCap ? limits.stepResultChars : Number.POSITIVE_INFINITY;
    const caps = stepCaps(
      outcomes.map(({ content }) => content.length),
      maxChars,
    );
    return outcomes.map(({ content, code, full }, index) => {
      const { stored, call } = plans[index] as Plan;
      if (rulesOf(code)?.counts === true) return advised(content, levels.get(call.name) ?? 0, call.name);
      const cut = cutMiddle(content, caps[index] ?? content.length);
      const whole = full ?? content;
      shelf.set(stored.id, whole);
      if (whole === cut) return content;
      return registry.find('read_more') === undefined ? cut : `${cut}${readMoreHint(stored.id, whole.length)}`;
    });
  };

  const judge = (step: number, levels: ReadonlyMap<string, number>): ActOutcome => {
    const { detectors, isFinal } = guard.verdict();
    for (const detector of detectors) {
      transcript.note(NOTE_OF[detector]);
      run.emit({ type: 'guard_acted', step, layer: 'repeat', detail: detector });
    }
    const worst = Math.max(0, ...levels.values());
    if (worst >= 3) transcript.note('tools_failed');
    return { mustAnswer: isFinal || worst >= 3, widen: worst >= 2 || detectors.includes('unknown_tool') };
  };

  return async (step, turn) => {
    const turnIsCut = turn.toolCalls.some(isCut);
    const hit = journal.findTool(step, 0) === undefined ? await meter.reserveTools(turn.toolCalls.length) : undefined;
    if (hit !== undefined) {
      run.emit({ type: 'guard_acted', step, layer: 'budget', detail: `${hit.owner}:${hit.unit}` });
      throw new BudgetReached(hit);
    }
    const plans = turn.toolCalls.map((raw) => plan(raw, turnIsCut));
    run.enter('executing');
    let isFirstMade = false;
    const outcomes = await execute(plans, {
      turnId: run.input.turnId,
      step,
      scope: run.input.scope,
      labels: run.input.labels,
      signal: run.signal,
      deadlineAt: run.deadlineAt,
      evidence: run.evidence,
      attachments: run.attachments,
      journal,
      approvals,
      readResult: (callId) => shelf.get(callId),
      asked: askedOf(run),
      place: run.input.place,
      events: {
        started: ({ id, name }) => run.emit({ type: 'tool_started', step, callId: id, name }),
        finished: ({ id, name }, { code }, durationMs, replayed) => {
          isFirstMade ||= id === plans[0]?.call.id;
          run.emit({ type: 'tool_finished', step, callId: id, name, ok: code === null, code, durationMs, replayed });
          const args = plans.find(({ call }) => call.id === id)?.args;
          const fields = { turnId: run.input.turnId, step, tool: validName(name), code, durationMs };
          logger.info('tool_called', fields);
          // Arguments hold what people wrote.
          if (args !== undefined) logger.debug('tool_arguments', { ...fields, arguments: redactArguments(args) });
        },
      },
    }).catch((error: unknown) => {
      // Whoever takes the run up reserves the step again, unless its first result is in the journal.
      if (hasCode(error, 'approval_pending') && !isFirstMade) meter.returnTools(turn.toolCalls.length);
      throw error;
    });
    run.enter('observing');
    observe(plans, outcomes);
    const levels = climb(step, plans, outcomes);
    const contents = show(plans, outcomes, levels);
    transcript.add(
      {
        role: 'assistant',
        content: unpairedRemoved(turn.text),
        toolCalls: plans.map(({ stored }) => stored),
        ...(turn.reasoning === undefined ? {} : { reasoning: turn.reasoning }),
      },
      ...plans.map(({ stored }, index) => ({
        role: 'tool' as const,
        callId: stored.id,
        name: stored.name,
        content: contents[index] as string,
      })),
    );
    run.files.push(...outcomes.flatMap(({ files = [] }) => files));
    run.tools.push(...plans.map(({ stored }) => stored.name));
    return judge(step, levels);
  };
};
