import type { Passage } from '../../agent/conversation.ts';
import type { ToolContext } from '../../agent/ports/tool.ts';

/** What a run hands to a tool; passages are numbered from 1 in the order they come. */
export const toolContext = (parts: Partial<ToolContext> = {}): ToolContext => ({
  scope: { tenantId: 'local', channel: 'terminal', conversationId: 'c', userId: 'u' },
  labels: ['everyone'],
  signal: new AbortController().signal,
  cite: (passages: readonly Passage[]) => passages.map((passage, i) => ({ ...passage, n: i + 1 })),
  ...parts,
});
