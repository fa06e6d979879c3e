/** Turns for the tests of memory. */
import type { Turn } from '../../agent/conversation.ts';

export const turnOf = (question: string, answer: string, more: Partial<Turn> = {}): Turn => ({
  turnId: 't',
  conversationId: 'c',
  userId: 'u',
  speaker: 'Ada',
  question,
  answer: { text: answer, citations: [], answered: true, stopReason: 'answered', allowedLinks: [], fallback: false },
  steps: 1,
  tools: [],
  usage: { inputTokens: 0, outputTokens: 0 },
  model: 'm',
  askedAt: 0,
  answeredAt: 0,
  ...more,
});
