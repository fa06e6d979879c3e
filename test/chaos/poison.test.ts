/** A question that ends the process each time it is worked on, beside questions that do not. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Store } from '../../agent/ports/store.ts';
import { textsFor } from '../../agent/texts.ts';
import { setUpGateway } from '../fakes/gateway-bench.ts';

const LEASE_MS = 30_000;
const never = new Promise<never>(() => undefined);

/** After `end` nothing that was begun through it goes on. */
const createMortal = (store: Store) => {
  let isDead = false;
  const mortal: Record<string, unknown> = {};
  for (const [name, call] of Object.entries(store)) {
    mortal[name] = async (...args: unknown[]) => {
      if (isDead) return never;
      const result: unknown = await (call as (...all: unknown[]) => Promise<unknown>)(...args);
      return isDead ? never : result;
    };
  }
  return {
    store: mortal as unknown as Store,
    end: () => {
      isDead = true;
    },
  };
};

test('a poisoned question is given up after three runs, and its neighbours are answered', async () => {
  const { clock, store, channel, agent, ask, restart, gateway, logger } = setUpGateway();
  const threads = Array.from({ length: 8 }, (_, n) => `t${n}`);
  let crash: () => void = () => undefined;
  agent.play = async ({ question, signal }) => {
    if (question === 'poison?') {
      crash();
      return never;
    }
    // Long enough to be under way when the poison takes effect.
    await clock.sleep(100, signal);
    return `answer to ${question}`;
  };
  await ask('poison?', { thread: 'poison' });
  await ask('behind it?', { thread: 'poison' });
  for (const thread of threads) await ask(`in ${thread}?`, { thread });

  let lives = 0;
  for (let isDone = false; !isDone && lives < 10; lives += 1) {
    const mortal = createMortal(store);
    let crashed = false;
    crash = () => {
      crashed = true;
      mortal.end();
    };
    const life = restart({ store: mortal.store, workerId: `life ${lives}`, leaseMs: LEASE_MS });
    life.start();
    await clock.advance(LEASE_MS + 10_000);
    isDone = !crashed;
    if (isDone) await life.close();
  }

  assert.equal(agent.runs.filter(({ question }) => question === 'poison?').length, 3);
  assert.equal(lives, 4);
  assert.deepEqual(channel.textsIn('poison'), [textsFor('en').failed, 'answer to behind it?']);
  for (const thread of threads) assert.deepEqual(channel.textsIn(thread), [`answer to in ${thread}?`]);
  assert.equal(logger.lines.filter(({ event }) => event === 'turn_given_up').length, 1);
  await gateway.close();
});
