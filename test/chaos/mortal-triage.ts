/**
 * A triage that dies at a numbered boundary: each write of its store and each call to a platform, before and after. What was written
 * and posted until then stays; nothing of it goes on.
 */
import type { TicketBoard } from '../../agent/ports/ticket-board.ts';
import type { TicketStore } from '../../agent/ports/ticket-store.ts';

const WRITES: ReadonlySet<string> = new Set([
  'openTicket',
  'append',
  'setDue',
  'planPosts',
  'markPostSending',
  'markPostUnsent',
  'markPosted',
  'postponePost',
  'dropPost',
  'indexTicket',
] satisfies readonly (keyof TicketStore)[]);

/** Called at each boundary in turn. What it does there (kill, never come back) is its own affair. */
export type AtBoundary = (name: string) => Promise<void>;

export interface Mortality {
  readonly at: AtBoundary;
  /** Boundaries that were passed, in order. */
  readonly boundaries: readonly string[];
  /** Resolves with the boundary at which it died. */
  readonly death: Promise<string>;
}

/** `killAt` 0 lives on. Nothing is raised at a death: whoever waits there waits for ever, as in a process that is no more. */
export const createMortality = (killAt: number): Mortality => {
  const boundaries: string[] = [];
  const { promise: death, resolve: die } = Promise.withResolvers<string>();
  let isDead = false;
  return {
    boundaries,
    death,
    at: (name) => {
      if (!isDead) boundaries.push(name);
      if (boundaries.length === killAt && !isDead) {
        isDead = true;
        die(name);
      }
      return isDead ? new Promise(() => undefined) : Promise.resolve();
    },
  };
};

/** Reads have no boundary: to die before one is to die after the write before it. */
export const mortalStore = (store: TicketStore, at: AtBoundary): TicketStore =>
  Object.fromEntries(
    Object.entries(store).map(([method, call]: [string, (...args: unknown[]) => Promise<unknown>]) => [
      method,
      WRITES.has(method)
        ? async (...args: unknown[]) => {
            const [first] = args;
            const events =
              method === 'append' ? (first as Parameters<TicketStore['append']>[0]).flatMap((one) => one.events) : [];
            const name = [method, ...events.map(({ change }) => change.kind)].join(' ');
            await at(`before ${name}`);
            const result = await call(...args);
            await at(`after ${name}`);
            return result;
          }
        : call,
    ]),
  ) as unknown as TicketStore;

/** `during post`: the platform has it, its reply has not come. `underWay`: told of each call that has left. */
export const mortalBoard = (
  board: TicketBoard,
  at: AtBoundary,
  underWay: (call: Promise<unknown>) => void = () => undefined,
): TicketBoard => ({
  channel: board.channel,
  find: board.find,
  post: async (target, message, key) => {
    await at(`before post ${message.kind}`);
    const call = board.post(target, message, key);
    underWay(call);
    const ref = await call;
    await at(`during post ${message.kind}`);
    return ref;
  },
  update: async (target, ref, message, key) => {
    await at(`before update ${message.kind}`);
    const call = board.update(target, ref, message, key);
    underWay(call);
    await call;
    await at(`during update ${message.kind}`);
  },
});
