import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CommandIo } from '../../commands/command.ts';
import { run } from '../../commands/doctor.ts';
import { findApprovers } from '../../commands/doctor-approvals.ts';
import { readConfig } from '../../main.ts';
import type { Finding } from '../../ops/doctor.ts';

const examine = async (env: Readonly<Record<string, string>>, args: readonly string[]) => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-doctor-'));
  let text = '';
  const stdout = {
    write: (piece: string): boolean => {
      text += piece;
      return true;
    },
  };
  try {
    const io = { env: { THREADWISE_DATA_DIR: join(folder, 'data'), ...env }, cwd: folder, stdout } as unknown as CommandIo;
    return { code: await run(args, io), text };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

test('a fresh set-up has nothing that fails, and warns of the empty knowledge base', async () => {
  const { code, text } = await examine({ THREADWISE_EMBEDDER: 'none', THREADWISE_WEB_PORT: '0' }, ['--json']);
  const findings = JSON.parse(text) as readonly Finding[];
  assert.equal(code, 0, text);
  const levels = Object.fromEntries(findings.map(({ name, level }) => [name, level]));
  assert.equal(levels['store'], 'ok');
  assert.equal(levels['knowledge'], 'warn');
  assert.ok(levels['FAISS'] === 'ok' || levels['FAISS'] === 'warn');
});

test('each problem of the configuration is a finding, and the exit code is 1', async () => {
  const { code, text } = await examine({ SLACK_BOT_TOKEN: 'xoxb-made-up', THREADWISE_STEPS: 'x' }, []);
  assert.equal(code, 1);
  assert.match(text, /^fail {2}configuration: limits\.steps/);
});

test('a tool that changes something and that nobody may agree to is warned of', async () => {
  const find = async (more: string): Promise<readonly string[]> => {
    const folder = mkdtempSync(join(tmpdir(), 'threadwise-approvers-'));
    const file = join(folder, 'threadwise.yaml');
    writeFileSync(
      file,
      `slack: { botToken: xoxb-1-made-up, appToken: xapp-1-made-up }\nknowledge: { embedder: none }\nweb: { port: 0 }\ntools: { mail: { host: 127.0.0.1, port: 1, security: none, from: a@example.com, allow: [example.com] } }\n${more}`,
    );
    try {
      const config = await readConfig({ env: { THREADWISE_CONFIG: file }, cwd: folder } as unknown as CommandIo);
      return (await findApprovers(config)).map(({ level, detail }) => `${level}: ${detail}`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  assert.deepEqual(await find(''), ['warn: nobody may agree to send_email in channels']);
  assert.deepEqual(await find('people: { admins: [slack:U0AAAAAAA] }\n'), ['ok: somebody may agree to send_email']);
  assert.deepEqual(await find('approvals: { tools: { send_email: [asker] } }\n'), ['ok: somebody may agree to send_email']);
  assert.deepEqual(await find('approvals: { tools: { send_email: [] } }\n'), [
    'warn: nobody may agree to send_email in channels',
  ]);
  assert.deepEqual(await find('approvals: { free: [send_email] }\n'), []);
});

test('a data folder that cannot be made is one finding, and nothing waits for it', async () => {
  const { code, text } = await examine(
    { THREADWISE_DATA_DIR: process.platform === 'linux' ? '/proc/none/data' : '/dev/null/data', THREADWISE_WEB_PORT: '0' },
    ['--json'],
  );
  assert.equal(code, 1);
  const failed = (JSON.parse(text) as readonly Finding[]).filter(({ level }) => level === 'fail');
  assert.deepEqual(
    failed.map(({ name }) => name),
    ['data folder'],
  );
  assert.match(failed[0]?.detail ?? '', /expected a folder that can be written, got /);
});

test('each service is asked whether it is there, and a document that cannot be used is named', async () => {
  const files = mkdtempSync(join(tmpdir(), 'threadwise-services-'));
  const server = createServer((_, response) => void response.writeHead(401).end());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const write = (name: string, rest: string): string => {
    const path = join(files, `${name}.yaml`);
    writeFileSync(path, `name: ${name}\nbaseUrl: http://127.0.0.1:${name === 'gone' ? 1 : port}\n${rest}`);
    return path;
  };
  const tools = 'tools: { %: { description: Asks., path: /ask } }\n';
  const find = async (...paths: readonly string[]) => {
    const env = { THREADWISE_HTTP_TOOLS: paths.join(','), THREADWISE_EMBEDDER: 'none', THREADWISE_WEB_PORT: '0' };
    const { text } = await examine(env, ['--json']);
    const findings = (JSON.parse(text) as readonly Finding[]).filter(({ name }) => /^service |^tools/.test(name));
    return findings.map(({ name, level, detail }) => `${level} ${name}: ${detail}`);
  };
  try {
    const [here, closed, gone] = ['here', 'closed', 'gone'].map((name) =>
      write(name, `${name === 'closed' ? '' : 'addresses: [loopback]\n'}${tools.replace('%', name)}`),
    );
    assert.deepEqual(await find(here ?? '', closed ?? '', gone ?? ''), [
      'ok service here: answers (HTTP 401); 1 tools',
      'fail service closed: The host of the service closed has no address of a kind that it may have (public), so it was not asked. An administrator can mend this; do not try again.',
      'fail service gone: could not be reached (ECONNREFUSED)',
    ]);
    writeFileSync(join(files, 'api.yaml'), 'openapi: 3.1.0\npaths: {}\n');
    const [line = ''] = await find(write('broken', 'document: api.yaml\noperations: { ask: }\n'));
    assert.match(line, /^fail tools\.http: .*api\.yaml: #\/paths: expected an operation with the operationId ask, got none/);
  } finally {
    rmSync(files, { recursive: true, force: true });
    await new Promise((resolve) => server.close(resolve));
  }
});

test('an unknown option is refused', async () => {
  await assert.rejects(examine({}, ['--fast']), /expected --json or nothing, got "--fast"/);
});
