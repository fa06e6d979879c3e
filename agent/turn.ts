/**
 * One run: the window, then model, verdict and tools by turns, until there is an answer or a reason to stop. Every model turn and
 * tool result is journaled before it is used, so that a run taken up again asks and does nothing twice.
 */
import { createAct } from './act.ts';
import { modelAnswer, plainAnswer, refusedAnswer, unfinishedAnswer } from './answer.ts';
import { createApprovals } from './approval.ts';
import { createMeter, createRequestEstimate } from './budget.ts';
import { createDegradation } from './degradation.ts';
import { openJournal } from './journal.ts';
import type { Loop } from './loop.ts';
import { provenanceOfHistory } from './provenance.ts';
import { cleanQuestion, hasWords } from './question.ts';
import { createRepeatGuard } from './repeat-guard.ts';
import { CANCELLED, type RunInput, type RunResult } from './run.ts';
import { openRunContext, type RunContext, TIME_UP } from './run-context.ts';
import { endOf, isFatal } from './run-end.ts';
import { takeArrived } from './steering.ts';
import { createThink } from './think.ts';
import { createTranscript } from './transcript.ts';
import { judgeTurn } from './verdict.ts';

export const runTurn = async (loop: Loop, input: RunInput): Promise<RunResult> => {
  const { clock, logger, limits, model } = loop;
  const question = cleanQuestion(input.question);
  const run = openRunContext({ input, question, modelId: model.id, runTimeoutMs: limits.runTimeoutMs, clock, logger });
  try {
    return refuseQuestion(run, limits.questionChars) ?? (await runSteps(loop, run));
  } catch (error) {
    return endEarly(loop, run, error);
  } finally {
    run.close();
  }
};

/** The answer to what is no question, before anything is spent on it. */
const refuseQuestion = (run: RunContext, maxChars: number): RunResult | undefined => {
  const { question, texts } = run;
  if (!hasWords(question)) return run.finish(plainAnswer(run.answerContext(), texts.emptyQuestion, 'empty_question'));
  if (question.length <= maxChars) return undefined;
  const text = texts.questionTooLong(question.length, maxChars);
  return run.finish(plainAnswer({ ...run.answerContext(), question: '' }, text, 'question_too_long'));
};

const runSteps = async (loop: Loop, run: RunContext): Promise<RunResult> => {
  const { clock, limits, layers, logger, registry } = loop;
  const { input, texts } = run;
  const journal = await openJournal(input.journal);
  run.evidence.restore(journal.evidence());
  run.attachments.restore(journal.files());
  run.emit({ type: 'run_started', resumedEntries: journal.size });
  run.enter('idle');

  const transcript = createTranscript(await loop.windowFor(run), (repairs) => {
    logger.warn('history_repaired', { turnId: input.turnId, rules: [...new Set(repairs)] });
    run.emit({ type: 'guard_acted', step: 0, layer: 'history', detail: repairs.join(',') });
  });
  const meter = createMeter(loop.budgets, { scope: input.scope, placeId: input.place?.id, clock });
  const think = createThink({ ask: loop.ask, logger, run, journal, transcript, meter, estimate: createRequestEstimate() });
  const act = createAct({
    run,
    journal,
    transcript,
    meter,
    approvals: createApprovals(
      input,
      journal,
      run.signal,
      loop.freeTools,
      provenanceOfHistory(input.history, input.scope.userId, registry.find),
    ),
    guard: createRepeatGuard(limits),
    degradation: createDegradation(limits, clock),
    execute: loop.execute,
    registry,
    limits,
    layers,
    logger,
  });
  let offered = loop.offer(run.question);
  let mustAnswer = false;
  let askedShorter = false;

  try {
    for (let step = 1; ; step += 1) {
      run.signal.throwIfAborted();
      const isLast = mustAnswer || step > limits.steps;
      run.beginStep(step);
      const arrived = isLast ? [] : await takeArrived(input, journal, step);
      if (arrived.length > 0) {
        run.hear(arrived);
        transcript.hear(arrived);
        if (offered !== registry.specs) offered = loop.offer(run.question);
      }
      run.enter('thinking');
      const turn = await think(step, isLast ? [] : offered);
      switch (judgeTurn(turn)) {
        case 'answer':
          return run.finish(modelAnswer(run.answerContext(), turn, false));
        case 'refused':
          return run.finish(refusedAnswer(run.answerContext(), turn));
        case 'cut':
          if (askedShorter || isLast) return run.finish(modelAnswer(run.answerContext(), turn, true));
          askedShorter = true;
          transcript.note('shorter');
          break;
        case 'tools': {
          if (isLast) return run.finish(unfinishedAnswer(run.answerContext(), texts.stepLimit(step), 'step_limit'));
          const outcome = await act(step, turn);
          mustAnswer ||= outcome.mustAnswer;
          if (outcome.widen) offered = registry.specs;
        }
      }
    }
  } finally {
    await meter.close();
  }
};

/** Always an answer, but for what the run's owner must know: its ground is gone, it was stopped, or it is parked. */
const endEarly = ({ limits, logger }: Loop, run: RunContext, error: unknown): RunResult => {
  const { signal, texts } = run;
  if (signal.aborted) {
    if (signal.reason === CANCELLED) return run.finish(plainAnswer(run.answerContext(), texts.cancelled, 'cancelled'));
    if (signal.reason !== TIME_UP) throw signal.reason;
    const text = texts.timeLimit(Math.round(limits.runTimeoutMs / 1000));
    return run.finish(unfinishedAnswer(run.answerContext(), text, 'time_limit'));
  }
  if (isFatal(error)) throw error;
  const end = endOf(error, texts, limits.retryAfterCapMs);
  if (end === undefined) {
    logger.error('run_failed', { turnId: run.input.turnId, error: error instanceof Error ? error : new Error(String(error)) });
  }
  return run.finish(unfinishedAnswer(run.answerContext(), end?.text ?? texts.failed, end?.stopReason ?? 'failed'));
};
