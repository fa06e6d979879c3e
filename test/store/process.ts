/** Another process on the same data folder, for the tests beside it: `process.ts MODE FOLDER [ARGUMENT]`. Speaks in lines. */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { lockServing, openSqliteStore } from '../../store/sqlite.ts';
import { inboundMessage, turnOf } from '../contracts/store.ts';
import { createFakeClock } from '../fake-clock.ts';

const [mode, folder = '', argument = ''] = process.argv.slice(2);
const say = (line: string): void => void writeSync(1, `${line}\n`);
const clock = createFakeClock();

const open = () => openSqliteStore({ folder, clock }).store;

/** So that several processes begin together. */
const startSignal = async (): Promise<void> => {
  say('ready');
  await once(process.stdin, 'data');
  process.stdin.destroy();
};

const modes: Record<string, () => Promise<void>> = {
  open: async () => {
    await startSignal();
    await open().close();
    say('opened');
  },
  lock: async () => {
    lockServing(folder);
    say('locked');
    setInterval(() => {}, 1_000);
  },
  accept: async () => {
    const store = open();
    for (let n = 0; ; n++) {
      await store.accept(inboundMessage(n, { conversationId: `c${n % 7}` }));
      say(`${n}`);
    }
  },
  hold: async () => {
    const store = open();
    const claim = await store.claim('dead', 0, 1_000);
    if (claim === undefined) throw new Error('nothing to claim');
    await store.writeJournal(claim.lease, claim.turnId, { key: 'model:1', value: 'kept' });
    await store.markSending(claim.lease, claim.turnId, 0, 5);
    say('held');
    setInterval(() => {}, 1_000);
  },
  work: async () => {
    const store = open();
    await startSignal();
    for (;;) {
      const claim = await store.claim(argument, 0, 60_000);
      if (claim === undefined) {
        if ((await store.countStates()).done === 100) break;
        await setTimeout(1);
        continue;
      }
      const before = await store.readTranscript(claim.lease.conversationId, 100);
      say(`${claim.message.text} after ${before.length} by ${claim.attempts}`);
      await setTimeout(1);
      await store.finishTurn(claim.lease, turnOf(claim), []);
      await store.completeTurn(claim.lease, claim.turnId);
      await store.release(claim.lease);
    }
    await store.close();
  },
};

await modes[mode ?? '']?.();
