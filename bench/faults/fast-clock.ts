/** The machine's clock with its time running faster: waits of seconds take milliseconds, over real connections. */
import type { Clock } from '../../agent/ports/clock.ts';
import { systemClock } from '../../ops/clock.ts';

export const createFastClock = (times: number): Clock => ({
  now: () => Math.round(systemClock.now() + systemClock.monotonic() * (times - 1)),
  monotonic: () => systemClock.monotonic() * times,
  sleep: (ms, signal) => systemClock.sleep(ms / times, signal),
  after: (ms, run) => systemClock.after(ms / times, run),
});
