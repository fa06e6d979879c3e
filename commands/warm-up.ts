/** Questions that nobody asked, so that the first that somebody asks need not wait for code to load and be compiled. */
import type { Agent } from '../agent/run.ts';
import { languageOf } from '../agent/texts.ts';
import { EVERYONE } from '../ops/config.ts';

const QUESTIONS = ['How long is the warranty, and who pays for it?', '保修期是多久？'];
const ROUNDS = 10;

/** Keeps nothing. For an agent that neither logs nor costs anything. */
export const warmUp = async (agent: Agent, signal: AbortSignal): Promise<void> => {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const question of QUESTIONS) {
      await agent.run({
        turnId: 'warm-up',
        scope: { tenantId: 'local', channel: 'terminal', conversationId: 'warm-up', userId: 'warm-up' },
        labels: [EVERYONE],
        question,
        speaker: '',
        history: [],
        language: languageOf(question),
        journal: { read: async () => [], write: async () => {} },
        signal,
      });
    }
  }
};
