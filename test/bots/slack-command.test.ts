import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../../agent/errors.ts';
import { textsFor } from '../../agent/texts.ts';
import { ACTION_DOWN, ACTION_STOP, ACTION_UP } from '../../bots/slack/blocks.ts';
import { answerOf, type Harness, startHarness } from './slack-harness.ts';

for (const mode of ['socket', 'http'] as const) {
  describe(`slack command over ${mode}`, () => {
    test('/ask posts the question in its asker’s name and is answered in that message’s thread', async () => {
      await using h = await startHarness({ mode });
      const outcome = await h.slack.slash(h.room, h.asker, '/ask', 'How long is the warranty &amp; why?\nSecond line <!channel>');
      assert.deepEqual([outcome.delivery.acked, outcome.text], [true, '']);
      const [root] = h.slack.messages(h.room);
      assert.equal(root?.text, '*Ada asked:*\n> How long is the warranty &amp; why?\n> Second line @channel');
      assert.deepEqual(root?.pings, []);
      const [message] = h.gateway.accepted;
      assert.deepEqual(
        [message?.trigger, message?.text, message?.place, message?.sourceMessageId, message?.author.kind],
        [
          'command',
          'How long is the warranty & why?\nSecond line @channel',
          { kind: 'channel', id: `slack:${h.room}` },
          null,
          'person',
        ],
      );
      assert.equal(message?.scope.conversationId, `slack:${h.slack.teamId}:${h.room}:${root?.ts}`);
      assert.equal(message?.address['thread'], root?.ts);
    });

    test('an /ask that is refused without a word in the thread tells its asker', async () => {
      await using h = await startHarness({ mode });
      h.gateway.accept = () => Promise.resolve('refused');
      const outcome = await h.slack.slash(h.room, h.asker, '/ask', 'Once more?');
      assert.deepEqual([outcome.delivery.acked, outcome.text], [true, textsFor('en').notAllowed]);
    });

    test('an /ask of somebody who is refused posts nothing', async () => {
      await using h = await startHarness({ mode });
      h.gateway.refusalFor = () => ({ reason: 'members_only' });
      const outcome = await h.slack.slash(h.room, h.asker, '/ask', 'How long is the warranty?');
      assert.deepEqual([outcome.delivery.acked, outcome.text], [true, textsFor('en').guestsRefused]);
      assert.deepEqual([h.slack.messages(h.room), h.gateway.accepted], [[], []]);
    });

    test('where the app is no member the answer comes in a direct message, and the asker is told', async () => {
      await using h = await startHarness({ mode });
      for (const kind of ['channel', 'group'] as const) {
        const foreign = h.slack.addChannel({ kind, members: [h.asker] }).id;
        const outcome = await h.slack.slash(foreign, h.asker, '/ask', 'How long is the warranty?');
        assert.match(outcome.text, /direct message/);
        assert.deepEqual(h.slack.messages(foreign), []);
      }
      const direct = h.slack.openDirect(h.asker).id;
      assert.equal(h.slack.messages(direct).length, 2);
      assert.deepEqual(
        h.gateway.accepted.map(({ place, scope, address }) => [place.kind, scope.conversationId, address['thread']]),
        [
          ['direct', `slack:${h.slack.teamId}:${direct}`, ''],
          ['direct', `slack:${h.slack.teamId}:${direct}`, ''],
        ],
      );
    });

    test('of a question of any length and content as much is quoted as a message holds, and the whole is asked', async () => {
      await using h = await startHarness({ mode });
      for (const text of ['&'.repeat(5000), 'a\n'.repeat(4000), '保'.repeat(20_000), '😀'.repeat(3000)]) {
        const outcome = await h.slack.slash(h.room, h.asker, '/ask', text.replaceAll('&', '&amp;'));
        assert.deepEqual([outcome.delivery.acked, outcome.text], [true, '']);
        assert.equal(h.gateway.accepted.at(-1)?.text, text.trim());
        assert.match(h.slack.messages(h.room).at(-1)?.text ?? '', / …$/);
      }
    });

    test('an empty /ask says how it is used; a failing Slack says to try again; nothing is asked', async () => {
      await using h = await startHarness({ mode });
      assert.match((await h.slack.slash(h.room, h.asker, '/ask', '  ')).text, /Write your question after \/ask/);
      h.slack.faults.add({ method: 'chat.postMessage', fault: { kind: 'status', status: 500 } });
      assert.match((await h.slack.slash(h.room, h.asker, '/ask', 'hello?')).text, /ask again in a minute/);
      h.gateway.failWith = new AppError('store_full', 'no space left');
      assert.match((await h.slack.slash(h.room, h.asker, '/ask', '你好吗')).text, /请一分钟后再问/);
      assert.deepEqual(h.gateway.accepted, []);
    });
  });

  describe(`the button that stops a run, in slack over ${mode}`, () => {
    const begun = async (h: Harness): Promise<{ readonly root: string; readonly ts: string }> => {
      const root = h.slack.mention(h.room, h.asker, 'a question');
      await h.slack.settle();
      const address = { channel: h.room, thread: root, question: root, user: h.asker };
      const ref = await h.channel.post(address, { text: 'Looking …', withFeedback: false, withStop: true }, 'turn-1:0');
      return { root, ts: ref['ts'] ?? '' };
    };

    test('hands the click to the gateway and says why where nothing was stopped', async () => {
      await using h = await startHarness({ mode });
      const { root, ts } = await begun(h);
      for (const outcome of ['stopped', 'not_yours', 'over'] as const) {
        h.gateway.stopOutcome = outcome;
        assert.equal((await h.slack.click(h.room, ts, h.asker, ACTION_STOP)).acked, true);
      }
      const click = { turnId: 'turn-1', userId: `slack:${h.asker}` };
      assert.deepEqual(h.gateway.stops, [click, click, click]);
      const told = h.slack.visible(h.room, h.asker, root).filter(({ onlyFor }) => onlyFor !== undefined);
      assert.deepEqual(
        told.map(({ text }) => text),
        ['Only the person who asked, or an administrator, can stop this answer.', 'No answer of yours is under way here.'],
      );
    });

    test('a click that the store cannot take is not acknowledged', async () => {
      await using h = await startHarness({ mode });
      const { ts } = await begun(h);
      h.gateway.failWith = new AppError('store_unavailable', 'away');
      assert.equal((await h.slack.click(h.room, ts, h.asker, ACTION_STOP)).acked, false);
    });
  });

  describe(`slack feedback over ${mode}`, () => {
    const answered = async (h: Harness): Promise<{ readonly root: string; readonly ts: string }> => {
      const root = h.slack.mention(h.room, h.asker, 'a question');
      await h.slack.settle();
      const [part] = h.channel.render(answerOf('Twenty-four months.'), 'turn-1', 'en');
      const address = { channel: h.room, thread: root, question: root, user: h.asker };
      const ref = await h.channel.post(address, part ?? assert.fail(), 'turn-1:0');
      return { root, ts: ref['ts'] ?? '' };
    };
    const told = (h: Harness, root: string) =>
      h.slack
        .visible(h.room, h.asker, root)
        .filter(({ onlyFor }) => onlyFor !== undefined)
        .map(({ text }) => text);

    test('👍 is stored and thanked for, to the one who clicked', async () => {
      await using h = await startHarness({ mode });
      const { root, ts } = await answered(h);
      assert.equal((await h.slack.click(h.room, ts, h.asker, ACTION_UP)).acked, true);
      assert.deepEqual(h.gateway.feedback, [{ turnId: 'turn-1', userId: `slack:${h.asker}`, verdict: 'up', reason: '' }]);
      assert.deepEqual(told(h, root), ['Thank you, noted.']);
    });

    test('👎 is stored at once and asks for the reason, which is stored with it', async () => {
      await using h = await startHarness({ mode });
      const { root, ts } = await answered(h);
      assert.equal((await h.slack.click(h.room, ts, h.asker, ACTION_DOWN)).acked, true);
      assert.equal(h.gateway.feedback.length, 1);
      const [view] = h.slack.views();
      assert.equal(view?.userId, h.asker);
      const outcome = await h.slack.submitView(view?.id ?? '', { threadwise_reason_input: 'It is out of date.' });
      assert.equal(outcome.acked, true);
      assert.deepEqual(h.gateway.feedback, [
        { turnId: 'turn-1', userId: `slack:${h.asker}`, verdict: 'down', reason: '' },
        { turnId: 'turn-1', userId: `slack:${h.asker}`, verdict: 'down', reason: 'It is out of date.' },
      ]);
      assert.deepEqual(told(h, root), ['Thank you, noted.']);
      assert.deepEqual(h.slack.views(), []);
    });

    test('a dialog that cannot be opened still ends in thanks, an empty reason is fine', async () => {
      await using h = await startHarness({ mode });
      const { root, ts } = await answered(h);
      h.slack.faults.add({ method: 'views.open', fault: { kind: 'error', error: 'expired_trigger_id' } });
      assert.equal((await h.slack.click(h.room, ts, h.asker, ACTION_DOWN)).acked, true);
      assert.deepEqual(told(h, root), ['Thank you, noted.']);
      await h.slack.click(h.room, ts, h.asker, ACTION_DOWN);
      await h.slack.submitView(h.slack.views()[0]?.id ?? '', {});
      assert.deepEqual(
        h.gateway.feedback.map(({ reason }) => reason),
        ['', '', ''],
      );
    });

    test('a verdict that cannot be stored is not acknowledged, so Slack shows the click as failed', async () => {
      await using h = await startHarness({ mode, slack: { ackTimeoutMs: 700 } });
      const { ts } = await answered(h);
      h.gateway.recordFeedback = () => Promise.reject(new AppError('store_full', 'no space left'));
      assert.equal((await h.slack.click(h.room, ts, h.asker, ACTION_UP)).acked, false);
    });
  });
}
