/** How the whole process begins and ends where a chat platform refuses it or does not answer. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));
const TIMEOUT_MS = 20_000;

const listen = async (t: TestContext, handle: RequestListener) => {
  const server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  return { api, cut: () => server.closeAllConnections() };
};

/** `start` over one document, without vectors and without a terminal. */
const begin = (t: TestContext, env: Readonly<Record<string, string>>) => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-start-'));
  writeFileSync(join(folder, 'lamps.md'), '# Lamps\n\nLamps are covered for two years.\n');
  const child = spawn(process.execPath, [MAIN, 'start'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      THREADWISE_DATA_DIR: 'data',
      THREADWISE_KNOWLEDGE: 'lamps.md',
      THREADWISE_EMBEDDER: 'none',
      THREADWISE_WEB_PORT: '0',
      ...env,
    },
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  });
  const waitFor = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (const until = performance.now() + TIMEOUT_MS; performance.now() < until; ) {
      const found = pattern.exec(said);
      if (found !== null) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`waited for ${String(pattern)}, got:\n${said}`);
  };
  return { child, waitFor, said: () => said, ended };
};

const DISCORD_TOKEN = `${Buffer.from('198622483471925248').toString('base64')}.Cl2FMQ.${'a'.repeat(27)}`;

test('a refused token ends the start with 78 and its mend, though the page stood already', { timeout: TIMEOUT_MS }, async (t) => {
  const { api } = await listen(t, (_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"ok":false,"error":"invalid_auth"}');
  });
  const { ended, said } = begin(t, {
    SLACK_BOT_TOKEN: 'xoxb-1-2-abcdef',
    SLACK_APP_TOKEN: 'xapp-1-A1-1-abcdef',
    SLACK_API_URL: `${api}/`,
  });
  assert.equal(await ended, 78);
  assert.match(said(), /web: http:/);
  assert.match(said(), /threadwise: slack\.botToken \(SLACK_BOT_TOKEN\): expected a bot token/);
});

test('a Discord that is out of reach leaves the page serving, red, and stopping with 0', { timeout: TIMEOUT_MS }, async (t) => {
  const { child, ended, waitFor } = begin(t, { DISCORD_TOKEN, DISCORD_API_URL: 'http://127.0.0.1:9/api' });
  const [, page] = await waitFor(/web: (http:\S+)/);
  await waitFor(/discord_start_failed/);
  assert.equal((await fetch(`${page}`)).status, 200);
  const ready = await fetch(`${page}readyz`);
  assert.equal(ready.status, 503);
  const { parts } = (await ready.json()) as { parts: { name: string; ok: boolean; detail: string }[] };
  assert.deepEqual(
    parts.filter(({ ok }) => !ok).map(({ name, detail }) => [name, detail]),
    [['discord', 'Discord cannot be reached: check the network and the address of its interface']],
  );
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
});

test('a signal while a platform keeps the start waiting ends the process with 0', { timeout: TIMEOUT_MS }, async (t) => {
  const asked = Promise.withResolvers<void>();
  const { api, cut } = await listen(t, () => asked.resolve());
  const { child, ended, waitFor } = begin(t, { DISCORD_TOKEN, DISCORD_API_URL: api });
  await asked.promise;
  child.kill('SIGTERM');
  await waitFor(/shutdown_finished/);
  cut();
  assert.equal(await ended, 0);
});
