import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../../agent/errors.ts';
import type { OutboundPart } from '../../agent/ports/channel.ts';
import { startHarness } from './slack-harness.ts';

const BYTES = Buffer.from('\ufeffa,b\r\n1,网关\r\n');
const PART: OutboundPart = {
  text: 'Rows <of> a table.',
  withFeedback: false,
  file: { number: 0, name: 'rows.csv', mediaType: 'text/csv', description: 'Rows <of> a table.', language: 'en' },
};
const KEY = '0123456789abcdef0123:1';

const codeOf = (error: unknown) => (error instanceof AppError ? [error.code, error.retryAfterMs] : assert.fail(String(error)));
const failure = (work: Promise<unknown>) => work.then(() => assert.fail('expected a failure'), codeOf);

const start = async (options: Parameters<typeof startHarness>[0] = { mode: 'socket' }) => {
  const h = await startHarness(options);
  const root = h.slack.mention(h.room, h.asker, 'rows?');
  const address = { channel: h.room, thread: root, question: root, user: h.asker };
  /** The files that stand in the thread, with the bytes behind them. */
  const standing = () =>
    h.slack.workspace.list(h.room, root).flatMap(({ files, text }) =>
      files.map(({ id, title, name, alt_txt: altText }) => {
        const bytes = h.slack.uploads.find((upload) => upload.id === id)?.bytes;
        return { title, name, altText, text, bytes: bytes?.toString() };
      }),
    );
  const methods = () => h.slack.calls.map(({ method }) => method).filter((method) => method.startsWith('files.'));
  return { h, root, address, standing, methods, [Symbol.asyncDispose]: () => h[Symbol.asyncDispose]() };
};

const ROWS = {
  title: 'rows.csv',
  name: 'rows-0123456789abcdef0123-1.csv',
  altText: 'Rows <of> a table.',
  text: 'Rows &lt;of&gt; a table.',
  bytes: BYTES.toString(),
};

describe('a file in Slack', () => {
  test('stands in the thread with its title, its words and its bytes, and is found by its key alone', async () => {
    await using s = await start();
    assert.equal(await s.h.channel.find(s.address, KEY), undefined);
    await s.h.channel.post(s.address, PART, KEY, BYTES);
    assert.deepEqual(s.standing(), [ROWS]);
    const message = s.h.slack.workspace.list(s.h.room, s.root).at(-1);
    assert.deepEqual(await s.h.channel.find(s.address, KEY), { channel: s.h.room, ts: message?.ts });
    assert.equal(await s.h.channel.find(s.address, '0123456789abcdef0123:11'), undefined);
    await s.h.slack.settle();
    assert.deepEqual(s.h.gateway.accepted.length, 1);
  });

  test("of somebody else's with the same name is not taken for it", async () => {
    await using s = await start();
    s.h.slack.workspace.post({
      channelId: s.h.room,
      userId: s.h.asker,
      text: 'mine',
      threadTs: s.root,
      files: [{ id: 'F1', name: ROWS.name }],
    });
    assert.equal(await s.h.channel.find(s.address, KEY), undefined);
  });

  test('in a direct message outside threads stands there', async () => {
    await using s = await start();
    const direct = s.h.slack.openDirect(s.h.asker).id;
    const question = s.h.slack.say(direct, s.h.asker, 'hello?');
    const address = { channel: direct, thread: '', question, user: s.h.asker };
    await s.h.channel.post(address, PART, KEY, BYTES);
    const message = s.h.slack.workspace.list(direct).at(-1);
    assert.deepEqual([message?.files.length, message?.threadTs], [1, undefined]);
    assert.deepEqual(await s.h.channel.find(address, KEY), { channel: direct, ts: message?.ts });
  });

  for (const [step, fault] of [
    ['files.getUploadURLExternal', { kind: 'drop', applied: true }],
    ['files.getUploadURLExternal', { kind: 'status', status: 500 }],
    ['upload', { kind: 'drop', applied: false }],
    ['upload', { kind: 'status', status: 500 }],
  ] as const) {
    test(`was not posted when ${step} ends with ${JSON.stringify(fault)}, and a later try posts it once`, async () => {
      await using s = await start();
      s.h.slack.faults.add({ method: step, fault });
      assert.deepEqual(await failure(s.h.channel.post(s.address, PART, KEY, BYTES)), ['channel_unavailable', 500]);
      assert.deepEqual(s.standing(), []);
      await s.h.channel.post(s.address, PART, KEY, BYTES);
      assert.deepEqual(s.standing(), [ROWS]);
    });
  }

  test('whose last call was lost may stand, which is not known and can be looked up', async () => {
    await using s = await start();
    s.h.slack.faults.add({ method: 'files.completeUploadExternal', fault: { kind: 'drop', applied: true } });
    assert.deepEqual(await failure(s.h.channel.post(s.address, PART, KEY, BYTES)), ['channel_unavailable', undefined]);
    assert.notEqual(await s.h.channel.find(s.address, KEY), undefined);
  });

  test('that Slack limits is not uploaded again for the next try', async () => {
    await using s = await start();
    s.h.slack.faults.add({ method: 'files.completeUploadExternal', fault: { kind: 'status', status: 429, retryAfterS: 7 } });
    assert.deepEqual(await failure(s.h.channel.post(s.address, PART, KEY, BYTES)), ['channel_unavailable', 7_000]);
    await s.h.channel.post(s.address, PART, KEY, BYTES);
    assert.deepEqual(s.methods(), ['files.getUploadURLExternal', 'files.completeUploadExternal', 'files.completeUploadExternal']);
    assert.deepEqual(s.standing(), [ROWS]);
  });

  test('is refused for good without the scope, and its name says that it is the files', async () => {
    await using s = await start({ mode: 'socket', slack: { scopes: ['chat:write', 'channels:history', 'users:read'] } });
    assert.deepEqual(await failure(s.h.channel.post(s.address, PART, KEY, BYTES)), ['channel_no_files', undefined]);
  });

  test('in a thread that is gone is refused', async () => {
    await using s = await start();
    const address = { ...s.address, thread: '1.000001' };
    assert.deepEqual(await failure(s.h.channel.post(address, PART, KEY, BYTES)), ['channel_rejected', undefined]);
    assert.deepEqual(s.standing(), []);
  });
});
