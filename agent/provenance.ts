/**
 * What a run has come into touch with. Text from outside, private data and a way to change something are each harmless; whoever has
 * all three can be told by the first to carry the second out by the third.
 * https://simonwillison.net/2025/Jun/16/the-lethal-trifecta/
 */
import type { Turn } from './conversation.ts';
import type { Tool } from './ports/tool.ts';

export interface Provenance {
  readonly readsUntrusted: boolean;
  readonly readsSensitive: boolean;
  readonly changesState: boolean;
}

export const UNTOUCHED: Provenance = { readsUntrusted: false, readsSensitive: false, changesState: false };

/** A tool that does not say is taken to read what strangers wrote; one that writes changes something, whatever it says. */
export const provenanceOf = (tool: Pick<Tool, 'effect' | 'readsUntrusted' | 'readsSensitive' | 'changesState'>): Provenance => ({
  readsUntrusted: tool.readsUntrusted ?? true,
  readsSensitive: tool.readsSensitive ?? false,
  changesState: tool.effect === 'write' || tool.changesState === true,
});

export const sumOf = (a: Provenance, b: Provenance): Provenance => ({
  readsUntrusted: a.readsUntrusted || b.readsUntrusted,
  readsSensitive: a.readsSensitive || b.readsSensitive,
  changesState: a.changesState || b.changesState,
});

/**
 * What a run has before its first call: what the tools of the earlier turns read stands in their answers, and other people's messages are
 * text from outside. A change that was made then is over. A tool that is no longer known may have read anything.
 */
export const provenanceOfHistory = (
  history: readonly Pick<Turn, 'userId' | 'tools'>[],
  userId: string,
  find: (tool: string) => Tool | undefined,
): Provenance =>
  history.reduce<Provenance>((sum, turn) => {
    const read = turn.tools.map((name) => {
      const tool = find(name);
      return tool === undefined ? { readsUntrusted: true, readsSensitive: true } : provenanceOf(tool);
    });
    return {
      readsUntrusted: sum.readsUntrusted || turn.userId !== userId || read.some(({ readsUntrusted }) => readsUntrusted),
      readsSensitive: sum.readsSensitive || read.some(({ readsSensitive }) => readsSensitive),
      changesState: false,
    };
  }, UNTOUCHED);

const hasAll = ({ readsUntrusted, readsSensitive, changesState }: Provenance): boolean =>
  readsUntrusted && readsSensitive && changesState;

/** The call that brings the three together, and each change after it. */
export const completesAll = (before: Provenance, call: Provenance): boolean =>
  hasAll(sumOf(before, call)) && (!hasAll(before) || call.changesState);
