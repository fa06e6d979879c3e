/** What a schema says of a text beyond its length: a format, a pattern. */
import { z } from 'zod';

interface Check {
  readonly passes: (text: string) => boolean;
  readonly expected: string;
}

const by = (type: z.ZodType, expected: string): Check => ({ passes: (text) => type.safeParse(text).success, expected });

/** Others are for people and for the service: `password`, `int64`, `byte`. */
const FORMATS: ReadonlyMap<unknown, Check> = new Map<unknown, Check>([
  ['date', by(z.iso.date(), 'a day such as 2026-03-31')],
  ['date-time', by(z.iso.datetime({ offset: true }), 'a time such as 2026-03-31T14:00:00Z')],
  ['email', by(z.email(), 'a mail address')],
  ['uri', by(z.url(), 'an address with its scheme')],
  ['uuid', by(z.guid(), 'a UUID')],
  ['ipv4', by(z.ipv4(), 'an IPv4 address')],
  ['ipv6', by(z.ipv6(), 'an IPv6 address')],
]);

export const formatCheck = (format: unknown): Check | undefined => FORMATS.get(format);

/** Longer texts are not searched: what is checked here costs the square of the length at most. */
const MAX_SEARCHED_CHARS = 1_000;
const MAX_OPEN_REPEATS = 2;
/** Repeated groups, look-around and references back can take for ever: https://owasp.org/www-community/attacks/Regular_expression_Denial_of_Service_-_ReDoS */
const COSTLY = /\)[*+{]|\(\?[=!<]|\\[1-9k]/;

const compile = (pattern: string): RegExp | undefined => {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {}
  }
  return undefined;
};

/** Undefined for a pattern that is invalid, or that the text of a model cannot be safely held against: the service checks it. */
export const patternCheck = (pattern: unknown): Check | undefined => {
  if (typeof pattern !== 'string' || pattern.length > 500 || COSTLY.test(pattern)) return undefined;
  const repeats = pattern.match(/[*+]|\{\d*,\d*\}/g)?.length ?? 0;
  const search = repeats > MAX_OPEN_REPEATS ? undefined : compile(pattern);
  if (search === undefined) return undefined;
  return {
    passes: (text) => text.length > MAX_SEARCHED_CHARS || search.test(text),
    expected: `a text that matches ${pattern}`,
  };
};
