/** What every part of one run shares: its input, its limits in time, what it has used and found so far, and its events. */
import { type AnswerContext, carriesFiles } from './answer.ts';
import { type Attachment, type AttachmentRoom, createAttachmentRoom } from './attachment.ts';
import type { Answer, Usage } from './conversation.ts';
import type { AgentEvent, RunState } from './events.ts';
import { createEvidence, type EvidenceList } from './evidence.ts';
import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { ModelTurn } from './ports/model-provider.ts';
import type { ArrivedMessage, RunInput, RunResult } from './run.ts';
import { withArrived } from './steering.ts';
import { type Texts, textsFor } from './texts.ts';

/** Without its common fields: the run adds them. */
type EventBody = AgentEvent extends infer Event ? (Event extends AgentEvent ? Omit<Event, 'turnId' | 'at'> : never) : never;

/** The abort reason of a run that used up its time. */
export const TIME_UP = Symbol('time_up');

export interface RunContext {
  readonly input: RunInput;
  /** With what was folded in so far. */
  readonly question: string;
  readonly texts: Texts;
  readonly evidence: EvidenceList;
  readonly attachments: AttachmentRoom;
  /** What the calls attached so far, in their order. */
  readonly files: Attachment[];
  /** Of the tools called, in order. */
  readonly tools: string[];
  /** Aborts with the input's signal, and with `TIME_UP`. */
  readonly signal: AbortSignal;
  /** On the clock's monotonic scale. */
  readonly deadlineAt: number;
  emit(event: EventBody): void;
  enter(state: RunState): void;
  beginStep(step: number): void;
  /** Messages were folded in: they are part of the question from here on. */
  hear(arrived: readonly ArrivedMessage[]): void;
  /** A model turn counts, new or replayed. */
  count(turn: ModelTurn): void;
  answerContext(): AnswerContext;
  finish(answer: Answer): RunResult;
  /** Ends the timer and lets go of the input's signal. */
  close(): void;
}

export interface RunContextOptions {
  readonly input: RunInput;
  readonly question: string;
  readonly modelId: string;
  readonly runTimeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

export const openRunContext = (options: RunContextOptions): RunContext => {
  const { input, modelId, runTimeoutMs, clock, logger } = options;
  let { question } = options;
  const startedAt = clock.monotonic();
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(input.signal.reason);
  if (input.signal.aborted) onAbort();
  input.signal.addEventListener('abort', onAbort, { once: true });
  const stopTimer = clock.after(runTimeoutMs, () => stop.abort(TIME_UP));
  const evidence = createEvidence();
  const attachments = createAttachmentRoom();
  const files: Attachment[] = [];
  const tools: string[] = [];
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let model = modelId;
  let fallback = false;
  let steps = 0;
  let step = 0;
  let state: RunState | undefined;

  const emit = (event: EventBody): void => {
    try {
      input.onEvent?.({ turnId: input.turnId, at: clock.now(), ...event } as AgentEvent);
    } catch (error) {
      logger.error('event_sink_failed', { error: error instanceof Error ? error : undefined });
    }
  };
  const enter = (next: RunState): void => {
    if (next === state) return;
    state = next;
    emit({ type: 'state_changed', step, state });
  };
  return {
    input,
    get question() {
      return question;
    },
    texts: textsFor(input.language),
    evidence,
    attachments,
    files,
    tools,
    signal: stop.signal,
    deadlineAt: startedAt + runTimeoutMs,
    emit,
    enter,
    beginStep: (next) => {
      step = next;
      emit({ type: 'step_started', step });
    },
    hear: (arrived) => {
      question = withArrived(question, input.speaker, arrived);
      emit({ type: 'messages_folded', step, count: arrived.length });
    },
    count: (turn) => {
      steps = step;
      usage = {
        inputTokens: usage.inputTokens + turn.usage.inputTokens,
        outputTokens: usage.outputTokens + turn.usage.outputTokens,
      };
      model = turn.model;
      fallback = turn.fallback === true;
    },
    answerContext: () => ({ question, language: input.language, evidence: evidence.all(), fallback }),
    finish: (answer) => {
      const durationMs = clock.monotonic() - startedAt;
      const result: RunResult = { answer, files: carriesFiles(answer) ? files : [], steps, tools, usage, model, durationMs };
      enter('finished');
      emit({ type: 'run_finished', answer, steps, tools, usage, durationMs });
      return result;
    },
    close: () => {
      stopTimer();
      input.signal.removeEventListener('abort', onAbort);
    },
  };
};
