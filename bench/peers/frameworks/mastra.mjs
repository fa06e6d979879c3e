import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

export const createPeer = async (baseUrl, { DOCUMENT, SUM, MODEL, MAX_STEPS }) => {
  const openai = createOpenAI({ baseURL: baseUrl, apiKey: 'none' });
  const tools = {
    search: createTool({
      id: 'search',
      description: 's',
      inputSchema: z.object({ query: z.string() }),
      execute: async () => DOCUMENT,
    }),
    calc: createTool({
      id: 'calc',
      description: 'c',
      inputSchema: z.object({ expression: z.string() }),
      execute: async () => SUM,
    }),
  };
  const agent = new Agent({ id: 'peer', name: 'peer', instructions: 'You are helpful.', model: openai.chat(MODEL), tools });
  return {
    run: async (question) => (await agent.generate(question, { maxSteps: MAX_STEPS })).text,
    close: async () => undefined,
  };
};
