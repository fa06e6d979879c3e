import type { Answer, Usage } from './conversation.ts';
import type { FinishReason } from './ports/model-provider.ts';

/** Where a run stands: it waits for its turn, a model, its tools, reads their results, or is over. */
export type RunState = 'idle' | 'thinking' | 'executing' | 'observing' | 'finished';

/** Everything that happens in a run, in order. Streaming, logs, metrics, the console and the tests read this one stream. */
export type AgentEvent = { readonly turnId: string; readonly at: number } & (
  | { readonly type: 'run_started'; readonly resumedEntries: number }
  | { readonly type: 'state_changed'; readonly step: number; readonly state: RunState }
  | { readonly type: 'step_started'; readonly step: number }
  /** What the person wrote meanwhile is part of the question from this step on. */
  | { readonly type: 'messages_folded'; readonly step: number; readonly count: number }
  | { readonly type: 'text_delta'; readonly step: number; readonly delta: string }
  /** The text so far is void: the turn was retried, or it was a preamble to tool calls. */
  | { readonly type: 'text_reset'; readonly step: number }
  | {
      readonly type: 'model_finished';
      readonly step: number;
      readonly finishReason: FinishReason;
      readonly toolCalls: number;
      readonly usage: Usage;
      readonly durationMs: number;
      readonly model: string;
      readonly replayed: boolean;
    }
  | { readonly type: 'model_failed'; readonly step: number; readonly code: string; readonly willRetry: boolean }
  | { readonly type: 'tool_started'; readonly step: number; readonly callId: string; readonly name: string }
  | {
      readonly type: 'tool_finished';
      readonly step: number;
      readonly callId: string;
      readonly name: string;
      readonly ok: boolean;
      readonly code: string | null;
      readonly durationMs: number;
      readonly replayed: boolean;
    }
  /** A protection acted: `detail` names the detector, the tool's level or the budget. */
  | {
      readonly type: 'guard_acted';
      readonly step: number;
      readonly layer: 'repeat' | 'degradation' | 'budget' | 'context' | 'history';
      readonly detail: string;
    }
  /** It goes on after about this time; its owner sees to that. */
  | { readonly type: 'run_parked'; readonly step: number; readonly waitMs: number }
  | {
      readonly type: 'run_finished';
      readonly answer: Answer;
      readonly steps: number;
      readonly tools: readonly string[];
      readonly usage: Usage;
      readonly durationMs: number;
    }
);

export type EventSink = (event: AgentEvent) => void;
