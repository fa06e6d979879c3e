import type { Clock } from '../../agent/ports/clock.ts';
import { createDiscordSimulator, type DiscordSimulator, type DiscordSimulatorOptions } from '../../simulator/discord.ts';
import { validateDiscord } from './discord-spec.ts';

/** Real time that a test may push forward: deadlines of 3 s and 15 min pass at once, discord.js's own timers go on. */
export interface ShiftClock extends Clock {
  advance(ms: number): void;
}

export const createShiftClock = (): ShiftClock => {
  let shift = 0;
  const pending = new Set<{ readonly at: number; readonly fire: () => void }>();
  const monotonic = (): number => performance.now() + shift;
  const after = (ms: number, run: () => void): (() => void) => {
    const entry = {
      at: monotonic() + ms,
      fire: () => {
        clearTimeout(timer);
        if (pending.delete(entry)) run();
      },
    };
    const timer = setTimeout(entry.fire, ms);
    timer.unref();
    pending.add(entry);
    return () => {
      clearTimeout(timer);
      pending.delete(entry);
    };
  };
  return {
    now: () => Date.now() + shift,
    monotonic,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason as Error);
        const stop = after(ms, () => resolve());
        signal?.addEventListener('abort', () => {
          stop();
          reject(signal.reason as Error);
        });
      }),
    advance(ms) {
      shift += ms;
      for (const entry of [...pending].toSorted((a, b) => a.at - b.at)) if (entry.at <= monotonic()) entry.fire();
    },
  };
};

export interface SampleDiscord extends DiscordSimulator {
  readonly clock: ShiftClock;
  readonly guildId: string;
  readonly general: string;
  readonly ada: string;
  readonly ben: string;
}

/** A server with one channel and two people, checked against Discord's specification in both directions. */
export const openDiscord = async (options: Partial<DiscordSimulatorOptions> = {}): Promise<SampleDiscord> => {
  const clock = createShiftClock();
  // A test that pushes the clock must not make a connection look dead: heartbeats are expected rarely.
  const base = { clock, limits: false, validate: validateDiscord, heartbeatIntervalMs: 36_000_000 };
  const simulator = await createDiscordSimulator({ ...base, ...options });
  const guildId = simulator.addGuild('Bright Lamps');
  return Object.assign(simulator, {
    clock,
    guildId,
    general: simulator.addChannel(guildId, 'general'),
    ada: simulator.addUser('Ada'),
    ben: simulator.addUser('Ben'),
  });
};
