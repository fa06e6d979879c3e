/** Faults of a whole reply and of tools: rows s01 to s27. */
import assert from 'node:assert/strict';
import type { ModelPolicy } from '../../simulator/model-policy.ts';
import { call, calls, DONE, type FaultCase, failureIn, note, pastTurn, resultsIn } from './rig.ts';

/** Says the same as long as it may, whatever it is told. */
export const stubborn =
  (reply: ReturnType<typeof calls>): ModelPolicy =>
  ({ tools = [] }) =>
    tools.length > 0 ? reply : { text: 'Here is what I have.' };

const quota = { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' };
const tooLong = {
  message: 'This model has a maximum context length of 8192 tokens',
  type: 'invalid_request_error',
  code: 'context_length_exceeded',
};

export const WIRE_CASES: readonly FaultCase[] = [
  {
    id: 's01',
    what: 'arguments are cut off in a turn that calls itself complete',
    run: async ({ ask }) => {
      const { answer, ran, requests } = await ask([calls(call('note', '{"x": "hi')), DONE]);
      assert.deepEqual([ran, answer.text, requests.length], [[], 'Done.', 2]);
      assert.equal(failureIn(requests[1])['kind'], 'invalid_args');
    },
  },
  {
    id: 's02',
    what: 'a tool without arguments is called with an empty text',
    run: async ({ ask }) => {
      const { answer, ran } = await ask([calls(call('ping', '')), DONE]);
      assert.deepEqual([ran, answer.text], [['ping'], 'Done.']);
    },
  },
  {
    id: 's03',
    what: 'arguments are null',
    run: async ({ ask }) => {
      const { answer, ran, requests } = await ask([calls(call('note', 'null')), note('a'), DONE]);
      assert.deepEqual([ran, answer.text], [['note a'], 'Done.']);
      assert.equal(failureIn(requests[1])['kind'], 'invalid_args');
    },
  },
  {
    id: 's04',
    what: 'an unknown tool is called',
    run: async ({ ask }) => {
      const { answer, ran, requests } = await ask([calls(call('frobnicate', { x: 'a' })), DONE]);
      assert.deepEqual([ran, answer.text], [[], 'Done.']);
      assert.match(String(failureIn(requests[1])['advice']), /note.*ping/u);
    },
  },
  {
    id: 's05',
    what: 'a tool throws an error that names a host and a password',
    run: async ({ ask, tool }) => {
      const failing = tool('note', () => {
        throw Object.assign(new Error('connect ETIMEDOUT 10.0.0.5 (password=hunter2)'), { code: 'ETIMEDOUT' });
      });
      const { answer, requests } = await ask([note('a'), DONE], { tools: [failing] });
      assert.equal(answer.text, 'Done.');
      const told = failureIn(requests[1]);
      assert.doesNotMatch(JSON.stringify(requests), /10\.0\.0\.5|hunter2|ETIMEDOUT|at .*\.ts/u);
      assert.ok(['network', 'timeout'].includes(String(told['kind'])), `kind is ${String(told['kind'])}`);
    },
  },
  {
    id: 's06',
    what: 'one of two calls at once fails',
    run: async ({ ask, tool }) => {
      const failing = tool('bad', () => {
        throw new Error('no');
      });
      const { answer, requests } = await ask([calls(call('bad', { x: '1' }), call('note', { x: '2' })), DONE], {
        tools: [failing, tool('note')],
      });
      const [first, second] = resultsIn(requests[1]);
      assert.deepEqual([answer.text, second], ['Done.', '"noted 2"']);
      assert.match(String(first), /"ok":false/u);
    },
  },
  {
    id: 's07',
    what: 'two calls of one message carry one id',
    run: async ({ ask }) => {
      const { answer, ran, requests } = await ask([calls(call('note', { x: '1' }, 'a'), call('note', { x: '2' }, 'a')), DONE]);
      assert.deepEqual([ran, answer.text], [['note 1', 'note 2'], 'Done.']);
      assert.deepEqual(resultsIn(requests[1]), ['"noted 1"', '"noted 2"']);
    },
  },
  {
    id: 's08',
    what: 'an id comes again in a later turn',
    run: async ({ ask }) => {
      const { answer, ran, requests } = await ask([note('1', 'a'), note('2', 'a'), DONE]);
      assert.deepEqual([ran, answer.text], [['note 1', 'note 2'], 'Done.']);
      assert.deepEqual(resultsIn(requests[2]), ['"noted 1"', '"noted 2"']);
    },
  },
  {
    id: 's09',
    what: 'a reply cut by its length limit, not streamed, with broken arguments',
    run: async ({ ask }) => {
      const cut = { ...calls(call('note', '{"x":"pa')), finishReason: 'length', fault: { kind: 'whole' as const } };
      const { answer, ran } = await ask([cut, DONE]);
      assert.deepEqual([ran, answer.text], [[], 'Done.']);
    },
  },
  {
    id: 's09b',
    what: 'a reply cut by its length limit whose arguments happen to parse',
    run: async ({ ask }) => {
      const cut = { ...note('par'), finishReason: 'length', fault: { kind: 'whole' as const } };
      const { answer, ran } = await ask([cut, DONE]);
      assert.deepEqual([ran, answer.text], [[], 'Done.']);
    },
  },
  {
    id: 's10',
    what: 'an empty reply',
    run: async ({ ask, simulator }) => {
      const { answer } = await ask([{ text: '' }, DONE]);
      assert.equal(answer.text, 'Done.');
      simulator.setPolicy(() => ({ text: '' }));
      const always = await ask([]);
      assert.equal(always.answer.answered, false);
    },
  },
  {
    id: 's12',
    what: 'a refusal',
    run: async ({ ask }) => {
      const { answer, requests } = await ask([{ refusal: 'I cannot help with that.' }]);
      assert.equal(requests.length, 1);
      assert.match(answer.text, /I cannot help with that\./u);
      assert.equal(answer.answered, false);
    },
  },
  {
    id: 's13',
    what: 'a tool call that ends with stop',
    run: async ({ ask }) => {
      const { answer, ran } = await ask([{ ...note('1'), finishReason: 'stop' }, DONE]);
      assert.deepEqual([ran, answer.text], [['note 1'], 'Done.']);
    },
  },
  {
    id: 's15',
    what: 'the same call for ever',
    run: async ({ ask, simulator }) => {
      simulator.setPolicy(stubborn(note('again')));
      const { answer, ran, requests } = await ask([]);
      assert.ok(ran.length <= 3, `the call ran ${ran.length} times`);
      assert.ok(requests.length <= 7, `${requests.length} requests`);
      assert.match(answer.text, /Here is what I have\./u);
    },
  },
  {
    id: 's17',
    what: 'a tool returns undefined',
    run: async ({ ask, tool }) => {
      const { answer, requests } = await ask([note('1'), DONE], { tools: [tool('note', () => undefined)] });
      assert.equal(answer.text, 'Done.');
      assert.notEqual(resultsIn(requests[1])[0]?.trim(), '');
    },
  },
  {
    id: 's18',
    what: 'a tool returns 3 MB',
    run: async ({ ask, tool }) => {
      const { answer, requests } = await ask([note('1'), DONE], { tools: [tool('note', () => 'word '.repeat(600_000))] });
      assert.equal(answer.text, 'Done.');
      assert.ok(Number(requests[1]?.bytes) < 100_000, `the request has ${requests[1]?.bytes} bytes`);
    },
  },
  {
    id: 's19',
    what: 'a result is cut inside an emoji',
    run: async ({ ask, tool }) => {
      const half = await ask([note('1'), DONE], { tools: [tool('note', () => 'done \u{1f600}'.slice(0, -1))] });
      assert.equal(half.answer.text, 'Done.');
      for (let shift = 0; shift < 3; shift += 1) {
        const long = tool('note', () => 'x'.repeat(shift) + '\u{1f469}\u{200d}\u{1f680}'.repeat(20_000));
        assert.equal((await ask([note('1'), DONE], { tools: [long] })).answer.text, 'Done.');
      }
    },
  },
  {
    id: 's20',
    what: 'a result holds a BigInt',
    run: async ({ ask, tool }) => {
      const { answer, requests } = await ask([note('1'), DONE], { tools: [tool('note', () => ({ id: 90071992547409931n }))] });
      assert.equal(answer.text, 'Done.');
      assert.match(resultsIn(requests[1])[0] ?? '', /90071992547409931/u);
    },
  },
  {
    id: 's21',
    what: 'a rate limit that asks to wait a second',
    run: async ({ ask }) => {
      const { answer, requests } = await ask([{ fault: { kind: 'status', status: 429, headers: { 'retry-after': '1' } } }, DONE]);
      assert.deepEqual([answer.text, requests.length], ['Done.', 2]);
      assert.equal(Number(requests[1]?.at) - Number(requests[0]?.at), 1_000);
    },
  },
  {
    id: 's22',
    what: 'the quota is used up',
    run: async ({ ask }) => {
      const { answer, requests } = await ask([{ fault: { kind: 'status', status: 429, error: quota } }, DONE]);
      assert.deepEqual([answer.answered, requests.length], [false, 1]);
    },
  },
  {
    id: 's23',
    what: 'a rate limit that asks to wait an hour',
    run: async ({ ask }) => {
      const { answer, requests, tookMs } = await ask([
        { fault: { kind: 'status', status: 429, headers: { 'retry-after': '3600' } } },
        DONE,
      ]);
      assert.deepEqual([answer.answered, requests.length, tookMs], [false, 1, 0]);
    },
  },
  {
    id: 's24',
    what: 'the request is longer than the model reads',
    run: async ({ ask }) => {
      const history = Array.from({ length: 12 }, (_value, n) =>
        pastTurn(n, `question ${n}`, 'An answer of some length. '.repeat(20)),
      );
      const { answer, requests } = await ask([{ fault: { kind: 'status', status: 400, error: tooLong } }, DONE], {
        input: { history },
      });
      assert.deepEqual([answer.text, requests.length], ['Done.', 2]);
      assert.ok(Number(requests[1]?.bytes) < Number(requests[0]?.bytes), 'the second request is not smaller');
    },
  },
  {
    id: 's26',
    what: 'reasoning has to be echoed with the calls it led to',
    run: async ({ ask }) => {
      const { answer, requests } = await ask([{ ...note('1'), reasoning: 'First the notes.' }, DONE]);
      assert.equal(answer.text, 'Done.');
      assert.equal(requests[1]?.messages.find(({ role }) => role === 'assistant')?.reasoning_content, 'First the notes.');
    },
  },
  {
    id: 's27',
    what: 'a tool never returns',
    run: async ({ ask, tool }) => {
      const hanging = tool('note', () => new Promise(() => undefined));
      const { answer, requests, tookMs } = await ask([note('1'), DONE], { tools: [hanging] });
      assert.equal(answer.text, 'Done.');
      const told = failureIn(requests[1]);
      assert.deepEqual([told['kind'], told['did_it_happen']], ['timeout', 'no']);
      assert.ok(tookMs < 60_000, `the run took ${Math.round(tookMs / 1000)} s`);
    },
  },
];
