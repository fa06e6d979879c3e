/** A store whose answer is lost: what was asked of it is done, and nobody is told so. */
import { AppError } from '../../agent/errors.ts';
import type { TicketStore } from '../../agent/ports/ticket-store.ts';
import type { TicketChangeKind } from '../../agent/ticket.ts';

export interface StoreFault {
  /** The next `times` appends with such an event are kept, and then fail. */
  failAfter(kind: TicketChangeKind, times?: number): void;
}

/** Changes the store itself, for whoever holds it. */
export const createStoreFault = (store: TicketStore): StoreFault => ({
  failAfter: (kind, times = 1) => {
    const { append } = store;
    let left = times;
    const failing: TicketStore['append'] = async (appends, key) => {
      const kept = await append(appends, key);
      if (!appends.some(({ events }) => events.some(({ change }) => change.kind === kind))) return kept;
      left -= 1;
      if (left === 0) Object.assign(store, { append });
      throw new AppError('store_unavailable', 'the connection broke off');
    };
    Object.assign(store, { append: failing });
  },
});
