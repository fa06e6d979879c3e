/**
 * The one table of failures. An `AppError` carries a code of it; the table says what to do about it. A timeout is not an
 * outage, a refusal is not a failure, and what is unknown is said to be unknown.
 */

interface ErrorRule {
  /** The process's exit status when the error ends a command. */
  readonly exitCode: number;
  /** A later try with the same input may pass. */
  readonly retryable: boolean;
}

const rule = (exitCode: number, retryable: boolean): ErrorRule => ({ exitCode, retryable });

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

  tool_unknown: rule(1, false),
  tool_arguments: rule(1, false),
  tool_timeout: rule(1, false),
  tool_refused: rule(1, false),
  tool_failed: rule(1, false),

  channel_auth: rule(78, false),
  channel_rejected: rule(1, false),
  channel_unavailable: rule(69, true),
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
