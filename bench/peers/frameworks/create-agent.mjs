/** LangChain's agent, alone and with the middleware that a deployment needs. */
import { MemorySaver } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import {
  createAgent,
  modelCallLimitMiddleware,
  summarizationMiddleware,
  tool,
  toolCallLimitMiddleware,
  toolRetryMiddleware,
} from 'langchain';
import { z } from 'zod';

export const createPeerWith = async (baseUrl, { DOCUMENT, SUM, MODEL, MAX_STEPS }, isEquipped) => {
  const tools = [
    tool(async () => DOCUMENT, { name: 'search', description: 's', schema: z.object({ query: z.string() }) }),
    tool(async () => SUM, { name: 'calc', description: 'c', schema: z.object({ expression: z.string() }) }),
  ];
  const createModel = () => new ChatOpenAI({ model: MODEL, temperature: 0, apiKey: 'none', configuration: { baseURL: baseUrl } });
  const common = { model: createModel(), tools, systemPrompt: 'You are helpful.' };
  const agent = isEquipped
    ? createAgent({
        ...common,
        checkpointer: new MemorySaver(),
        middleware: [
          summarizationMiddleware({ model: createModel(), trigger: { tokens: 4_000 }, keep: { messages: 20 } }),
          modelCallLimitMiddleware({ runLimit: MAX_STEPS }),
          toolCallLimitMiddleware({ runLimit: 20 }),
          toolRetryMiddleware({ maxRetries: 3 }),
        ],
      })
    : createAgent(common);
  let asked = 0;
  return {
    run: async (question) => {
      asked += 1;
      const thread = isEquipped ? { configurable: { thread_id: `t${asked}` } } : undefined;
      const { messages } = await agent.invoke({ messages: [{ role: 'user', content: question }] }, thread);
      return String(messages.at(-1).content);
    },
    close: async () => undefined,
  };
};
