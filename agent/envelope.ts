/** What a model is told of a failed tool call: never more than is known, and no raw text of the failure. */
import { AppError, ERRORS, type ErrorCode, type FailureKind } from './errors.ts';
import type { ToolEffect } from './ports/tool.ts';

export interface FailureEnvelope {
  readonly ok: false;
  readonly kind: FailureKind;
  readonly retryable: boolean;
  readonly did_it_happen: 'no' | 'unknown';
  /** Where the other side named a time: not before so many seconds have passed. */
  readonly retry_after_s?: number;
  readonly advice: string;
}

/**
 * By the table of errors. A failed write may have happened; repeating it is then nobody's to advise. Nor is a call that the service
 * takes again only after more than `waitCapMs`: by then the run is over.
 */
export const toldOf = (error: AppError, effect: ToolEffect, waitCapMs: number): FailureEnvelope => {
  const { kind, retryable, didNotHappen, advice } = ERRORS[error.code];
  const unknown = !didNotHappen && effect === 'write';
  const waitMs = error.retryAfterMs ?? 0;
  const isLong = waitMs > waitCapMs;
  const told = advice ?? error.message;
  return {
    ok: false,
    kind,
    retryable: retryable && !unknown && !isLong,
    did_it_happen: unknown ? 'unknown' : 'no',
    ...(waitMs === 0 ? {} : { retry_after_s: Math.ceil(waitMs / 1000) }),
    advice: isLong ? `${told} It can be tried again in ${inWords(waitMs)}, which is too late for this answer: say so.` : told,
  };
};

const inWords = (ms: number): string => {
  const minutes = Math.ceil(ms / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
};

/** System calls and the fetch of Node name what went wrong by these; the list is of those where no answer came. */
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
]);
const STATUS_CODES: ReadonlyMap<unknown, ErrorCode> = new Map<unknown, ErrorCode>([
  [429, 'tool_rate_limited'],
  [502, 'tool_network'],
  [503, 'tool_network'],
  [504, 'tool_network'],
]);
const MAX_CAUSES = 5;

/**
 * A thrown value as one of our codes, told by its `code`, `status` or `name`, or those of its causes; never by its text. A
 * `retryAfterMs` beside the status is when the service takes the call again.
 */
export const asToolError = (thrown: unknown, tool: string): AppError => {
  let current = thrown;
  for (let depth = 0; depth < MAX_CAUSES && typeof current === 'object' && current !== null; depth += 1) {
    if (current instanceof AppError) return current;
    const { code, status, name, cause, retryAfterMs } = current as Record<
      'code' | 'status' | 'name' | 'cause' | 'retryAfterMs',
      unknown
    >;
    const byStatus = STATUS_CODES.get(status);
    if (byStatus !== undefined) {
      const wait = typeof retryAfterMs === 'number' && retryAfterMs > 0 ? { retryAfterMs } : {};
      return new AppError(byStatus, `The service behind ${tool} answered ${String(status)}.`, { cause: thrown, ...wait });
    }
    if (typeof code === 'string' && NETWORK_CODES.has(code)) {
      return new AppError('tool_network', `The service behind ${tool} could not be reached (${code}).`, { cause: thrown });
    }
    if (name === 'TimeoutError') return new AppError('tool_timeout', timeoutWords(undefined), { cause: thrown });
    current = cause;
  }
  return new AppError('tool_failed', `The tool ${tool} failed.`, { cause: thrown });
};

const timeoutWords = (timeoutMs: number | undefined): string =>
  `No answer ${timeoutMs === undefined ? 'in time' : `within ${timeoutMs / 1000} s`}. Nothing else is known; this is no evidence that the service is down.`;

export const toolTimeout = (timeoutMs: number): AppError => new AppError('tool_timeout', timeoutWords(timeoutMs));

export const unknownTool = (names: readonly string[]): AppError =>
  new AppError('tool_unknown', `There is no tool of that name. The tools are: ${names.join(', ') || 'none'}.`);

export const invalidArguments = (advice: string): AppError => new AppError('tool_arguments', advice);

export const tooManyCalls = (limit: number): AppError =>
  new AppError('tool_refused', `Only the first ${limit} calls of a step run. Ask for the rest in the next step if you need it.`);

export const repeatedCall = (): AppError =>
  new AppError(
    'tool_repeated',
    'You made this call before with the same result, which stands above. Change your approach, or answer with what you have.',
  );

export const setAside = (tool: string, waitSeconds: number): AppError =>
  new AppError(
    'tool_set_aside',
    `${tool} failed and is set aside for ${waitSeconds} s. Take another way, or answer with what you have and say what is missing.`,
  );

export const notApproved = (): AppError =>
  new AppError('tool_denied', 'A person was asked and did not agree to this call. Do not make it again; tell the asker.');

export const approvalExpired = (): AppError =>
  new AppError(
    'tool_denied',
    'A person was asked, and nobody decided in time, so the call was not made. Do not make it again; tell the asker.',
  );

/** A person reads all of it before they agree. */
export const callTooLong = (length: number, limit: number): AppError =>
  new AppError(
    'tool_too_large',
    `A person must agree to this call, and its arguments have ${length} characters; at most ${limit} can be shown. Make them shorter.`,
  );

export const nobodyToApprove = (): AppError =>
  new AppError('tool_denied', "This call needs a person's agreement, and nobody can be asked here. Tell the asker.");

export const begunBefore = (): AppError =>
  new AppError(
    'tool_interrupted',
    'The process ended while this call ran. Whether it happened is not known: check before anyone makes it again.',
  );

/** For the calls beside one whose arguments were cut: what the turn meant to say is not known. */
export const cutTurn = (): AppError =>
  new AppError('tool_skipped', 'Another call of the same turn was cut off, so none of them ran. Send them again, complete.');
