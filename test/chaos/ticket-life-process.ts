/**
 * A life in a process of its own: `node ticket-life-process.ts '<options as JSON>'`. It says `ready`, passes its boundaries uncounted
 * until it reads a line, `done` when all that is wanted is there, and kills itself at the boundary that the line names.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { systemClock } from '../../ops/clock.ts';
import { openTicketLife, type TicketLifeOptions, type Wanted } from './ticket-life.ts';

export interface ProcessOptions {
  readonly life: TicketLifeOptions;
  /** How far the platform's time is ahead of the machine's. */
  readonly aheadMs: number;
}

/** One line on the standard input. `killAt` 0 lives on. */
export interface Order {
  readonly wanted: Wanted;
  readonly killAt: number;
}

export type Told =
  | { readonly is: 'ready' }
  | { readonly is: 'done'; readonly boundaries: number }
  | { readonly killedAt: string };

const tell = (told: Told): void => void writeSync(1, `${JSON.stringify(told)}\n`);
const { life: options, aheadMs } = JSON.parse(process.argv[2] ?? '{}') as ProcessOptions;
let killAt = 0;
let passed = 0;
const life = await openTicketLife(
  options,
  (name) => {
    passed += 1;
    if (passed === killAt) {
      tell({ killedAt: name });
      process.kill(process.pid, 'SIGKILL');
    }
    return Promise.resolve();
  },
  { ...systemClock, now: () => systemClock.now() + aheadMs },
);
tell({ is: 'ready' });
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as Order;
  [killAt, passed] = [order.killAt, 0];
  await life.untilDone(order.wanted);
  tell({ is: 'done', boundaries: passed });
}
await life.close();
process.exit(0);
