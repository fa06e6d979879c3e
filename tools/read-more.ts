/** The tool that reads on in a result of which the model was shown a part. */
import { z } from 'zod';
import { AppError } from '../agent/errors.ts';
import type { Tool } from '../agent/ports/tool.ts';
import { graphemeBoundary } from '../agent/unicode.ts';

const PAGE_CHARS = 12_000;

const parameters = z.object({
  result: z.string().max(64).describe('The id of the result, as its cut part names it, for example call_3.'),
  from: z.int().min(0).default(0).describe('The character to read from.'),
});

export const createReadMore = (): Tool<z.infer<typeof parameters>> => ({
  name: 'read_more',
  description:
    'Reads on in an earlier tool result of which you were shown a part. Use it when what you need may stand in the part that was left out.',
  parameters,
  effect: 'read',
  always: true,
  // The call that it reads on in counted for what it read.
  readsUntrusted: false,
  timeoutMs: 1_000,
  run: async ({ result, from }, { readResult }) => {
    const whole = readResult?.(result);
    if (whole === undefined) {
      throw new AppError('tool_not_found', `There is no earlier result "${result}". Name one whose text says that it is a part.`);
    }
    if (from >= whole.length) {
      throw new AppError(
        'tool_arguments',
        `from: expected less than ${whole.length}, the length of the result, received ${from}`,
      );
    }
    const start = graphemeBoundary(whole, from);
    const end = graphemeBoundary(whole, start + PAGE_CHARS);
    return {
      result,
      from: start,
      to: end,
      of: whole.length,
      text: whole.slice(start, end),
      next: end < whole.length ? end : null,
    };
  },
});
