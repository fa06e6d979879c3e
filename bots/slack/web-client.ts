/**
 * Slack's Web API as the channel calls it: one try, eight seconds, and every failure as an `AppError` that says what is known.
 * The library would retry by itself for half an hour and post twice; retrying is the gateway's.
 */
import type { WebClientOptions } from '@slack/web-api';
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError, WebClient } from '@slack/web-api';
import { AppError, hasCode } from '../../agent/errors.ts';
import type { BoltLogger } from './bolt-log.ts';

/** Under the time after which the gateway searches for a message whose outcome is unknown. */
export const CALL_TIMEOUT_MS = 8_000;

/** Slack names waits up to some minutes; a bad one must not silence the channel for longer. */
const MAX_RETRY_AFTER_MS = 60_000;
/** Nobody is helped by asking more often while a token is refused. */
const REFUSED_TOKEN_WAIT_MS = 60_000;

const RATE_LIMITED = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);
const REFUSED_TOKEN = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'not_allowed_token_type',
]);
/** Slack's own trouble: whether the work was done is unknown. */
const UNKNOWN_OUTCOME = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout', 'team_added_to_org']);
const ERROR_CODE = /^[a-z][a-z0-9_]*$/;

export const clientOptions = (apiUrl: string | undefined, logger: BoltLogger): WebClientOptions => ({
  timeout: CALL_TIMEOUT_MS,
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
  allowAbsoluteUrls: false,
  logger,
  // The library joins the method's name to the address as it is.
  ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl.endsWith('/') ? apiUrl : `${apiUrl}/` }),
});

export const createWebClient = (token: string, apiUrl: string | undefined, logger: BoltLogger): WebClient =>
  new WebClient(token, clientOptions(apiUrl, logger));

/** Slack's own code of a failed call, or what kind of failure it was. Holds no text of the call. */
export const describeFailure = (error: unknown): string => {
  if (error instanceof WebAPIPlatformError) return ERROR_CODE.test(error.data.error) ? error.data.error : 'unreadable_answer';
  if (error instanceof WebAPIRateLimitedError) return 'ratelimited';
  if (error instanceof WebAPIHTTPError) return `http_${error.statusCode}`;
  if (error instanceof WebAPIRequestError) return 'no_answer';
  return error instanceof Error ? error.name : 'unknown';
};

const clampWait = (seconds: number): number => Math.min(Math.max(seconds * 1000, 1000), MAX_RETRY_AFTER_MS);

export const isRefusedToken = (error: unknown): boolean =>
  error instanceof WebAPIPlatformError && REFUSED_TOKEN.has(error.data.error);

/**
 * `channel_rejected`: Slack said no for good. `channel_unavailable` with `retryAfterMs`: not done, try later; without: whether it
 * was done is unknown. `cause` keeps the library's error.
 */
export const toChannelError = (error: unknown, method: string): AppError => {
  if (error instanceof AppError) return error;
  const code = describeFailure(error);
  const unavailable = (retryAfterMs?: number): AppError =>
    new AppError('channel_unavailable', `Slack did not carry out ${method}: ${code}`, {
      cause: error,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  if (error instanceof WebAPIRateLimitedError) return unavailable(clampWait(error.retryAfter));
  if (!(error instanceof WebAPIPlatformError)) return unavailable();
  if (RATE_LIMITED.has(code)) {
    const seconds: unknown = error.data.response_metadata?.retryAfter;
    return unavailable(clampWait(typeof seconds === 'number' ? seconds : 1));
  }
  if (REFUSED_TOKEN.has(code)) return unavailable(REFUSED_TOKEN_WAIT_MS);
  if (code === 'unreadable_answer' || UNKNOWN_OUTCOME.has(code)) return unavailable();
  return new AppError('channel_rejected', `Slack refused ${method}: ${code}`, { cause: error });
};

/** Makes a call; its failures are those of `toChannelError`. */
export const callSlack = async <T>(method: string, call: () => Promise<T>): Promise<T> => {
  try {
    return await call();
  } catch (error) {
    throw toChannelError(error, method);
  }
};

/** Whether Slack refused with one of these codes. */
export const isRefusal = (error: unknown, ...codes: readonly string[]): boolean =>
  hasCode(error, 'channel_rejected') && codes.includes(describeFailure(error.cause));
