import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { hasCode } from '../../agent/errors.ts';
import { systemClock } from '../../ops/clock.ts';
import { openMcp } from '../../tools/mcp.ts';
import { createListLogger, fixtureSettings, isAlive, openServers, READ, temporaryJournal, until, WRITE } from './mcp-kit.ts';

const refused = (words: RegExp) => (error: unknown) => hasCode(error, 'tool_refused') && words.test(error.message);

suite('a server that is well', () => {
  let server: Awaited<ReturnType<typeof openServers>>;
  const cleanUps: (() => unknown)[] = [];
  before(async () => {
    const names = [
      'mixed',
      'repeated',
      'fails',
      'unknown_here',
      'environment',
      'hostile',
      'cycle',
      'wide',
      'not_object',
      'hidden',
      'find_issue',
      'hangs',
      'cancelled',
      'wrong_form',
      'asks_back',
    ];
    const tools = Object.fromEntries(names.map((name) => [name, READ]));
    server = await openServers({ after: (cleanUp) => cleanUps.push(cleanUp) }, [fixtureSettings(tools)]);
  });
  after(() => Promise.all(cleanUps.map((cleanUp) => cleanUp())));

  test('text and structured content are kept, hidden characters are not, and what is no text is named', async () => {
    const { registry, call, lines } = server;
    assert.deepEqual(await call('issues_mixed'), {
      from: 'the MCP server issues',
      data: { open: 3, note: 'ab' },
      text: '{"open":3}\nseen',
      left_out: 'image, audio, resource, hologram: only text can be read here',
    });
    assert.deepEqual(await call('issues_repeated'), { from: 'the MCP server issues', data: { open: 3 } });
    assert.deepEqual(await call('issues_fails'), { from: 'the MCP server issues', failed: true, text: 'No such project.' });
    assert.equal(registry.find('issues_unknown_here'), undefined);
    assert.deepEqual(
      lines.filter(({ fields }) => fields['tool'] === 'unknown_here').map(({ event, fields }) => ({ event, ...fields })),
      [{ event: 'mcp_tool_withheld', server: 'issues', tool: 'unknown_here', reason: 'the server does not name it' }],
    );
  });

  test('a server has the environment that it is given and no other', async () => {
    const { call } = server;
    assert.deepEqual(await call('issues_environment'), {
      from: 'the MCP server issues',
      data: { names: ['TOKEN'], token: 's3cret-token' },
    });
  });

  test('descriptions and parameters are shown short, without hidden characters and without expressions', async () => {
    const { registry } = server;
    const spec = registry.specs.find(({ name }) => name === 'issues_hostile');
    const { word } = spec?.parameters['properties'] as { word: { description: string; pattern?: string } };
    assert.equal(word.description.length <= 300, true);
    assert.match(word.description, /^xz+ … \[\d+ more characters left out\] … z+$/u);
    assert.equal(word.pattern, undefined);
  });

  test('a cycle in the parameters is understood, and what cannot be understood costs no other tool', async () => {
    const { registry, lines } = server;
    assert.ok(registry.find('issues_find_issue'));
    assert.equal(registry.find('issues_wide'), undefined);
    assert.equal(registry.find('issues_not_object'), undefined);
    const reasons = lines
      .filter(({ event, fields }) => event === 'mcp_tool_withheld' && fields['tool'] !== 'unknown_here')
      .map(({ fields }) => [fields['tool'], fields['reason']]);
    assert.ok(reasons.some(([tool, reason]) => tool === 'wide' && /at most 20000 characters/.test(String(reason))));
    assert.ok(reasons.some(([tool, reason]) => tool === 'not_object' && /schema of an object/.test(String(reason))));
    assert.ok(reasons.some(([tool, reason]) => tool === 'hidden' && /hidden characters/.test(String(reason))));
    assert.equal(reasons.length, 3);
    const next = registry.find('issues_cycle')?.parameters;
    assert.equal(next?.safeParse({ next: { next: {} } }).success, true);
    assert.equal(next?.safeParse({ next: 'none' }).success, false);
  });

  test('a call that is given up is cancelled at the server, and the next is answered', async () => {
    const { call } = server;
    const reason = new Error('given up');
    await assert.rejects(call('issues_hangs', {}, AbortSignal.timeout(100)), { name: 'TimeoutError' });
    const stop = new AbortController();
    const hanging = call('issues_hangs', {}, stop.signal);
    stop.abort(reason);
    await assert.rejects(hanging, reason);
    const { text } = (await call('issues_cancelled')) as { text: string };
    assert.equal((JSON.parse(text) as number[]).length, 2);
  });

  test('an answer of another form fails the call alone', async () => {
    const { call } = server;
    await assert.rejects(call('issues_wrong_form'));
    assert.deepEqual(await call('issues_find_issue', { query: 'x' }), { from: 'the MCP server issues', text: 'Found: x' });
  });

  test('a server may not ask our model', async () => {
    const { call } = server;
    assert.deepEqual(await call('issues_asks_back'), { from: 'the MCP server issues', text: 'asked back: -32601' });
  });
});

// Most of their time is waiting.
suite('servers that change, end or do harm', { concurrency: 4 }, () => {
  test('only tools that the configuration names are offered, under the name of their server', async (t) => {
    const { registry, call } = await openServers(t, [fixtureSettings({ find_issue: READ, add_issue: WRITE })]);
    assert.deepEqual(
      registry.tools.map(({ name, effect, readsUntrusted, readsSensitive }) => [name, effect, readsUntrusted, readsSensitive]),
      [
        ['issues_find_issue', 'read', true, true],
        ['issues_add_issue', 'write', true, true],
      ],
    );
    assert.deepEqual(registry.specs[0], {
      name: 'issues_find_issue',
      description: 'find_issue of the MCP server issues, which says of it: Does find_issue.',
      parameters: {
        type: 'object',
        properties: { query: { type: 'string', description: 'Words to look for' } },
        required: ['query'],
      },
    });
    assert.deepEqual(await call('issues_find_issue', { query: 'printer' }), {
      from: 'the MCP server issues',
      text: 'Found: printer',
    });
    assert.equal(registry.find('issues_find_issue')?.parameters.safeParse({ query: 4 }).success, false);
  });

  test('a name that a server gives to two tools is offered for neither', async (t) => {
    const { registry, lines } = await openServers(t, [
      fixtureSettings({ find_issue: READ, add_issue: WRITE }, { mode: 'duplicate' }),
    ]);
    assert.deepEqual(
      registry.tools.map(({ name }) => name),
      ['issues_add_issue'],
    );
    assert.ok(lines.some(({ fields }) => fields['reason'] === 'the server names two tools so'));
  });

  test('a server that dies in a call is started again, and the outcome is not known', async (t) => {
    const { call, lines } = await openServers(t, [fixtureSettings({ dies: WRITE, find_issue: READ })]);
    await assert.rejects(call('issues_dies'), (error) => hasCode(error, 'tool_network'));
    await assert.rejects(call('issues_find_issue', { query: 'x' }), (error) => hasCode(error, 'tool_unavailable'));
    await until(() => lines.some(({ event }) => event === 'mcp_server_ended'), 'the end is logged');
    let answer: unknown;
    await until(() => {
      void call('issues_find_issue', { query: 'x' }).then(
        (value) => (answer = value),
        () => {},
      );
      return answer !== undefined;
    }, 'it answers again');
    assert.deepEqual(answer, { from: 'the MCP server issues', text: 'Found: x' });
  });

  test('lines that are no messages are passed over', async (t) => {
    const { call } = await openServers(t, [fixtureSettings({ garbage: READ }, { mode: 'garbage' })]);
    assert.deepEqual(await call('issues_garbage'), { from: 'the MCP server issues', text: 'after the garbage' });
  });

  for (const [tool, words] of [
    ['huge_line', /exceeded maximum size/],
    ['floods', /more than 2000 messages/],
  ] as const) {
    test(`a server is ended when it sends too much (${tool})`, async (t) => {
      const { call, lines } = await openServers(t, [fixtureSettings({ [tool]: READ })]);
      await assert.rejects(call(`issues_${tool}`, {}, AbortSignal.timeout(5_000)), (error) => hasCode(error, 'tool_network'));
      await until(() => lines.some(({ event }) => event === 'mcp_server_ended'), 'the end is logged');
      const ended = lines.find(({ event }) => event === 'mcp_server_ended');
      assert.match((ended?.fields['error'] as Error).message, words);
    });
  }

  test('a tool whose description changes is withheld, however often that is told, and the others are not', async (t) => {
    const { registry, call, lines } = await openServers(t, [
      fixtureSettings({ changes: READ, find_issue: READ, add_issue: WRITE }),
    ]);
    const shown = registry.specs;
    await call('issues_changes');
    await until(() => lines.some(({ event }) => event === 'mcp_tool_withheld'), 'the tool is withheld');
    await assert.rejects(
      call('issues_find_issue', { query: 'x' }),
      refused(/its description changed since the start \(now sha256:/),
    );
    assert.deepEqual(await call('issues_add_issue', { title: 'x' }), { from: 'the MCP server issues', text: 'added' });
    assert.equal(lines.filter(({ event }) => event === 'mcp_tool_withheld').length, 1);
    assert.equal(registry.specs, shown);
    assert.doesNotMatch(JSON.stringify(registry.specs), /Ignore all rules/);
  });

  test('a tool is offered under the hash of the configuration alone', async (t) => {
    const first = await openServers(t, [fixtureSettings({ find_issue: READ })]);
    const hash = String(first.lines.find(({ event }) => event === 'mcp_tool_offered')?.fields['hash']);
    assert.match(hash, /^sha256:[0-9a-f]{64}$/);
    const pinned = { find_issue: { ...READ, hash } };
    assert.ok((await openServers(t, [fixtureSettings(pinned)])).registry.find('issues_find_issue'));
    const other = await openServers(t, [fixtureSettings(pinned, { mode: 'changed' })]);
    assert.deepEqual(other.registry.tools, []);
    assert.match(
      String(other.lines.find(({ event }) => event === 'mcp_tool_withheld')?.fields['reason']),
      /the configuration has sha256:/,
    );
  });

  test('a slow server keeps nobody waiting, and its tools come when it does', async (t) => {
    const { registry } = await openServers(
      t,
      [
        fixtureSettings({ find_issue: READ }, { mode: 'slow', name: 'slow' }),
        fixtureSettings({ find_issue: READ }, { mode: 'hang', name: 'hung' }),
        fixtureSettings({ find_issue: READ }),
      ],
      { waitMs: 500 },
    );
    assert.equal(registry.find('hung_find_issue'), undefined);
    await until(() => registry.find('slow_find_issue') !== undefined, 'the slow one is there');
    await until(() => registry.find('issues_find_issue') !== undefined, 'the quick one as well');
  });

  for (const [mode, words] of [
    ['hang', /No answer to the greeting within 0.3 s/],
    ['hang-list', /No answer to the question for its tools within 1 s/],
    ['endless', /more than 500 tools, or more than 20 pages/],
    ['old', /protocol version is not supported: 1999-01-01/],
    ['exits', /It ended|Connection closed/],
  ] as const) {
    test(`a server that does not start is tried again, and said to be missing (${mode})`, async (t) => {
      const startTimeoutMs = mode === 'hang' ? 300 : mode === 'hang-list' ? 1_000 : 5_000;
      const { registry, lines } = await openServers(t, [fixtureSettings({ find_issue: READ }, { mode, startTimeoutMs })]);
      assert.deepEqual(registry.tools, []);
      const ended = lines.find(({ event }) => event === 'mcp_server_ended');
      assert.match((ended?.fields['error'] as Error).message, words);
      assert.equal(ended?.fields['againInMs'], 1_000);
    });
  }

  test('a program that is not there is a server that does not start', async (t) => {
    const settings = fixtureSettings({ find_issue: READ });
    const { lines } = await openServers(t, [
      { ...settings, place: { command: '/no/such/program', args: [], env: {}, cwd: '.' } },
    ]);
    assert.match((lines[0]?.fields['error'] as Error).message, /ENOENT/);
  });

  for (const mode of ['normal', 'leaves-child', 'stubborn', 'hang']) {
    test(`no process is left when the assistant stops (${mode})`, async (t) => {
      const journal = temporaryJournal(t);
      const { mcp } = await openServers(
        t,
        [fixtureSettings({ find_issue: READ }, { mode, journal: journal.path, startTimeoutMs: 2_000 })],
        {
          waitMs: 1_000,
        },
      );
      const noted = () => journal.lines().flatMap((line) => (line.startsWith('pid ') ? [Number(line.slice(4))] : []));
      await until(() => noted().length === (mode === 'normal' || mode === 'hang' ? 1 : 2), 'its processes run');
      const pids = noted();
      assert.ok(pids.every(isAlive));
      const startedAt = systemClock.monotonic();
      await mcp.close();
      assert.ok(systemClock.monotonic() - startedAt < 4_000);
      await until(() => !pids.some(isAlive), 'all have ended');
    });
  }

  test('two tools that come to one name stop the start', async () => {
    const settings = fixtureSettings({ 'a.b': READ, a_b: READ });
    await assert.rejects(openMcp([settings], { clock: systemClock, logger: createListLogger(), waitMs: 1 }), (error) =>
      hasCode(error, 'config_invalid'),
    );
  });
});
