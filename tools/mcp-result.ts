/** What a server answered to a call, as data: its text and its structured content. Nothing that a model cannot read as text. */
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../agent/json.ts';
import { cleanOutsideText } from './outside-text.ts';

/** Looser than the protocol's own: a kind of content that a later version adds is left out, and the rest is read. */
export const callResult = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })).default([]),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});
export type CallResult = z.output<typeof callResult>;

const MAX_TEXT_CHARS = 1_000_000;
const MAX_NAMED = 10;
const MAX_KIND_CHARS = 40;

const cleaned = (value: unknown): JsonValue =>
  JSON.parse(JSON.stringify(value), (_key, item: unknown) =>
    typeof item === 'string' ? cleanOutsideText(item, MAX_TEXT_CHARS) : item,
  ) as JsonValue;

/** Servers repeat their structured content as text, for clients that know no better. */
const isRepeated = (text: string, structured: JsonValue): boolean => {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(structured);
  } catch {
    return false;
  }
};

/** `origin`: the name of the server, so that its words are never taken for ours. */
export const readResult = ({ content, structuredContent, isError }: CallResult, origin: string): JsonObject => {
  const texts = content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  const others = content.filter(({ type }) => type !== 'text').map(({ type }) => cleanOutsideText(type, MAX_KIND_CHARS));
  const text = cleanOutsideText(texts.join('\n'), MAX_TEXT_CHARS);
  const structured = structuredContent === undefined ? undefined : cleaned(structuredContent);
  return {
    from: `the MCP server ${origin}`,
    ...(isError === true ? { failed: true } : {}),
    ...(structured === undefined ? {} : { data: structured }),
    ...(text === '' || (structured !== undefined && isRepeated(text, structured)) ? {} : { text }),
    ...(others.length === 0 ? {} : { left_out: `${others.slice(0, MAX_NAMED).join(', ')}: only text can be read here` }),
  };
};
