import assert from 'node:assert/strict';
import test from 'node:test';
import type { Attachment } from '../../agent/attachment.ts';
import { textsFor } from '../../agent/texts.ts';
import { createAccess } from '../../bots/access.ts';
import { OPEN_HOUSE, setUpGateway } from '../fakes/gateway-bench.ts';

const en = textsFor('en');
const ROWS: Attachment = {
  name: 'rows.csv',
  mediaType: 'text/csv',
  description: 'Ten rows, see [here](https://evil.example/x).',
  bytes: Uint8Array.of(1, 2, 3),
};
const CHART: Attachment = { name: 'chart.png', mediaType: 'image/png', description: 'A chart.', bytes: Uint8Array.of(4) };
const FILES = [ROWS, CHART];

const kindsOf = (calls: readonly string[]) => calls.map((call) => call.replace(/^(\w+) \w+:(\d+).*$/s, '$1 $2'));

const filesIn = ({ messages }: ReturnType<typeof setUpGateway>['channel']) =>
  messages.flatMap(({ file }) => (file === undefined ? [] : [[file[0], [...file[1]]]]));

const BOTH = [
  ['rows.csv', [1, 2, 3]],
  ['chart.png', [4]],
];

test('the files of an answer stand below its text, once each, in their order, with what they hold', async () => {
  const bench = setUpGateway();
  bench.agent.files = FILES;
  bench.gateway.start();
  const { message } = await bench.ask('rows?');
  await bench.clock.advance(10);
  assert.deepEqual(bench.channel.textsIn('t1'), [
    'answer to rows?',
    'Ten rows, see [here](https[:]//evil[.]example/x).',
    'A chart.',
  ]);
  assert.deepEqual(filesIn(bench.channel), BOTH);
  assert.deepEqual(kindsOf(bench.channel.calls), ['post 0', 'update 0', 'post 1', 'post 2']);
  const [turn] = await bench.store.listTurns(message.scope.conversationId);
  assert.deepEqual([turn?.state, await bench.store.listFiles(turn?.turnId ?? '')], ['done', []]);
  await bench.gateway.close();
});

test('a file whose reply was lost is looked up and not posted again', async () => {
  const bench = setUpGateway();
  bench.agent.files = FILES;
  bench.channel.faults.post.push('pass', 'reply_lost');
  bench.gateway.start();
  await bench.ask('rows?');
  await bench.clock.advance(11_000);
  assert.deepEqual(kindsOf(bench.channel.calls), ['post 0', 'update 0', 'post 1', 'find 1', 'post 2']);
  assert.deepEqual(filesIn(bench.channel), BOTH);
  await bench.gateway.close();
});

test('a platform that takes no files gets a line in the place of each, and the answer stands', async () => {
  const bench = setUpGateway();
  bench.agent.files = FILES;
  bench.channel.faults.post.push('pass', 'no_files', 'pass', 'rejected');
  bench.gateway.start();
  await bench.ask('rows?');
  await bench.clock.advance(10);
  assert.deepEqual(bench.channel.textsIn('t1'), [
    'answer to rows?',
    'The file rows.csv could not be posted here. An administrator can add the scope files:write to the Slack app and install it again.',
    'The file chart.png could not be posted here. An administrator finds the reason in the log.',
  ]);
  assert.deepEqual(filesIn(bench.channel), []);
  assert.equal(bench.gateway.counts().delivered, 1);
  await bench.gateway.close();
});

test('an answer that may not be read where it was asked takes its files with it, before it is stored and after', async () => {
  const audiences = { finance: { channels: ['slack:C1'], people: [] } };
  const rights = createAccess({ people: OPEN_HOUSE, audiences: audiences as never });
  let labels: readonly string[] = ['everyone', 'finance'];
  const access = { ...rights, labelsFor: () => labels };
  const bench = setUpGateway({ access });
  bench.agent.files = FILES;
  bench.agent.play = async () => {
    labels = ['everyone'];
    return 'secret';
  };
  bench.gateway.start();
  await bench.ask('rows?');
  await bench.clock.advance(10);
  assert.deepEqual(bench.channel.textsIn('t1'), [en.notAllowed]);

  // This one is stored while it may be read, and its delivery is cut off.
  labels = ['everyone', 'finance'];
  bench.agent.play = () => Promise.resolve('open');
  bench.channel.faults.update.push({ retryAfterMs: 200_000 });
  const { message } = await bench.ask('again?', { thread: 't2' });
  await bench.clock.advance(10);
  const [turn] = await bench.store.listTurns(message.scope.conversationId);
  assert.deepEqual([turn?.state, (await bench.store.listFiles(turn?.turnId ?? '')).length], ['answered', 2]);
  labels = ['everyone'];
  await bench.clock.advance(400_000);
  assert.deepEqual(bench.channel.textsIn('t2'), [en.notAllowed]);
  assert.deepEqual(filesIn(bench.channel), []);
  assert.deepEqual(await bench.store.listFiles(turn?.turnId ?? ''), []);
  await bench.gateway.close();
});

test('a question that was cancelled or deleted while it ran has no files', async () => {
  const bench = setUpGateway();
  bench.agent.files = FILES;
  const started = Promise.withResolvers<void>();
  bench.agent.play = () => {
    started.resolve();
    return new Promise(() => undefined);
  };
  bench.gateway.start();
  const { message } = await bench.ask('rows?');
  await bench.clock.advance(10);
  await started.promise;
  await bench.gateway.deleteQuestion('slack', message.sourceMessageId ?? '');
  await bench.clock.advance(2_000);
  assert.deepEqual(bench.channel.textsIn('t1'), [en.cancelled]);
  assert.deepEqual(filesIn(bench.channel), []);
  await bench.gateway.close();
});

test('a file that was forgotten before it was posted is not posted, and the turn is done', async () => {
  const bench = setUpGateway();
  bench.agent.files = FILES;
  const { store } = bench;
  const gateway = bench.restart({ store: { ...store, readFile: () => Promise.resolve(undefined) } });
  const { message } = await bench.ask('rows?');
  gateway.start();
  await bench.clock.advance(60_000);
  assert.deepEqual(filesIn(bench.channel), []);
  const [turn] = await store.listTurns(message.scope.conversationId);
  assert.equal(turn?.state, 'done');
  await bench.shut(gateway);
});

test('a description that grows when its links are made harmless still fits', async () => {
  const bench = setUpGateway();
  bench.agent.files = [{ ...CHART, description: 'https://a.example '.repeat(55) }];
  bench.gateway.start();
  await bench.ask('chart?');
  await bench.clock.advance(10);
  assert.equal(bench.channel.textsIn('t1')[1]?.length, 1_000);
  assert.deepEqual(filesIn(bench.channel), [['chart.png', [4]]]);
  await bench.gateway.close();
});
