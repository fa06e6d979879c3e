/** A tool's value as text that a model may be sent: valid JSON, no half characters, cut to size with the whole kept behind it. */
import { AppError } from './errors.ts';
import { cutMiddle, unpairedRemoved } from './unicode.ts';

/** What is kept of a result behind the part that is shown. */
const MAX_KEPT_CHARS = 1_000_000;

/** Any value a tool may return: `undefined` is null, a BigInt its digits, bytes their number. Throws where JSON cannot hold it. */
export const resultText = (value: unknown, tool: string): string => {
  const shown = function (this: Readonly<Record<string, unknown>>, key: string, item: unknown): unknown {
    // Not `item`: a Buffer has become an object of numbers by now.
    const raw = this[key];
    if (raw instanceof Uint8Array) return `[${raw.byteLength} bytes of binary data]`;
    return typeof item === 'bigint' ? item.toString() : item;
  };
  let text: string | undefined;
  try {
    text = JSON.stringify(value ?? null, shown);
  } catch (error) {
    throw new AppError('tool_failed', `The tool ${tool} returned a value that JSON cannot hold.`, { cause: error });
  }
  if (text === undefined) throw new AppError('tool_failed', `The tool ${tool} returned a value that JSON cannot hold.`);
  return unpairedRemoved(text);
};

export interface CappedResult {
  readonly content: string;
  /** The whole, where `content` is a part of it. */
  readonly full?: string;
}

export const capResult = (text: string, maxChars: number): CappedResult =>
  text.length <= maxChars ? { content: text } : { content: cutMiddle(text, maxChars), full: cutMiddle(text, MAX_KEPT_CHARS) };

/** Shares the room of a step out: short results stay whole, the long ones are cut to what is left for each. */
export const stepCaps = (lengths: readonly number[], maxChars: number): readonly number[] => {
  let room = maxChars;
  let left = lengths.length;
  const caps = lengths.map(() => 0);
  for (const [index, length] of [...lengths.entries()].sort(([, a], [, b]) => a - b)) {
    const cap = Math.min(length, Math.floor(room / left));
    caps[index] = cap;
    room -= cap;
    left -= 1;
  }
  return caps;
};

/** Said behind a result that was cut. */
export const readMoreHint = (callId: string, chars: number): string =>
  `\n[This is a part of ${chars} characters. Read on with read_more, result "${callId}".]`;
