import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { textsFor } from '../../agent/texts.ts';
import { renderAnswer } from '../../bots/slack/blocks.ts';
import { systemClock } from '../../ops/clock.ts';
import { createSlackSimulator } from '../../simulator/slack.ts';
import { answerOf } from '../fakes/scripted-agent.ts';
import { isFull } from '../scale.ts';
import { startFakePlatform } from './fake-platform.ts';
import { assertFoldWasKilled, assertOneAnswerEach, assertWaitingWasKilled, assertWhole, summaryOf } from './kill-checks.ts';
import { type KillLoop, runKillLoop } from './kill-loop.ts';
import { additionText, answerText, fileText, KINDS, questionText, secondAnswerText, secondQuestionText } from './life.ts';

const PROGRAM = join(import.meta.dirname, 'slack-life.ts');
/** Every boundary of this kind is gone through in every run; of the others a tenth. */
const WHOLE_KIND = 'plain';
/** More than one message of Slack holds. */
const PARAGRAPHS = 30;

/** Where a file could be lost or doubled; of the whole run these are the ones that matter most. */
const UPLOADING = ['after writeJournal tool:1:0', 'after upload', 'during files.completeUploadExternal', 'before markPosted 1'];

const flat = (text: string): string => text.replaceAll(/[\s\u001e]+/g, ' ').trim();

/** A simulated Slack that outlives the processes; what it was not acknowledged it sends again soon. */
const openPlatform = async ({ second }: { second?: (trial: number) => string } = {}) => {
  const slack = await createSlackSimulator({
    clock: systemClock,
    limits: false,
    retryDelaysMs: Array.from({ length: 300 }, () => 100),
  });
  const asker = slack.addUser({ displayName: 'Ada' }).id;
  const room = slack.addChannel({ name: 'support', members: [slack.botUserId, asker] }).id;
  const notes = await startFakePlatform();
  const threads = new Map<number, string>();
  const ownIn = (channelId: string, threadTs?: string): readonly string[] =>
    slack.messages(channelId, threadTs).flatMap(({ isBot, text }) => (isBot ? [flat(text)] : []));
  return {
    notes: notes.notes,
    textsOf: (trial: number) => ownIn(room, threads.get(trial) ?? 'none'),
    count: () => [...slack.workspace.channels.keys()].flatMap((channelId) => ownIn(channelId)).length,
    filesOf: (trial: number) =>
      slack.workspace
        .list(room, threads.get(trial) ?? 'none')
        .flatMap(({ files }) =>
          files.map(({ id, title }) => [title, slack.uploads.find((upload) => upload.id === id)?.bytes?.toString()]),
        ),
    loop: {
      program: PROGRAM,
      platformUrl: notes.url,
      connection: { botToken: slack.botToken, appToken: slack.appToken, apiUrl: slack.apiUrl },
      paragraphs: PARAGRAPHS,
      onAsk: (trial) => {
        const thread = slack.mention(room, asker, questionText(trial));
        threads.set(trial, thread);
        if (second !== undefined) slack.mention(room, asker, second(trial), { threadTs: thread });
      },
    } satisfies Partial<KillLoop>,
    close: async () => {
      await slack.close();
      await notes.close();
    },
  };
};

describe('a process connected to Slack, killed at any boundary of a turn', { concurrency: 2 }, () => {
  for (const kind of KINDS) {
    it(`leaves exactly one answer in its thread, and pays for no journaled step again (${kind})`, async (t) => {
      const platform = await openPlatform();
      try {
        const extent = isFull || kind === WHOLE_KIND ? 'whole' : 'sample';
        const result = await runKillLoop({ ...platform.loop, kind, extent });
        t.diagnostic(summaryOf(result));
        if (extent === 'whole') assertWhole(result);
        assertOneAnswerEach(result, {
          textsOf: platform.textsOf,
          expectedTexts: (trial) =>
            renderAnswer(answerOf(answerText(kind, trial, PARAGRAPHS)), 'en').map(({ text }) => flat(text)),
          count: platform.count(),
          notes: platform.notes,
        });
      } finally {
        await platform.close();
      }
    });
  }

  it('leaves exactly one answer to each of two questions, the second of which was told that it waits', async (t) => {
    const platform = await openPlatform({ second: secondQuestionText });
    try {
      const result = await runKillLoop({ ...platform.loop, kind: 'waiting', extent: isFull ? 'whole' : 'waiting' });
      t.diagnostic(summaryOf(result));
      assertWaitingWasKilled(result);
      assertOneAnswerEach(result, {
        textsOf: (trial) => platform.textsOf(trial).toSorted(),
        expectedTexts: (trial) => [answerText('waiting', trial), secondAnswerText(trial)].toSorted(),
        count: platform.count(),
        notes: platform.notes,
      });
    } finally {
      await platform.close();
    }
  });

  it('takes an addition into the run under way once, whose answer and whose notice stand once', async (t) => {
    const platform = await openPlatform({ second: additionText });
    try {
      const result = await runKillLoop({ ...platform.loop, kind: 'folding', extent: isFull ? 'whole' : 'folding' });
      t.diagnostic(summaryOf(result));
      assertFoldWasKilled(result);
      assertOneAnswerEach(result, {
        textsOf: (trial) => platform.textsOf(trial).toSorted(),
        expectedTexts: (trial) => [answerText('folding', trial), textsFor('en').foldedIn].toSorted(),
        count: platform.count(),
        notes: platform.notes,
      });
    } finally {
      await platform.close();
    }
  });

  it('leaves exactly one of each file below its answer, wherever in an upload it died', async (t) => {
    const platform = await openPlatform();
    try {
      const result = await runKillLoop({ ...platform.loop, kind: 'filing', extent: isFull ? 'whole' : UPLOADING });
      t.diagnostic(summaryOf(result));
      assert.deepEqual(
        UPLOADING.filter((name) => !new Set(result.killedAt.values()).has(name)),
        [],
      );
      assertOneAnswerEach(result, {
        textsOf: platform.textsOf,
        expectedTexts: (trial) => [answerText('filing', trial), fileText(1), fileText(2)],
        count: platform.count(),
        notes: platform.notes,
      });
      for (let trial = 1; trial <= result.trials; trial += 1) {
        assert.deepEqual(
          platform.filesOf(trial),
          [1, 2].map((number) => [`rows-${number}.csv`, fileText(number)]),
          `trial ${trial}, killed ${result.killedAt.get(trial) ?? 'nowhere'}`,
        );
      }
    } finally {
      await platform.close();
    }
  });

  it('would leave two answers if nothing were looked up before a send is repeated', async () => {
    const platform = await openPlatform();
    const hasDuplicate = (trials: number) =>
      Array.from({ length: trials }, (_, n) => platform.textsOf(n + 1)).some((texts) => texts.length > 1);
    try {
      const { trials } = await runKillLoop({
        ...platform.loop,
        kind: 'plain',
        extent: 'sends',
        readBack: false,
        enough: hasDuplicate,
      });
      assert.ok(hasDuplicate(trials));
    } finally {
      await platform.close();
    }
  });
});
