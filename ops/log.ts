/**
 * The structured log: one line of JSON an event, or one short line for a person at a terminal. Every line passes the
 * redactor whole, so no field, error or cause gets a secret past it.
 */

import { pino } from 'pino';
import type { Clock } from '../agent/ports/clock.ts';
import type { LogFields, Logger } from '../agent/ports/logger.ts';
import { createRedactor, type Redact } from './redact.ts';
import type { Secret } from './secret.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
export type LogFormat = 'json' | 'pretty';

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly secrets: readonly Secret[];
  readonly clock: Clock;
  /** Gets one line with its newline. What it throws is dropped: a log that cannot be written stops nothing. */
  readonly write: (line: string) => void;
}

const MAX_STRING_CHARACTERS = 4096;
const MAX_DEPTH = 6;
const MAX_CAUSES = 5;
const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'event']);

const cut = (text: string): string => (text.length <= MAX_STRING_CHARACTERS ? text : `${text.slice(0, MAX_STRING_CHARACTERS)}…`);

const codeOf = (error: Error): { code?: string } => {
  const code: unknown = 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {};
};

/** Redacted before it is cut: a cut secret is one that no redactor knows. */
const plainValue = (value: unknown, redact: Redact, depth: number): unknown => {
  if (typeof value === 'string') return cut(redact(value));
  if (value instanceof Error) return plainError(value, redact, 0);
  if (value === null || typeof value !== 'object') return typeof value === 'bigint' ? String(value) : value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((item) => plainValue(item, redact, depth + 1));
  if ('toJSON' in value && typeof value.toJSON === 'function') return plainValue(value.toJSON(), redact, MAX_DEPTH);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainValue(item, redact, depth + 1)]));
};

const plainError = (error: Error, redact: Redact, causes: number): Record<string, unknown> => ({
  name: error.name,
  ...codeOf(error),
  message: cut(redact(error.message)),
  ...(causes === 0 && error.stack !== undefined ? { stack: cut(redact(error.stack)) } : {}),
  ...(error.cause === undefined || causes >= MAX_CAUSES
    ? {}
    : { cause: error.cause instanceof Error ? plainError(error.cause, redact, causes + 1) : plainValue(error.cause, redact, 1) }),
});

const plainFields = (fields: LogFields, redact: Redact): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [RESERVED.has(key) ? `${key}_` : key, plainValue(value, redact, 0)]),
  );

/** Control, format and separator characters could forge a line or turn its reading direction. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const escapeUnprintable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

const describeError = (error: Record<string, unknown>): string => {
  const code = error['code'] === undefined ? '' : ` (${String(error['code'])})`;
  const cause = error['cause'];
  const because =
    cause === undefined ? '' : ` <- ${typeof cause === 'object' && cause !== null ? describeError({ ...cause }) : String(cause)}`;
  return `${String(error['message'] ?? error['name'] ?? JSON.stringify(error))}${code}${because}`;
};

const isErrorLike = (value: object): boolean => 'message' in value && 'name' in value;

const prettyValue = (value: unknown): string => {
  if (typeof value === 'string') return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  if (typeof value === 'object' && value !== null && isErrorLike(value)) return JSON.stringify(describeError({ ...value }));
  return JSON.stringify(value);
};

/** `09:00:00 warn  event key=value …`: one line, whatever the fields hold. */
const prettyLine = (json: string): string => {
  const { level, time, event, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const head = `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(event)}`;
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${prettyValue(value)}`);
  return `${escapeUnprintable([head, ...rest].join(' '))}\n`;
};

export const createLogger = ({ level, format, secrets, clock, write }: LogOptions): Logger => {
  const redact = createRedactor(secrets);
  const root = pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: redact },
    },
    { write: (line: string) => write(format === 'pretty' ? prettyLine(line) : line) },
  );

  const wrap = (target: pino.Logger): Logger => {
    const at =
      (name: Exclude<LogLevel, 'silent'>) =>
      (event: string, fields: LogFields = {}): void => {
        if (!target.isLevelEnabled(name)) return;
        try {
          target[name](plainFields(fields, redact), event);
        } catch {
          // The port promises not to throw.
        }
      };
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      with: (fields) => wrap(target.child(plainFields(fields, redact))),
    };
  };
  return wrap(root);
};
