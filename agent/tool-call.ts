/** One call of one tool: within its time limit whatever it does, and again where the table of errors allows it. */
import { asToolError, toolTimeout } from './envelope.ts';
import { type AppError, ERRORS } from './errors.ts';
import type { JsonValue } from './json.ts';
import type { RunLimits } from './limits.ts';
import type { Clock } from './ports/clock.ts';
import type { Tool, ToolContext } from './ports/tool.ts';

export interface ToolCallDeps {
  readonly clock: Clock;
  readonly limits: RunLimits;
  readonly random: () => number;
}

export interface ToolCallOptions {
  readonly signal: AbortSignal;
  /** On the clock's monotonic scale; no further try goes beyond it. */
  readonly deadlineAt: number;
  readonly mayRetry: boolean;
  readonly onFailed: (error: AppError, willRetry: boolean) => void;
}

/** What a try of the call is given besides its signal. */
export type CallContext = Omit<ToolContext, 'signal'>;

/** Settles within the tool's limit whatever the tool does, and at once when the run is stopped. */
const runWithin = (tool: Tool, args: unknown, context: CallContext, signal: AbortSignal, clock: Clock): Promise<JsonValue> => {
  const controller = new AbortController();
  let cleanUp = (): void => {};
  const settled = new Promise<JsonValue>((resolve, reject) => {
    // Whoever gives up on the tool tells it so; one that ended by itself needs no telling.
    const giveUp = (reason: unknown): void => {
      reject(reason);
      controller.abort(reason);
    };
    const onAbort = (): void => giveUp(signal.reason);
    if (signal.aborted) return onAbort();
    const stopTimer = clock.after(tool.timeoutMs, () => giveUp(toolTimeout(tool.timeoutMs)));
    signal.addEventListener('abort', onAbort, { once: true });
    cleanUp = () => {
      stopTimer();
      signal.removeEventListener('abort', onAbort);
    };
    // A synchronous throw of the tool becomes a rejection as well.
    (async () => tool.run(args, { ...context, signal: controller.signal }))().then(resolve, reject);
  });
  return settled.finally(() => cleanUp());
};

export const isIdempotent = (tool: Tool): boolean => tool.idempotent ?? tool.effect === 'read';

/** The wait before the next try, with full jitter and `Retry-After` as its floor; undefined when there is none. */
const pauseMs = (error: AppError, attempt: number, tool: Tool, deps: ToolCallDeps, deadlineAt: number): number | undefined => {
  const { clock, limits, random } = deps;
  const { toolRetry } = ERRORS[error.code];
  const floorMs = error.retryAfterMs ?? 0;
  if (!isIdempotent(tool) || toolRetry === 'never' || floorMs > limits.retryAfterCapMs) return undefined;
  if (attempt >= (toolRetry === 'once' ? 2 : limits.toolTries)) return undefined;
  const pause = Math.max(Math.round(random() * limits.retryBaseMs * 2 ** (attempt - 1)), floorMs);
  // A call that timed out may take as long again.
  const neededMs = pause + (toolRetry === 'once' ? tool.timeoutMs : 0);
  return clock.monotonic() + neededMs < deadlineAt ? pause : undefined;
};

/** `openContext` is called for each try. Throws `AppError` by the table after the last one, or the signal's reason. */
export const callTool = async (
  deps: ToolCallDeps,
  tool: Tool,
  args: unknown,
  openContext: () => CallContext,
  { signal, deadlineAt, mayRetry, onFailed }: ToolCallOptions,
): Promise<JsonValue> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runWithin(tool, args, openContext(), signal, deps.clock);
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      const error = asToolError(thrown, tool.name);
      const pause = mayRetry ? pauseMs(error, attempt, tool, deps, deadlineAt) : undefined;
      onFailed(error, pause !== undefined);
      if (pause === undefined) throw error;
      await deps.clock.sleep(pause, signal);
    }
  }
};
