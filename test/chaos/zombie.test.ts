/**
 * A worker that is stopped at a boundary for longer than its lease, is replaced, and wakes up. Its clock, its store and its
 * platform stand still meanwhile, as they do for a stopped process; time goes on.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Channel } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Lease, Store } from '../../agent/ports/store.ts';
import { setUpGateway } from '../fakes/gateway-bench.ts';
import { wrapChannel, wrapStore } from './boundaries.ts';

const LONG = `${'one '.repeat(250)}two`;
const LEASE_MS = 30_000;
const MAX_BOUNDARIES = 60;

/** Everything that goes through it waits while it is shut. */
const createGate = () => {
  let shut: PromiseWithResolvers<void> | undefined;
  return {
    shut: () => {
      shut ??= Promise.withResolvers<void>();
    },
    open: () => {
      shut?.resolve();
      shut = undefined;
    },
    pass: async () => {
      while (shut !== undefined) await shut.promise;
    },
  };
};

type Gate = ReturnType<typeof createGate>;

const gatedClock = (clock: Clock, gate: Gate): Clock => ({
  ...clock,
  sleep: async (ms, signal) => {
    await clock.sleep(ms, signal);
    await gate.pass();
  },
  after: (ms, run) => {
    let isCancelled = false;
    const cancel = clock.after(ms, () => {
      void gate.pass().then(() => {
        if (!isCancelled) run();
      });
    });
    return () => {
      isCancelled = true;
      cancel();
    };
  },
});

/**
 * The gate is passed before every reply, and where `before` is set before every call. A call to the platform begins in the
 * same breath as the look at the lease, so a process is not stopped between the two.
 */
const gated = <T extends object>(target: T, gate: Gate, { before }: { before: boolean }): T => {
  const wrapped: { [name: string]: unknown } = Object.fromEntries(Object.entries(target));
  for (const [name, member] of Object.entries(target)) {
    if (typeof member !== 'function' || name === 'render' || name === 'progress' || name === 'status') continue;
    wrapped[name] = async (...args: unknown[]) => {
      if (before) await gate.pass();
      const result: unknown = await (member as (...all: unknown[]) => unknown)(...args);
      await gate.pass();
      return result;
    };
  }
  return wrapped as unknown as T;
};

/** A store that does not check the fence: whatever lease a worker holds, it writes under the newest. */
const createUnfenced = (store: Store): Store => {
  const newest = new Map<string, Lease>();
  const now = (lease: Lease): Lease => newest.get(lease.conversationId) ?? lease;
  return {
    ...store,
    claim: async (...args) => {
      const claim = await store.claim(...args);
      if (claim !== undefined) newest.set(claim.lease.conversationId, claim.lease);
      return claim;
    },
    renew: () => Promise.resolve(true),
    writeJournal: (lease, ...rest) => store.writeJournal(now(lease), ...rest),
    finishTurn: (lease, ...rest) => store.finishTurn(now(lease), ...rest),
    completeTurn: (lease, ...rest) => store.completeTurn(now(lease), ...rest),
    markSending: (lease, ...rest) => store.markSending(now(lease), ...rest),
    markPosted: (lease, ...rest) => store.markPosted(now(lease), ...rest),
    markDelivered: (lease, ...rest) => store.markDelivered(now(lease), ...rest),
    release: (lease, ...rest) => store.release(now(lease), ...rest),
  };
};

interface Trial {
  /** Undefined when the worker came through without meeting the boundary. */
  readonly stoppedAt: string | undefined;
  readonly texts: readonly string[];
  /** Writes that went under a lease that another worker had taken over. */
  readonly staleWrites: number;
}

interface TrialOptions {
  readonly fenced: boolean;
  /** How long the heir's run takes: the worker wakes after three leases, before or after its end. */
  readonly heirMs: number;
}

const stopAt = async (boundary: number, { fenced, heirMs }: TrialOptions): Promise<Trial> => {
  const bench = setUpGateway({ leaseMs: LEASE_MS });
  const { clock, agent, channel, ask, restart } = bench;
  let runs = 0;
  agent.play = async ({ journal, signal }) => {
    runs += 1;
    const run = runs;
    if (run > 1) await clock.sleep(heirMs, signal);
    await journal.write({ key: 'model:1', value: run });
    return LONG;
  };
  const taken: Lease[] = [];
  let staleWrites = 0;
  const watched: Store = {
    ...bench.store,
    claim: async (...args) => {
      const claim = await bench.store.claim(...args);
      if (claim !== undefined) taken.push(claim.lease);
      return claim;
    },
  };
  const shared = fenced ? watched : createUnfenced(watched);
  const gate = createGate();
  let count = 0;
  let stoppedAt: string | undefined;
  const at = async (name: string): Promise<void> => {
    count += 1;
    if (count !== boundary) return;
    stoppedAt = name;
    gate.shut();
    await gate.pass();
  };
  const countStale = (store: Store): Store => {
    const counted: Record<string, unknown> = { ...store };
    for (const method of ['writeJournal', 'finishTurn', 'completeTurn', 'markSending', 'markPosted', 'markDelivered'] as const) {
      const call = store[method] as (...args: unknown[]) => Promise<unknown>;
      counted[method] = async (...args: unknown[]) => {
        const isStale = (args[0] as Lease).fence < (taken.at(-1)?.fence ?? 0);
        const result = await call(...args);
        if (isStale) staleWrites += 1;
        return result;
      };
    }
    return counted as unknown as Store;
  };
  // To be stopped right before a post, after the lease was looked at, is to have the post under way for that long.
  const atSend = async (name: string) => (name.startsWith('before post') ? undefined : at(name));
  const zombie = restart({
    workerId: 'zombie',
    clock: gatedClock(clock, gate),
    store: wrapStore(gated(countStale(shared), gate, { before: true }), at),
    channels: new Map([
      ['slack', wrapChannel(gated<Channel>(channel, gate, { before: false }), atSend, () => Promise.resolve())],
    ]),
  });
  const heir = restart({ workerId: 'heir', store: countStale(shared) });

  await ask('who answers?');
  zombie.start();
  await clock.advance(1_000);
  heir.start();
  await clock.advance(3 * LEASE_MS);
  gate.open();
  await clock.advance(20 * LEASE_MS);
  const closing = Promise.all([zombie.close(), heir.close(), bench.gateway.close()]);
  await clock.advance(10_000);
  await closing;
  await bench.close();
  return { stoppedAt, texts: channel.textsIn('t1'), staleWrites };
};

for (const [when, heirMs] of [
  ['is done', 0],
  ['still works', 4 * LEASE_MS],
] as const) {
  test(`a worker stopped at any boundary that wakes when its heir ${when} writes nothing, and one answer stands`, async () => {
    const stops: string[] = [];
    for (let boundary = 1; boundary <= MAX_BOUNDARIES; boundary += 1) {
      const { stoppedAt, texts, staleWrites } = await stopAt(boundary, { fenced: true, heirMs });
      assert.deepEqual(texts, ['one '.repeat(250), 'two'], `stopped ${stoppedAt ?? 'nowhere'} (boundary ${boundary})`);
      assert.equal(staleWrites, 0, `stopped ${stoppedAt ?? 'nowhere'} (boundary ${boundary})`);
      if (stoppedAt === undefined) break;
      stops.push(stoppedAt);
    }
    assert.ok(stops.length >= 20 && stops.length < MAX_BOUNDARIES, stops.join(', '));
  });
}

test('without the fence the same worker would write into the turn of its heir', async () => {
  const violations: string[] = [];
  for (let boundary = 1; boundary <= MAX_BOUNDARIES; boundary += 1) {
    const { stoppedAt, texts, staleWrites } = await stopAt(boundary, { fenced: false, heirMs: 4 * LEASE_MS });
    if (stoppedAt === undefined) break;
    if (texts.length !== 2 || staleWrites > 0) violations.push(stoppedAt);
  }
  assert.ok(violations.length > 0);
});
