import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asToolError, toldOf } from '../../agent/envelope.ts';
import { AppError, ERRORS, type ErrorCode } from '../../agent/errors.ts';
import type { Tool } from '../../agent/ports/tool.ts';
import { callTurn, createScriptedModel, turnOf } from './fakes.ts';
import { lastContent, lastTool, setUp, toolOf } from './harness.ts';

const FINE = turnOf({ text: 'Fine.' });
const network = (): Error => Object.assign(new Error('connect 10.0.0.5 password=hunter2'), { code: 'ECONNRESET' });

const failing = (error: () => unknown, times = Number.POSITIVE_INFINITY, parts: Partial<Tool> = {}) => {
  let tries = 0;
  const tool = toolOf(
    'flaky',
    async () => {
      tries += 1;
      if (tries <= times) throw error();
      return 'worked';
    },
    parts,
  );
  return { tool, tries: () => tries };
};

const runOnce = async ({ tool, tries }: ReturnType<typeof failing>) => {
  const model = createScriptedModel(callTurn('flaky', {}), FINE);
  const { run, clock } = setUp(model, { tools: [tool] });
  await run();
  return { tries: tries(), waitedMs: clock.monotonic(), told: lastTool(model, 1), content: lastContent(model, 1) };
};

describe('a failed call', () => {
  test('of a read that the network broke is made three times in all, with growing waits', async () => {
    const { tries, waitedMs, told, content } = await runOnce(failing(network));
    assert.deepEqual([tries, waitedMs], [3, 250 + 500]);
    assert.deepEqual(
      { ...(told as object), advice: '' },
      { ok: false, kind: 'network', retryable: true, did_it_happen: 'no', advice: '' },
    );
    assert.ok(!content.includes('hunter2') && !content.includes('10.0.0.5'));
  });

  test('that passes the second time is a success', async () => {
    assert.deepEqual((await runOnce(failing(network, 1))).told, 'worked');
  });

  test('of a write is never made again, and whether it happened is said to be unknown', async () => {
    const { tries, told } = await runOnce(failing(network, 9, { effect: 'write' }));
    assert.equal(tries, 1);
    assert.deepEqual(
      { ...(told as object), advice: '' },
      { ok: false, kind: 'network', retryable: false, did_it_happen: 'unknown', advice: '' },
    );
  });

  test('of a write that says it is repeatable is made again', async () => {
    assert.equal((await runOnce(failing(network, 9, { effect: 'write', idempotent: true }))).tries, 3);
  });

  test('that is an answer of the business is made once, and its words reach the model', async () => {
    const { tries, told } = await runOnce(failing(() => new AppError('tool_not_found', 'There is no order 7.')));
    assert.equal(tries, 1);
    assert.deepEqual(told, {
      ok: false,
      kind: 'not_found',
      retryable: false,
      did_it_happen: 'no',
      advice: 'There is no order 7.',
    });
  });

  test('waits as long as the service asked, up to a minute, and not at all beyond it', async () => {
    const limited = (retryAfterMs: number) => () => new AppError('tool_rate_limited', 'slow down', { retryAfterMs });
    assert.deepEqual((await runOnce(failing(limited(7_000), 1))).waitedMs, 7_000);
    const late = await runOnce(failing(limited(61_000)));
    assert.deepEqual([late.tries, late.waitedMs], [1, 0]);
  });

  test('tells the model when the service takes the call again, and that a later time than a minute is too late', async () => {
    const limited = (retryAfterMs: number) => () => new AppError('tool_rate_limited', 'slow down', { retryAfterMs });
    const soon = await runOnce(failing(limited(7_001)));
    assert.deepEqual(soon.told, {
      ok: false,
      kind: 'rate_limited',
      retryable: true,
      did_it_happen: 'no',
      retry_after_s: 8,
      advice: 'The service behind the tool limits the rate of calls. Go on without it for now.',
    });
    const told = (await runOnce(failing(limited(3_600_000 * 3)))).told as Record<string, unknown>;
    assert.deepEqual([told['retryable'], told['retry_after_s']], [false, 10_800]);
    assert.match(String(told['advice']), /again in 3 hours, which is too late for this answer: say so\.$/u);
    const unavailable = Object.assign(new Error('503'), { status: 503, retryAfterMs: 120_000 });
    assert.match(String(((await runOnce(failing(() => unavailable))).told as { advice: string }).advice), /in 2 minutes/u);
  });

  test('is not followed by another before the time that the service named', async () => {
    const { tool, tries } = failing(() => new AppError('tool_rate_limited', 'slow down', { retryAfterMs: 61_000 }));
    const model = createScriptedModel(callTurn('flaky', { n: 1 }), callTurn('flaky', { n: 2 }), FINE);
    const { answer } = await setUp(model, { tools: [tool] }).run();
    assert.deepEqual([tries(), answer.text], [1, 'Fine.']);
    const told = lastTool(model, 2) as Record<string, unknown>;
    assert.equal(told['kind'], 'set_aside');
    assert.match(String(told['advice']), /^flaky failed and is set aside for 61 s\./u);
  });

  test('is not made again beyond the time of the run', async () => {
    const { tool, tries } = failing(network);
    await setUp(createScriptedModel(callTurn('flaky', {}), FINE), { tools: [tool], limits: { runTimeoutMs: 400 } }).run();
    assert.equal(tries(), 2);
  });

  test('is made once where the layer of retries is off', async () => {
    const { tool, tries } = failing(network);
    await setUp(createScriptedModel(callTurn('flaky', {}), FINE), { tools: [tool], deps: { layers: { retry: false } } }).run();
    assert.equal(tries(), 1);
  });

  for (const [what, thrown] of [
    ['a string', 'secret words'],
    ['null', null],
    ['an object', { message: 'secret words' }],
  ] as const) {
    test(`that threw ${what} is an internal failure without its words`, async () => {
      const { told, content } = await runOnce(failing(() => thrown));
      assert.equal((told as { kind: string }).kind, 'internal');
      assert.ok(!content.includes('secret'));
    });
  }
});

describe('a tool that keeps failing', () => {
  const fail = (n: number) => callTurn('flaky', { n });

  test('is set aside after two failures, and another tool advised', async () => {
    const { tool, tries } = failing(() => new Error('x'));
    const model = createScriptedModel(fail(1), fail(2), callTurn('other', {}), FINE);
    await setUp(model, { tools: [tool, toolOf('other', async () => 'of other')] }).run();
    assert.equal(tries(), 2);
    assert.match(lastContent(model, 2), /has failed 2 times in a row\. Use another tool \(other\)/);
    assert.equal(lastContent(model, 3), '"of other"');
  });

  test('and is called for all that ends the run with what was found', async () => {
    const { tool, tries } = failing(() => new Error('x'));
    const model = createScriptedModel(fail(1), fail(2), fail(3), turnOf({ text: 'I could not look it up.' }));
    const { answer } = await setUp(model, { tools: [tool] }).run();
    assert.equal(tries(), 2);
    assert.equal((lastTool(model, 3) as { kind: string }).kind, 'set_aside');
    assert.deepEqual(model.requests[3]?.tools, []);
    assert.match(model.requests[3]?.messages[0]?.content ?? '', /say plainly what could not be looked up/);
    assert.equal(answer.text, 'I could not look it up.');
  });

  test('is tried again after 30 s', async () => {
    const { tool, tries } = failing(() => new Error('x'), 2);
    const slow = toolOf('slow', async () => null, { timeoutMs: 60_000 });
    const model = createScriptedModel(fail(1), fail(2), callTurn('slow', {}), fail(3), FINE);
    const { run, clock } = setUp(model, { tools: [tool, { ...slow, run: () => clock.sleep(30_000).then(() => null) }] });
    await run();
    assert.equal(tries(), 3);
    assert.equal(lastContent(model, 4), '"worked"');
  });

  test('counts once a step, however many calls of it there were', async () => {
    const { tool } = failing(() => new Error('x'));
    const toolCalls = [1, 2, 3].map((n) => ({ name: 'flaky', arguments: JSON.stringify({ n }) }));
    const model = createScriptedModel(turnOf({ toolCalls }), FINE);
    await setUp(model, { tools: [tool] }).run();
    assert.equal(model.requests[1]?.tools.length, 1);
  });

  test('may go on where the layer is off', async () => {
    const { tool, tries } = failing(() => new Error('x'));
    const model = createScriptedModel(fail(1), fail(2), fail(3), fail(4), FINE);
    await setUp(model, { tools: [tool], deps: { layers: { degradation: false } } }).run();
    assert.equal(tries(), 4);
  });
});

describe('what a tool throws', () => {
  const KNOWN: readonly (readonly [string, unknown, ErrorCode])[] = [
    ['a reset connection', network(), 'tool_network'],
    [
      'a fetch that failed, by its cause',
      new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }) }),
      'tool_network',
    ],
    ['an answer 503', Object.assign(new Error('x'), { status: 503 }), 'tool_network'],
    ['an answer 429', Object.assign(new Error('x'), { status: 429 }), 'tool_rate_limited'],
    ['an answer 500', Object.assign(new Error('x'), { status: 500 }), 'tool_failed'],
    ['a signal of time', new DOMException('late', 'TimeoutError'), 'tool_timeout'],
    ['text that names a code', new Error('ECONNRESET'), 'tool_failed'],
  ];
  for (const [what, thrown, code] of KNOWN) {
    test(`${what} is ${code}`, () => {
      assert.equal(asToolError(thrown, 't').code, code);
    });
  }

  test('is told to the model by the table: every code has words, and none of a tool’s calls a service down', () => {
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      for (const effect of ['read', 'write'] as const) {
        const told = toldOf(new AppError(code, 'Own words.'), effect, 60_000);
        assert.notEqual(told.advice, '');
        assert.doesNotMatch(told.advice.replace('no evidence that the service is down', ''), /\bdown\b|outage|unavailable/iu);
      }
    }
  });
});

test('reads under way at the same time are capped', async () => {
  let now = 0;
  let most = 0;
  const toolCalls = Array.from({ length: 12 }, (_, n) => ({ name: 'slow', arguments: JSON.stringify({ n }) }));
  const set = setUp(createScriptedModel(turnOf({ toolCalls }), FINE), {
    limits: { parallelReads: 5 },
    tools: [
      toolOf('slow', async () => {
        now += 1;
        most = Math.max(most, now);
        await set.clock.sleep(100);
        now -= 1;
        return null;
      }),
    ],
  });
  await set.run();
  assert.deepEqual([most, set.clock.monotonic()], [5, 300]);
});

test('long results of one step share its room, and short ones stay whole', async () => {
  const tools = [toolOf('big', async () => 'x'.repeat(9_000)), toolOf('small', async () => 'whole')];
  const toolCalls = ['big', 'small', 'big'].map((name, n) => ({ name, arguments: JSON.stringify({ n }) }));
  const model = createScriptedModel(turnOf({ toolCalls }), FINE);
  await setUp(model, { tools, limits: { stepResultChars: 6_000 } }).run();
  const lengths = model.requests[1]?.messages.slice(-3).map(({ content }) => content.length) ?? [];
  assert.equal(lengths[1], 7);
  assert.ok(
    [lengths[0], lengths[2]].every((length = 0) => length <= 3_000 && length > 2_900),
    String(lengths),
  );
});

test('bytes that a tool returns are told by their number', async () => {
  const model = createScriptedModel(callTurn('bytes', {}), FINE);
  await setUp(model, { tools: [toolOf('bytes', async () => ({ file: Buffer.alloc(3_000_000) }) as never)] }).run();
  assert.equal(lastContent(model, 1), '{"file":"[3000000 bytes of binary data]"}');
});
