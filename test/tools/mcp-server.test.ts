import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { z } from 'zod';
import type { Tool, ToolContext } from '../../agent/ports/tool.ts';
import { createRegistry } from '../../agent/registry.ts';
import { systemClock } from '../../ops/clock.ts';
import { serveMcp } from '../../tools/mcp-server.ts';
import { silentLogger } from '../agent/fakes.ts';
import { until } from './mcp-kit.ts';

interface Answer {
  readonly id: number;
  readonly error?: { readonly code: number };
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };
}

const tool = (parts: Partial<Tool> & Pick<Tool, 'run'>): Tool => ({
  name: 'look',
  description: 'Looks.',
  parameters: z.object({}),
  effect: 'read',
  timeoutMs: 5_000,
  ...parts,
});

const serve = (t: TestContext, offered: Tool) => {
  const [input, output, stop] = [new PassThrough(), new PassThrough(), new AbortController()];
  let said = '';
  output.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  const ended = serveMcp({
    registry: createRegistry([offered]),
    labels: ['everyone'],
    input,
    output,
    signal: stop.signal,
    clock: systemClock,
    logger: silentLogger,
  });
  t.after(async () => {
    stop.abort(new Error('the test is over'));
    await ended;
  });
  const answers = () =>
    said
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Answer);
  const send = (message: object): void => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const call = (id: number): void => send({ id, method: 'tools/call', params: { name: 'look', arguments: {} } });
  const answerOf = async (id: number): Promise<Answer> => {
    await until(() => answers().some((one) => one.id === id), `answer ${id}`);
    return answers().find((one) => one.id === id) as Answer;
  };
  return { input, output, ended, answers, send, call, answerOf };
};

test('a call that takes too long is answered by its time limit, and its tool told', async (t) => {
  const signals: AbortSignal[] = [];
  const { call, answerOf } = serve(
    t,
    tool({
      timeoutMs: 30,
      idempotent: false,
      run: (_args, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    }),
  );
  call(1);
  const { result } = await answerOf(1);
  assert.equal(result?.isError, true);
  assert.equal(JSON.parse(result.content[0]?.text ?? '').kind, 'timeout');
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true],
  );
});

test('a call that is cancelled is given up, and the next is answered', async (t) => {
  const contexts: ToolContext[] = [];
  const { send, call, answers, answerOf } = serve(
    t,
    tool({
      run: async (_args, context) => {
        contexts.push(context);
        return contexts.length === 1 ? new Promise(() => {}) : 'found';
      },
    }),
  );
  call(1);
  await until(() => contexts.length === 1, 'the call runs');
  send({ method: 'notifications/cancelled', params: { requestId: 1 } });
  await until(() => contexts[0]?.signal.aborted === true, 'the tool is told');
  call(2);
  assert.deepEqual((await answerOf(2)).result, { content: [{ type: 'text', text: '"found"' }] });
  assert.equal(answers().length, 1);
  assert.deepEqual(contexts[1]?.labels, ['everyone']);
});

test('a failure is told by the table and not in its own words, and a long result is cut', async (t) => {
  const outcomes = [() => Promise.reject(new Error('password is s3cret')), async () => 'x'.repeat(100_000)];
  const { call, answerOf } = serve(t, tool({ run: () => (outcomes.shift() as () => Promise<string>)() }));
  call(1);
  const failed = await answerOf(1);
  assert.equal(failed.result?.isError, true);
  assert.match(failed.result.content[0]?.text ?? '', /"kind":"internal"/);
  assert.doesNotMatch(JSON.stringify(failed), /s3cret/);
  call(2);
  const text = (await answerOf(2)).result?.content[0]?.text ?? '';
  assert.ok(text.length <= 24_000);
  assert.match(text, /more characters left out/);
});

test('more calls than 16 at a time are refused, and those that run are answered', async (t) => {
  const gate = Promise.withResolvers<string>();
  const { call, answers, answerOf } = serve(t, tool({ run: () => gate.promise }));
  for (let id = 1; id <= 17; id += 1) call(id);
  assert.match((await answerOf(17)).result?.content[0]?.text ?? '', /At most 16 calls run at a time/);
  gate.resolve('found');
  await answerOf(16);
  assert.equal(answers().filter(({ result }) => result?.isError !== true).length, 16);
});

test('a line that is no message is passed over; one that is endless ends the serving', async (t) => {
  const { input, call, answerOf, ended } = serve(t, tool({ run: async () => 'found' }));
  input.write('this is no JSON\n{"jsonrpc":"2.0"}\n');
  call(1);
  await answerOf(1);
  input.write('x'.repeat(1_000_001));
  await ended;
});

test('when the input ends, what is under way is answered first', async (t) => {
  const gate = Promise.withResolvers<string>();
  const { input, call, answers, ended } = serve(t, tool({ run: () => gate.promise }));
  call(1);
  input.end();
  await systemClock.sleep(20);
  assert.equal(answers().length, 0);
  gate.resolve('found');
  await ended;
  assert.equal(answers().length, 1);
});
