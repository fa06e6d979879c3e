import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { textsFor } from '../../agent/texts.ts';
import { isFull } from '../scale.ts';
import { startFakePlatform } from './fake-platform.ts';
import { assertFoldWasKilled, assertOneAnswerEach, assertWaitingWasKilled, assertWhole, summaryOf } from './kill-checks.ts';
import { runKillLoop } from './kill-loop.ts';
import { answerText, KINDS, secondAnswerText } from './life.ts';

const PROGRAM = join(import.meta.dirname, 'fake-life.ts');
/** Every boundary of this kind is gone through in every run; of the others a tenth. */
const WHOLE_KIND = 'parallel_tools';

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
