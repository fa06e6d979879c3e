import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startFakePlatform } from './fake-platform.ts';
import { runKillLoop } from './kill-loop.ts';
import { answerText, type Kind } from './life.ts';

const PROGRAM = join(import.meta.dirname, 'fake-life.ts');
type Platform = Awaited<ReturnType<typeof startFakePlatform>>;

const textsIn = (platform: Platform, trial: number): readonly string[] =>
  platform.messages.filter(({ thread }) => thread === `t${trial}`).map(({ text }) => text);

/** Model calls that were made although their result was journaled before. */
const askedAgain = ({ notes }: Platform): readonly string[] => {
  const journaled = new Set<string>();
  const again: string[] = [];
  for (const { trial, note, key } of notes) {
    const call = `${trial} ${key}`;
    if (note === 'journaled') journaled.add(call);
    else if (journaled.has(call)) again.push(call);
  }
  return again;
};

const expectedTexts = (kind: Kind, trial: number): readonly string[] => answerText(kind, trial).match(/.{1,40}/gsu) ?? [];

describe('a process killed at any boundary of a turn', { concurrency: 2 }, () => {
  for (const kind of ['plain', 'one_tool', 'parallel_tools', 'streaming'] as const) {
    it(`leaves exactly one answer in its thread, and pays for no journaled step again (${kind})`, async () => {
      const platform = await startFakePlatform();
      try {
        const { killedAt, trials } = await runKillLoop({ program: PROGRAM, platformUrl: platform.url, kind });
        await platform.settle();
        assert.ok(new Set(killedAt).size >= 14, `only these boundaries: ${killedAt.join(', ')}`);
        for (let trial = 1; trial <= trials; trial += 1) {
          assert.deepEqual(
            textsIn(platform, trial),
            expectedTexts(kind, trial),
            `killed ${killedAt[trial - 1] ?? 'nowhere'} (boundary ${trial})`,
          );
        }
        const threads = new Set(platform.messages.map(({ thread }) => thread));
        assert.equal(threads.size, trials, 'something was posted outside the threads that asked');
        assert.deepEqual(askedAgain(platform), []);
      } finally {
        await platform.close();
      }
    });
  }

  it('would leave two answers if nothing were looked up before a send is repeated', async () => {
    const platform = await startFakePlatform();
    const hasDuplicate = (trials: number) =>
      Array.from({ length: trials }, (_, n) => textsIn(platform, n + 1)).some((texts) => texts.length > 1);
    try {
      await runKillLoop({ program: PROGRAM, platformUrl: platform.url, kind: 'plain', readBack: false, enough: hasDuplicate });
      await platform.settle();
      assert.ok(platform.messages.length > new Set(platform.messages.map(({ key }) => key)).size);
    } finally {
      await platform.close();
    }
  });
});
