/** An agent whose model writes as it is told and says what came of it, on a store that outlives it. */
import { z } from 'zod';
import type { InboundMessage } from '../../agent/conversation.ts';
import { DEFAULT_LIMITS } from '../../agent/limits.ts';
import { createAgent } from '../../agent/loop.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { ModelProvider } from '../../agent/ports/model-provider.ts';
import type { Tool } from '../../agent/ports/tool.ts';
import type { Agent } from '../../agent/run.ts';
import { fitWindow } from '../../memory/window.ts';
import { silentLogger, turnOf } from '../agent/fakes.ts';

export interface Filing {
  readonly agent: Agent;
  /** What was written, in order. */
  readonly filed: unknown[];
  /** What the model was told of each write, in order. */
  readonly told: string[];
}

/** What the question `file a, b` has the model write: one file a step. */
const namesIn = (question: string): readonly string[] => question.replace(/^.*?file /su, '').split(', ');

/** `text`: of each file. */
export const createFiling = (clock: Clock, { text = 'Dear all' }: { readonly text?: string } = {}): Filing => {
  const filed: unknown[] = [];
  const told: string[] = [];
  const file: Tool<{ name: string; text: string }> = {
    name: 'file_note',
    description: 'Files a note.',
    parameters: z.object({ name: z.string(), text: z.string() }),
    effect: 'write',
    timeoutMs: 1_000,
    describeCall: ({ name }) => `Files the note ${name}.`,
    run: async (args) => {
      filed.push(args);
      return `filed ${args.name}`;
    },
  };
  const model: ModelProvider = {
    id: 'filing',
    ask: async ({ messages }) => {
      const at = messages.findLastIndex(({ role }) => role === 'user');
      const results = messages.slice(at).flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
      const next = namesIn(messages[at]?.content ?? '')[results.length];
      told.splice(0, told.length, ...results);
      if (next === undefined) return turnOf({ text: `In the end: ${results.map(wordFor).join(', ')}.` });
      return turnOf({ toolCalls: [{ name: 'file_note', arguments: JSON.stringify({ name: next, text }) }] });
    },
  };
  const agent = createAgent({
    model,
    tools: [file as Tool],
    clock,
    logger: silentLogger,
    limits: DEFAULT_LIMITS,
    windowTokens: 8_000,
    fitWindow,
    countTokens: (words) => Math.ceil(words.length / 4),
  });
  return { agent, filed, told };
};

const wordFor = (result: string): string => {
  if (!result.startsWith('{')) return result.replaceAll('"', '');
  const { kind, did_it_happen: happened, advice } = JSON.parse(result) as Record<string, string>;
  if (happened === 'unknown') return 'unknown';
  if (kind !== 'denied') return String(kind);
  return /did not agree/.test(advice ?? '') ? 'refused' : /in time/.test(advice ?? '') ? 'too late' : 'nobody to ask';
};

export const DIRECT: Pick<InboundMessage, 'place'> = { place: { kind: 'direct', id: 'slack:D1' } };
