/**
 * Tickets by every way there is in Slack and Discord, and the clicks on their cards, through the real Bolt and the real discord.js, in a
 * life that ends at any write of a ticket or message about it, and one that follows. A life is one in this process that stands still;
 * with TEST_SCALE=full at every boundary, and at a tenth of them also a process that is killed. Otherwise a few are tried.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { isFull, seed } from '../scale.ts';
import { createMortality } from './mortal-triage.ts';
import { openTicketLife, type TicketLifeOptions, type Wanted } from './ticket-life.ts';
import type { Order, ProcessOptions, Told } from './ticket-life-process.ts';
import {
  type Attempt,
  CLICKS,
  type ClickName,
  openDiscordPlatform,
  openSlackPlatform,
  type Platform,
  SLACK_WAYS,
  STEP_MS,
  WAYS,
  type Way,
} from './ticket-people.ts';

const PROGRAM = join(import.meta.dirname, 'ticket-life-process.ts');
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
/** For each platform, where not everything is tried. */
const TRIED = 3;
const MIN_BOUNDARIES = 10;

interface Life {
  /** Resolves with where it died, or undefined when all is done, and with how many boundaries it passed. */
  run(order: Order): Promise<{ readonly killedAt: string | undefined; readonly boundaries: number }>;
  end(): Promise<void>;
}

type StartLife = (platform: Platform, options: TicketLifeOptions) => Promise<Life>;

const startHere: StartLife = async (platform, options) => {
  let mortality = createMortality(0);
  const life = await openTicketLife(options, (name) => mortality.at(name), platform.clock);
  let isDead = false;
  return {
    run: async ({ wanted, killAt }) => {
      mortality = createMortality(killAt);
      const { boundaries, death } = mortality;
      const killedAt = await Promise.race([death, life.untilDone(wanted).then(() => undefined)]);
      isDead = killedAt !== undefined;
      return { killedAt, boundaries: boundaries.length };
    },
    end: () => (isDead ? life.cut() : life.close()),
  };
};

const startProcess: StartLife = async ({ clock }, life) => {
  const options: ProcessOptions = { life, aheadMs: Math.round(clock.now() - Date.now()) };
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, JSON.stringify(options)], {
    env: { ...process.env, NODE_COMPILE_CACHE: join(FOLDER, 'threadwise-ticket-lives') },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  const lines = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]();
  const hear = async (): Promise<Told> => JSON.parse((await lines.next()).value ?? '{}') as Told;
  const closed = once(child, 'close');
  assert.deepEqual(await hear(), { is: 'ready' });
  return {
    run: async (order) => {
      child.stdin?.write(`${JSON.stringify(order)}\n`);
      const told = await hear();
      if ('killedAt' in told) return { killedAt: told.killedAt, boundaries: order.killAt };
      assert.ok('boundaries' in told, 'the process ended by itself');
      return { killedAt: undefined, boundaries: told.boundaries };
    },
    end: async () => {
      child.stdin?.end();
      await closed;
    },
  };
};

const EVENTS: Readonly<Record<ClickName, Wanted>> = {
  claim: ['assigned'],
  escalate: ['escalated'],
  solve: ['solved'],
  close: ['closed'],
  send_draft: ['draft_sent'],
};

const isClick = (what: Way | ClickName): what is ClickName => CLICKS.includes(what as ClickName);

let attempts = 0;

/** A life that ends at the boundary of this number of what is done, and one that follows. Returns what people then see. */
const tryOnce = async (platform: Platform, what: Way | ClickName, killAt: number, startLife: StartLife = startHere) => {
  const n = (attempts += 1);
  const folder = mkdtempSync(join(FOLDER, 'threadwise-ticket-kill-'));
  const attempt: Attempt = platform.open(n);
  const arrived: Wanted = ['routed', 'draft_proposed', ...(what === 'wish' ? (['hand_off_confirmed'] as const) : [])];
  const wanted = isClick(what) ? EVENTS[what] : arrived;
  const doIt = (isAgain: boolean): void => {
    if (isClick(what)) attempt.click(what).catch(() => undefined);
    else attempt.arrive(what, isAgain);
  };
  const lives: Life[] = [];
  const start = async (shiftMs: number): Promise<Life> => {
    const life = await startLife(platform, {
      platform: platform.name,
      connection: platform.connection,
      folder,
      teamChannel: attempt.teamChannel,
      ticketChannels: platform.ticketChannels,
      helperId: platform.helperId,
      shiftMs,
    });
    lives.push(life);
    return life;
  };
  try {
    // Twice: what was said for the attempt before is too long ago to be looked for.
    platform.step();
    platform.step();
    const first = await start(0);
    if (isClick(what)) {
      attempt.arrive('emoji', false);
      await first.run({ wanted: arrived, killAt: 0 });
    }
    const running = first.run({ wanted, killAt });
    doIt(false);
    const { killedAt, boundaries } = await running;
    if (killedAt !== undefined) {
      await first.end();
      platform.step();
      const second = await start(STEP_MS);
      const followed = second.run({ wanted, killAt: 0 });
      // Who sees a card does not ask for it once more; an emoji is put there by whoever comes by.
      if (killedAt === 'before openTicket' || what !== 'command') doIt(true);
      await followed;
      await platform.settle();
    }
    const { team, asker } = attempt.seen();
    return { boundaries, killedAt, team: team.toSorted(), asker: asker.toSorted() };
  } catch (cause) {
    throw new Error(`${what}, killed at boundary ${killAt}`, { cause });
  } finally {
    await lives.at(-1)?.end();
    rmSync(folder, { recursive: true, force: true });
  }
};

const rankOf = (salt: string): string => createHash('sha256').update(`${seed} ${salt}`).digest('hex');

/** Two commands are two questions in the channel, of one ticket. What the person that pressed sees is not compared. */
const seenOf = ({ team, asker }: Awaited<ReturnType<typeof tryOnce>>) => ({ team, asker });

for (const [name, openPlatform, ways] of [
  ['Slack', openSlackPlatform, SLACK_WAYS],
  ['Discord', openDiscordPlatform, WAYS],
] as const) {
  describe(`tickets in ${name} whose process dies at any boundary`, () => {
    const all = [...ways, ...CLICKS];
    const chosen = isFull ? all : all.toSorted((a, b) => (rankOf(name + a) < rankOf(name + b) ? -1 : 1)).slice(0, TRIED);
    let platform: Platform;
    before(async () => {
      platform = await openPlatform();
    });
    after(() => platform.close());

    for (const what of chosen) {
      it(`stand once, their cards once, what their askers are told once: ${what}`, async (t) => {
        const whole = await tryOnce(platform, what, 0);
        assert.ok(whole.boundaries >= MIN_BOUNDARIES, `${what}: only ${whole.boundaries} boundaries`);
        assert.equal(whole.team.length, 1);
        const ranked = Array.from({ length: whole.boundaries }, (_, n) => n + 1).toSorted((a, b) =>
          rankOf(name + what + a) < rankOf(name + what + b) ? -1 : 1,
        );
        const killed: string[] = [];
        const killWith = async (startLife: StartLife, numbers: readonly number[]): Promise<void> => {
          for (const number of numbers) {
            const trial = await tryOnce(platform, what, number, startLife);
            killed.push(trial.killedAt ?? 'nowhere');
            assert.deepEqual(seenOf(trial), seenOf(whole), `${what}, killed ${trial.killedAt}`);
          }
        };
        await killWith(startHere, ranked.slice(0, isFull ? ranked.length : 1));
        if (isFull) await killWith(startProcess, ranked.slice(0, Math.ceil(ranked.length / 10)));
        assert.deepEqual(platform.problems, []);
        t.diagnostic(`seed ${seed}, ${what}: ${whole.boundaries} boundaries, killed ${killed.join(', ')}`);
      });
    }
  });
}
