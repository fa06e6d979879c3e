import assert from 'node:assert/strict';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../agent/errors.ts';
import type { Embedder } from '../../agent/ports/embedder.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import { createLocalEmbedder } from '../../models/local-embedder.ts';
import { createFakeClock } from '../fake-clock.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const unavailable = (error: unknown): boolean => hasCode(error, 'embedder_unavailable');
const cosine = (a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

const childPids = (): number[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('local-embedder-child');
      } catch {
        return false;
      }
    });

const until = async (condition: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 1_000; tries++) {
    if (condition()) return;
    await sleep(10);
  }
  assert.fail('it did not happen within 10 s');
};

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

const createQuiet = () => {
  const warnings: string[] = [];
  const logger: Logger = { debug() {}, info() {}, warn: (event) => void warnings.push(event), error() {}, with: () => logger };
  const clock = createFakeClock();
  return { embedder: createLocalEmbedder({ logger, clock }), warnings, clock };
};

/** Waits for the next process and ends it, which is a crash to the embedder. */
const crashNext = async (): Promise<void> => {
  await until(() => childPids().length > 0);
  const [pid] = childPids();
  process.kill(pid ?? 0, 'SIGKILL');
  await until(() => !childPids().includes(pid ?? 0));
};

describe('the local embedder', () => {
  let embedder: Embedder;
  before(() => {
    ({ embedder } = createQuiet());
  });
  after(() => embedder.close());

  it('starts nothing before the first text', () => {
    assert.deepEqual(childPids(), []);
    assert.deepEqual([embedder.id, embedder.dimensions], ['use-lite-en-512', 512]);
  });

  it('gives unit vectors in the order of the texts, near for what means the same', async () => {
    const texts = ['How long is the warranty?', 'The guarantee lasts two years.', 'Bananas are yellow.'];
    const vectors = await embedder.embed(texts);
    assert.deepEqual(
      vectors.map((vector) => vector.length),
      [512, 512, 512],
    );
    for (const vector of vectors) assert.ok(Math.abs(cosine(vector, vector) - 1) < 1e-5);
    assert.ok(cosine(vectors[0], vectors[1]) > cosine(vectors[0], vectors[2]) + 0.1);
    for (const [n, text] of texts.entries()) {
      const [alone] = await embedder.embed([text]);
      assert.ok(cosine(alone, vectors[n]) > 0.9999);
    }
    assert.deepEqual(await embedder.embed([]), []);
  });

  it('reads text in capitals as if it were not', async () => {
    const [small, capitals, mixed] = await embedder.embed(['return policy', 'RETURN POLICY', 'Return Policy']);
    assert.deepEqual(small, capitals);
    assert.notDeepEqual(small, mixed);
  });

  it('takes any text, and a very long one by its beginning', async () => {
    const long = 'The battery is charged overnight. '.repeat(3_000);
    const vectors = await embedder.embed(['', ' ', '\ud800', '🙂', '退货', long, long.slice(0, 2_000)]);
    for (const vector of vectors) assert.ok(vector.every(Number.isFinite));
    assert.ok(cosine(vectors[5], vectors[6]) > 0.9999);
  });

  it('says what it can read', () => {
    const texts = { 'How long?': true, 'Größe in €': true, 保修期是多久: false, 'VPN 怎么连接': false, Гарантия: false };
    for (const [text, expected] of Object.entries(texts)) assert.equal(embedder.canRead(text), expected, text);
    assert.deepEqual(['', '🙂', '12.5'].map(embedder.canRead), [false, false, false]);
    assert.equal(embedder.canRead('The Threadwise office is in 北京'), true);
  });

  it('answers a question before the batches that wait', async () => {
    const order: string[] = [];
    const long = Array.from({ length: 12 }, (_, n) => `Document ${n} tells about one thing or another.`);
    const batch = embedder.embed(long).then(() => order.push('batch'));
    const question = embedder.embed(['a question']).then(() => order.push('question'));
    await Promise.all([batch, question]);
    assert.deepEqual(order, ['question', 'batch']);
  });

  it("stops what was aborted with the signal's reason, and goes on with the rest", async () => {
    const controller = new AbortController();
    const reason = new Error('stopped');
    const stopped = embedder.embed(
      Array.from({ length: 50 }, () => 'text'),
      controller.signal,
    );
    const other = embedder.embed(['one', 'two']);
    controller.abort(reason);
    await assert.rejects(stopped, reason);
    assert.equal((await other).length, 2);
    await assert.rejects(embedder.embed(['x'], AbortSignal.abort(reason)), reason);
  });
});

describe("the local embedder's process", () => {
  it('is replaced when it dies, and its texts are embedded all the same', async () => {
    const { embedder, warnings } = createQuiet();
    const [expected] = await embedder.embed(['the same text']);
    const asked = embedder.embed(Array.from({ length: 6 }, () => 'the same text'));
    await crashNext();
    const vectors = await asked;
    assert.deepEqual(
      vectors,
      Array.from({ length: 6 }, () => expected),
    );
    assert.deepEqual(warnings, ['embedder_process_died']);
    await embedder.close();
    assert.deepEqual(childPids(), []);
  });

  it('is given up for texts over which it died twice, and for a minute after five deaths', async () => {
    const { embedder, warnings, clock } = createQuiet();
    const crashTwice = async () => {
      const refused = assert.rejects(embedder.embed(['text']), unavailable);
      await crashNext();
      await crashNext();
      await refused;
    };
    await crashTwice();
    await crashTwice();
    const asked = assert.rejects(embedder.embed(['text']), unavailable);
    await crashNext();
    await asked;
    assert.equal(warnings.length, 5);
    await assert.rejects(embedder.embed(['text']), unavailable);
    assert.deepEqual(childPids(), []);
    await clock.advance(60_000);
    assert.equal((await embedder.embed(['text'])).length, 1);
    await embedder.close();
  });

  it('ends with the embedder, whatever it was doing', async () => {
    const { embedder } = createQuiet();
    const refused = assert.rejects(embedder.embed(['text']), unavailable);
    await until(() => childPids().length === 1);
    await embedder.close();
    await refused;
    assert.deepEqual(childPids(), []);
    await assert.rejects(embedder.embed(['text']), unavailable);
    await embedder.close();
  });

  it('lets its parent end, and ends with it', async () => {
    const script = `
      import { createLocalEmbedder } from '${ROOT}models/local-embedder.ts';
      import { createFakeClock } from '${ROOT}test/fake-clock.ts';
      import { readFileSync } from 'node:fs';
      const embedder = createLocalEmbedder({ logger: { warn() {} }, clock: createFakeClock() });
      await embedder.embed(['text']);
      console.log(readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim());`;
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    parent.stdout.on('data', (text) => {
      output += text;
    });
    const [code] = await once(parent, 'close');
    assert.equal(code, 0);
    const pid = Number(output);
    assert.ok(pid > 0);
    await until(() => isGone(pid));
  });

  it('opens no connection', async () => {
    const trap = `data:text/javascript,${encodeURIComponent(`
      import net from 'node:net';
      net.Socket.prototype.connect = () => process.exit(99);
      globalThis.fetch = () => process.exit(99);`)}`;
    const child = fork(`${ROOT}models/local-embedder-child.ts`, [], { execArgv: ['--import', trap], serialization: 'advanced' });
    const [ready] = await once(child, 'message');
    assert.deepEqual(ready, { type: 'ready' });
    child.send({ texts: ['text'] });
    const [message] = await once(child, 'message');
    assert.equal((message as { vectors: Float32Array }).vectors.length, 512);
    child.disconnect();
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
});
