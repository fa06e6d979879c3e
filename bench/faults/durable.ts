/** Bugs of runs that were stopped in the middle: killed, cancelled, refused, taken up again. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InboundMessage } from '../../agent/conversation.ts';
import { AppError } from '../../agent/errors.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { RunJournal } from '../../agent/run.ts';
import { CANCELLED } from '../../agent/run.ts';
import { systemClock } from '../../ops/clock.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { call, calls, createMemoryJournal, DONE, type FaultCase, failureIn, note, pastTurn, resultsIn } from './rig.ts';

/** A process that dies when it is about to write the `nth` entry whose key begins so; what was written stays. */
const dyingJournal = (begin: string, nth = 1): { journal: RunJournal; readonly kept: ReturnType<typeof createMemoryJournal> } => {
  const kept = createMemoryJournal();
  let met = 0;
  const write: RunJournal['write'] = async (entry) => {
    if (entry.key.startsWith(begin)) met += 1;
    if (met >= nth) throw new AppError('lease_lost', 'The process is gone.');
    await kept.write(entry);
  };
  return { journal: { read: kept.read, write }, kept };
};

/** Stops the run when nothing moves in it any more, which must end it within a second. */
const stopped = async <Value>(clock: Clock, stop: AbortController, reason: unknown, work: Promise<Value>): Promise<Value> => {
  let stoppedAt: number | undefined;
  clock.after(1_000, () => {
    stoppedAt = clock.monotonic();
    stop.abort(reason);
  });
  const value = await work;
  assert.ok(stoppedAt !== undefined, 'the run ended before it was stopped');
  const tookMs = clock.monotonic() - stoppedAt;
  assert.ok(tookMs < 1_000, `the run ended ${Math.round(tookMs)} ms after it was stopped`);
  return value;
};

const withStore = async (use: (folder: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'threadwise-faults-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const message: InboundMessage = {
  deliveryId: 'slack:T1:C1:1700.1',
  scope: { tenantId: 'slack:T1', channel: 'slack', conversationId: 'slack:T1:C1:1700.1', userId: 'slack:U1' },
  author: { id: 'slack:U1', displayName: 'Local', kind: 'person' },
  place: { kind: 'channel', id: 'slack:C1' },
  trigger: 'mention',
  text: 'How long is the warranty?',
  sourceMessageId: '1700.1',
  address: { channel: 'C1', thread: '1700.1' },
  receivedAt: 1,
};

const both = calls(call('note', { x: '1' }), call('note', { x: '2' }));

export const DURABLE_CASES: readonly FaultCase[] = [
  {
    id: 'B3',
    what: 'killed between the calls and their results',
    run: async ({ ask }) => {
      const { journal, kept } = dyingJournal('tool:');
      await assert.rejects(ask([both], { input: { journal } }), { code: 'lease_lost' });
      const { answer, requests } = await ask([DONE], { input: { journal: kept } });
      assert.deepEqual([answer.text, requests.length], ['Done.', 1]);
      assert.deepEqual(resultsIn(requests[0]), ['"noted 1"', '"noted 2"']);
    },
  },
  {
    id: 'B4',
    what: 'stopped during two calls at once, and inside a half-streamed call',
    run: async ({ ask, tool, clock }) => {
      const stop = new AbortController();
      const hanging = tool('note', () => new Promise(() => undefined));
      const running = ask([both], { tools: [hanging], input: { signal: stop.signal } });
      const during = await stopped(clock, stop, CANCELLED, running);
      assert.deepEqual([during.answer.stopReason, during.ran], ['cancelled', ['note 1', 'note 2']]);
      const next = await ask([DONE], { input: { history: [pastTurn(1, 'First?', during.answer.text)] } });
      assert.equal(next.answer.text, 'Done.');

      const halfway = new AbortController();
      const streaming = ask([{ ...note('a longer argument'), fault: { kind: 'stall', afterChunks: 3 } }], {
        input: { signal: halfway.signal },
      });
      const half = await stopped(clock, halfway, CANCELLED, streaming);
      assert.deepEqual([half.answer.stopReason, half.ran], ['cancelled', []]);
      const last = await ask([DONE], { input: { history: [pastTurn(1, 'First?', half.answer.text)] } });
      assert.equal(last.answer.text, 'Done.');
    },
  },
  {
    id: 'B36',
    what: 'a refusal to run a tool is taken for a failure and tried again',
    run: async ({ ask, tool }) => {
      const refused = (effect: 'read' | 'write') =>
        tool(
          'note',
          () => {
            throw new AppError('tool_refused', 'A person has to approve this first.');
          },
          { effect },
        );
      for (const effect of ['read', 'write'] as const) {
        const { answer, ran, requests } = await ask([note('1'), DONE], { tools: [refused(effect)] });
        assert.deepEqual([answer.text, ran], ['Done.', ['note 1']]);
        const told = failureIn(requests[1]);
        assert.deepEqual([told['kind'], told['retryable']], ['denied', false]);
      }
    },
  },
  {
    id: 'B37',
    what: 'of two calls of one tool one was done when the process died',
    run: async ({ ask, tool, clock }) => {
      const { journal, kept } = dyingJournal('tool:', 2);
      const later = tool('note', async (x) => {
        await clock.sleep(x === '2' ? 1_000 : 0);
        return `noted ${x}`;
      });
      await assert.rejects(ask([both], { tools: [later], input: { journal } }), { code: 'lease_lost' });
      const { ran, requests } = await ask([DONE], { tools: [later], input: { journal: kept } });
      assert.deepEqual(ran, ['note 2']);
      assert.deepEqual(resultsIn(requests[0]), ['"noted 1"', '"noted 2"']);
    },
  },
  {
    id: 'B38',
    what: 'a call is refused when the run is taken up again',
    run: async ({ ask, tool }) => {
      const { journal, kept } = dyingJournal('tool:');
      await assert.rejects(ask([note('1')], { input: { journal } }), { code: 'lease_lost' });
      const refusing = tool('note', () => {
        throw new AppError('tool_refused', 'It was not approved.');
      });
      const { answer } = await ask([{ text: 'It was not approved, so I left it.' }], {
        tools: [refusing],
        input: { journal: kept },
      });
      assert.equal(answer.text, 'It was not approved, so I left it.');
    },
  },
  {
    id: 'B41',
    what: 'the process dies after a message was accepted and before anything else',
    run: async ({ ask }) =>
      withStore(async (folder) => {
        const first = openSqliteStore({ folder, clock: systemClock });
        assert.equal((await first.store.accept(message)).outcome, 'accepted');
        await first.close();
        const { store, close } = openSqliteStore({ folder, clock: systemClock });
        try {
          await store.expireLeases();
          const claim = await store.claim('worker', systemClock.now(), 60_000);
          assert.equal(claim?.message.text, message.text);
          const { turnId, lease } = claim;
          const journal: RunJournal = {
            read: () => store.readJournal(turnId),
            write: (entry) => store.writeJournal(lease, turnId, entry),
          };
          const { answer } = await ask([note('1'), DONE], { input: { turnId, journal, question: claim.message.text } });
          assert.equal(answer.text, 'Done.');
        } finally {
          await close();
        }
      }),
  },
  {
    id: 'B42',
    what: 'something is used before it is written down, so that an effect happens twice',
    run: async ({ ask, tool, simulator }) => {
      const journal = createMemoryJournal();
      const has = (begin: string): boolean => journal.entries.some(({ key }) => key.startsWith(begin));
      const seen: boolean[] = [];
      const send = tool(
        'send',
        (x) => {
          seen.push(has('model:1'));
          return `sent ${x}`;
        },
        { effect: 'write' },
      );
      simulator.setPolicy(({ messages }) => {
        if (!messages.some(({ role }) => role === 'tool')) return calls(call('send', { x: '1' }));
        seen.push(has('tool:1:0'));
        return DONE;
      });
      await ask([], { tools: [send], input: { journal } });
      assert.deepEqual(seen, [true, true]);

      const dying = dyingJournal('model:2');
      await assert.rejects(ask([], { tools: [send], input: { journal: dying.journal } }), { code: 'lease_lost' });
      const again = await ask([], { tools: [send], input: { journal: dying.kept } });
      assert.deepEqual([again.answer.text, again.ran], ['Done.', []]);
    },
  },
  {
    id: 'B46',
    what: 'a run with a call under way is stopped, by the person or with the process',
    run: async ({ ask, tool, clock }) => {
      const hanging = tool('note', () => new Promise(() => undefined));
      const stop = new AbortController();
      const running = ask([note('1')], { tools: [hanging], input: { signal: stop.signal } });
      assert.equal((await stopped(clock, stop, CANCELLED, running)).answer.stopReason, 'cancelled');

      const journal = createMemoryJournal();
      const shutdown = new AbortController();
      const ending = ask([note('1')], { tools: [hanging], input: { signal: shutdown.signal, journal } });
      const end = new Error('The process stops.');
      await stopped(clock, shutdown, end, assert.rejects(ending, end));
      const resumed = await ask([DONE], { input: { journal } });
      assert.equal(resumed.answer.text, 'Done.');
    },
  },
  {
    id: 'B47',
    what: 'a delivery that comes again is dropped though the first was never stored',
    run: () =>
      withStore(async (folder) => {
        const first = openSqliteStore({ folder, clock: systemClock });
        await first.close();
        await assert.rejects(first.store.accept(message));
        const { store, close } = openSqliteStore({ folder, clock: systemClock });
        try {
          assert.equal((await store.accept(message)).outcome, 'accepted');
          assert.equal((await store.accept(message)).outcome, 'duplicate');
        } finally {
          await close();
        }
      }),
  },
];
