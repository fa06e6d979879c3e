import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../../agent/errors.ts';
import { pause, startHarness, until } from './slack-harness.ts';

for (const mode of ['socket', 'http'] as const) {
  describe(`slack intake over ${mode}`, () => {
    test('a mention in a channel is one question with its thread, its asker and its text', async () => {
      await using h = await startHarness({ mode });
      const ts = h.slack.mention(h.room, h.asker, 'How long is the &lt;warranty&gt;?');
      await h.slack.settle();
      assert.equal(h.gateway.accepted.length, 1);
      const { receivedAt, ...message } = h.gateway.accepted[0] ?? assert.fail();
      assert.ok(Math.abs(receivedAt - Date.now()) < 5000);
      assert.deepEqual(message, {
        deliveryId: `slack:${h.slack.teamId}:${h.room}:${ts}`,
        scope: {
          tenantId: `slack:${h.slack.teamId}`,
          channel: 'slack',
          conversationId: `slack:${h.slack.teamId}:${h.room}:${ts}`,
          userId: `slack:${h.asker}`,
        },
        author: { id: `slack:${h.asker}`, displayName: 'Ada', kind: 'person' },
        place: { kind: 'channel', id: `slack:${h.room}` },
        trigger: 'mention',
        text: 'How long is the <warranty>?',
        sourceMessageId: `${h.slack.teamId}:${h.room}:${ts}`,
        address: { channel: h.room, thread: ts, question: ts, user: h.asker },
      });
      assert.deepEqual(
        h.slack.deliveries.map(({ body, attempts }) => [(body['event'] as { type: string }).type, attempts.length]),
        [
          ['message', 1],
          ['app_mention', 1],
        ],
      );
    });

    test('a mention inside a thread is answered in that thread', async () => {
      await using h = await startHarness({ mode });
      const root = h.slack.say(h.room, h.asker, 'Lunch?');
      h.slack.mention(h.room, h.asker, 'and the menu?', { threadTs: root });
      await h.slack.settle();
      assert.deepEqual(
        h.gateway.accepted.map(({ scope, address }) => [scope.conversationId, address['thread']]),
        [[`slack:${h.slack.teamId}:${h.room}:${root}`, root]],
      );
    });

    test('a follow-up in the thread needs no mention; one that begins with another person’s mention is not for the assistant', async () => {
      await using h = await startHarness({ mode });
      const other = h.slack.addUser({ displayName: 'Bo' }).id;
      const root = h.slack.mention(h.room, h.asker, 'first');
      await h.slack.settle();
      h.slack.say(h.room, h.asker, `<@${other}> do you know?`, { threadTs: root });
      h.slack.say(h.room, h.asker, `and what did <@${other}> say in <#C1|general>?`, { threadTs: root });
      h.slack.say(h.room, h.asker, 'somewhere else');
      await h.slack.settle();
      assert.deepEqual(
        h.gateway.accepted.map(({ trigger, text }) => [trigger, text]),
        [
          ['mention', 'first'],
          ['follow_up', 'and what did @Bo say in #general?'],
        ],
      );
    });

    test('a direct message is one conversation, and its threads are their own', async () => {
      await using h = await startHarness({ mode });
      const direct = h.slack.openDirect(h.asker).id;
      const ts = h.slack.say(direct, h.asker, 'hello?');
      await h.slack.settle();
      h.slack.say(direct, h.asker, 'in the thread', { threadTs: ts });
      await h.slack.settle();
      assert.deepEqual(
        h.gateway.accepted.map(({ trigger, place, scope, address }) => [trigger, place, scope.conversationId, address['thread']]),
        [
          ['direct', { kind: 'direct', id: `slack:${direct}` }, `slack:${h.slack.teamId}:${direct}`, ''],
          ['direct', { kind: 'direct', id: `slack:${direct}` }, `slack:${h.slack.teamId}:${direct}:${ts}`, ts],
        ],
      );
    });

    test('guests, people of other organisations and bots are told apart', async () => {
      await using h = await startHarness({ mode });
      const people = [
        h.slack.addUser({ isRestricted: true }),
        h.slack.addUser({ isUltraRestricted: true }),
        h.slack.addUser({ isStranger: true, teamId: 'T0OTHER' }),
        h.slack.addUser({ teamId: 'T0OTHER' }),
        h.slack.addUser({ isBot: true }),
        h.slack.addUser(),
      ];
      for (const { id } of people) {
        h.slack.mention(h.room, id, 'who am I?');
        await h.slack.settle();
      }
      assert.deepEqual(
        h.gateway.accepted.map(({ author }) => author.kind),
        ['guest', 'guest', 'external', 'external', 'person'],
      );
    });

    test('the assistant’s own messages and those of other apps are ignored', async () => {
      await using h = await startHarness({ mode });
      const root = h.slack.mention(h.room, h.asker, 'first');
      await h.slack.settle();
      await h.channel.post({ channel: h.room, thread: root }, { text: 'an answer', withFeedback: false }, 'turn:0');
      h.slack.sayAsBot(h.room, `<@${h.slack.botUserId}> hello`, { threadTs: root });
      h.slack.say(h.room, h.asker, 'joined', { subtype: 'channel_join', threadTs: root });
      await h.slack.settle();
      assert.equal(h.gateway.accepted.length, 1);
    });

    test('broadcasts, look-alike ids and names in plain text do not wake it', async () => {
      await using h = await startHarness({ mode });
      h.slack.say(h.room, h.asker, '<!here> <!channel> <!everyone> who knows?');
      h.slack.say(h.room, h.asker, `<@${h.slack.botUserId}X> and &lt;@${h.slack.botUserId}&gt;`);
      h.slack.say(h.room, h.asker, '@threadwise and mail@threadwise.example');
      await h.slack.settle();
      assert.deepEqual(h.gateway.accepted, []);
    });

    test('a message whose text stands only in blocks is read; a mention with no words is an empty question', async () => {
      await using h = await startHarness({ mode });
      h.slack.say(h.room, h.asker, '', {
        blocks: [
          {
            type: 'rich_text',
            elements: [
              {
                type: 'rich_text_section',
                elements: [
                  { type: 'user', user_id: h.slack.botUserId },
                  { type: 'text', text: ' is a < b?' },
                ],
              },
            ],
          },
        ],
      });
      h.slack.mention(h.room, h.asker, '');
      await h.slack.settle();
      assert.deepEqual(
        h.gateway.accepted.map(({ text }) => text),
        ['is a < b?', ''],
      );
    });

    test('a file without words in a thread is not a follow-up; in a direct message it is an empty question', async () => {
      await using h = await startHarness({ mode });
      const root = h.slack.mention(h.room, h.asker, 'first');
      await h.slack.settle();
      const files = [{ id: 'F1', name: 'photo.png' }];
      h.slack.say(h.room, h.asker, '', { threadTs: root, files });
      h.slack.say(h.slack.openDirect(h.asker).id, h.asker, '', { files });
      await h.slack.settle();
      assert.deepEqual(
        h.gateway.accepted.map(({ trigger, text }) => [trigger, text]),
        [
          ['mention', 'first'],
          ['direct', ''],
        ],
      );
    });

    test('an edit changes a waiting question and starts no turn; a preview changes nothing', async () => {
      await using h = await startHarness({ mode });
      const ts = h.slack.mention(h.room, h.asker, 'first');
      const plain = h.slack.say(h.room, h.asker, 'no mention');
      await h.slack.settle();
      h.slack.unfurl(h.room, ts);
      await h.slack.settle();
      h.slack.edit(h.room, ts, `<@${h.slack.botUserId}> second &amp; last`);
      await h.slack.settle();
      h.slack.edit(h.room, plain, `<@${h.slack.botUserId}> now with a mention`);
      await h.slack.settle();
      assert.deepEqual(h.gateway.edits, [
        { id: `${h.slack.teamId}:${h.room}:${ts}`, text: 'second & last' },
        { id: `${h.slack.teamId}:${h.room}:${plain}`, text: 'now with a mention' },
      ]);
      assert.equal(h.gateway.accepted.length, 1);
    });

    test('a deleted question is announced, also when replies keep a tombstone in its place', async () => {
      await using h = await startHarness({ mode });
      const first = h.slack.mention(h.room, h.asker, 'first');
      const second = h.slack.mention(h.room, h.asker, 'second');
      await h.slack.settle();
      await h.channel.post({ channel: h.room, thread: second }, { text: 'looking', withFeedback: false }, 'turn:0');
      h.slack.delete(h.room, first);
      await h.slack.settle();
      h.slack.delete(h.room, second);
      await h.slack.settle();
      assert.deepEqual(h.gateway.deletions, [`${h.slack.teamId}:${h.room}:${first}`, `${h.slack.teamId}:${h.room}:${second}`]);
      assert.deepEqual(h.gateway.edits, []);
    });

    test('what is said about a question comes after it, however fast it was said', async () => {
      await using h = await startHarness({ mode });
      const order: string[] = [];
      h.gateway.beforeAccept = () => Promise.resolve(void order.push('accept'));
      h.gateway.deleteQuestion = () => Promise.resolve(void order.push('delete'));
      h.slack.faults.add({ method: 'users.info', fault: { kind: 'slow', ms: 200 } });
      h.slack.delete(h.room, h.slack.mention(h.room, h.asker, 'never mind'));
      await h.slack.settle();
      assert.deepEqual([...new Set(order)], ['accept', 'delete']);
    });

    test('two messages of one thread are taken in their order, though who is named in the first must be looked up', async () => {
      await using h = await startHarness({ mode });
      const root = h.slack.mention(h.room, h.asker, 'first');
      await h.slack.settle();
      const named = h.slack.addUser({ displayName: 'Grace' }).id;
      h.slack.faults.add({ method: 'users.info', fault: { kind: 'slow', ms: 200 } });
      h.slack.say(h.room, h.asker, `second, as <@${named}> said`, { threadTs: root });
      h.slack.say(h.room, h.asker, 'third', { threadTs: root });
      await h.slack.settle();
      assert.deepEqual(
        h.gateway.accepted.map(({ text }) => text),
        ['first', 'second, as @Grace said', 'third'],
      );
    });

    test('an event is not acknowledged before the gateway has it', async () => {
      await using h = await startHarness({ mode, slack: { events: ['app_mention'] } });
      let release = (): void => undefined;
      h.gateway.beforeAccept = () =>
        new Promise((resolve) => {
          release = resolve;
        });
      h.slack.mention(h.room, h.asker, 'slow disk');
      await pause(250);
      assert.equal(h.slack.deliveries[0]?.attempts.length, 0);
      release();
      await h.slack.settle();
      assert.deepEqual(
        h.slack.deliveries[0]?.attempts.map(({ outcome }) => outcome.acked),
        [true],
      );
    });

    test('with a full store nothing is acknowledged, Slack sends again, and the question is kept once', async () => {
      await using h = await startHarness({
        mode,
        slack: { events: ['app_mention'], ackTimeoutMs: 400, retryDelaysMs: [0, 1500, 300] },
      });
      h.gateway.failWith = new AppError('store_full', 'no space left');
      h.slack.mention(h.room, h.asker, 'still there?');
      const [delivery] = h.slack.deliveries;
      await until(() => delivery?.attempts.length === 2, 'two refused attempts');
      h.gateway.failWith = undefined;
      await h.slack.settle();
      assert.deepEqual(
        delivery?.attempts.map(({ retry, outcome }) => [retry?.num, outcome.acked]),
        [
          [undefined, false],
          [1, false],
          [2, true],
        ],
      );
      assert.deepEqual(
        h.gateway.accepted.map(({ text }) => text),
        ['still there?'],
      );
    });

    test('retries and doubled events of one message are one question', async () => {
      await using h = await startHarness({ mode });
      h.slack.mention(h.room, h.asker, 'once');
      await h.slack.settle();
      for (const delivery of h.slack.deliveries) {
        assert.equal((await h.slack.resend(delivery, { num: 1, reason: 'http_timeout' })).acked, true);
      }
      assert.equal(h.gateway.accepted.length, 1);
    });

    test('an event of an unknown channel is taken like any other and harms nothing', async () => {
      await using h = await startHarness({ mode });
      const outcome = await h.slack.pushEvent({
        type: 'app_mention',
        user: h.asker,
        text: `<@${h.slack.botUserId}> hi`,
        ts: '1.000001',
        event_ts: '1.000001',
        channel: 'C0UNKNOWN',
      }).done;
      assert.equal(outcome.acked, true);
      assert.equal(h.gateway.accepted[0]?.scope.conversationId, `slack:${h.slack.teamId}:C0UNKNOWN:1.000001`);
    });

    test('who cannot be looked up now is asked about again with the next delivery; who is unknown is a stranger', async () => {
      await using h = await startHarness({ mode, slack: { events: ['app_mention'], ackTimeoutMs: 700 } });
      h.slack.faults.add({ method: 'users.info', fault: { kind: 'status', status: 500 } });
      h.slack.mention(h.room, h.asker, 'who?');
      await h.slack.settle();
      assert.deepEqual(
        h.slack.deliveries[0]?.attempts.map(({ outcome }) => outcome.acked),
        [false, true],
      );
      assert.equal(h.gateway.accepted[0]?.author.kind, 'person');
      h.slack.faults.add({ method: 'users.info', fault: { kind: 'error', error: 'missing_scope' } });
      const other = h.slack.addUser().id;
      h.slack.mention(h.room, other, 'me?');
      await h.slack.settle();
      assert.deepEqual(h.gateway.accepted[1]?.author, { id: `slack:${other}`, displayName: other, kind: 'external' });
    });

    test('a person is looked up once for many messages', async () => {
      await using h = await startHarness({ mode });
      for (let index = 0; index < 5; index += 1) h.slack.mention(h.room, h.asker, `question ${index}`);
      await h.slack.settle();
      assert.equal(h.gateway.accepted.length, 5);
      assert.equal(h.slack.calls.filter(({ method }) => method === 'users.info').length, 1);
    });

    test('“stop” cancels the conversation’s run once; when nothing runs its writer alone is told', async () => {
      await using h = await startHarness({ mode });
      const root = h.slack.mention(h.room, h.asker, 'long question');
      await h.slack.settle();
      h.gateway.hasRun = true;
      h.slack.say(h.room, h.asker, 'Stop', { threadTs: root });
      await h.slack.settle();
      assert.deepEqual(
        h.gateway.cancels.map(({ conversationId }) => conversationId),
        [`slack:${h.slack.teamId}:${h.room}:${root}`],
      );
      h.gateway.hasRun = false;
      h.slack.mention(h.room, h.asker, '停', { threadTs: root });
      await h.slack.settle();
      assert.equal(h.gateway.cancels.length, 2);
      assert.deepEqual(
        h.slack
          .visible(h.room, h.asker, root)
          .filter(({ onlyFor }) => onlyFor === h.asker)
          .map(({ text }) => text),
        ['这里没有正在为你准备的回答。'],
      );
      h.slack.say(h.room, h.asker, 'stop the presses, when is it due?', { threadTs: root });
      await h.slack.settle();
      assert.deepEqual(
        h.gateway.accepted.map(({ text }) => text),
        ['long question', 'stop the presses, when is it due?'],
      );
    });
  });
}
