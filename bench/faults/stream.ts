/** Faults inside a stream: rows t02 to t09, and the two found besides. */
import assert from 'node:assert/strict';
import type { AgentEvent } from '../../agent/events.ts';
import type { ModelProvider } from '../../agent/ports/model-provider.ts';
import { createProviderChain } from '../../models/chain.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { call, calls, DONE, type FaultCase, note } from './rig.ts';

const two = calls(call('note', { x: '1' }), call('note', { x: '2' }));
const HALF = 'The warranty is two years for parts and one';

const FROM_DOCUMENTS: ModelProvider = {
  id: 'documents',
  ask: async (_request, { onText }) => {
    const text = 'From the documents.';
    onText?.(text);
    return { text, toolCalls: [], finishReason: 'stop', usage: { inputTokens: 0, outputTokens: 0 }, model: 'documents' };
  },
};

/** What stands where the answer is streamed when the run is over. */
const shownLast = (events: readonly AgentEvent[]): string =>
  events.reduce(
    (text, event) => (event.type === 'text_delta' ? text + event.delta : event.type === 'text_reset' ? '' : text),
    '',
  );

export const STREAM_CASES: readonly FaultCase[] = [
  {
    id: 't02',
    what: 'two calls share the index 0',
    run: async ({ ask }) => {
      const { answer, ran } = await ask([{ ...two, fault: { kind: 'same_index' } }, DONE]);
      assert.deepEqual([ran, answer.text], [['note 1', 'note 2'], 'Done.']);
    },
  },
  {
    id: 't03',
    what: 'calls come without an index',
    run: async ({ ask }) => {
      const { answer, ran } = await ask([{ ...note('a longer argument'), fault: { kind: 'no_index' } }, DONE]);
      assert.deepEqual([ran, answer.text], [['note a longer argument'], 'Done.']);
    },
  },
  {
    id: 't04',
    what: 'a stream cut by the length limit inside the arguments',
    run: async ({ ask }) => {
      const { answer, ran } = await ask([{ ...calls(call('note', '{"x":"par')), finishReason: 'length' }, DONE]);
      assert.deepEqual([ran, answer.text], [[], 'Done.']);
    },
  },
  {
    id: 't05/07',
    what: 'the connection dies inside the text, and inside a call',
    run: async ({ ask }) => {
      const text = await ask([{ text: HALF, fault: { kind: 'cut', afterChunks: 4 } }, DONE]);
      const inCall = await ask([{ ...note('a longer argument'), fault: { kind: 'cut', afterChunks: 3 } }, DONE]);
      assert.deepEqual([text.answer.text, inCall.answer.text, inCall.ran], ['Done.', 'Done.', []]);
      assert.equal(shownLast(text.events), 'Done.');
    },
  },
  {
    id: 't06',
    what: 'a stream ends without a finish reason, once and always',
    run: async ({ ask, provider, clock }) => {
      const half = { text: HALF, fault: { kind: 'end_early' as const, afterChunks: 4 } };
      const { answer, requests } = await ask([half, DONE]);
      assert.deepEqual([answer.text, requests.length], ['Done.', 2]);
      const model = createProviderChain({ models: [provider], lastResort: FROM_DOCUMENTS, clock, logger: silentLogger });
      const always = await ask([half, half, half], { model });
      assert.deepEqual([always.requests.length, always.answer.fallback], [3, true]);
      assert.deepEqual([always.answer.text, shownLast(always.events)], ['From the documents.', 'From the documents.']);
    },
  },
  {
    id: 't09',
    what: 'the name is repeated in each delta',
    run: async ({ ask }) => {
      const { answer, ran } = await ask([{ ...note('a longer argument'), fault: { kind: 'repeated_name' } }, DONE]);
      assert.deepEqual([ran, answer.text], [['note a longer argument'], 'Done.']);
    },
  },
  {
    id: 'x01',
    what: 'every reply has the same response id',
    run: async ({ ask }) => {
      const { answer, ran } = await ask([
        { ...note('1'), responseId: 'r' },
        { ...note('2'), responseId: 'r' },
        { ...DONE, responseId: 'r' },
      ]);
      assert.deepEqual([ran, answer.text], [['note 1', 'note 2'], 'Done.']);
    },
  },
  {
    id: 'x02',
    what: 'text beside a call, then the answer',
    run: async ({ ask }) => {
      const { answer, ran } = await ask([{ ...note('1'), text: 'let me check' }, { text: 'FINAL' }]);
      assert.deepEqual([ran, answer.text], [['note 1'], 'FINAL']);
    },
  },
];
