import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { hasCode } from '../../agent/errors.ts';
import { textsFor } from '../../agent/texts.ts';
import { openWorld, pause, startAssistant, until, type World } from './assembled.ts';
import { type Desk, openDiscordDesk, openSlackDesk, type Spot } from './desks.ts';

const en = textsFor('en');
const MAIN = join(import.meta.dirname, '..', '..', 'main.ts');
const STATES: ReadonlySet<string> = new Set([en.placeholder, en.queued, en.searching, en.writing]);

const final = (desk: Desk, spot: Spot): Promise<readonly string[]> =>
  until(
    () => {
      const texts = desk.answers(spot);
      return texts.length > 0 && texts.every((text) => !STATES.has(text)) ? texts : undefined;
    },
    `an answer on ${desk.name}`,
    40_000,
  );

/** Reads on after it: a program whose log has no reader any more ends. */
const untilReady = async (child: ChildProcess): Promise<void> => {
  let log = '';
  child.stderr?.on('data', (piece: Buffer) => {
    log += String(piece);
  });
  await until(() => log.includes('"event":"ready"') || (child.exitCode !== null && assert.fail(log)), 'the start');
};

const runSystem = (program: string, ...args: readonly string[]): void => {
  execFileSync(program, args, { stdio: 'ignore' });
};

const mountSmallDisk = (folder: string): void => {
  mkdirSync(folder);
  runSystem('mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder);
};

const canMount = (): boolean => {
  if (process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-mount-'));
  try {
    mountSmallDisk(join(folder, 'small'));
    runSystem('umount', join(folder, 'small'));
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

describe('the assembled assistant, when things go wrong', () => {
  let world: World;
  let desks: readonly Desk[];
  let slackDesk: Desk;
  let discordDesk: Desk;
  beforeEach(async () => {
    world = await openWorld();
    slackDesk = openSlackDesk(world.slack);
    discordDesk = openDiscordDesk(world.discord);
    desks = [slackDesk, discordDesk];
  });
  afterEach(() => world[Symbol.asyncDispose]());

  it('says how long to wait to who asks too much', async () => {
    await using _assistant = await startAssistant(world, {
      channels: ['slack'],
      env: { THREADWISE_QUESTIONS_PER_MINUTE: '1' },
    });
    await final(slackDesk, slackDesk.mention('How long is the warranty?'));
    const [refusal = ''] = await final(slackDesk, slackDesk.mention('And the return period?'));
    const seconds = Number(/in (\d+) seconds/.exec(refusal)?.[1]);
    assert.ok(seconds > 0 && seconds <= 60, refusal);
    assert.equal(refusal, en.rateLimited(seconds, 1));
  });

  it('answers from the documents, and says so, while the model is down or breaks off every time', async () => {
    await using assistant = await startAssistant(world);
    world.model.setPolicy(() => ({ text: 'A half answer that breaks off somewhere.', fault: { kind: 'cut', afterChunks: 3 } }));
    for (const desk of desks) {
      const spot = desk.mention('How long is the warranty for dealers?');
      const text = (
        await until(() => (desk.answers(spot).join().includes(en.fallbackNote) ? desk.answers(spot) : undefined), 'it', 40_000)
      ).join();
      assert.match(text, /12 months from the invoice date/);
      assert.doesNotMatch(text, /half answer/);
    }
    await assistant.stop(5_000);
    await using _down = await startAssistant(world, { env: { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } });
    for (const desk of desks) {
      const spot = desk.mention('How long is the warranty for dealers?');
      const text = (
        await until(() => (desk.answers(spot).join().includes(en.fallbackNote) ? desk.answers(spot) : undefined), 'it', 40_000)
      ).join();
      assert.match(text, /12 months from the invoice date/);
    }
  });

  it('refuses a second serving process on its folder', async () => {
    const folder = join(world.folder, 'data');
    mkdirSync(folder);
    await using _first = await startAssistant(world, { folder, channels: ['slack'] });
    await assert.rejects(
      startAssistant(world, { folder, channels: ['slack'] }),
      (error) => hasCode(error, 'already_serving') && error.exitCode === 78,
    );
  });

  it('parks a run that does not end in time and answers it once after the restart', async () => {
    const folder = join(world.folder, 'data');
    mkdirSync(folder);
    world.model.setPolicy(() => ({ fault: { kind: 'no_answer' } }));
    const first = await startAssistant(world, { folder });
    const spots = desks.map((desk) => ({ desk, spot: desk.mention('How long is the warranty for dealers?') }));
    for (const { desk, spot } of spots) await until(() => desk.answers(spot).length > 0, 'a sign of the run');
    await first.stop(100);
    world.model.setPolicy(() => ({ text: 'Here after all.' }));
    await using _second = await startAssistant(world, { folder });
    for (const { desk, spot } of spots) assert.deepEqual(await final(desk, spot), ['Here after all.']);
  });

  it('answers after a restart what was asked meanwhile: a command, and in a thread it takes part in', async () => {
    const folder = join(world.folder, 'data');
    mkdirSync(folder);
    let isReady = true;
    world.model.setPolicy(() => (isReady ? { text: 'Answered.' } : { fault: { kind: 'no_answer' } }));
    const first = await startAssistant(world, { folder });
    const thread = discordDesk.mention('Is it open?');
    await final(discordDesk, thread);
    isReady = false;
    const commands = [];
    for (const desk of desks) commands.push({ desk, spot: await desk.command('Will you be back?') });
    await until(() => world.model.requests.length >= 3, 'both runs');
    await first.stop(100);
    const said = discordDesk.say(thread, 'And tomorrow?');
    isReady = true;
    await using _second = await startAssistant(world, { folder });
    for (const { desk, spot } of commands) assert.deepEqual(await final(desk, spot), ['Answered.']);
    await until(() => discordDesk.answers(said).length === 2, 'the answer to what was said meanwhile');
    await pause(500);
    await final(discordDesk, said);
    assert.deepEqual(discordDesk.answers(said), ['Answered.', 'Answered.']);
    const edits = world.discord.requests.filter(({ method, route }) => method === 'PATCH' && route.startsWith('/webhooks/'));
    assert.ok(edits.length > 0);
  });

  it('finishes what is under way at a SIGTERM, exits 0 and does not answer again after a restart', async () => {
    const folder = join(world.folder, 'data');
    const env = { ...process.env, ...world.env, THREADWISE_DATA_DIR: folder, THREADWISE_LOG_FORMAT: 'json', DISCORD_TOKEN: '' };
    const start = () => spawn(process.execPath, [MAIN, 'start'], { env, cwd: world.folder, stdio: ['ignore', 'ignore', 'pipe'] });
    world.model.setPolicy(() => ({ text: 'Finished.', delayMs: 1_500 }));
    const first = start();
    const second: ChildProcess[] = [];
    try {
      await untilReady(first);
      const spot = slackDesk.mention('Can you finish this?');
      await until(() => slackDesk.answers(spot).length > 0, 'a sign of the run');
      first.kill('SIGTERM');
      const [code] = (await once(first, 'exit')) as [number | null];
      assert.equal(code, 0);
      assert.deepEqual(slackDesk.answers(spot), ['Finished.']);
      const again = start();
      second.push(again);
      await untilReady(again);
      await pause(500);
      assert.deepEqual(slackDesk.answers(spot), ['Finished.']);
      assert.equal(world.model.requests.length, 1);
      again.kill('SIGTERM');
      await once(again, 'exit');
    } finally {
      for (const child of [first, ...second]) if (child.exitCode === null) child.kill('SIGKILL');
    }
  });

  if (canMount()) {
    it('does not acknowledge what a full disk cannot take, is not ready meanwhile, and recovers', async () => {
      const folder = join(world.folder, 'small');
      mountSmallDisk(folder);
      try {
        await using assistant = await startAssistant(world, { folder, channels: ['slack'] });
        // The look at the disk is remembered for three seconds.
        const isReady = async (wanted: boolean): Promise<boolean> => {
          for (let tries = 0; tries < 50; tries += 1) {
            if ((await assistant.serving.readiness()).ready === wanted) return true;
            await pause(100);
          }
          return false;
        };
        assert.equal(await isReady(true), true);
        const filler = join(folder, 'filler');
        assert.throws(() => {
          for (let size = 0; ; size += 1) writeFileSync(filler, Buffer.alloc(4_096), { flag: 'a' });
        }, /ENOSPC/);
        const spot = slackDesk.mention('How long is the warranty for dealers?');
        const delivery = await until(() => world.slack.deliveries.at(-1), 'the delivery');
        await until(() => delivery.attempts.length > 1, 'a second try', 30_000);
        assert.ok(delivery.attempts.every(({ outcome }) => !outcome.acked));
        assert.equal(await isReady(false), true);
        rmSync(filler);
        await until(() => /12 months/.test(slackDesk.answers(spot).join()), 'the whole answer');
        assert.equal(slackDesk.answers(spot).length, 1);
        assert.equal(await isReady(true), true);
      } finally {
        runSystem('umount', folder);
      }
    });
  }
});
