import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { AppError } from '../../agent/errors.ts';
import type { ModelProvider } from '../../agent/ports/model-provider.ts';
import { type Finding, ok, type Probe, renderFindings, runProbes, warn } from '../../ops/doctor.ts';
import { discordProbe } from '../../ops/doctor-discord.ts';
import { dataFolderProbe, nodeProbe, portProbe } from '../../ops/doctor-machine.ts';
import { modelProbe } from '../../ops/doctor-model.ts';
import { slackProbe } from '../../ops/doctor-slack.ts';
import { Secret } from '../../ops/secret.ts';
import { createFakeClock } from '../fake-clock.ts';

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Answers by the last part of the address, and notes who asked. */
const fakeFetch = (replies: Readonly<Record<string, Reply>>) => {
  const calls: string[] = [];
  const fetcher: typeof fetch = async (input, init) => {
    const url = String(input as string);
    calls.push(`${url} ${new Headers(init?.headers).get('authorization') ?? ''}`);
    const reply = Object.entries(replies).find(([path]) => url.endsWith(path))?.[1];
    if (reply === undefined) throw new TypeError('fetch failed');
    return new Response(JSON.stringify(reply.body), { status: reply.status ?? 200, headers: reply.headers ?? {} });
  };
  return { fetcher, calls };
};

const examine = async (probe: Probe): Promise<readonly Finding[]> => runProbes([probe], createFakeClock(), 1_000);
const levels = (findings: readonly Finding[]): readonly string[] => findings.map(({ level, name }) => `${level} ${name}`);

const SLACK = {
  botToken: new Secret('xoxb-made-up'),
  appToken: new Secret('xapp-made-up'),
  signingSecret: undefined,
  mode: 'socket',
  editIntervalMs: 1200,
  apiUrl: undefined,
} as const;

test('a Slack app with its scopes and Socket Mode is fine', async () => {
  const { fetcher, calls } = fakeFetch({
    'auth.test': {
      body: { ok: true, team: 'Acme', user: 'threadwise' },
      headers: { 'x-oauth-scopes': 'chat:write, im:history' },
    },
    'apps.connections.open': { body: { ok: true } },
  });
  const findings = await examine(slackProbe(SLACK, ['chat:write', 'im:history'], fetcher));
  assert.deepEqual(levels(findings), ['ok slack bot token', 'ok slack scopes', 'ok slack app token']);
  assert.deepEqual(calls, [
    'https://slack.com/api/auth.test Bearer xoxb-made-up',
    'https://slack.com/api/apps.connections.open Bearer xapp-made-up',
  ]);
});

test('a missing scope and a refused app token are named with their mend', async () => {
  const { fetcher } = fakeFetch({
    'auth.test': { body: { ok: true }, headers: { 'x-oauth-scopes': 'chat:write' } },
    'apps.connections.open': { body: { ok: false, error: 'not_allowed_token_type' } },
  });
  const [, scopes, app] = await examine(slackProbe(SLACK, ['chat:write', 'im:history'], fetcher));
  assert.equal(scopes?.detail, 'missing im:history');
  assert.match(scopes?.mend ?? '', /reinstall the app/);
  assert.match(app?.detail ?? '', /not_allowed_token_type/);
});

test('a refused Slack token and an unreachable Slack fail', async () => {
  const { fetcher } = fakeFetch({ 'auth.test': { body: { ok: false, error: 'invalid_auth' } } });
  assert.deepEqual(levels(await examine(slackProbe(SLACK, [], fetcher))), ['fail slack bot token']);
  const [finding] = await examine(slackProbe(SLACK, [], fakeFetch({}).fetcher));
  assert.equal(finding?.mend, 'check that this machine reaches https://slack.com');
});

const DISCORD = { token: new Secret('made.up.token'), applicationId: undefined, messageContent: true, apiUrl: undefined };

const WANTED = new Map([
  ['Send Messages', 1n << 11n],
  ['Embed Links', 1n << 14n],
]);

test('what the bot may not do in a Discord server is named with the server', async () => {
  const find = async (guilds: readonly object[]): Promise<string> => {
    const { fetcher } = fakeFetch({
      'users/@me': { body: { id: '1', username: 'threadwise' } },
      'applications/@me': { body: { id: '42', flags: 1 << 18 } },
      'users/@me/guilds': { body: guilds },
    });
    const found = (await examine(discordProbe(DISCORD, fetcher, WANTED))).at(-1);
    return `${found?.level}: ${found?.detail}`;
  };
  const all = { name: 'Lamps', permissions: String((1n << 11n) | (1n << 14n) | (1n << 40n)) };
  const admin = { name: 'Home', permissions: '8' };
  assert.equal(await find([all, admin]), 'ok: all of them in 2 servers');
  assert.equal(
    await find([all, { name: 'Shop', permissions: '2048' }, { name: 'Yard', permissions: '0' }]),
    'warn: its roles lack Embed Links in “Shop”; Send Messages, Embed Links in “Yard”',
  );
  assert.equal(await find([]), 'warn: the bot is in no server');
});

test('a Discord bot with the message content intent is fine, in both forms of the flag', async () => {
  for (const flags of [1 << 18, 1 << 19]) {
    const { fetcher, calls } = fakeFetch({
      'users/@me': { body: { id: '1', username: 'threadwise' } },
      'applications/@me': { body: { id: '42', flags } },
      'users/@me/guilds': { body: [{ name: 'Lamps', permissions: '18432' }] },
    });
    const findings = await examine(discordProbe(DISCORD, fetcher, WANTED));
    assert.deepEqual(levels(findings), [
      'ok discord token',
      'ok discord application',
      'ok discord intents',
      'ok discord permissions',
    ]);
    assert.equal(calls[0], 'https://discord.com/api/v10/users/@me Bot made.up.token');
  }
});

test('a Discord intent that is off, another application and a refused token fail', async () => {
  const { fetcher } = fakeFetch({
    'users/@me': { body: { id: '1', username: 'threadwise' } },
    'applications/@me': { body: { id: '42' } },
    'users/@me/guilds': { status: 500, body: {} },
  });
  const findings = await examine(discordProbe({ ...DISCORD, applicationId: '7' }, fetcher, WANTED));
  assert.deepEqual(levels(findings), [
    'ok discord token',
    'fail discord application',
    'fail discord intents',
    'warn discord permissions',
  ]);
  assert.match(findings[2]?.mend ?? '', /DISCORD_MESSAGE_CONTENT=false/);
  const refused = fakeFetch({ 'users/@me': { status: 401, body: {} } });
  assert.deepEqual(levels(await examine(discordProbe(DISCORD, refused.fetcher, WANTED))), ['fail discord token']);
});

const fakeModel = (options: { calls?: boolean; deltas?: number; error?: AppError }): ModelProvider => ({
  id: 'fake',
  ask: async ({ tools }, { onText }) => {
    if (options.error !== undefined) throw options.error;
    for (let delta = 0; tools.length === 0 && delta < (options.deltas ?? 3); delta += 1) onText?.('one ');
    return {
      text: '',
      toolCalls: tools.length > 0 && options.calls !== false ? [{ name: 'report', arguments: '{"word":"ready"}' }] : [],
      finishReason: 'stop',
      usage: { inputTokens: 1, outputTokens: 1 },
      model: 'made-up-model',
    };
  },
});

test('a model is asked for a tool call and for a stream', async () => {
  const signal = new AbortController().signal;
  assert.deepEqual(levels(await examine(modelProbe(fakeModel({}), signal))), [
    'ok model',
    'ok model tool calls',
    'ok model streaming',
  ]);
  assert.deepEqual(levels(await examine(modelProbe(fakeModel({ calls: false, deltas: 1 }), signal))), [
    'ok model',
    'warn model tool calls',
    'warn model streaming',
  ]);
  const [refused] = await examine(modelProbe(fakeModel({ error: new AppError('model_auth', 'status 401') }), signal));
  assert.deepEqual([refused?.level, refused?.mend], ['fail', 'check OPENAI_API_KEY']);
});

test('an old Node, a full disk and a taken port are found', async () => {
  assert.deepEqual(levels(await examine(nodeProbe('v24.11.1'))), ['fail node']);
  assert.deepEqual(levels(await examine(nodeProbe('v24.12.0'))), ['ok node']);
  assert.deepEqual(levels(await examine(dataFolderProbe(tmpdir(), async () => 1024))), ['warn data folder']);
  assert.deepEqual(levels(await examine(dataFolderProbe('/dev/null/data'))), ['fail data folder']);

  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  assert.deepEqual(levels(await examine(portProbe('127.0.0.1', address.port))), ['warn web port']);
  await new Promise((resolve) => server.close(resolve));
  assert.deepEqual(levels(await examine(portProbe('127.0.0.1', address.port))), ['ok web port']);
});

test('a probe that does not answer fails, and the next one is asked', async () => {
  const clock = createFakeClock();
  const silent: Probe = { name: 'silent', mend: 'wake it', run: () => new Promise(() => {}) };
  const examining = runProbes([silent, { name: 'next', mend: '', run: async () => [ok('next', 'fine')] }], clock, 5_000);
  await clock.advance(5_000);
  const findings = await examining;
  assert.deepEqual(findings, [
    { name: 'silent', level: 'fail', detail: 'no answer within 5 s', mend: 'wake it' },
    ok('next', 'fine'),
  ]);
  assert.equal(clock.pending(), 0);
});

test('a finding is one line and its mend stands below it', () => {
  const text = renderFindings([ok('node', 'v24.22.3'), warn('FAISS', 'not available', 'install it')]);
  assert.equal(text, 'ok    node: v24.22.3\nwarn  FAISS: not available\n      -> install it\n');
});
