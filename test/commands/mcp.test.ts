/** The real process, asked by the protocol's own client. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CommandIo } from '../../commands/command.ts';
import { runCommand } from '../../main.ts';
import { isAlive, until } from '../tools/mcp-kit.ts';

const MAIN = join(import.meta.dirname, '../../main.ts');
const NODE_ARGS = ['--disable-warning=ExperimentalWarning', MAIN, 'mcp'];
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const SEARCH = {
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'search_knowledge', arguments: { query: 'warranty' } },
};

const temporaryFolder = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-mcp-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
};

const connect = async (t: TestContext, args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...NODE_ARGS, ...args],
    cwd,
    env,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test', version: '1' });
  t.after(() => client.close());
  await client.connect(transport);
  const search = async (given: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name: 'search_knowledge', arguments: given });
    const [{ text }] = content as [{ text: string }];
    return { isError: isError ?? false, value: JSON.parse(text) as Record<string, unknown> };
  };
  return { client, transport, search };
};

/** Without the protocol's client, so that all it writes and its exit code are seen. */
const start = (t: TestContext, args: readonly string[] = []) => {
  const folder = temporaryFolder(t);
  const env = { THREADWISE_DATA_DIR: join(folder, 'data'), THREADWISE_EMBEDDER: 'none' };
  const child = spawn(process.execPath, [...NODE_ARGS, ...args], { cwd: folder, env });
  t.after(() => child.kill('SIGKILL'));
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (said.out += piece));
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (said.err += piece));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const send = (...messages: readonly object[]): void => {
    for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`);
  };
  const received = () =>
    said.out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { id: number });
  return { child, said, ended, send, received };
};

test('another assistant finds passages of the sample documents with nothing configured, and leaves no process behind', async (t) => {
  const folder = temporaryFolder(t);
  const { client, transport, search } = await connect(t, [], folder, { THREADWISE_DATA_DIR: folder });
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name, annotations, inputSchema }) => [name, annotations, inputSchema.required]),
    [['search_knowledge', { readOnlyHint: true }, ['query']]],
  );

  const { value, isError } = await search({ query: 'What does the warranty cover?' });
  const passages = value['passages'] as { n: number; title: string; source: string; date: string; text: string }[];
  const warranty = passages.find(({ source }) => source === 'policies/warranty.md');
  assert.equal(isError, false);
  assert.equal(warranty?.title, 'Warranty');
  assert.equal(warranty.date, '2026-03-02');
  const again = (await search({ query: 'warranty for dealers' })).value['passages'] as typeof passages;
  const numbers = new Map([...passages, ...again].map(({ n, text }) => [text, n]));
  assert.equal(new Set(numbers.values()).size, numbers.size);
  assert.ok([...passages, ...again].every(({ n, text }) => numbers.get(text) === n));

  for (const given of [{}, { query: 4 }, { query: ' ' }, { query: 'x'.repeat(2_001) }]) {
    const refused = await search(given);
    assert.equal(refused.isError, true);
    assert.equal(refused.value['kind'], 'invalid_args');
    assert.match(String(refused.value['advice']), /^query: /);
  }
  await assert.rejects(client.callTool({ name: 'calculator', arguments: {} }), /no tool of that name/);

  const { pid } = transport;
  assert.ok(pid !== null && isAlive(pid));
  await client.close();
  await until(() => !isAlive(pid), 'the process has ended');
});

test('a document that is not for everyone is found under its audience alone', async (t) => {
  const folder = temporaryFolder(t);
  for (const [name, text] of [
    ['open', '# Depot\n\nThe depot opens at nine.\n'],
    ['budget', '# Depot budget\n\nThe depot budget is 4711 crowns.\n'],
  ] as const) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, `${name}.md`), text);
  }
  writeFileSync(
    join(folder, 'threadwise.yaml'),
    'knowledge: { folders: [open], embedder: none }\naudiences: { finance: { people: ["slack:U0123ABCD"] } }\n',
  );
  const env = { THREADWISE_DATA_DIR: join(folder, 'data') };
  const sink = { write: () => true };
  const io = { env, cwd: folder, stdout: sink, stderr: sink } as unknown as CommandIo;
  assert.equal(await runCommand(['ingest', '--audience', 'finance', 'budget'], io), 0);
  const found = async (args: readonly string[]) => {
    const { client, search } = await connect(t, args, folder, env);
    const { value } = await search({ query: 'depot budget 4711 crowns' });
    await client.close();
    return [value['documents'], (value['passages'] as { source: string }[]).map(({ source }) => source).sort()];
  };
  assert.deepEqual(await found([]), [1, ['open.md']]);
  assert.deepEqual(await found(['--audience', 'finance']), [2, ['budget.md', 'open.md']]);
});

test('what was asked is answered when the input ends, then the process ends with 0', async (t) => {
  const { child, said, ended, send, received } = start(t);
  send(INITIALIZE, { jsonrpc: '2.0', method: 'notifications/initialized' }, SEARCH);
  child.stdin.end();
  await until(() => received().length === 2, 'it has answered');
  const answeredAt = performance.now();
  assert.equal(await ended, 0);
  assert.ok(performance.now() - answeredAt < 5_000);
  assert.deepEqual(
    received().map(({ id }) => id),
    [1, 2],
  );
  assert.equal(said.err, '');
});

test('SIGTERM ends it with 0 while its input stays open', async (t) => {
  const { child, ended, send, received } = start(t);
  send(INITIALIZE);
  await until(() => received().length === 1, 'it has answered');
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
});

test('an argument that is none, and an audience that nobody configured, are matters of usage', async (t) => {
  const { folder, errors } = { folder: temporaryFolder(t), errors: [] as string[] };
  const stderr = { write: (line: string) => errors.push(line) };
  const io = { env: { THREADWISE_DATA_DIR: folder }, cwd: folder, stderr } as unknown as CommandIo;
  for (const args of [['--audience', 'finance'], ['--audience'], ['--fast', 'x'], ['docs']]) {
    assert.equal(await runCommand(['mcp', ...args], io), 64);
  }
  assert.deepEqual(errors, [
    'threadwise: mcp: expected one of everyone after --audience, got "finance"\n',
    'threadwise: mcp: expected a value after --audience, got nothing\n',
    'threadwise: mcp: expected --audience or --data, got "--fast"\n',
    'threadwise: mcp: expected --audience or --data, got "docs"\n',
  ]);
});
