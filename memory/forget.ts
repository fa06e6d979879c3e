/** Everything that repeats what is to be forgotten: its turns, and other turns of the person that hold the same words. */
import type { Turn } from '../agent/conversation.ts';
import type { Forgotten, MemoryStore, ObservationRecord, PinRecord } from '../agent/ports/memory-store.ts';
import { termsOf } from './observation-terms.ts';

export interface ForgetRequest {
  readonly observations: readonly ObservationRecord[];
  readonly pins: readonly PinRecord[];
  /** Turns that are to go in any case. */
  readonly turns: readonly Turn[];
  /** Of the person whose turns may repeat it. */
  readonly accounts: readonly string[];
  /** The turn that wishes it: its reply is still to be delivered. */
  readonly except: string;
}

export const createForget =
  ({ store }: { readonly store: Pick<MemoryStore, 'forget' | 'listTurnsOf' | 'listBehind'> }) =>
  async ({ observations, pins, turns, accounts, except }: ForgetRequest): Promise<Forgotten> => {
    const words = [...observations.flatMap(({ text, quote }) => [text, quote]), ...pins.map(({ text }) => text)];
    const repeats = ({ question, answer }: Turn): boolean =>
      words.some((text) => question.includes(text) || answer.text.includes(text));
    const repeating = words.length === 0 ? [] : (await store.listTurnsOf(accounts)).filter(repeats);
    const turnIds = new Set([
      ...observations.map(({ turnId }) => turnId),
      ...pins.map(({ turnId }) => turnId),
      ...[...turns, ...repeating].map(({ turnId }) => turnId),
    ]);
    turnIds.delete(except);
    const gone = new Set(observations.map(({ id }) => id));
    const behind = (await store.listBehind([...turnIds])).filter(({ id }) => !gone.has(id));
    return store.forget({
      observationIds: [...gone],
      turnIds: [...turnIds],
      bereft: behind.map((record) => ({ id: record.id, terms: termsOf({ ...record, before: '' }) })),
      pinIds: pins.map(({ id }) => id),
    });
  };
