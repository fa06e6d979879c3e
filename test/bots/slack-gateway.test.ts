import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Attachment } from '../../agent/attachment.ts';
import { textsFor } from '../../agent/texts.ts';
import { createAccess, type PeopleRules } from '../../bots/access.ts';
import { createGateway, type RunningGateway } from '../../bots/gateway.ts';
import { ACTION_STOP } from '../../bots/slack/blocks.ts';
import { systemClock } from '../../ops/clock.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { OPEN_HOUSE } from '../fakes/gateway-bench.ts';
import { createScriptedAgent, type ScriptedAgent } from '../fakes/scripted-agent.ts';
import { createMemoryLogger, type Harness, type HarnessOptions, pause, startHarness, until } from './slack-harness.ts';

const en = textsFor('en');

interface Assistant extends AsyncDisposable {
  readonly h: Harness;
  readonly agent: ScriptedAgent;
  readonly gateway: RunningGateway;
}

/** The real gateway over a real store, behind the real channel, in front of the simulated Slack. */
const startAssistant = async (options: HarnessOptions, people: Partial<PeopleRules> = {}): Promise<Assistant> => {
  const { store, close } = openSqliteStore({ folder: ':memory:', clock: systemClock });
  const agent = createScriptedAgent();
  const made: RunningGateway[] = [];
  const h = await startHarness({
    ...options,
    makeGateway: (channel) => {
      const gateway = createGateway({
        store,
        agent,
        channels: new Map([['slack', channel]]),
        access: createAccess({ people: { ...OPEN_HOUSE, ...people }, audiences: {} }),
        clock: systemClock,
        logger: createMemoryLogger(),
        graceMs: 500,
      });
      made.push(gateway);
      return gateway;
    },
  });
  const [gateway] = made;
  assert.ok(gateway !== undefined);
  gateway.start();
  return {
    h,
    agent,
    gateway,
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await h[Symbol.asyncDispose]();
      await close();
    },
  };
};

const answers = (h: Harness, channelId: string, threadTs?: string): readonly string[] =>
  h.slack
    .messages(channelId, threadTs)
    .filter(({ isBot }) => isBot)
    .map(({ text }) => text);

const settled = (h: Harness, channelId: string, threadTs: string | undefined, count: number): Promise<true> =>
  until(() => {
    const shown = answers(h, channelId, threadTs);
    return shown.length === count && shown.every((text) => text !== en.placeholder) ? true : undefined;
  }, `${count} answers`);

for (const mode of ['socket', 'http'] as const) {
  describe(`an assistant in slack over ${mode}`, () => {
    test('a mention gets a placeholder at once, which becomes the answer in its thread', async () => {
      await using a = await startAssistant({ mode });
      const { h, agent } = a;
      const run = Promise.withResolvers<string>();
      agent.play = () => run.promise;
      const askedAt = performance.now();
      const root = h.slack.mention(h.room, h.asker, 'How long is the warranty?');
      await until(() => answers(h, h.room, root).includes(en.placeholder), 'the placeholder');
      assert.ok(performance.now() - askedAt < 2000);
      run.resolve('Twenty-four **months**.');
      await until(() => answers(h, h.room, root)[0] === 'Twenty-four *months*.', 'the answer');
      assert.equal(h.slack.messages(h.room, root).length, 2);
      assert.deepEqual(
        h.slack.messages(h.room).map(({ threadTs }) => threadTs),
        [undefined, root],
      );
    });

    test('a question that waits in a thread is told so there within two seconds, in the message that becomes its answer', async () => {
      await using a = await startAssistant({ mode });
      const { h, agent } = a;
      const first = Promise.withResolvers<string>();
      agent.play = ({ question }) => (question === 'first?' ? first.promise : Promise.resolve(`answer to ${question}`));
      const root = h.slack.mention(h.room, h.asker, 'first?');
      await until(() => answers(h, h.room, root).includes(en.placeholder), 'the placeholder');
      const askedAt = performance.now();
      h.slack.say(h.room, h.asker, 'second?', { threadTs: root });
      await until(() => answers(h, h.room, root)[1] === en.queued, 'the second to be told that it waits');
      assert.ok(performance.now() - askedAt < 2000);
      first.resolve('done');
      await until(() => answers(h, h.room, root)[1] === 'answer to second?', 'the second answer');
      assert.deepEqual(answers(h, h.room, root), ['done', 'answer to second?']);
      assert.equal(h.slack.calls.filter(({ method }) => method === 'chat.postMessage').length, 2);
    });

    test('follow-ups, direct messages and the command are each answered where they were asked', async () => {
      await using a = await startAssistant({ mode });
      const { h } = a;
      const root = h.slack.mention(h.room, h.asker, 'first?');
      await settled(h, h.room, root, 1);
      h.slack.say(h.room, h.asker, 'and second?', { threadTs: root });
      await settled(h, h.room, root, 2);
      const direct = h.slack.openDirect(h.asker).id;
      h.slack.say(direct, h.asker, 'in private?');
      await settled(h, direct, undefined, 1);
      const elsewhere = h.slack.addChannel({ members: [h.slack.botUserId, h.asker] }).id;
      await h.slack.slash(elsewhere, h.asker, '/ask', 'by command?');
      const commandRoot = h.slack.messages(elsewhere)[0]?.ts;
      await settled(h, elsewhere, commandRoot, 2);
      assert.deepEqual(answers(h, h.room, root), ['answer to first?', 'answer to and second?']);
      assert.deepEqual(answers(h, direct), ['answer to in private?']);
      assert.equal(answers(h, elsewhere, commandRoot)[1], 'answer to by command?');
    });

    test('a deleted question cancels its run; “stop” does the same', async () => {
      await using a = await startAssistant({ mode });
      const { h, agent } = a;
      agent.play = () => new Promise(() => undefined);
      const first = h.slack.mention(h.room, h.asker, 'never?');
      const second = h.slack.mention(h.room, h.asker, 'never again?');
      await until(() => agent.runs.length === 2, 'two runs');
      await until(() => answers(h, h.room).length === 2, 'two placeholders');
      h.slack.delete(h.room, first);
      await until(() => agent.runs[0]?.signal.aborted, 'the first to be cancelled');
      h.slack.say(h.room, h.asker, 'stop', { threadTs: second });
      await until(() => agent.runs[1]?.signal.aborted, 'the second to be cancelled');
      await until(() => answers(h, h.room, second)[0] === en.cancelled, 'the end of the second');
    });

    test('the button under the placeholder stops the run for its asker and an admin, and tells others that it is not theirs', async () => {
      await using a = await startAssistant({ mode }, { admins: ['slack:U0ADMIN'] });
      const { h, agent } = a;
      const other = h.slack.addUser({ displayName: 'Ben' }).id;
      h.slack.addUser({ id: 'U0ADMIN', displayName: 'Cleo' });
      const room = h.slack.addChannel({ members: [h.slack.botUserId, h.asker, other, 'U0ADMIN'] }).id;
      agent.play = ({ onEvent, turnId }) => {
        onEvent?.({ type: 'text_delta', step: 1, delta: 'It begins', turnId, at: 0 });
        return new Promise(() => undefined);
      };
      const own = (root: string) => h.slack.messages(room, root).filter(({ isBot }) => isBot)[0];
      const shown = async (root: string, text: string) => {
        const message = await until(() => (own(root)?.text === text ? own(root) : undefined), text);
        return { ts: message.ts, hasButton: message.buttons.some(({ actionId }) => actionId === ACTION_STOP) };
      };
      for (const by of [h.asker, 'U0ADMIN']) {
        const root = h.slack.mention(room, h.asker, 'never?');
        const { ts, hasButton } = await shown(root, 'It begins');
        assert.equal(hasButton, true);
        assert.equal((await h.slack.click(room, ts, other, ACTION_STOP)).acked, true);
        const toldOther = () => h.slack.visible(room, other, root).filter(({ onlyFor }) => onlyFor === other);
        assert.deepEqual(
          toldOther().map(({ text }) => text),
          [en.notYoursToStop],
        );
        const clickedAt = performance.now();
        assert.equal((await h.slack.click(room, ts, by, ACTION_STOP)).acked, true);
        assert.equal((await shown(root, en.cancelled)).hasButton, false);
        assert.ok(performance.now() - clickedAt < 1000);
        // Another client may still show the button.
        assert.equal(await a.gateway.stopTurn(agent.runs.at(-1)?.turnId ?? '', `slack:${h.asker}`), 'over');
      }
    });

    test('guests are told once and no more, bots never', async () => {
      await using a = await startAssistant({ mode });
      const { h, agent } = a;
      const guest = h.slack.addUser({ isRestricted: true }).id;
      const root = h.slack.mention(h.room, guest, 'may I?');
      await settled(h, h.room, root, 1);
      h.slack.mention(h.room, guest, 'and now?', { threadTs: root });
      h.slack.sayAsBot(h.room, `<@${h.slack.botUserId}> hello`);
      await h.slack.settle();
      await pause(50);
      assert.deepEqual(answers(h, h.room, root), [en.guestsRefused]);
      assert.equal(agent.runs.length, 0);
    });

    test('an answer whose first post went through unconfirmed stands once', async () => {
      await using a = await startAssistant({ mode });
      const { h } = a;
      h.slack.faults.add({ method: 'chat.postMessage', fault: { kind: 'drop', applied: true } });
      const root = h.slack.mention(h.room, h.asker, 'once?');
      await until(() => answers(h, h.room, root).includes('answer to once?'), 'the answer');
      await pause(50);
      assert.deepEqual(answers(h, h.room, root), ['answer to once?']);
      assert.equal(h.slack.calls.filter(({ method }) => method === 'chat.postMessage').length, 1);
    });
  });
}

test('with Slack’s limits on, a question a second over many channels is answered each, without a storm of 429', async () => {
  await using a = await startAssistant({ mode: 'socket', slack: { limits: true }, channel: { editIntervalMs: 1200 } });
  const { h } = a;
  const rooms = Array.from({ length: 10 }, () => h.slack.addChannel({ members: [h.slack.botUserId, h.asker] }).id);
  for (const room of rooms) {
    h.slack.mention(room, h.asker, `what of ${room}?`);
    await pause(200);
  }
  for (const room of rooms) await settled(h, room, undefined, 1);
  assert.deepEqual(
    rooms.map((room) => answers(h, room)),
    rooms.map((room) => [`answer to what of ${room}?`]),
  );
  const limited = h.slack.calls.filter(({ outcome }) => outcome === 'http_429').length;
  assert.ok(limited <= 2, `${limited} answers of 429`);
});

const FILES: readonly Attachment[] = [1, 2].map((number) => ({
  name: `rows-${number}.csv`,
  mediaType: 'text/csv',
  description: `Rows ${number}.`,
  bytes: Buffer.from(`${number}`),
}));

describe('files of an answer in slack', () => {
  test('stand in the thread of a private channel below the answer, and nowhere else', async () => {
    await using a = await startAssistant({ mode: 'socket' });
    const { h, agent } = a;
    agent.files = FILES;
    const room = h.slack.addChannel({ kind: 'group', members: [h.slack.botUserId, h.asker] }).id;
    const root = h.slack.mention(room, h.asker, 'rows?');
    await settled(h, room, root, 3);
    assert.deepEqual(answers(h, room, root), ['answer to rows?', 'Rows 1.', 'Rows 2.']);
    const standing = [...h.slack.workspace.channels.keys()].flatMap((channelId) =>
      h.slack.workspace.list(channelId).flatMap(({ files, threadTs }) => files.map(({ title }) => [channelId, threadTs, title])),
    );
    assert.deepEqual(standing, [
      [room, root, 'rows-1.csv'],
      [room, root, 'rows-2.csv'],
    ]);
  });

  test('are named by a line each where the app lacks the scope, and the answer stands', async () => {
    await using a = await startAssistant({ mode: 'socket', slack: { scopes: ['chat:write', 'channels:history', 'users:read'] } });
    const { h, agent } = a;
    agent.files = FILES;
    const root = h.slack.mention(h.room, h.asker, 'rows?');
    await settled(h, h.room, root, 3);
    const line = (name: string) => `${en.files.notPosted(name)} ${en.files.rights['slack']}`;
    assert.deepEqual(answers(h, h.room, root), ['answer to rows?', line('rows-1.csv'), line('rows-2.csv')]);
    assert.deepEqual(h.slack.uploads, []);
  });
});
