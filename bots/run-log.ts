/** A run's events as lines of the log. */

import type { EventSink } from '../agent/events.ts';
import type { Logger } from '../agent/ports/logger.ts';

export const createRunLog =
  (logger: Logger): EventSink =>
  (event) => {
    switch (event.type) {
      case 'model_finished': {
        const { step, finishReason, toolCalls, usage, durationMs, model, replayed } = event;
        return logger.debug('model_finished', { step, finishReason, toolCalls, ...usage, durationMs, model, replayed });
      }
      case 'model_failed':
        return logger.warn('model_failed', { step: event.step, code: event.code, willRetry: event.willRetry });
      case 'tool_finished': {
        const { step, name, ok, code, durationMs, replayed } = event;
        return logger.debug('tool_finished', { step, tool: name, ok, code, durationMs, replayed });
      }
      case 'run_finished': {
        const { answer, steps, tools, usage, durationMs } = event;
        const took = Math.round(durationMs);
        return logger.info('run_finished', { stopReason: answer.stopReason, steps, tools, ...usage, durationMs: took });
      }
      default:
        return;
    }
  };
