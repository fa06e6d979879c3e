/** The policy as a model provider in this process: the request in the API's form, linted, counted, answered after its latency. */
import type { Clock } from '../../agent/ports/clock.ts';
import type { ModelProvider, ModelRequest } from '../../agent/ports/model-provider.ts';
import type { CountTokens } from '../../agent/ports/window.ts';
import { toApiMessages, toApiTools } from '../../models/openai-messages.ts';
import { lintRequest } from '../../simulator/model-linter.ts';
import type { ModelPolicy, ModelRequestBody } from '../../simulator/model-policy.ts';

/** How long a model takes: a part of its own, and a part for each token it reads. */
export interface Latency {
  readonly baseMs: number;
  readonly tokenMs: number;
}

export interface RequestRecord {
  readonly inputTokens: number;
  readonly tookMs: number;
  readonly violations: number;
}

export interface PolicyModelOptions {
  readonly policy: ModelPolicy;
  readonly clock: Clock;
  readonly latency?: Latency;
  /** Absent: tokens are not counted. */
  readonly countTokens?: CountTokens;
  readonly onRequest?: (record: RequestRecord) => void;
}

const OUTPUT_TOKENS = 20;

/** Each message is counted once, as it stands in the body. */
const createBodyCounter = (countTokens: CountTokens | undefined) => {
  const known = new WeakMap<object, number>();
  const countOf = (item: object, inBody: () => unknown): number => {
    const count = known.get(item) ?? countTokens?.(JSON.stringify(inBody())) ?? 0;
    known.set(item, count);
    return count;
  };
  return ({ messages, tools }: ModelRequest): number =>
    messages.reduce((sum, message) => sum + countOf(message, () => toApiMessages([message])[0]), 0) +
    tools.reduce((sum, tool) => sum + countOf(tool, () => toApiTools([tool])[0]), 0);
};

export const createPolicyModel = ({ policy, clock, latency, countTokens, onRequest }: PolicyModelOptions): ModelProvider => {
  const count = createBodyCounter(countTokens);
  const ask: ModelProvider['ask'] = async (request, { signal }) => {
    const body = { messages: toApiMessages(request.messages), tools: toApiTools(request.tools) };
    const inputTokens = count(request);
    const tookMs = latency === undefined ? 0 : latency.baseMs + latency.tokenMs * inputTokens;
    if (tookMs > 0) await clock.sleep(tookMs, signal);
    onRequest?.({ inputTokens, tookMs, violations: lintRequest(body).length });
    const { text = '', calls = [] } = policy(body as unknown as ModelRequestBody);
    return {
      text,
      toolCalls: calls.map((call) => ({ name: call.name, arguments: call.arguments })),
      finishReason: calls.length > 0 ? 'tool_calls' : 'stop',
      usage: { inputTokens, outputTokens: OUTPUT_TOKENS },
      model: 'policy',
    };
  };
  return { id: 'scripted:policy', ask };
};
