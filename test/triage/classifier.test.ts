import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger } from '../../ops/silent-log.ts';
import { type ClassifierOptions, createClassifier } from '../../triage/classifier.ts';
import { fitTemperature } from '../../triage/classifier-calibrate.ts';
import { softmax } from '../../triage/classifier-train.ts';
import { never } from './fixtures.ts';

const TOPICS = {
  heat: ['cold water', 'heats slowly', 'not hot', 'heat is off', 'stays cold', 'never warm', 'cold again', 'lukewarm water'],
  post: [
    'parcel late',
    'no parcel',
    'parcel lost',
    'where is the parcel',
    'late delivery',
    'delivery open',
    'post strike',
    'delivery gone',
  ],
  bill: [
    'wrong invoice',
    'charged twice',
    'invoice missing',
    'double charge',
    'price wrong',
    'invoice total',
    'charge unknown',
    'pay again',
  ],
  door: ['door stuck', 'hinge broke', 'door rattles', 'door open', 'hinge loose', 'hinge noise', 'door bent', 'rattling hinge'],
};
const examples = Object.entries(TOPICS).flatMap(([category, texts]) =>
  texts.map((text, at) => ({ id: `${category}${at}`, text, category })),
);
const create = (options: Partial<ClassifierOptions> = {}) =>
  createClassifier({ categories: Object.keys(TOPICS), examples, outOfScope: [], logger: silentLogger, ...options });

const topOf = async (
  options: Partial<ClassifierOptions>,
  text = 'the parcel is late',
): Promise<readonly [string | undefined, number]> => {
  const classifier = create(options);
  const { probabilities } = await classifier.classify(text, never());
  await classifier.close();
  return [probabilities[0]?.category, probabilities[0]?.confidence ?? 0];
};

test('the same examples give the same classifier, and probabilities sum to one', async () => {
  assert.deepEqual(await topOf({}), await topOf({}));
  const classifier = create();
  const { probabilities } = await classifier.classify('door', never());
  await classifier.close();
  assert.ok(Math.abs(probabilities.reduce((sum, { confidence }) => sum + confidence, 0) - 1) < 1e-5);
});

test('a trained classifier is kept, taken up by the same examples alone, and made anew when its file is broken', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'classifier-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'kept', 'classifier.bin');
  const first = await topOf({ file });
  const kept = readFileSync(file);
  assert.deepEqual(await topOf({ file }), first);
  assert.deepEqual(readFileSync(file), kept);
  await topOf({ file, examples: [...examples, { id: 'more', text: 'parcel', category: 'post' }] });
  assert.notDeepEqual(readFileSync(file), kept);
  for (const broken of [kept.subarray(0, kept.length / 2), Buffer.from('no classifier'), Buffer.alloc(0)]) {
    writeFileSync(file, broken);
    assert.deepEqual(await topOf({ file }), first);
    assert.deepEqual(readFileSync(file), kept);
  }
});

test('twenty corrections train anew in the background, and none is lost', async () => {
  const classifier = create();
  const learnt = Array.from({ length: 25 }, (_, n) => ({
    id: `new${n}`,
    text: `garden hose number ${n} drips`,
    category: 'door',
  }));
  await classifier.learn(learnt);
  let read = await classifier.classify('the garden hose drips', never());
  // Words that were in no example are known after the training.
  for (let tries = 0; tries < 500 && !read.nearest[0]?.exampleId.startsWith('new'); tries += 1) {
    await delay(20);
    read = await classifier.classify('the garden hose drips', never());
  }
  await classifier.close();
  assert.equal(read.probabilities[0]?.category, 'door');
  assert.match(read.nearest[0]?.exampleId ?? '', /^new/);
});

test('an embedder that fails leaves words alone to decide', async () => {
  const embedder = {
    id: 'broken',
    dimensions: 4,
    canRead: () => true,
    embed: () => Promise.reject(new Error('gone')),
    close: async () => {},
  };
  assert.deepEqual(await topOf({ embedder }), await topOf({}));
});

test('the temperature makes confidence of scores as large as the share that is right', () => {
  // Of a hundred texts with the scores [2, 0], sixty are of the first class.
  const scored = Array.from({ length: 100 }, (_, at) => ({ scores: Float32Array.of(2, 0), label: at < 60 ? 0 : 1 }));
  const probabilities = Float32Array.of(2, 0);
  softmax(probabilities, fitTemperature(scored));
  assert.ok(Math.abs((probabilities[0] ?? 0) - 0.6) < 0.01, String(probabilities[0]));
});
