/**
 * What went wrong with a model endpoint, as one of our codes. The other side's text stays in the cause: it may repeat a key
 * or the question.
 */
import { AppError, type ErrorCode } from '../agent/errors.ts';

interface ApiFailure {
  readonly status: number | undefined;
  readonly code: string;
  readonly type: string;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const headerOf = (error: object, name: string): string | null => {
  const headers: unknown = 'headers' in error ? error.headers : undefined;
  return headers instanceof Headers ? headers.get(name) : null;
};

/** `Retry-After` in seconds or as a date, and the millisecond form some endpoints send. */
const retryAfterOf = (error: object, nowMs: number): number | undefined => {
  const ms = Number(headerOf(error, 'retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const header = headerOf(error, 'retry-after')?.trim();
  if (header === undefined || header === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
};

const readFailure = (error: unknown, nowMs: number): ApiFailure => {
  if (typeof error !== 'object' || error === null) {
    return { status: undefined, code: '', type: '', message: '', retryAfterMs: undefined };
  }
  const fields = error as { status?: unknown; code?: unknown; type?: unknown; message?: unknown };
  return {
    status: typeof fields.status === 'number' ? fields.status : undefined,
    code: text(fields.code),
    type: text(fields.type),
    message: text(fields.message),
    retryAfterMs: retryAfterOf(error, nowMs),
  };
};

const isQuota = ({ code, type, message }: ApiFailure): boolean =>
  code === 'insufficient_quota' ||
  type === 'insufficient_quota' ||
  /insufficient[_ -]?quota|exceeded your current quota|billing/iu.test(message);

const isTooLong = ({ code, message }: ApiFailure): boolean =>
  code === 'context_length_exceeded' ||
  /maximum context length|context_length_exceeded|exceeds the context window/iu.test(message);

const byStatus = (failure: ApiFailure): readonly [ErrorCode, string] => {
  const { status } = failure;
  if (isTooLong(failure)) return ['model_too_large', 'The request is longer than the model can read.'];
  if (status === 401 || status === 403)
    return ['model_auth', `The model endpoint refused the key (HTTP ${status}). Check it with "threadwise doctor".`];
  if (status === 402) return ['model_quota', 'The model account has no credit left (HTTP 402).'];
  if (status === 429) {
    return isQuota(failure)
      ? ['model_quota', 'The quota of the model account is used up (HTTP 429).']
      : ['model_rate_limited', 'The model endpoint limits the rate of requests (HTTP 429).'];
  }
  if (status === 408) return ['model_timeout', 'The model endpoint gave up waiting (HTTP 408).'];
  if (status === 404)
    return ['model_rejected', 'The model endpoint knows no such model or address (HTTP 404). Check the base URL and the model.'];
  if (status === 413) return ['model_too_large', 'The request is too large for the model endpoint (HTTP 413).'];
  if (status !== undefined && status >= 300 && status < 400) {
    return [
      'model_rejected',
      `The model endpoint redirects elsewhere (HTTP ${status}); redirects are not followed. Set the final address.`,
    ];
  }
  if (status !== undefined && status >= 400 && status < 500)
    return ['model_rejected', `The model endpoint rejected the request (HTTP ${status}).`];
  if (status !== undefined) return ['model_unavailable', `The model endpoint failed (HTTP ${status}).`];
  return ['model_unavailable', 'The model endpoint could not be reached.'];
};

/** An error reported inside a stream has a code or a type, but no status. */
const inStream = (failure: ApiFailure): readonly [ErrorCode, string] | undefined => {
  if (isQuota(failure)) return ['model_quota', 'The quota of the model account is used up.'];
  const kind = `${failure.code} ${failure.type}`;
  if (/rate_limit/u.test(kind)) return ['model_rate_limited', 'The model endpoint limits the rate of requests.'];
  if (/invalid_request|content_policy/u.test(kind)) return ['model_rejected', 'The model endpoint rejected the request.'];
  return undefined;
};

const MAX_CAUSES = 5;

/** The client wraps what our own fetch threw. */
const ownError = (error: unknown): AppError | undefined => {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if (current instanceof AppError) return current;
    current = current.cause;
  }
  return undefined;
};

/** `started`: part of the answer had arrived, so what failed is its stream. */
export const toModelError = (error: unknown, started: boolean, nowMs: number): AppError => {
  const own = ownError(error);
  if (own !== undefined) return own;
  const failure = readFailure(error, nowMs);
  const { retryAfterMs } = failure;
  const options = { cause: error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new AppError('model_timeout', 'The model endpoint gave no answer in time.', options);
  }
  const named = failure.status === undefined ? inStream(failure) : undefined;
  if (named !== undefined) return new AppError(...named, options);
  if (started && failure.status === undefined && !isTooLong(failure)) {
    return new AppError('model_interrupted', 'The model stream broke off.', options);
  }
  return new AppError(...byStatus(failure), options);
};
