/** Bugs of reading a model's turn: what runs, what is asked again, what is shown. */
import assert from 'node:assert/strict';
import { createProviderChain } from '../../models/chain.ts';
import { createExtractiveProvider } from '../../models/extractive.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { call, calls, DONE, type FaultCase, failureIn, note, pastTurn, resultsIn } from './rig.ts';

export const TURN_CASES: readonly FaultCase[] = [
  {
    id: 'B6',
    what: 'a call of a tool that the provider ran itself stays unanswered',
    run: async ({ ask }) => {
      const first = await ask([{ ...calls(call('web_search_preview', { query: 'a' })), text: 'Searching.' }, DONE]);
      assert.equal(resultsIn(first.requests[1]).length, 1);
      const next = await ask([{ text: 'Next.' }], { input: { history: [pastTurn(1, 'First?', first.answer.text)] } });
      assert.deepEqual([first.answer.text, next.answer.text], ['Done.', 'Next.']);
    },
  },
  {
    id: 'B7',
    what: 'malformed arguments again and again',
    run: async ({ ask, simulator }) => {
      simulator.setPolicy(({ tools = [] }) =>
        tools.length > 0 ? calls(call('note', '{"x": ')) : { text: 'I could not read the notes.' },
      );
      const { answer, ran, requests } = await ask([]);
      assert.deepEqual([ran, answer.text], [[], 'I could not read the notes.']);
      assert.equal(failureIn(requests[1])['kind'], 'invalid_args');
    },
  },
  {
    id: 'B9',
    what: 'a call without arguments, asked for until it works',
    run: async ({ ask, simulator }) => {
      simulator.setPolicy(({ messages }) =>
        messages.some(({ role, content }) => role === 'tool' && content === '"ping ok"') ? DONE : calls(call('ping', '')),
      );
      const { ran, requests } = await ask([]);
      assert.deepEqual([ran, requests.length], [['ping'], 2]);
    },
  },
  {
    id: 'B11',
    what: 'a cut call loses the argument that made it safe',
    run: async ({ ask }) => {
      const cut = { ...calls(call('note', '{"x":"all","dry_run":tr')), finishReason: 'length' };
      const parsing = { ...calls(call('note', '{"x":"all"}')), finishReason: 'length' };
      for (const reply of [cut, parsing]) assert.deepEqual((await ask([reply, DONE])).ran, []);
    },
  },
  {
    id: 'B12',
    what: 'a router calls a cut turn complete',
    run: async ({ ask }) => {
      const { answer, ran } = await ask([{ ...calls(call('note', '{"x":"par')), finishReason: 'tool_calls' }, DONE]);
      assert.deepEqual([ran, answer.text], [[], 'Done.']);
    },
  },
  {
    id: 'B13',
    what: 'three streamed calls with one index',
    run: async ({ ask }) => {
      const three = calls(call('note', { x: '1' }), call('note', { x: '2' }), call('note', { x: '3' }));
      const { ran } = await ask([{ ...three, fault: { kind: 'same_index' } }, DONE]);
      assert.deepEqual(ran, ['note 1', 'note 2', 'note 3']);
    },
  },
  {
    id: 'B14',
    what: 'two streamed calls without an index',
    run: async ({ ask }) => {
      const two = calls(call('note', { x: 'the first' }), call('note', { x: 'the second' }));
      const { ran } = await ask([{ ...two, fault: { kind: 'no_index' } }, DONE]);
      assert.deepEqual(ran, ['note the first', 'note the second']);
    },
  },
  {
    id: 'B31',
    what: 'text and a call in one reply are taken for the answer',
    run: async ({ ask }) => {
      const { answer, ran, requests } = await ask([{ ...note('1'), text: 'The answer is 4.', finishReason: 'stop' }, DONE]);
      assert.deepEqual([ran, answer.text, requests.length], [['note 1'], 'Done.', 2]);
    },
  },
  {
    id: 'B32',
    what: 'text before a call is glued to the answer, in the stream too',
    run: async ({ ask }) => {
      const { answer, events } = await ask([
        { ...note('1'), text: 'Let me look. ' },
        { ...note('2'), text: 'One more. ' },
        { text: 'FINAL' },
      ]);
      const shown = events
        .map((event) => (event.type === 'text_delta' ? event.delta : event.type === 'text_reset' ? '|' : ''))
        .join('');
      assert.deepEqual([answer.text, shown.split('|').at(-1)], ['FINAL', 'FINAL']);
    },
  },
  {
    id: 'B33',
    what: 'a wait of a day blocks the run, or a short one is not kept',
    run: async ({ ask }) => {
      const limited = (seconds: string) => ({
        fault: { kind: 'status' as const, status: 429, headers: { 'retry-after': seconds } },
      });
      const kept = await ask([limited('7'), DONE]);
      assert.equal(kept.answer.text, 'Done.');
      assert.equal(Number(kept.requests[1]?.at) - Number(kept.requests[0]?.at), 7_000);
      const day = await ask([limited('86400'), DONE]);
      assert.deepEqual([day.requests.length, day.answer.answered], [1, false]);
      assert.equal(day.tookMs, 0);
    },
  },
  {
    id: 'B34',
    what: 'a rejected request is repeated, or takes the model away from everyone',
    run: async ({ ask, provider, clock }) => {
      const model = createProviderChain({
        models: [provider],
        lastResort: createExtractiveProvider(),
        clock,
        logger: silentLogger,
      });
      const rejected = {
        fault: { kind: 'status' as const, status: 400, error: { message: 'no', type: 'invalid_request_error' } },
      };
      for (let time = 0; time < 4; time += 1) {
        const { answer, requests } = await ask([rejected], { model });
        assert.deepEqual([requests.length, answer.answered], [1, false]);
      }
      const other = await ask([DONE], { model });
      assert.deepEqual([other.answer.text, other.answer.fallback], ['Done.', false]);
    },
  },
  {
    id: 'B44',
    what: 'content comes as an array of parts',
    run: async ({ ask }) => {
      const { answer } = await ask([{ text: 'The warranty is two years.', fault: { kind: 'content_parts' } }]);
      assert.equal(answer.text, 'The warranty is two years.');
    },
  },
];
