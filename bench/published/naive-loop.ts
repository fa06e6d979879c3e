/**
 * The loop that each of the accounts began with: everything said stays in the prompt, errors go in as they are, nothing is tried
 * again, nothing notices that it turns in circles. Two switches are what the second account added first.
 */
import type { ChatMessage, ToolCall } from '../../agent/messages.ts';
import type { ModelProvider, ToolSpec } from '../../agent/ports/model-provider.ts';

export interface NaiveTool {
  readonly spec: ToolSpec;
  run(args: unknown): Promise<unknown>;
}

export interface NaiveOptions {
  readonly model: ModelProvider;
  readonly tools: readonly NaiveTool[];
  readonly maxSteps: number;
  /** An exception of a tool ends the run. */
  readonly crashes: boolean;
  /** Tries of a call. */
  readonly tries: number;
  readonly onCall: (name: string, args: string, result: string, ok: boolean) => void;
}

/** The answer; undefined where the run crashed or came to its end without one. `messages` grows by everything that was said. */
export const runNaive = async (messages: ChatMessage[], question: string, options: NaiveOptions): Promise<string | undefined> => {
  const { model, tools, tries } = options;
  const specs = tools.map(({ spec }) => spec);

  const runCall = async (call: ToolCall): Promise<string> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const tool = tools.find(({ spec }) => spec.name === call.name);
        if (tool === undefined) throw new Error(`unknown tool ${call.name}`);
        const result = JSON.stringify(await tool.run(JSON.parse(call.arguments)));
        options.onCall(call.name, call.arguments, result, true);
        return result;
      } catch (error) {
        if (attempt < tries) continue;
        const text = String(error);
        options.onCall(call.name, call.arguments, text, false);
        if (options.crashes) throw error;
        return text;
      }
    }
  };

  messages.push({ role: 'user', content: question });
  try {
    for (let step = 1; step <= options.maxSteps; step += 1) {
      const turn = await model.ask({ messages, tools: specs }, { signal: new AbortController().signal });
      if (turn.toolCalls.length === 0) {
        messages.push({ role: 'assistant', content: turn.text, toolCalls: [] });
        return turn.text;
      }
      const made = turn.toolCalls.map((call, n): ToolCall => ({ id: `call_${messages.length}_${n}`, ...call }));
      messages.push({ role: 'assistant', content: turn.text, toolCalls: made });
      for (const call of made) messages.push({ role: 'tool', callId: call.id, name: call.name, content: await runCall(call) });
    }
  } catch {
    return undefined;
  }
  return undefined;
};
