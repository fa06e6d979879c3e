/** An agent whose runs are played by the test: it keeps the journal as the real one does and can be held anywhere. */

import type { Attachment } from '../../agent/attachment.ts';
import type { Answer } from '../../agent/conversation.ts';
import { type Agent, CANCELLED, type RunInput, type RunResult } from '../../agent/run.ts';

export interface ScriptedAgent extends Agent {
  /** One entry a run, in order. */
  readonly runs: RunInput[];
  /** What a run does; the answer's text when it ends. Default: `answer to <question>`. */
  play: (input: RunInput) => Promise<string | Answer>;
  /** What every run attaches. */
  files: readonly Attachment[];
}

export const answerOf = (text: string, over: Partial<Answer> = {}): Answer => ({
  text,
  citations: [],
  answered: true,
  stopReason: 'answered',
  allowedLinks: [],
  fallback: false,
  ...over,
});

const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });

export const createScriptedAgent = (): ScriptedAgent => {
  const agent: ScriptedAgent = {
    runs: [],
    files: [],
    play: ({ question }) => Promise.resolve(`answer to ${question}`),
    run: async (input): Promise<RunResult> => {
      agent.runs.push(input);
      let answer: Answer;
      try {
        const played = await Promise.race([agent.play(input), abortOf(input.signal)]);
        answer = typeof played === 'string' ? answerOf(played) : played;
      } catch (error) {
        if (error !== CANCELLED) throw error;
        answer = answerOf('stopped', { answered: false, stopReason: 'cancelled' });
      }
      return {
        answer,
        files: agent.files,
        steps: 1,
        tools: [],
        usage: { inputTokens: 1, outputTokens: 1 },
        model: 'scripted',
        durationMs: 1,
      };
    },
  };
  return agent;
};
