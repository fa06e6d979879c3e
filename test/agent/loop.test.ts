import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../../agent/errors.ts';
import type { JsonValue } from '../../agent/json.ts';
import { DEFAULT_LIMITS } from '../../agent/limits.ts';
import { createAgent } from '../../agent/loop.ts';
import type { ChatMessage } from '../../agent/messages.ts';
import type { Tool } from '../../agent/ports/tool.ts';
import { CANCELLED } from '../../agent/run.ts';
import { UNKNOWN_MARKER } from '../../agent/system-prompt.ts';
import { textsFor } from '../../agent/texts.ts';
import type { FakeClock } from '../fake-clock.ts';
import { callTurn, createMemoryJournal, createScriptedModel, turnOf } from './fakes.ts';
import { assertValid, lastContent, lastTool, search, setUp, toolOf } from './harness.ts';

const texts = textsFor('en');

describe('a run', () => {
  test('searches, answers, and cites what it found word for word', async () => {
    const model = createScriptedModel(
      callTurn('search_knowledge', { query: 'warranty' }, 'Let me look.'),
      turnOf({ text: 'It lasts two years [1].' }),
    );
    const { run, input } = setUp(model);
    const result = await run();
    assert.deepEqual(result, {
      answer: {
        text: 'It lasts two years [1].',
        citations: [
          {
            n: 1,
            title: 'Title warranty',
            source: 'warranty.md',
            quote: 'The warranty is two years.',
            chunkId: 'warranty',
            headingPath: ['Guide'],
            location: '',
            date: null,
            label: 'everyone',
          },
        ],
        answered: true,
        stopReason: 'answered',
        allowedLinks: ['https://example.com/warranty'],
        fallback: false,
      },
      steps: 2,
      tools: ['search_knowledge'],
      usage: { inputTokens: 20, outputTokens: 4 },
      model: 'fake-model',
      durationMs: 0,
      files: [],
    });
    assert.deepEqual(
      input.events.map((event) =>
        event.type === 'text_delta' ? `+${event.delta}` : event.type === 'state_changed' ? event.state : event.type,
      ),
      [
        'run_started',
        'idle',
        'step_started',
        'thinking',
        '+Let ',
        '+me ',
        '+look.',
        'text_reset',
        'model_finished',
        'executing',
        'tool_started',
        'tool_finished',
        'observing',
        'step_started',
        'thinking',
        '+It ',
        '+lasts ',
        '+two ',
        '+years ',
        '+[1].',
        'model_finished',
        'finished',
        'run_finished',
      ],
    );
    assertValid(model);
  });

  test('that does not know says so, and the marker is seen by nobody', async () => {
    const model = createScriptedModel(turnOf({ text: `${UNKNOWN_MARKER} No document mentions it.` }));
    const { run, input } = setUp(model);
    const { answer } = await run();
    assert.equal(answer.text, 'No document mentions it.');
    assert.equal(answer.answered, false);
    assert.equal(answer.stopReason, 'not_known');
    const shown = input.events.map((event) => (event.type === 'text_delta' ? event.delta : '')).join('');
    assert.equal(shown, 'No document mentions it.');
  });

  test("takes a provider's own word that it does not know", async () => {
    const { answer } = await setUp(
      createScriptedModel(turnOf({ text: 'Nothing found.', answered: false, fallback: true })),
    ).run();
    assert.deepEqual([answer.answered, answer.stopReason, answer.fallback], [false, 'not_known', true]);
  });

  for (const [what, question, reason] of [
    ['an empty question', ' \n', 'empty_question'],
    ['only emoji', '🎉🎉', 'empty_question'],
    ['control and direction characters', '\u0000\u202e\u200b', 'empty_question'],
    ['a lone surrogate', '\ud83d', 'empty_question'],
    ['100,000 characters', 'why '.repeat(25_000), 'question_too_long'],
  ] as const) {
    test(`with ${what} asks no model and answers ${reason}`, async () => {
      const model = createScriptedModel(turnOf({ text: 'x' }));
      const { answer } = await setUp(model, { input: { question } }).run();
      assert.equal(answer.stopReason, reason);
      assert.notEqual(answer.text, '');
      assert.equal(model.requests.length, 0);
    });
  }
});

describe('tools', () => {
  const BAD_ARGUMENTS: readonly (readonly [string, string, string])[] = [
    ['cut JSON', '{"query": "wa', 'The arguments are not complete JSON. Send them again as one JSON object.'],
    ['null', 'null', 'The arguments must be one JSON object; null came.'],
    ['an array', '[1]', 'The arguments must be one JSON object; an array came.'],
    ['a missing field', '{}', 'query: expected string, received undefined'],
    ['a field of another type', '{"query": 5}', 'query: expected string, received number'],
  ];
  for (const [what, raw, advice] of BAD_ARGUMENTS) {
    test(`arguments that are ${what} go back as a result that names the fault`, async () => {
      const model = createScriptedModel(callTurn('search_knowledge', raw), turnOf({ text: 'Sorry.' }));
      await setUp(model).run();
      assert.deepEqual(lastTool(model, 1), { ok: false, kind: 'invalid_args', retryable: true, did_it_happen: 'no', advice });
      assertValid(model);
    });
  }

  test('empty arguments are an empty object', async () => {
    const seen: unknown[] = [];
    const ping = toolOf('ping', async (args) => {
      seen.push(args);
      return 'pong';
    });
    await setUp(createScriptedModel(callTurn('ping', ''), turnOf({ text: 'Done.' })), { tools: [ping] }).run();
    assert.deepEqual(seen, [{}]);
  });

  test('an unknown tool is answered with the names of those there are', async () => {
    const model = createScriptedModel(callTurn('weather', {}), turnOf({ text: 'Sorry.' }));
    await setUp(model).run();
    assert.match(String((lastTool(model, 1) as { advice: string }).advice), /search_knowledge/);
  });

  test('a failing and a hanging tool leave the others, results in the order asked', async () => {
    const tools = [
      toolOf('hang', () => new Promise(() => undefined)),
      toolOf('throw', async () => {
        throw new Error('connect ETIMEDOUT 10.0.0.5 (password=hunter2)');
      }),
      toolOf('work', async () => 'done'),
    ];
    const toolCalls = ['hang', 'throw', 'work'].map((name) => ({ name, arguments: '{}' }));
    const model = createScriptedModel(turnOf({ toolCalls }), turnOf({ text: 'Partly done.' }));
    const { run, clock } = setUp(model, { tools });
    await run();
    // A read that timed out is tried once more; then it is given up.
    assert.equal(clock.monotonic(), 1_000 + 250 + 1_000);
    const results = model.requests[1]?.messages.slice(-3) as Extract<ChatMessage, { role: 'tool' }>[];
    assert.deepEqual(
      results.map(({ callId, name }) => [callId, name]),
      [
        ['call_1', 'hang'],
        ['call_2', 'throw'],
        ['call_3', 'work'],
      ],
    );
    const [hung, threw, worked] = results.map(({ content }) => JSON.parse(content) as { kind?: string; advice?: string });
    assert.equal(hung?.kind, 'timeout');
    assert.match(hung?.advice ?? '', /no evidence that the service is down/);
    assert.equal(threw?.kind, 'internal');
    assert.ok(!JSON.stringify(results).includes('hunter2'));
    assert.equal(worked, 'done');
    assertValid(model);
  });

  test('a tool that is given up on is told so, and one that ended is left alone', async () => {
    const signals: AbortSignal[] = [];
    const keep =
      (ends: boolean) =>
      (_args: unknown, { signal }: { signal: AbortSignal }) => {
        signals.push(signal);
        return ends ? Promise.resolve(null) : new Promise<null>(() => undefined);
      };
    const toolCalls = ['ends', 'hangs'].map((name) => ({ name, arguments: '{}' }));
    const model = createScriptedModel(turnOf({ toolCalls }), turnOf({ text: 'Done.' }));
    await setUp(model, { tools: [toolOf('ends', keep(true)), toolOf('hangs', keep(false))] }).run();
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false, true, true],
    );
  });

  test('reads of a step run together, a write runs alone', async () => {
    const log: string[] = [];
    const step = (name: string, effect: 'read' | 'write', clock: () => FakeClock): Tool =>
      toolOf(
        name,
        async () => {
          log.push(`+${name}`);
          await clock().sleep(100);
          log.push(`-${name}`);
          return null;
        },
        { effect },
      );
    let clock: FakeClock | undefined;
    const getClock = (): FakeClock => clock as FakeClock;
    const tools = [step('a', 'read', getClock), step('b', 'read', getClock), step('w', 'write', getClock)];
    const toolCalls = ['a', 'b', 'w', 'a'].map((name, i) => ({ name, arguments: JSON.stringify({ i }) }));
    const set = setUp(createScriptedModel(turnOf({ toolCalls }), turnOf({ text: 'Done.' })), { tools });
    clock = set.clock;
    await set.run();
    assert.deepEqual(log, ['+a', '+b', '-a', '-b', '+w', '-w', '+a', '-a']);
    assert.equal(clock.monotonic(), 300);
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  for (const [what, value, expected] of [
    ['undefined', undefined, 'null'],
    ['a BigInt', { big: 2n ** 70n }, '{"big":"1180591620717411303424"}'],
    ['half an emoji', 'ab\ud83d', '"ab\\ud83d"'],
    ['a Buffer', Buffer.alloc(3_000), '"[3000 bytes of binary data]"'],
  ] as const) {
    test(`a tool that returns ${what} gives the model valid text`, async () => {
      const model = createScriptedModel(callTurn('odd', {}), turnOf({ text: 'Fine.' }));
      await setUp(model, { tools: [toolOf('odd', async () => value as unknown as JsonValue)] }).run();
      assert.equal(lastContent(model, 1), expected);
      assertValid(model);
    });
  }

  test('a tool that ignores its signal is left behind, and what it returns later changes nothing', async () => {
    let clock: FakeClock | undefined;
    const late = toolOf('late', async () => {
      await clock?.sleep(30_000);
      return 'too late';
    });
    const model = createScriptedModel(callTurn('late', {}), async () => {
      await clock?.sleep(40_000);
      return turnOf({ text: 'Fine.' });
    });
    const set = setUp(model, { tools: [{ ...late, idempotent: false }] });
    clock = set.clock;
    const { answer } = await set.run();
    assert.deepEqual([answer.text, set.clock.monotonic()], ['Fine.', 41_000]);
    assert.equal((lastTool(model, 1) as { kind: string }).kind, 'timeout');
  });

  test('a tool that returns a cycle has failed', async () => {
    const model = createScriptedModel(callTurn('odd', {}), turnOf({ text: 'Fine.' }));
    await setUp(model, { tools: [toolOf('odd', async () => cycle as unknown as JsonValue)] }).run();
    assert.equal((lastTool(model, 1) as { kind: string }).kind, 'internal');
  });

  test('a result of three megabytes is cut in the middle', async () => {
    const model = createScriptedModel(callTurn('big', {}), turnOf({ text: 'Fine.' }));
    await setUp(model, { tools: [toolOf('big', async () => '😀'.repeat(1_500_000))] }).run();
    const content = lastContent(model, 1);
    assert.ok(content.length <= DEFAULT_LIMITS.toolResultChars && content.length > 20_000);
    assert.match(content, /more characters left out/);
    assert.ok(content.isWellFormed());
  });

  for (const finishReason of ['length', 'content_filter', 'refusal'] as const) {
    test(`calls of a turn that ended with ${finishReason} never run`, async () => {
      let ran = 0;
      const count = toolOf('count', async () => {
        ran += 1;
        return ran;
      });
      const cut = turnOf({ finishReason, toolCalls: [{ name: 'count', arguments: '{"x":"par"}' }] });
      const { answer } = await setUp(createScriptedModel(cut, turnOf({ text: 'Short.' })), { tools: [count] }).run();
      assert.equal(ran, 0);
      assert.notEqual(answer.text, '');
    });
  }
});

describe('model failures', () => {
  test('are tried three times in all, with a growing wait, then answered honestly with what was found', async () => {
    const down = new AppError('model_unavailable', 'down');
    const model = createScriptedModel(callTurn('search_knowledge', { query: 'warranty' }), down);
    const { run, clock, input } = setUp(model);
    const { answer, steps } = await run();
    assert.equal(model.requests.length, 4);
    assert.equal(clock.monotonic(), 250 + 500);
    assert.equal(steps, 1);
    assert.equal(answer.stopReason, 'model_unavailable');
    assert.equal(answer.text, `${texts.modelUnavailable}\n\n${texts.foundSoFar}\n- The warranty is two years. [1]`);
    assert.equal(answer.citations[0]?.quote, 'The warranty is two years.');
    assert.deepEqual(
      input.events.filter((event) => event.type === 'model_failed').map((event) => event.willRetry),
      [true, true, false],
    );
  });

  for (const code of ['model_timeout', 'model_interrupted', 'model_rate_limited', 'model_empty'] as const) {
    test(`${code} is tried again`, async () => {
      const { answer } = await setUp(createScriptedModel(new AppError(code, code), turnOf({ text: 'Fine.' }))).run();
      assert.equal(answer.text, 'Fine.');
    });
  }

  for (const code of ['model_auth', 'model_quota', 'model_rejected', 'model_too_large'] as const) {
    test(`${code} is not tried again`, async () => {
      const model = createScriptedModel(new AppError(code, code));
      const { answer } = await setUp(model).run();
      assert.equal(model.requests.length, 1);
      assert.equal(answer.text, texts.modelUnavailable);
    });
  }

  test('Retry-After is the floor of the wait, and beyond a minute nobody waits', async () => {
    const soon = setUp(
      createScriptedModel(new AppError('model_rate_limited', 'wait', { retryAfterMs: 7_000 }), turnOf({ text: 'Fine.' })),
    );
    await soon.run();
    assert.equal(soon.clock.monotonic(), 7_000);
    const model = createScriptedModel(new AppError('model_rate_limited', 'wait', { retryAfterMs: 61_000 }));
    const { answer } = await setUp(model).run();
    assert.equal(model.requests.length, 1);
    assert.equal(answer.stopReason, 'model_unavailable');
  });

  test('half a turn is void: its text is reset and the turn asked again', async () => {
    const half = turnOf({ text: 'Half an ans', finishReason: 'interrupted' });
    const model = createScriptedModel(half, turnOf({ text: 'Whole answer.' }));
    const { run, input } = setUp(model);
    const { answer, steps } = await run();
    assert.equal(steps, 1);
    assert.deepEqual(model.requests[1], model.requests[0]);
    assert.equal(answer.text, 'Whole answer.');
    const shown = input.events.reduce(
      (text, event) => (event.type === 'text_reset' ? '' : event.type === 'text_delta' ? text + event.delta : text),
      '',
    );
    assert.equal(shown, 'Whole answer.');
  });

  test('a turn without text and calls is asked again, and in the end answered honestly', async () => {
    const model = createScriptedModel(turnOf({ text: '  ' }));
    const { answer } = await setUp(model).run();
    assert.equal(model.requests.length, 3);
    assert.equal(answer.text, texts.modelUnavailable);
  });

  test('a cut answer is asked for once more, shorter; cut again it says so', async () => {
    const cut = turnOf({ text: 'A very long ans', finishReason: 'length' });
    const shorter = createScriptedModel(cut, turnOf({ text: 'Short.' }));
    assert.equal((await setUp(shorter).run()).answer.text, 'Short.');
    assert.match(shorter.requests[1]?.messages[0]?.content ?? '', /at most five sentences/);
    assert.equal(shorter.requests[1]?.messages.at(-1)?.content, 'How long is the warranty?');
    assertValid(shorter);
    const { answer } = await setUp(createScriptedModel(cut)).run();
    assert.equal(answer.text, `A very long ans\n\n${texts.answerCut}`);
  });

  test('a refusal is told with its reason', async () => {
    const { answer } = await setUp(createScriptedModel(turnOf({ text: 'Not that.', finishReason: 'refusal' }))).run();
    assert.deepEqual([answer.text, answer.stopReason], [texts.modelRefused('Not that.'), 'model_refused']);
  });

  test('a provider that throws something unknown ends in an honest answer', async () => {
    const { answer } = await setUp(createScriptedModel(new TypeError('x is not a function'))).run();
    assert.deepEqual([answer.text, answer.stopReason], [texts.failed, 'failed']);
  });
});

describe('bounds', () => {
  test('after eight steps one call without tools follows, and its answer counts', async () => {
    let asked = 0;
    const model = createScriptedModel(async ({ tools }) => {
      asked += 1;
      return tools.length === 0 ? turnOf({ text: 'Enough.' }) : callTurn('search_knowledge', { query: `warranty ${asked}` });
    });
    const { answer, steps } = await setUp(model).run();
    assert.deepEqual([answer.text, steps, model.requests.length], ['Enough.', 9, 9]);
    assertValid(model);
  });

  test('a model that calls tools even then ends the run with what was found', async () => {
    let asked = 0;
    const model = createScriptedModel(async () => {
      asked += 1;
      return callTurn('search_knowledge', { query: `warranty ${asked}` });
    });
    const { answer } = await setUp(model).run();
    assert.equal(answer.stopReason, 'step_limit');
    assert.equal(answer.text, `${texts.stepLimit(9)}\n\n${texts.foundSoFar}\n- The warranty is two years. [1]`);
  });

  test('the same call with the same result is refused the third time; a second finding ends the tools', async () => {
    let ran = 0;
    const ping = toolOf('ping', async () => {
      ran += 1;
      return 'pong';
    });
    const model = createScriptedModel(
      callTurn('ping', { a: 1, b: 2 }),
      callTurn('ping', { b: 2, a: 1 }),
      callTurn('ping', '{"a": 1, "b": 2}'),
      callTurn('ping', { a: 1, b: 2 }),
      turnOf({ text: 'Fine.' }),
    );
    const { run, input } = setUp(model, { tools: [ping] });
    const { answer } = await run();
    assert.equal(ran, 2);
    assert.equal((lastTool(model, 3) as { kind: string }).kind, 'repeated');
    assert.match(model.requests[3]?.messages[0]?.content ?? '', /Do not repeat them/);
    assert.equal(model.requests[3]?.tools.length, 1);
    assert.deepEqual(model.requests[4]?.tools, []);
    assert.equal(answer.text, 'Fine.');
    assert.deepEqual(
      input.events.filter((event) => event.type === 'guard_acted').map(({ layer, detail }) => `${layer}:${detail}`),
      ['repeat:same_call', 'repeat:same_call'],
    );
    assertValid(model);
  });

  test('a run ends at its time limit, whatever the model does', async () => {
    const { run, clock } = setUp(createScriptedModel(() => new Promise(() => undefined)));
    const { answer } = await run();
    assert.equal(clock.monotonic(), DEFAULT_LIMITS.runTimeoutMs);
    assert.deepEqual([answer.text, answer.stopReason], [texts.timeLimit(120), 'time_limit']);
  });

  test('a cancelled run answers at once, though its tool neither ends nor listens', async () => {
    const controller = new AbortController();
    const hang = toolOf('hang', () => new Promise(() => undefined), { timeoutMs: 60_000 });
    const { input, clock, deps } = setUp(createScriptedModel(callTurn('hang', {})), {
      tools: [hang],
      input: { signal: controller.signal },
    });
    const running = createAgent(deps).run(input);
    await clock.advance(0);
    controller.abort(CANCELLED);
    const { answer } = await running;
    assert.equal(clock.monotonic(), 0);
    assert.deepEqual([answer.text, answer.stopReason], [texts.cancelled, 'cancelled']);
    assert.equal(clock.pending(), 0);
  });

  test('another abort reason is thrown as it is', async () => {
    const reason = new Error('shutting down');
    const { run } = setUp(createScriptedModel(turnOf({ text: 'x' })), { input: { signal: AbortSignal.abort(reason) } });
    await assert.rejects(run(), reason);
  });

  test('a lost lease is thrown, since the answer is another worker’s now', async () => {
    const journal = { read: async () => [], write: () => Promise.reject(new AppError('lease_lost', 'gone')) };
    const { run } = setUp(createScriptedModel(turnOf({ text: 'x' })), { input: { journal } });
    await assert.rejects(run(), { code: 'lease_lost' });
  });

  test('an event sink that throws does not disturb the run', async () => {
    const onEvent = (): never => {
      throw new Error('sink');
    };
    const { answer } = await setUp(createScriptedModel(turnOf({ text: 'Fine.' })), { input: { onEvent } }).run();
    assert.equal(answer.text, 'Fine.');
  });
});

describe('a run that is taken up again', () => {
  test('asks nothing and runs nothing that is journaled, from every point, with the same answer', async () => {
    const script = [
      turnOf({
        toolCalls: ['returns', 'warranty'].map((query) => ({ name: 'search_knowledge', arguments: JSON.stringify({ query }) })),
      }),
      turnOf({ text: 'Two years [2], and returns take 30 days [1].' }),
    ];
    const whole = createMemoryJournal();
    const first = await setUp(createScriptedModel(...script), { input: { journal: whole } }).run();
    assert.deepEqual(
      whole.entries.map(({ key }) => key),
      ['model:1', 'tool:1:0', 'tool:1:1', 'model:2'],
    );
    for (let kept = 0; kept <= whole.entries.length; kept += 1) {
      const journal = createMemoryJournal(whole.entries.slice(0, kept));
      const modelTurns = whole.entries.slice(0, kept).filter(({ key }) => key.startsWith('model:')).length;
      const model = createScriptedModel(...script.slice(modelTurns));
      let searches = 0;
      const counted: Tool<{ query: string }> = {
        ...search,
        run: (args, context) => {
          searches += 1;
          return search.run(args, context);
        },
      };
      const result = await setUp(model, { tools: [counted as Tool], input: { journal } }).run();
      assert.deepEqual(result, first, `after ${kept} entries`);
      assert.equal(model.requests.length, 2 - modelTurns);
      assert.equal(searches, 2 - whole.entries.slice(0, kept).filter(({ key }) => key.startsWith('tool:')).length);
    }
  });

  test('is stopped by an aborted signal, though all of it is journaled', async () => {
    const journal = createMemoryJournal();
    await setUp(createScriptedModel(turnOf({ text: 'Fine.' })), { input: { journal } }).run();
    const reason = new Error('shutting down');
    const { run } = setUp(createScriptedModel(), { input: { journal, signal: AbortSignal.abort(reason) } });
    await assert.rejects(run(), reason);
  });

  test('finds each step, since none is used before its entry is written', async () => {
    const order: string[] = [];
    const { entries: _, ...memory } = createMemoryJournal();
    const journal = {
      ...memory,
      write: async (entry: { readonly key: string; readonly value: JsonValue }) => {
        for (let turns = 0; turns < 50; turns += 1) await Promise.resolve();
        order.push(entry.key);
      },
    };
    const turns = [callTurn('search_knowledge', { query: 'warranty' }), turnOf({ text: 'Two years [1].' })];
    const model = createScriptedModel(async () => {
      order.push('asked');
      return turns.shift() as ReturnType<typeof turnOf>;
    });
    const counted: Tool<{ query: string }> = {
      ...search,
      run: (args, context) => {
        order.push('ran');
        return search.run(args, context);
      },
    };
    await setUp(model, { tools: [counted as Tool], input: { journal } }).run();
    order.push('answered');
    assert.deepEqual(order, ['asked', 'model:1', 'ran', 'tool:1:0', 'asked', 'model:2', 'answered']);
  });

  test('keeps the numbers of journaled passages when an earlier call is missing', async () => {
    const toolCalls = ['returns', 'warranty'].map((query) => ({
      name: 'search_knowledge',
      arguments: JSON.stringify({ query }),
    }));
    const whole = createMemoryJournal();
    await setUp(createScriptedModel(turnOf({ toolCalls }), turnOf({ text: 'x' })), { input: { journal: whole } }).run();
    const journal = createMemoryJournal(whole.entries.filter(({ key }) => key === 'model:1' || key === 'tool:1:1'));
    const model = createScriptedModel(turnOf({ text: 'Two years [2], 30 days [3].' }));
    const { answer } = await setUp(model, { input: { journal } }).run();
    assert.deepEqual(
      answer.citations.map(({ n, chunkId }) => [n, chunkId]),
      [
        [1, 'warranty'],
        [2, 'returns'],
      ],
    );
  });

  test('does a step again whose entry another version wrote', async () => {
    const journal = createMemoryJournal([{ key: 'model:1', value: { words: 'old' } }]);
    const { answer } = await setUp(createScriptedModel(turnOf({ text: 'Fine.' })), { input: { journal } }).run();
    assert.equal(answer.text, 'Fine.');
  });
});
