import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CommandIo } from '../../commands/command.ts';
import { run } from '../../commands/doctor.ts';
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

test('an unknown option is refused', async () => {
  await assert.rejects(examine({}, ['--fast']), /expected --json or nothing, got "--fast"/);
});
