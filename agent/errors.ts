/**
 * The one table of failures. An `AppError` carries a code of it; the table says what to do about it, whether it counts toward a
 * tool's degradation, and what the model is told. A timeout is not an outage, a refusal is not a failure, and what is unknown is
 * said to be unknown.
 */

/** What kind of failure the model is told of. */
export type FailureKind =
  | 'timeout'
  | 'network'
  | 'rate_limited'
  | 'invalid_args'
  | 'not_found'
  | 'denied'
  | 'too_large'
  | 'repeated'
  | 'set_aside'
  | 'internal';

interface ErrorRule {
  /** The process's exit status when the error ends a command. */
  readonly exitCode: number;
  /** A later try with the same input may pass. */
  readonly retryable: boolean;
  /** How often the loop itself calls an idempotent tool again: up to the limit of tries, once more, or not at all. */
  readonly toolRetry: 'tries' | 'once' | 'never';
  /** Counts as a failure of the tool. What a tool answers rightly ("no such order") does not. */
  readonly counts: boolean;
  readonly kind: FailureKind;
  /** The tool cannot have done anything. Otherwise that is unknown of a write. */
  readonly didNotHappen: boolean;
  /** What the model is told to do; null: the error's own message, which is written for it. */
  readonly advice: string | null;
}

const INTERNAL_ADVICE = 'The tool failed inside. Go on without its result.';
const NETWORK_ADVICE = 'The service behind the tool could not be reached. Go on without it, or try once more later.';

/** A failure that is no tool's own: where one surfaces in a tool, the model is told of a network or an internal fault. */
const rule = (exitCode: number, retryable: boolean): ErrorRule => ({
  exitCode,
  retryable,
  toolRetry: retryable ? 'tries' : 'never',
  counts: true,
  kind: retryable ? 'network' : 'internal',
  didNotHappen: false,
  advice: retryable ? NETWORK_ADVICE : INTERNAL_ADVICE,
});

const toolRule = (kind: FailureKind, parts: Omit<ErrorRule, 'exitCode' | 'kind'>): ErrorRule => ({ exitCode: 1, kind, ...parts });

/** An answer of the tool or of the loop, and no failure: the call did not run or found nothing. */
const answered = (kind: FailureKind, retryable: boolean, advice: string | null = null): ErrorRule =>
  toolRule(kind, { retryable, toolRetry: 'never', counts: false, didNotHappen: true, advice });

/** Exit codes: 1 our fault, 64 usage, 69 a needed service is missing, 78 configuration (sysexits.h). */
export const ERRORS = {
  usage: rule(64, false),
  config_invalid: rule(78, false),
  already_serving: rule(78, false),
  port_in_use: rule(78, false),
  service_missing: rule(69, false),
  internal: rule(1, false),

  store_full: rule(69, true),
  store_unavailable: rule(69, true),
  store_corrupt: rule(69, false),
  store_newer: rule(78, false),
  lease_lost: rule(1, false),

  /** The ticket's state does not allow it, or it is not for this person to do. */
  ticket_refused: rule(64, false),
  /** Somebody was quicker: read the ticket again. */
  ticket_moved: rule(1, true),
  ticket_missing: rule(64, false),

  /** An outside helpdesk did not answer, or with a fault of its own: whether a change was made there is unknown. */
  helpdesk_unavailable: rule(69, true),
  /** It takes no more calls for now; nothing was changed. */
  helpdesk_rate_limited: rule(69, true),
  /** Somebody changed its ticket since it was read; nothing was changed. */
  helpdesk_moved: rule(1, true),
  /** It does not take this change, now or later. */
  helpdesk_rejected: rule(1, false),
  /** It does not let this account in. */
  helpdesk_auth: rule(78, false),

  source_missing: rule(64, false),
  source_unreadable: rule(1, false),
  document_unreadable: rule(1, false),
  index_mismatch: rule(78, false),
  embedder_unavailable: rule(69, true),
  vector_invalid: rule(1, false),
  vector_unavailable: rule(69, true),

  model_auth: rule(78, false),
  model_rejected: rule(1, false),
  model_quota: rule(69, false),
  model_rate_limited: rule(69, true),
  model_timeout: rule(69, true),
  model_unavailable: rule(69, true),
  model_interrupted: rule(69, true),
  model_empty: rule(69, true),
  model_too_large: rule(1, false),
  /** Not a failure: the run goes on when the time it names has passed. */
  run_parked: rule(69, true),
  /** The same: it goes on when a person has decided about a call, or when the time for that has passed. */
  approval_pending: rule(69, true),

  tool_unknown: answered('not_found', false),
  tool_arguments: toolRule('invalid_args', {
    retryable: true,
    toolRetry: 'never',
    counts: true,
    didNotHappen: true,
    advice: null,
  }),
  /** The tool's own rules say no: a right is missing, the state does not allow it. */
  tool_refused: answered('denied', false),
  /** What was asked for does not exist. */
  tool_not_found: answered('not_found', false),
  /** A person did not agree to the call. */
  tool_denied: answered('denied', false),
  /** The loop guard has seen the call often enough. */
  tool_repeated: answered('repeated', false),
  /** The tool failed too often; it is tried again after a while. */
  tool_set_aside: toolRule('set_aside', {
    retryable: false,
    toolRetry: 'never',
    counts: true,
    didNotHappen: true,
    advice: null,
  }),
  /** The turn that asked for it was not complete. */
  tool_skipped: answered('invalid_args', true),
  tool_interrupted: toolRule('internal', {
    retryable: false,
    toolRetry: 'never',
    counts: false,
    didNotHappen: false,
    advice: null,
  }),
  tool_too_large: answered('too_large', false),
  tool_timeout: toolRule('timeout', { retryable: true, toolRetry: 'once', counts: true, didNotHappen: false, advice: null }),
  tool_network: toolRule('network', {
    retryable: true,
    toolRetry: 'tries',
    counts: true,
    didNotHappen: false,
    advice: NETWORK_ADVICE,
  }),
  /** The service behind the tool is not there, or puts the call off, before anything was done. */
  tool_unavailable: toolRule('network', {
    retryable: true,
    toolRetry: 'never',
    counts: true,
    didNotHappen: true,
    advice: null,
  }),
  tool_rate_limited: toolRule('rate_limited', {
    retryable: true,
    toolRetry: 'tries',
    counts: true,
    didNotHappen: true,
    advice: 'The service behind the tool limits the rate of calls. Go on without it for now.',
  }),
  tool_failed: toolRule('internal', {
    retryable: false,
    toolRetry: 'never',
    counts: true,
    didNotHappen: false,
    advice: INTERNAL_ADVICE,
  }),

  channel_auth: rule(78, false),
  channel_rejected: rule(1, false),
  /** The platform takes messages of the bot, but no files. */
  channel_no_files: rule(1, false),
  channel_unavailable: rule(69, true),
  /** Whether the other side took what was sent cannot be found out: it is not sent again. */
  channel_unknown: rule(1, false),
} as const satisfies Record<string, ErrorRule>;

export type ErrorCode = keyof typeof ERRORS;

/** `message` says what was expected, what came and what to do; it holds no secret and no user text. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  /** A floor for the next try, where the other side named one. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable;
  }

  get exitCode(): number {
    return ERRORS[this.code].exitCode;
  }
}

export const hasCode = (error: unknown, code: ErrorCode): error is AppError => error instanceof AppError && error.code === code;
