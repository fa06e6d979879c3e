/** The class our model provider stands on, used the usual way: ChatOpenAI with bound tools, streamed, in a bare loop. */
import { type AIMessageChunk, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import type { CreatePeer } from './measure.ts';
import { DOCUMENT, MAX_STEPS, MODEL, SUM } from './workload.ts';

export const createPeer: CreatePeer = async (baseUrl) => {
  const search = tool(async () => DOCUMENT, { name: 'search', description: 's', schema: z.object({ query: z.string() }) });
  const calc = tool(async () => SUM, { name: 'calc', description: 'c', schema: z.object({ expression: z.string() }) });
  const model = new ChatOpenAI({
    model: MODEL,
    temperature: 0,
    streaming: true,
    apiKey: 'none',
    configuration: { baseURL: baseUrl },
  }).bindTools([search, calc]);

  const invoke = async (call: { name: string; args: unknown; id?: string }): Promise<ToolMessage> => {
    const content =
      call.name === 'search'
        ? await search.invoke(call.args as { query: string })
        : await calc.invoke(call.args as { expression: string });
    return new ToolMessage({ content, tool_call_id: call.id ?? '' });
  };

  const run = async (question: string): Promise<string> => {
    const messages: BaseMessage[] = [new SystemMessage('You are helpful.'), new HumanMessage(question)];
    for (let step = 0; step < MAX_STEPS; step += 1) {
      let answer: AIMessageChunk | undefined;
      for await (const chunk of await model.stream(messages)) answer = answer === undefined ? chunk : answer.concat(chunk);
      if (answer === undefined) return '';
      messages.push(answer);
      const calls = answer.tool_calls ?? [];
      if (calls.length === 0) return String(answer.content);
      messages.push(...(await Promise.all(calls.map(invoke))));
    }
    return '';
  };
  return { run, close: async () => undefined };
};
