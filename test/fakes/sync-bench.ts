/** Triage and a helpdesk in memory, with the sync between them, which a test may kill at any of its steps. */
import type { Store } from '../../agent/ports/store.ts';
import type { TicketAction } from '../../agent/ports/ticket-desk.ts';
import type { Ticket, TicketEvent } from '../../agent/ticket.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Connector } from '../../triage/connectors/connector.ts';
import { createHelpdeskSync, type HelpdeskSync, type SyncOptions } from '../../triage/sync.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { createMemoryHelpdesk, type MemoryHelpdeskOptions } from './memory-helpdesk.ts';
import { arrival, BEN } from './tickets.ts';
import { openTriageBench } from './triage-bench.ts';

/** Ben, as he is known over there. */
export const BEN_THERE = '7';

export interface SyncBenchOptions {
  readonly helpdesk?: Omit<MemoryHelpdeskOptions, 'clock'>;
  readonly sync?: Partial<Pick<SyncOptions, 'rules' | 'imports' | 'pollMs'>>;
  readonly wins?: SyncOptions['rules']['wins'];
  readonly creates?: (ticket: Ticket) => boolean;
  /** In place of the helpdesk in memory. */
  readonly real?: { readonly clock: FakeClock; readonly connector: Connector };
}

const STEP_MS = 1_000;

/** Waits for ever once it is dead: nothing of a dead process goes on. */
const mortal = <T extends object>(parts: T, isDead: () => boolean, names: readonly (keyof T)[], at: () => void): T => {
  const never = (): Promise<never> => new Promise(() => undefined);
  const wrapped = names.map((name) => [
    name,
    async (...args: unknown[]) => {
      at();
      if (isDead()) return never();
      const result: unknown = await (parts[name] as (...given: unknown[]) => unknown)(...args);
      at();
      return isDead() ? never() : result;
    },
  ]);
  return { ...parts, ...(Object.fromEntries(wrapped) as Partial<T>) };
};

export const openSyncBench = ({
  helpdesk = {},
  sync: over = {},
  wins = 'person',
  creates = () => true,
  real,
}: SyncBenchOptions) => {
  const clock: FakeClock = real?.clock ?? createFakeClock();
  const opened = openSqliteStore({ folder: ':memory:', clock });
  const bench = openTriageBench({ store: opened.tickets, clock });
  const { desk } = bench.triage;
  const outside = createMemoryHelpdesk({ clock, ...helpdesk });
  const { signal } = new AbortController();
  let secrets = 0;
  let clicks = 0;

  const open = (isDead: () => boolean = () => false, at: () => void = () => {}): HelpdeskSync =>
    createHelpdeskSync({
      connector: mortal<Connector>(
        real?.connector ?? outside.connector,
        isDead,
        ['read', 'listChanged', 'setStatus', 'setAssignee', 'addComment', 'create', 'find'],
        at,
      ),
      rules: { people: new Map([[BEN.id, BEN_THERE]]), wins, creates },
      imports: true,
      pollMs: 20_000,
      desk: mortal(desk, isDead, ['arrive', 'hear', 'act'], at),
      store: mortal(opened.tickets, isDead, ['append'], at),
      settings: mortal<Pick<Store, 'readSetting' | 'writeSetting'>>(
        {
          readSetting: (...args) => opened.store.readSetting(...args),
          writeSetting: (...args) => opened.store.writeSetting(...args),
        },
        isDead,
        ['writeSetting'],
        at,
      ),
      newMarker: () => `s${(secrets += 1)}`,
      clock,
      logger: silentLogger,
      ...over,
    });

  let sync = open();
  let nextAt = 0;

  const read = async (id: string): Promise<Ticket> => {
    const ticket = await opened.tickets.readTicket(id);
    if (ticket === undefined) throw new Error(`no ticket ${id}`);
    return ticket;
  };

  return {
    ...bench,
    outside,
    sync: () => sync,
    /** Opens one in Slack, and has it read and routed. */
    arrive: async (n: number, more: Parameters<typeof arrival>[1] = {}): Promise<void> => {
      await desk.arrive(arrival(n, { receivedAt: clock.now(), ...more }));
      await bench.triage.settle(signal);
    },
    act: (action: TicketAction, ticketId = 'T1') =>
      desk.act({ ticketId, action, actor: { kind: 'person', id: BEN.id }, source: 'slack', key: `click${(clicks += 1)}` }),
    /** Written in the ticket's thread in Slack. */
    say: (n: number, authorId: string, text: string, displayName = '') => {
      const { threadId } = arrival(n);
      const deliveryId = `${threadId}:${(clicks += 1)}`;
      return desk.hear({ deliveryId, threadId, author: { id: authorId, displayName }, text, at: clock.now(), source: 'slack' });
    },
    read,
    events: (id = 'T1'): Promise<readonly TicketEvent[]> => opened.tickets.readEvents(id),
    /** Lets time pass, with the sync working whenever it has something to do. */
    run: async (ms: number): Promise<void> => {
      for (const until = clock.now() + ms; clock.now() < until; ) {
        nextAt = await sync.sweep(signal);
        await clock.advance(Math.min(until - clock.now(), Math.max(STEP_MS, Math.min(nextAt - clock.now(), 20_000))));
      }
      nextAt = await sync.sweep(signal);
    },
    /** A sweep in a process that dies after so many of its steps; resolves with whether it did. Another one takes its place. */
    runMortal: async (steps: number): Promise<boolean> => {
      let left = steps;
      const died = Promise.withResolvers<true>();
      const isDead = (): boolean => left <= 0;
      sync = open(isDead, () => {
        left -= 1;
        if (isDead()) died.resolve(true);
      });
      const didDie = await Promise.race([died.promise, sync.sweep(signal).then(() => false)]);
      left = 0;
      sync = open();
      return didDie;
    },
    close: () => opened.close(),
  };
};

export type SyncBench = ReturnType<typeof openSyncBench>;
