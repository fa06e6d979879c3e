import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { textsFor } from '../../agent/texts.ts';
import { isFull } from '../scale.ts';
import { startFakePlatform } from './fake-platform.ts';
import { assertFoldWasKilled, assertOneAnswerEach, assertWaitingWasKilled, assertWhole, summaryOf } from './kill-checks.ts';
import { runKillLoop } from './kill-loop.ts';
import { answerText, KINDS, secondAnswerText, unknownText } from './life.ts';

const PROGRAM = join(import.meta.dirname, 'fake-life.ts');
/** Every boundary of this kind is gone through in every run; of the others a tenth. */
const WHOLE_KIND = 'parallel_tools';
/** From the announcement of a write to its result. */
const UNKNOWN_WRITE: ReadonlySet<string> = new Set([
  'after writeJournal begun:1:0',
  'before the write',
  'after the write',
  'before writeJournal tool:1:0',
]);

type Platform = Awaited<ReturnType<typeof startFakePlatform>>;

const textsIn = (platform: Platform, trial: number): readonly string[] =>
  platform.messages.filter(({ thread }) => thread === `t${trial}`).map(({ text }) => text);

describe('a process killed at any boundary of a turn', { concurrency: 2 }, () => {
  for (const kind of KINDS) {
    it(`leaves exactly one answer in its thread, and pays for no journaled step again (${kind})`, async (t) => {
      const platform = await startFakePlatform();
      try {
        const extent = isFull || kind === WHOLE_KIND ? 'whole' : 'sample';
        const result = await runKillLoop({ program: PROGRAM, platformUrl: platform.url, kind, extent });
        await platform.settle();
        t.diagnostic(summaryOf(result));
        if (extent === 'whole') assertWhole(result);
        assertOneAnswerEach(result, {
          textsOf: (trial) => textsIn(platform, trial),
          expectedTexts: (trial) => answerText(kind, trial).match(/.{1,40}/gsu) ?? [],
          count: platform.messages.length,
          notes: platform.notes,
        });
      } finally {
        await platform.close();
      }
    });
  }

  it('leaves exactly one answer to each of two questions, the second of which was told that it waits', async (t) => {
    const platform = await startFakePlatform();
    try {
      const result = await runKillLoop({ program: PROGRAM, platformUrl: platform.url, kind: 'waiting', extent: 'whole' });
      await platform.settle();
      t.diagnostic(summaryOf(result));
      assertWhole(result);
      assertWaitingWasKilled(result);
      assertOneAnswerEach(result, {
        textsOf: (trial) => textsIn(platform, trial).toSorted(),
        expectedTexts: (trial) => [answerText('waiting', trial), secondAnswerText(trial)].toSorted(),
        count: platform.messages.length,
        notes: platform.notes,
      });
    } finally {
      await platform.close();
    }
  });

  it('takes an addition into the run under way once, whose answer and whose notice stand once', async (t) => {
    const platform = await startFakePlatform();
    try {
      const result = await runKillLoop({ program: PROGRAM, platformUrl: platform.url, kind: 'folding', extent: 'whole' });
      await platform.settle();
      t.diagnostic(summaryOf(result));
      assertWhole(result);
      assertFoldWasKilled(result);
      assertOneAnswerEach(result, {
        textsOf: (trial) => textsIn(platform, trial).toSorted(),
        expectedTexts: (trial) =>
          [answerText('folding', trial), ...(textsFor('en').foldedIn.match(/.{1,40}/gsu) ?? [])].toSorted(),
        count: platform.messages.length,
        notes: platform.notes,
      });
    } finally {
      await platform.close();
    }
  });

  it('makes a write that was approved at most once, and says that it is unknown where nobody can know', async (t) => {
    const platform = await startFakePlatform();
    try {
      const extent = isFull ? 'whole' : 'writing';
      const result = await runKillLoop({ program: PROGRAM, platformUrl: platform.url, kind: 'approving', extent });
      await platform.settle();
      t.diagnostic(summaryOf(result));
      assertWhole(result);
      const saysUnknown = (trial: number): boolean => textsIn(platform, trial).includes(unknownText(trial));
      assertOneAnswerEach(result, {
        textsOf: (trial) => textsIn(platform, trial).toSorted(),
        expectedTexts: (trial) => [
          saysUnknown(trial) ? unknownText(trial) : answerText('approving', trial),
          [
            'Approve this call of write_down?',
            'It changes something outside of this conversation.',
            '{}',
            'Approved by U1.',
          ].join('\n'),
        ],
        count: platform.messages.length,
        notes: platform.notes,
      });
      assert.deepEqual(
        [...UNKNOWN_WRITE].filter((name) => ![...result.killedAt.values()].includes(name)),
        [],
      );
      const writes = Map.groupBy(
        platform.notes.filter(({ note }) => note === 'wrote'),
        ({ trial }) => Number(trial),
      );
      for (let trial = 1; trial <= result.trials; trial += 1) {
        const count = writes.get(trial)?.length ?? 0;
        const where = `trial ${trial}, killed ${result.killedAt.get(trial) ?? 'nowhere'}`;
        assert.ok(saysUnknown(trial) ? count <= 1 : count === 1, `${count} writes in ${where}`);
        // The card is closed beside the run: its boundaries may fall into the write.
        const killedAt = result.killedAt.get(trial) ?? '';
        if (!killedAt.endsWith(' 1000')) assert.equal(saysUnknown(trial), UNKNOWN_WRITE.has(killedAt), where);
      }
    } finally {
      await platform.close();
    }
  });

  it('would leave two answers if nothing were looked up before a send is repeated', async () => {
    const platform = await startFakePlatform();
    const hasDuplicate = (trials: number) =>
      Array.from({ length: trials }, (_, n) => textsIn(platform, n + 1)).some((texts) => texts.length > 1);
    try {
      await runKillLoop({
        program: PROGRAM,
        platformUrl: platform.url,
        kind: 'plain',
        extent: 'sends',
        readBack: false,
        enough: hasDuplicate,
      });
      await platform.settle();
      assert.ok(platform.messages.length > new Set(platform.messages.map(({ key }) => key)).size);
    } finally {
      await platform.close();
    }
  });
});
