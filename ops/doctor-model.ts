import { hasCode } from '../agent/errors.ts';
import type { ModelProvider } from '../agent/ports/model-provider.ts';
import { fail, ok, type Probe, warn } from './doctor.ts';

const TOOL = {
  name: 'report',
  description: 'Reports a word. Call it with the word "ready".',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
} as const;

/** Asks for one tool call and for one streamed sentence, which costs some tens of tokens. */
export const modelProbe = (model: ModelProvider, signal: AbortSignal): Probe => ({
  name: 'model',
  mend: 'check OPENAI_BASE_URL and that the endpoint is up; meanwhile the documents are quoted',
  run: async () => {
    const question = { role: 'user', content: 'Call the tool "report" with the word "ready".' } as const;
    try {
      const turn = await model.ask({ messages: [question], tools: [TOOL] }, { signal });
      const findings = [
        ok('model', turn.model),
        turn.toolCalls.some((call) => call.name === TOOL.name)
          ? ok('model tool calls', 'it calls tools')
          : warn('model tool calls', 'it did not call the tool it was asked to call', 'choose a model that supports tool calls'),
      ];
      let deltas = 0;
      const plain = { role: 'user', content: 'Count from one to ten in words.' } as const;
      await model.ask({ messages: [plain], tools: [] }, { signal, onText: () => (deltas += 1) });
      findings.push(
        deltas > 1
          ? ok('model streaming', `the answer came in ${deltas} pieces`)
          : warn(
              'model streaming',
              'the answer came in one piece',
              'answers will appear all at once; switch streaming on at the endpoint',
            ),
      );
      return findings;
    } catch (error) {
      if (hasCode(error, 'model_auth')) return [fail('model', error.message, 'check OPENAI_API_KEY')];
      if (hasCode(error, 'model_rejected')) return [fail('model', error.message, 'check THREADWISE_MODEL')];
      throw error;
    }
  },
});
