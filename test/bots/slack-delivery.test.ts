import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Citation, ReplyAddress } from '../../agent/conversation.ts';
import { AppError } from '../../agent/errors.ts';
import type { OutboundPart } from '../../agent/ports/channel.ts';
import { ACTION_DOWN, ACTION_UP } from '../../bots/slack/blocks.ts';
import { createFakeClock } from '../fake-clock.ts';
import { answerOf, type Harness, pause, startHarness, until } from './slack-harness.ts';

const part = (text: string, withFeedback = false): OutboundPart => ({ text, withFeedback });

/** A question in a thread, with its address. */
const ask = (h: Harness, text = 'a question'): { readonly root: string; readonly address: ReplyAddress } => {
  const root = h.slack.mention(h.room, h.asker, text);
  return { root, address: { channel: h.room, thread: root, question: root, user: h.asker } };
};

const codeOf = (error: unknown) => (error instanceof AppError ? [error.code, error.retryAfterMs] : assert.fail(String(error)));
const failure = (work: Promise<unknown>) => work.then(() => assert.fail('expected a failure'), codeOf);

describe('slack delivery', () => {
  test('a message stands in the thread it was asked in, quiet and with its key', async () => {
    await using h = await startHarness({ mode: 'socket' });
    const { root, address } = ask(h);
    const ref = await h.channel.post(address, part('See <https://example.com/a> <b>'), 'turn-1:0');
    const call = h.slack.calls.find(({ method }) => method === 'chat.postMessage') ?? assert.fail();
    assert.equal(call.args['thread_ts'], root);
    assert.equal(call.args['channel'], h.room);
    assert.deepEqual(
      [call.args['unfurl_links'], call.args['unfurl_media'], call.args['link_names']],
      ['false', 'false', 'false'],
    );
    assert.deepEqual(JSON.parse(String(call.args['metadata'])), {
      event_type: 'threadwise_answer',
      event_payload: { key: 'turn-1:0' },
    });
    const [, posted] = h.slack.messages(h.room, root);
    assert.deepEqual([posted?.ts, posted?.threadTs, posted?.hasPreview, posted?.pings], [ref['ts'], root, false, []]);
    await h.channel.update(address, ref, part('See <https://example.com/b>'), 'turn-1:0');
    assert.equal(h.slack.messages(h.room, root)[1]?.hasPreview, false);
  });

  test('a message is found again by its key alone, behind many pages, and only among the app’s own', async () => {
    await using h = await startHarness({ mode: 'socket', slack: { pageSize: 20 } });
    const { root, address } = ask(h);
    for (let index = 0; index < 70; index += 1) h.slack.say(h.room, h.asker, `noise ${index}`, { threadTs: root });
    h.slack.workspace.post({
      channelId: h.room,
      userId: 'U0OTHERBOT',
      botId: 'B0OTHERBOT',
      text: 'forged',
      threadTs: root,
      metadata: { event_type: 'threadwise_answer', event_payload: { key: 'turn-1:0' } },
    });
    assert.equal(await h.channel.find(address, 'turn-1:0'), undefined);
    const ref = await h.channel.post(address, part('mine'), 'turn-1:0');
    assert.deepEqual(await h.channel.find(address, 'turn-1:0'), ref);
    assert.equal(await h.channel.find(address, 'turn-1:1'), undefined);
  });

  test('in a direct message outside threads the history is searched', async () => {
    await using h = await startHarness({ mode: 'socket', slack: { pageSize: 2 } });
    const direct = h.slack.openDirect(h.asker).id;
    const question = h.slack.say(direct, h.asker, 'hello?');
    const address = { channel: direct, thread: '', question, user: h.asker };
    const ref = await h.channel.post(address, part('here'), 'turn-1:0');
    for (let index = 0; index < 5; index += 1) h.slack.say(direct, h.asker, `more ${index}`);
    assert.deepEqual(await h.channel.find(address, 'turn-1:0'), ref);
    assert.equal(h.slack.messages(direct).find(({ isBot }) => isBot)?.threadTs, undefined);
  });

  test('a post that Slack carried out but did not confirm is unknown, and is found', async () => {
    await using h = await startHarness({ mode: 'socket' });
    const { root, address } = ask(h);
    h.slack.faults.add({ method: 'chat.postMessage', fault: { kind: 'drop', applied: true } });
    assert.deepEqual(await failure(h.channel.post(address, part('once'), 'turn-1:0')), ['channel_unavailable', undefined]);
    const found = await h.channel.find(address, 'turn-1:0');
    assert.equal(found?.['ts'], h.slack.messages(h.room, root)[1]?.ts);
    assert.equal(h.slack.calls.filter(({ method }) => method === 'chat.postMessage').length, 1);
  });

  test('failures say what is known: not done and when to try again, unknown, or refused for good', async () => {
    await using h = await startHarness({ mode: 'socket' });
    const { address } = ask(h);
    const outcome = async (fault: Parameters<typeof h.slack.faults.add>[0]['fault']) => {
      h.slack.faults.add({ method: 'chat.postMessage', fault });
      return await failure(h.channel.post(address, part('text'), 'turn-1:0'));
    };
    assert.deepEqual(await outcome({ kind: 'status', status: 429, retryAfterS: 2 }), ['channel_unavailable', 2000]);
    assert.deepEqual(await outcome({ kind: 'status', status: 429, retryAfterS: -1 }), ['channel_unavailable', 1000]);
    assert.deepEqual(await outcome({ kind: 'status', status: 429, retryAfterS: 1_000_000_000 }), ['channel_unavailable', 60_000]);
    assert.deepEqual(await outcome({ kind: 'status', status: 429, retryAfterS: 'soon' }), ['channel_unavailable', undefined]);
    assert.deepEqual(await outcome({ kind: 'error', error: 'ratelimited', retryAfterS: 3 }), ['channel_unavailable', 3000]);
    assert.deepEqual(await outcome({ kind: 'error', error: 'ratelimited' }), ['channel_unavailable', 1000]);
    assert.deepEqual(await outcome({ kind: 'error', error: 'invalid_auth' }), ['channel_unavailable', 60_000]);
    assert.deepEqual(await outcome({ kind: 'error', error: 'internal_error' }), ['channel_unavailable', undefined]);
    assert.deepEqual(await outcome({ kind: 'status', status: 503 }), ['channel_unavailable', undefined]);
    assert.deepEqual(await outcome({ kind: 'drop', applied: false }), ['channel_unavailable', undefined]);
    assert.deepEqual(await outcome({ kind: 'html' }), ['channel_unavailable', undefined]);
    for (const error of [
      'channel_not_found',
      'is_archived',
      'not_in_channel',
      'msg_too_long',
      'invalid_blocks',
      'missing_scope',
    ]) {
      assert.deepEqual(await outcome({ kind: 'error', error }), ['channel_rejected', undefined]);
    }
    const posts = h.slack.calls.filter(({ method }) => method === 'chat.postMessage');
    assert.equal(posts.length, 17, 'one call for one post: nothing is retried here');
  });

  test('a second post to one conversation does not begin while the first is under way', async () => {
    await using h = await startHarness({ mode: 'socket' });
    const { root, address } = ask(h);
    h.slack.faults.add({ method: 'chat.postMessage', fault: { kind: 'slow', ms: 150 } });
    const first = h.channel.post(address, part('first'), 'turn-1:0');
    assert.deepEqual(await failure(h.channel.post(address, part('second'), 'turn-1:1')), ['channel_unavailable', 300]);
    const elsewhere = ask(h);
    await h.channel.post(elsewhere.address, part('elsewhere'), 'turn-2:0');
    await first;
    await h.channel.post(address, part('second'), 'turn-1:1');
    assert.deepEqual(
      h.slack
        .messages(h.room, root)
        .slice(1)
        .map(({ text }) => text),
      ['first', 'second'],
    );
  });

  test('when the message to be changed was deleted, the answer is posted anew in its thread, once', async () => {
    await using h = await startHarness({ mode: 'socket' });
    const { root, address } = ask(h);
    const ref = await h.channel.post(address, part('looking'), 'turn-1:0');
    h.slack.delete(h.room, ref['ts'] ?? '');
    await h.channel.update(address, ref, part('the answer'), 'turn-1:0');
    await h.channel.update(address, ref, part('the answer again'), 'turn-1:0');
    assert.deepEqual(
      h.slack
        .messages(h.room, root)
        .slice(1)
        .map(({ text, threadTs }) => [text, threadTs]),
      [['the answer again', root]],
    );
  });

  test('a refused final text may be given again', async () => {
    await using h = await startHarness({ mode: 'socket' });
    const { root, address } = ask(h);
    const ref = await h.channel.post(address, part('looking'), 'turn-1:0');
    h.slack.faults.add({ method: 'chat.update', fault: { kind: 'error', error: 'invalid_blocks' } });
    assert.deepEqual(await failure(h.channel.update(address, ref, part('*bad*'), 'turn-1:0')), ['channel_rejected', undefined]);
    await h.channel.update(address, ref, part('plain'), 'turn-1:0');
    assert.equal(h.slack.messages(h.room, root)[1]?.text, 'plain');
  });

  test('a state is shown in the placeholder, escaped, and none comes after the final text', async () => {
    await using h = await startHarness({ mode: 'socket' });
    const { root, address } = ask(h);
    const ref = await h.channel.post(address, part('looking'), 'turn-1:0');
    h.channel.progress(address, ref, 'Searching <!channel> & **more** [x](https://evil.example)', 'turn-1:0');
    const shown = await until(() => h.slack.messages(h.room, root).find(({ text }) => text.startsWith('Searching')), 'a state');
    assert.deepEqual(shown.pings, []);
    assert.ok(!shown.text.includes('https://evil.example'), shown.text);
    await h.channel.update(address, ref, part('final'), 'turn-1:0');
    h.channel.progress(address, ref, 'late', 'turn-1:0');
    await pause(50);
    assert.equal(h.slack.messages(h.room, root)[1]?.text, 'final');
  });

  test('edits of all conversations share one pace, and final texts go first', async () => {
    const clock = createFakeClock();
    await using h = await startHarness({ mode: 'http', clock, channel: { editIntervalMs: 1200 } });
    const runs = [];
    for (let index = 0; index < 3; index += 1) {
      const { address } = ask(h);
      runs.push({ address, key: `turn-${index}:0`, ref: await h.channel.post(address, part('looking'), `turn-${index}:0`) });
    }
    const edits = () => h.slack.calls.filter(({ method }) => method === 'chat.update').length;
    for (const { address, ref, key } of runs) h.channel.progress(address, ref, 'state 0', key);
    await until(() => edits() === 1, 'the first state');
    await pause(30);
    assert.equal(edits(), 1);
    const [first] = runs;
    if (first !== undefined) await h.channel.update(first.address, first.ref, part('final'), first.key);
    assert.equal(edits(), 2);
    for (let second = 1; second <= 60; second += 1) {
      for (const { address, ref, key } of runs) h.channel.progress(address, ref, `state ${second}`, key);
      await clock.advance(1000);
      await pause(4);
    }
    assert.ok(edits() >= 20 && edits() <= 53, `${edits()} edits in a minute; Tier 3 allows 50, and the final text 1 ahead`);
  });

  test('a 429 on an edit pauses the states of everybody', async () => {
    await using h = await startHarness({ mode: 'socket' });
    const one = ask(h);
    const two = ask(h);
    const refOne = await h.channel.post(one.address, part('looking'), 'turn-1:0');
    const refTwo = await h.channel.post(two.address, part('looking'), 'turn-2:0');
    h.slack.faults.add({ method: 'chat.update', fault: { kind: 'status', status: 429, retryAfterS: 1 } });
    h.channel.progress(one.address, refOne, 'state', 'turn-1:0');
    await until(() => h.slack.calls.some(({ outcome }) => outcome === 'http_429'), 'the 429');
    await pause(30);
    h.channel.progress(two.address, refTwo, 'state', 'turn-2:0');
    await pause(300);
    assert.equal(h.slack.calls.filter(({ method }) => method === 'chat.update').length, 1);
    await until(() => h.slack.calls.filter(({ method }) => method === 'chat.update').length === 2, 'the state after the pause');
  });
});

const citation = (n: number): Citation => ({
  n,
  title: 'Warranty',
  source: 'warranty.md',
  quote: 'Batteries are covered for 24 months.',
  chunkId: `c${n}`,
  headingPath: ['Warranty', 'Batteries'],
  location: '',
  date: '2026-01-02',
});

describe('slack rendering', () => {
  test('an answer is one message with its sources and two buttons', async () => {
    await using h = await startHarness({ mode: 'socket' });
    const { root, address } = ask(h);
    const parts = h.channel.render(answerOf('**24 months** [1] & more <b>', { citations: [citation(1)] }), 'turn-1', 'en');
    assert.equal(parts.length, 1);
    await h.channel.post(address, parts[0] ?? assert.fail(), 'turn-1:0');
    const [, message] = h.slack.messages(h.room, root);
    assert.match(message?.text ?? '', /^\*24 months\* \[1\] &amp; more/);
    assert.ok(
      message?.text.endsWith(
        '[1] Warranty › Batteries (as of 2026-01-02) — warranty.md\n\n> Batteries are covered for 24 months.',
      ),
    );
    assert.deepEqual(
      message?.buttons.map(({ actionId, label, value }) => [actionId, label, value]),
      [
        [ACTION_UP, '👍 Helpful', 'turn-1:0'],
        [ACTION_DOWN, '👎 Not helpful', 'turn-1:0'],
      ],
    );
  });

  test('a long answer is split within every limit, code fences whole, and the buttons stand under the last part', async () => {
    await using h = await startHarness({ mode: 'socket' });
    const { root, address } = ask(h);
    const code = `\`\`\`\n${Array.from({ length: 400 }, (_, index) => `const line${index} = '<&> ${'x'.repeat(30)}';`).join('\n')}\n\`\`\``;
    const prose = Array.from({ length: 80 }, (_, index) => `Paragraph ${index} ${'word '.repeat(60)}`).join('\n\n');
    const parts = h.channel.render(answerOf(`${prose}\n\n${code}\n\n${prose}`), 'turn-1', 'en');
    assert.ok(parts.length > 5);
    assert.deepEqual(
      parts.map(({ withFeedback }) => withFeedback),
      [...parts.slice(1).map(() => false), true],
    );
    for (const [index, item] of parts.entries()) {
      const ref = await h.channel.post(address, item, `turn-1:${index}`);
      await h.channel.update(address, ref, item, `turn-1:${index}`);
    }
    assert.ok(h.slack.calls.every(({ outcome }) => outcome === 'ok'));
    for (const { args, method } of h.slack.calls) {
      if (method !== 'chat.postMessage') continue;
      assert.ok(String(args['text']).length <= 3500);
      const blocks = JSON.parse(String(args['blocks'])) as { type: string; text?: { text: string } }[];
      const sections = blocks.flatMap(({ text }) => (text === undefined ? [] : [text.text]));
      assert.ok(sections.reduce((sum, text) => sum + text.length, 0) <= 11_000);
      for (const text of sections) {
        assert.ok(text.length <= 3000);
        assert.equal((text.match(/```/g) ?? []).length % 2, 0);
      }
    }
    const shown = h.slack
      .messages(h.room, root)
      .slice(1)
      .map(({ text }) => text)
      .join('\n');
    for (let index = 0; index < 400; index += 1) assert.ok(shown.includes(`const line${index} = `), `line ${index}`);
  });

  test('nothing in an answer notifies anybody or is fetched', async () => {
    await using h = await startHarness({ mode: 'socket' });
    const { root, address } = ask(h);
    const text =
      '<!channel> <!here|x> @channel <@U0SIMBOT1> <!subteam^S1> [open](https://evil.example/?q=1) https://evil.example';
    for (const [index, item] of h.channel.render(answerOf(text), 'turn-1', 'en').entries()) {
      await h.channel.post(address, item, `turn-1:${index}`);
    }
    const [, message] = h.slack.messages(h.room, root);
    assert.deepEqual(message?.pings, []);
    assert.ok(!(message?.text ?? '').includes('<https://evil.example'), message?.text);
    assert.equal(message?.hasPreview, false);
  });

  test('a Chinese answer has Chinese buttons; a refusal has none', async () => {
    await using h = await startHarness({ mode: 'socket' });
    const { root, address } = ask(h);
    const [first] = h.channel.render(answerOf('保修期是二十四个月。'), 'turn-1', 'zh');
    await h.channel.post(address, first ?? assert.fail(), 'turn-1:0');
    assert.deepEqual(
      h.slack.messages(h.room, root)[1]?.buttons.map(({ label }) => label),
      ['👍 有帮助', '👎 没有帮助'],
    );
    const [refusal] = h.channel.render(answerOf('No.', { stopReason: 'not_allowed', answered: false }), 'turn-2', 'en');
    assert.equal(refusal?.withFeedback, false);
  });
});
