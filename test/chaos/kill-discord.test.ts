import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { textsFor } from '../../agent/texts.ts';
import { renderAnswer } from '../../bots/discord/render.ts';
import { answerOf } from '../fakes/scripted-agent.ts';
import { isFull } from '../scale.ts';
import { openDiscord } from '../simulator/discord-kit.ts';
import { startFakePlatform } from './fake-platform.ts';
import { assertFoldWasKilled, assertOneAnswerEach, assertWaitingWasKilled, assertWhole, summaryOf } from './kill-checks.ts';
import { type KillLoop, runKillLoop } from './kill-loop.ts';
import { additionText, answerText, fileText, KINDS, questionText, secondAnswerText, secondQuestionText } from './life.ts';

const PROGRAM = join(import.meta.dirname, 'discord-life.ts');
/** Every boundary of this kind is gone through in every run; of the others a tenth. */
const WHOLE_KIND = 'one_tool';
/** More than one message of Discord holds. */
const PARAGRAPHS = 7;
/** Where a file could be lost or doubled. */
const POSTING = ['during post 1', 'before markPosted 1'];
/** Longer than Discord knows a nonce: what was sent before must be found by looking. */
const STEP_MS = 600_000;

/** A simulated Discord that outlives the processes. */
const openPlatform = async ({ second }: { second?: (trial: number) => string } = {}) => {
  const sim = await openDiscord();
  const notes = await startFakePlatform();
  const threads = new Map<number, string>();
  const ownIn = (channelId: string): readonly string[] =>
    sim.world().channels.has(channelId) ? sim.messages(channelId).flatMap(({ isBot, text }) => (isBot ? [text] : [])) : [];
  /** The thread is made by the first answer's message, in this life or in the next. */
  const whenThere = async (channelId: string, run: () => unknown): Promise<void> => {
    while (!sim.world().channels.has(channelId)) await delay(5);
    run();
  };
  return {
    violations: sim.violations,
    notes: notes.notes,
    textsOf: (trial: number) => ownIn(threads.get(trial) ?? 'none'),
    count: () => [...sim.world().channels.keys()].flatMap(ownIn).length,
    filesOf: (trial: number) => {
      const thread = threads.get(trial) ?? 'none';
      const messages = sim.world().channels.has(thread) ? sim.messages(thread) : [];
      return messages.flatMap(({ files }) => files.map(({ filename, bytes }) => [filename, bytes.toString()]));
    },
    loop: {
      program: PROGRAM,
      platformUrl: notes.url,
      connection: { token: sim.token, apiUrl: sim.apiUrl },
      paragraphs: PARAGRAPHS,
      stepMs: STEP_MS,
      onStep: () => sim.clock.advance(STEP_MS),
      onAsk: (trial) => {
        const thread = sim.mention(sim.general, sim.ada, questionText(trial));
        threads.set(trial, thread);
        if (second !== undefined) void whenThere(thread, () => sim.say(thread, sim.ada, second(trial)));
      },
    } satisfies Partial<KillLoop>,
    close: async () => {
      await sim.close();
      await notes.close();
    },
  };
};

describe('a process connected to Discord, killed at any boundary of a turn', { concurrency: 2 }, () => {
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
          expectedTexts: (trial) => renderAnswer(answerOf(answerText(kind, trial, PARAGRAPHS)), 'en').map(({ text }) => text),
          count: platform.count(),
          notes: platform.notes,
        });
        assert.deepEqual(platform.violations, []);
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
      assert.deepEqual(platform.violations, []);
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
      assert.deepEqual(platform.violations, []);
    } finally {
      await platform.close();
    }
  });

  it('leaves exactly one of each file below its answer, wherever around its post it died', async (t) => {
    const platform = await openPlatform();
    try {
      const result = await runKillLoop({ ...platform.loop, kind: 'filing', extent: isFull ? 'whole' : POSTING });
      t.diagnostic(summaryOf(result));
      assert.deepEqual(
        POSTING.filter((name) => !new Set(result.killedAt.values()).has(name)),
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
