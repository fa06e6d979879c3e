/** The tools that an assistant has. A tool is registered once, its schema made once, its name known to be valid and its own. */
import { z } from 'zod';
import { AppError } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { ToolSpec } from './ports/model-provider.ts';
import type { Tool } from './ports/tool.ts';

/** What every provider takes as a name. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export interface ToolRegistry {
  /** Throws `AppError('config_invalid')` for a name that is taken or invalid, and for a tool that cannot be described. */
  registerTool<Arguments>(tool: Tool<Arguments>): void;
  find(name: string): Tool | undefined;
  /** In the order of registration, as are the specs. */
  readonly tools: readonly Tool[];
  /** The same objects each time, so that the bytes a provider caches stay the same. */
  readonly specs: readonly ToolSpec[];
}

const specOf = (tool: Tool): ToolSpec => {
  try {
    const { $schema: _, ...parameters } = z.toJSONSchema(tool.parameters, { io: 'input' });
    if (parameters.type !== 'object') throw new TypeError('not an object');
    return { name: tool.name, description: tool.description, parameters: parameters as JsonObject };
  } catch (error) {
    throw new AppError(
      'config_invalid',
      `The tool ${tool.name}: expected parameters that a JSON schema of an object can describe.`,
      {
        cause: error,
      },
    );
  }
};

export const createRegistry = (initial: readonly Tool[] = []): ToolRegistry => {
  const byName = new Map<string, Tool>();
  const tools: Tool[] = [];
  const specs: ToolSpec[] = [];
  const registerTool = <Arguments>(tool: Tool<Arguments>): void => {
    const { name, description, timeoutMs } = tool;
    if (!NAME.test(name)) {
      throw new AppError(
        'config_invalid',
        `A tool's name: expected 1 to 64 letters, digits, _ and -, got ${JSON.stringify(name)}.`,
      );
    }
    if (byName.has(name))
      throw new AppError('config_invalid', `The tool ${name}: expected a name of its own, got one that is taken.`);
    if (description.trim() === '') {
      throw new AppError('config_invalid', `The tool ${name}: expected a description that says when to use it, got none.`);
    }
    if (!Number.isFinite(timeoutMs) || timeoutMs <= 0) {
      throw new AppError('config_invalid', `The tool ${name}: expected timeoutMs in milliseconds above 0, got ${timeoutMs}.`);
    }
    // Arguments reach it only through its own schema.
    const known = tool as Tool;
    specs.push(specOf(known));
    tools.push(known);
    byName.set(name, known);
  };
  for (const tool of initial) registerTool(tool);
  return { registerTool, find: (name) => byName.get(name), tools, specs };
};
