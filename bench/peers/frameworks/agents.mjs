import { Agent, run, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';

export const createPeer = async (baseUrl, { DOCUMENT, SUM, MODEL }) => {
  setTracingDisabled(true);
  setOpenAIAPI('chat_completions');
  setDefaultOpenAIClient(new OpenAI({ baseURL: baseUrl, apiKey: 'none' }));
  const tools = [
    tool({ name: 'search', description: 's', parameters: z.object({ query: z.string() }), execute: async () => DOCUMENT }),
    tool({ name: 'calc', description: 'c', parameters: z.object({ expression: z.string() }), execute: async () => SUM }),
  ];
  const agent = new Agent({ name: 'peer', instructions: 'You are helpful.', model: MODEL, tools });
  return { run: async (question) => (await run(agent, question)).finalOutput, close: async () => undefined };
};
