/**
 * Numbers every durable write and every platform send of a life, before and after, by wrapping the store and the channel. The
 * product knows nothing of it.
 */

import type { Channel } from '../../agent/ports/channel.ts';
import type { Store } from '../../agent/ports/store.ts';

/** Called at each boundary in turn. What it does there (kill, pause) is its own affair. */
export type AtBoundary = (name: string) => void | Promise<void>;

/** Reads have no boundary: to die before one is to die after the write before it. */
const WRITES = [
  'accept',
  'claim',
  'release',
  'writeJournal',
  'foldWaiting',
  'askApproval',
  'decideApproval',
  'finishTurn',
  'completeTurn',
  'dropTurn',
  'markSending',
  'markUnsent',
  'markPosted',
  'markDelivered',
] as const satisfies readonly (keyof Store)[];

/** What is added to a boundary's name for the turn it is of. */
export type NameTurn = (turnId: string) => string;

const nameless: NameTurn = () => '';

const detailOf = (method: string, args: readonly unknown[], nameTurn: NameTurn): string => {
  if (method === 'writeJournal') return ` ${(args[2] as { key: string }).key}`;
  return method.startsWith('mark') ? ` ${String(args[2])}${nameTurn(String(args[1]))}` : '';
};

export const wrapStore = (store: Store, at: AtBoundary, nameTurn = nameless): Store => {
  const wrapped: Record<string, unknown> = { ...store };
  for (const method of WRITES) {
    const call = store[method] as (...args: unknown[]) => Promise<unknown>;
    wrapped[method] = async (...args: unknown[]) => {
      const name = `${method}${detailOf(method, args, nameTurn)}`;
      // A claim is a boundary where it takes something.
      if (method !== 'claim') await at(`before ${name}`);
      const result = await call(...args);
      if (method !== 'claim' || result !== undefined) await at(`after ${name}`);
      return result;
    };
  }
  return wrapped as unknown as Store;
};

const indexOf = (key: string): string => key.slice(key.lastIndexOf(':') + 1);

/** `during post`: the request has left, its reply has not come. */
export const wrapChannel = (channel: Channel, at: AtBoundary, inFlight: () => Promise<void>, nameTurn = nameless): Channel => ({
  ...channel,
  post: async (address, part, key, bytes) => {
    const name = `post ${indexOf(key)}${nameTurn(key.slice(0, key.lastIndexOf(':')))}`;
    await at(`before ${name}`);
    const sent = channel.post(address, part, key, bytes);
    // Its failure is seen below; meanwhile it must not count as unhandled.
    sent.catch(() => undefined);
    await inFlight();
    await at(`during ${name}`);
    const ref = await sent;
    await at(`after ${name}`);
    return ref;
  },
  update: async (address, ref, part, key) => {
    await at(`before update ${indexOf(key)}`);
    await channel.update(address, ref, part, key);
    await at(`after update ${indexOf(key)}`);
  },
});
