import type { JsonValue } from '../json.ts';

export type LogFields = Readonly<Record<string, JsonValue | undefined | Error>>;

/**
 * Structured log. `event` is a constant in snake_case; values go into `fields`. Never throws. No message text, no secret:
 * the implementation redacts known secrets by value, but a caller does not rely on it.
 */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  with(fields: LogFields): Logger;
}
