import { createOpenAI } from '@ai-sdk/openai';
import { generateText, isStepCount, tool } from 'ai';
import { z } from 'zod';

export const createPeer = async (baseUrl, { DOCUMENT, SUM, MODEL, MAX_STEPS }) => {
  const openai = createOpenAI({ baseURL: baseUrl, apiKey: 'none' });
  const tools = {
    search: tool({ description: 's', inputSchema: z.object({ query: z.string() }), execute: async () => DOCUMENT }),
    calc: tool({ description: 'c', inputSchema: z.object({ expression: z.string() }), execute: async () => SUM }),
  };
  return {
    run: async (prompt) => {
      const { text } = await generateText({
        model: openai.chat(MODEL),
        system: 'You are helpful.',
        prompt,
        tools,
        stopWhen: isStepCount(MAX_STEPS),
        temperature: 0,
      });
      return text;
    },
    close: async () => undefined,
  };
};
