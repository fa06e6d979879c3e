/**
 * The agent loop: window, then model, verdict and tools by turns, until there is an answer or a reason to stop. Every model
 * turn and tool result is journaled before it is used, so that a run taken up again asks and does nothing twice.
 */
import { z } from 'zod';
import { type AnswerContext, modelAnswer, plainAnswer, refusedAnswer, unfinishedAnswer } from './answer.ts';
import { canonicalJson, parseArguments } from './arguments.ts';
import { type AskDeps, askModel } from './ask.ts';
import type { Answer } from './conversation.ts';
import { AppError } from './errors.ts';
import type { AgentEvent } from './events.ts';
import { createEvidence } from './evidence.ts';
import { createExecutor, type ExecuteStep, type PlannedCall } from './execute.ts';
import { openJournal, type ToolOutcome } from './journal.ts';
import type { JsonObject } from './json.ts';
import type { RunLimits } from './limits.ts';
import type { ChatMessage, ToolCall } from './messages.ts';
import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { ModelProvider, ModelTurn, ToolSpec } from './ports/model-provider.ts';
import type { Tool } from './ports/tool.ts';
import type { CountTokens, FitWindow } from './ports/window.ts';
import { cleanQuestion, hasWords } from './question.ts';
import { type Agent, CANCELLED, type RunInput, type RunResult } from './run.ts';
import { SYSTEM_PROMPT } from './system-prompt.ts';
import { textsFor } from './texts.ts';
import { unpairedRemoved } from './unicode.ts';
import { createTextGate } from './unknown.ts';
import { judgeTurn } from './verdict.ts';

export interface AgentDeps {
  readonly model: ModelProvider;
  readonly tools: readonly Tool[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: RunLimits;
  /** Tokens for the system prompt, the history and the question together. */
  readonly windowTokens: number;
  readonly fitWindow: FitWindow;
  readonly countTokens: CountTokens;
  /** For the waits between tries; 0 to 1. */
  readonly random?: () => number;
}

/** The abort reason of a run that used up its time. */
const TIME_UP = Symbol('time_up');

/** Said in the system prompt, so that the last message stays the question. */
const SHORTER = 'Your last answer was cut off at its length limit. Answer in at most five sentences.';

/** Failures of the run's own ground: whoever started the run decides, since an answer could not be kept. */
const isFatal = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'lease_lost' || error.code.startsWith('store_'));

const specOf = (tool: Tool): ToolSpec => {
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.parameters);
  return { name: tool.name, description: tool.description, parameters: parameters as JsonObject };
};

/** Without its common fields: the run adds them. */
type EventBody = AgentEvent extends infer Event ? (Event extends AgentEvent ? Omit<Event, 'turnId' | 'at'> : never) : never;

interface Loop extends AgentDeps {
  readonly ask: AskDeps;
  readonly execute: ExecuteStep;
  readonly specs: readonly ToolSpec[];
}

export const createAgent = (deps: AgentDeps): Agent => {
  const { model, clock, limits } = deps;
  const loop: Loop = {
    ...deps,
    ask: { model, clock, limits, random: deps.random ?? Math.random },
    execute: createExecutor(deps),
    specs: deps.tools.map(specOf),
  };
  return { run: (input) => runTurn(loop, input) };
};

const runTurn = async (loop: Loop, input: RunInput): Promise<RunResult> => {
  const { clock, limits, logger } = loop;
  const texts = textsFor(input.language);
  const startedAt = clock.monotonic();
  const question = cleanQuestion(input.question);
  const evidence = createEvidence();
  const tools: string[] = [];
  let usage = { inputTokens: 0, outputTokens: 0 };
  let modelName = loop.model.id;
  let fallback = false;
  let steps = 0;

  const emit = (event: EventBody): void => {
    try {
      input.onEvent?.({ turnId: input.turnId, at: clock.now(), ...event } as AgentEvent);
    } catch (error) {
      logger.error('event_sink_failed', { error: error instanceof Error ? error : undefined });
    }
  };
  const context = (): AnswerContext => ({ question, language: input.language, evidence: evidence.all(), fallback });
  const finish = (answer: Answer): RunResult => {
    const result = { answer, steps, tools, usage, model: modelName, durationMs: clock.monotonic() - startedAt };
    emit({ type: 'run_finished', answer, steps, tools, usage, durationMs: result.durationMs });
    return result;
  };
  const unfinished = (text: string, reason: Answer['stopReason']): RunResult => finish(unfinishedAnswer(context(), text, reason));

  if (!hasWords(question)) return finish(plainAnswer(context(), texts.emptyQuestion, 'empty_question'));
  if (question.length > limits.questionChars) {
    const text = texts.questionTooLong(question.length, limits.questionChars);
    return finish(plainAnswer({ ...context(), question: '' }, text, 'question_too_long'));
  }

  const stop = new AbortController();
  const onAbort = (): void => stop.abort(input.signal.reason);
  if (input.signal.aborted) onAbort();
  input.signal.addEventListener('abort', onAbort, { once: true });
  const stopTimer = clock.after(limits.runTimeoutMs, () => stop.abort(TIME_UP));
  const deadlineAt = startedAt + limits.runTimeoutMs;

  try {
    const journal = await openJournal(input.journal);
    evidence.restore(journal.evidence());
    emit({ type: 'run_started', resumedEntries: journal.size });

    const messages: ChatMessage[] = [
      ...loop.fitWindow({
        system: SYSTEM_PROMPT,
        history: input.history,
        question,
        speaker: input.speaker,
        budgetTokens: loop.windowTokens,
        countTokens: loop.countTokens,
      }),
    ];
    const seen = new Map<string, number>();
    let calls = 0;
    let answerNow = false;
    let askedShorter = false;

    const askStep = async (step: number, specs: readonly ToolSpec[]): Promise<ModelTurn> => {
      let shown = false;
      const newGate = (): ReturnType<typeof createTextGate> =>
        createTextGate((delta) => {
          shown = true;
          emit({ type: 'text_delta', step, delta });
        });
      let gate = newGate();
      const reset = (): void => {
        if (shown) emit({ type: 'text_reset', step });
        shown = false;
        gate = newGate();
      };
      const askedAt = clock.monotonic();
      const turn = await askModel(
        loop.ask,
        { messages, tools: specs },
        {
          signal: stop.signal,
          deadlineAt,
          onText: (delta) => gate.push(delta),
          onFailed: (error, willRetry) => {
            logger.warn('model_call_failed', { code: error.code, step, willRetry, error });
            emit({ type: 'model_failed', step, code: error.code, willRetry });
            reset();
          },
        },
      );
      await journal.putModel(step, turn);
      if (judgeTurn(turn) === 'answer') gate.flush();
      else reset();
      modelFinished(step, turn, clock.monotonic() - askedAt, false);
      return turn;
    };
    const modelFinished = (step: number, turn: ModelTurn, durationMs: number, replayed: boolean): void =>
      emit({
        type: 'model_finished',
        step,
        finishReason: turn.finishReason,
        toolCalls: turn.toolCalls.length,
        usage: turn.usage,
        durationMs,
        model: turn.model,
        replayed,
      });

    const planCall = (raw: ModelTurn['toolCalls'][number]): { planned: PlannedCall; stored: ToolCall } => {
      calls += 1;
      const call: ToolCall = { id: `call_${calls}`, name: raw.name, arguments: raw.arguments };
      const parsed = parseArguments(raw.arguments);
      const stored = { ...call, arguments: parsed.ok ? canonicalJson(parsed.value) : '{}' };
      const key = `${raw.name}\n${parsed.ok ? stored.arguments : raw.arguments}`;
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      const refused = count >= limits.repeatedCalls;
      if (refused) answerNow = true;
      return { planned: { call, refused }, stored };
    };

    const runTools = async (step: number, turn: ModelTurn): Promise<void> => {
      const plans = turn.toolCalls.map(planCall);
      const outcomes = await loop.execute(
        plans.map(({ planned }) => planned),
        {
          step,
          scope: input.scope,
          labels: input.labels,
          signal: stop.signal,
          evidence,
          journal,
          events: {
            started: (call) => emit({ type: 'tool_started', step, callId: call.id, name: call.name }),
            finished: (call, { code }, durationMs, replayed) =>
              emit({
                type: 'tool_finished',
                step,
                callId: call.id,
                name: call.name,
                ok: code === null,
                code,
                durationMs,
                replayed,
              }),
          },
        },
      );
      messages.push({ role: 'assistant', content: unpairedRemoved(turn.text), toolCalls: plans.map(({ stored }) => stored) });
      for (const [index, { stored }] of plans.entries()) {
        tools.push(stored.name);
        const { content } = outcomes[index] as ToolOutcome;
        messages.push({ role: 'tool', callId: stored.id, name: stored.name, content });
      }
    };

    for (let step = 1; ; step += 1) {
      stop.signal.throwIfAborted();
      const last = answerNow || step > limits.steps;
      emit({ type: 'step_started', step });
      const journaled = journal.findModel(step);
      if (journaled !== undefined) modelFinished(step, journaled, 0, true);
      const turn = journaled ?? (await askStep(step, last ? [] : loop.specs));
      steps = step;
      usage = {
        inputTokens: usage.inputTokens + turn.usage.inputTokens,
        outputTokens: usage.outputTokens + turn.usage.outputTokens,
      };
      modelName = turn.model;
      fallback = turn.fallback === true;

      switch (judgeTurn(turn)) {
        case 'answer':
          return finish(modelAnswer(context(), turn, false));
        case 'refused':
          return finish(refusedAnswer(context(), turn));
        case 'cut':
          if (askedShorter || last) return finish(modelAnswer(context(), turn, true));
          askedShorter = true;
          messages[0] = { role: 'system', content: `${SYSTEM_PROMPT}\n\n${SHORTER}` };
          break;
        case 'tools':
          if (last) return unfinished(texts.stepLimit(step), 'step_limit');
          await runTools(step, turn);
      }
    }
  } catch (error) {
    if (stop.signal.aborted) {
      if (stop.signal.reason === TIME_UP)
        return unfinished(texts.timeLimit(Math.round(limits.runTimeoutMs / 1000)), 'time_limit');
      if (stop.signal.reason === CANCELLED) return finish(plainAnswer(context(), texts.cancelled, 'cancelled'));
      throw stop.signal.reason;
    }
    if (isFatal(error)) throw error;
    if (error instanceof AppError && error.code.startsWith('model_'))
      return unfinished(texts.modelUnavailable, 'model_unavailable');
    logger.error('run_failed', { turnId: input.turnId, error: error instanceof Error ? error : new Error(String(error)) });
    return unfinished(texts.failed, 'failed');
  } finally {
    stopTimer();
    input.signal.removeEventListener('abort', onAbort);
  }
};
