import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../ops/clock.ts';
import { createModelSimulator } from '../../simulator/model.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** What libraries on the way read from the environment, set so that they would report to somebody. */
const TEMPTATIONS = {
  LANGSMITH_TRACING: 'true',
  LANGSMITH_API_KEY: 'made-up-key',
  LANGSMITH_ENDPOINT: 'http://127.0.0.1:9/langsmith',
  LANGSMITH_PROJECT: 'made-up',
  LANGCHAIN_TRACING_V2: 'true',
  LANGCHAIN_API_KEY: 'made-up-key',
  OPENAI_ORGANIZATION: 'made-up',
  OPENAI_LOG: 'debug',
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
};

const ask = async (env: Readonly<Record<string, string | undefined>>) => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-outbound-'));
  const record = join(folder, 'connects');
  const args = [
    join(ROOT, 'main.ts'),
    'ask',
    '--json',
    '--kb',
    join(ROOT, 'examples', 'knowledge'),
    'How long is the warranty for dealers?',
  ];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: {
      ...process.env,
      ...TEMPTATIONS,
      ...env,
      RECORD_CONNECTS: record,
      NODE_OPTIONS: `--import=${join(import.meta.dirname, 'record-connects.ts')}`,
      NODE_TEST_CONTEXT: undefined,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let complained = '';
  child.stdout.on('data', (piece: Buffer) => {
    said += String(piece);
  });
  child.stderr.on('data', (piece: Buffer) => {
    complained += String(piece);
  });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    assert.equal(code, 0, complained);
    const connects = existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : [];
    return { answer: (JSON.parse(said) as { answer: string }).answer, connects: [...new Set(connects)] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

test('a whole turn without a key opens no connection', async () => {
  const { answer, connects } = await ask({});
  assert.match(answer, /12 months/);
  assert.deepEqual(connects, []);
});

test('a whole turn with a model of one’s own connects to that endpoint alone', async () => {
  const model = await createModelSimulator({ clock: systemClock });
  try {
    const { answer, connects } = await ask({ OPENAI_BASE_URL: model.url, THREADWISE_MODEL: 'scripted-model' });
    assert.match(answer, /12 months/);
    assert.deepEqual(connects, [new URL(model.url).host]);
    assert.ok(model.requests.every(({ body }) => (body as { stream?: unknown }).stream === true));
  } finally {
    await model.close();
  }
});
