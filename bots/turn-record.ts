/** What the transcript keeps of a turn, whether a run answered it or a fixed text. */

import type { Answer, InboundMessage, StopReason, Turn } from '../agent/conversation.ts';
import type { RunResult } from '../agent/run.ts';

export const fixedAnswer = (text: string, stopReason: StopReason): Answer => ({
  text,
  citations: [],
  answered: false,
  stopReason,
  allowedLinks: [],
  fallback: false,
});

export const withoutRun = (answer: Answer): RunResult => ({
  answer,
  files: [],
  steps: 0,
  tools: [],
  usage: { inputTokens: 0, outputTokens: 0 },
  model: '',
  durationMs: 0,
});

export interface TurnEnd {
  readonly result: RunResult;
  /** The audience labels under which was searched. */
  readonly labels: readonly string[];
  /** The question with what was folded in; that of the message otherwise. */
  readonly question?: string;
  readonly answeredAt: number;
}

export const turnRecord = (
  turnId: string,
  { scope, author, text, receivedAt }: InboundMessage,
  { result, labels, question = text, answeredAt }: TurnEnd,
): Turn => ({
  turnId,
  conversationId: scope.conversationId,
  userId: scope.userId,
  speaker: author.displayName,
  question,
  answer: result.answer,
  labels: [...new Set(labels)],
  steps: result.steps,
  tools: result.tools,
  usage: result.usage,
  model: result.model,
  askedAt: receivedAt,
  answeredAt,
});
