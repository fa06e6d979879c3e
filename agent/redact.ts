/** Arguments of a call as a log may hold them: their shape and short plain values, no secret, no address, no long text. */
import type { JsonObject, JsonValue } from './json.ts';
import { graphemeBoundary } from './unicode.ts';

const SECRET_NAME = /pass|secret|token|key|auth|cookie|credential/iu;
/** Addresses, long numbers and long unbroken strings of letters and digits: people, accounts, keys. */
const PRIVATE = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\+?\d[\d -]{6,}\d|[A-Za-z0-9_-]{24,}/gu;
const MAX_TEXT_CHARS = 80;
const MAX_ITEMS = 10;
const MAX_DEPTH = 4;

const redactText = (text: string): string => {
  const clean = text.replace(PRIVATE, '[redacted]');
  return clean.length <= MAX_TEXT_CHARS ? clean : `${clean.slice(0, graphemeBoundary(clean, MAX_TEXT_CHARS))}…`;
};

const redactValue = (value: JsonValue, depth: number): JsonValue => {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[…]';
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item: JsonValue) => redactValue(item, depth + 1));
  return redactArguments(value as JsonObject, depth + 1);
};

export const redactArguments = (args: JsonObject, depth = 0): JsonObject =>
  Object.fromEntries(
    Object.entries(args)
      .slice(0, MAX_ITEMS)
      .map(([name, value]) => [redactText(name), SECRET_NAME.test(name) ? '[redacted]' : redactValue(value, depth)]),
  );
