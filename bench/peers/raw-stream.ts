/** The limit: the openai package, streamed, its chunks put together by hand in a bare loop. */
import OpenAI from 'openai';
import type { CreatePeer } from './measure.ts';
import { DOCUMENT, MAX_STEPS, MODEL, SUM } from './workload.ts';

const toolOf = (name: string, argument: string): OpenAI.Chat.Completions.ChatCompletionTool => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { [argument]: { type: 'string' } }, required: [argument] } },
});

export const createPeer: CreatePeer = async (baseUrl) => {
  const client = new OpenAI({ apiKey: 'none', baseURL: baseUrl });
  const tools = [toolOf('search', 'query'), toolOf('calc', 'expression')];
  const results: Readonly<Record<string, string>> = { search: DOCUMENT, calc: SUM };

  const run = async (question: string): Promise<string> => {
    const messages: OpenAI.Chat.Completions.ChatCompletionMessageParam[] = [
      { role: 'system', content: 'You are helpful.' },
      { role: 'user', content: question },
    ];
    for (let step = 0; step < MAX_STEPS; step += 1) {
      let text = '';
      const calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] = [];
      const stream = await client.chat.completions.create({
        model: MODEL,
        messages,
        tools,
        stream: true,
        stream_options: { include_usage: true },
      });
      for await (const chunk of stream) {
        const delta = chunk.choices[0]?.delta;
        if (delta === undefined) continue;
        text += delta.content ?? '';
        for (const part of delta.tool_calls ?? []) {
          calls[part.index] ??= { id: '', type: 'function', function: { name: '', arguments: '' } };
          const call = calls[part.index] as (typeof calls)[number];
          if (part.id) call.id = part.id;
          if (part.function?.name) call.function.name = part.function.name;
          call.function.arguments += part.function?.arguments ?? '';
        }
      }
      if (calls.length === 0) return text;
      messages.push({ role: 'assistant', content: text || null, tool_calls: calls });
      for (const call of calls) {
        JSON.parse(call.function.arguments);
        messages.push({ role: 'tool', tool_call_id: call.id, content: results[call.function.name] ?? '' });
      }
    }
    return '';
  };
  return { run, close: async () => undefined };
};
