/** Where an asker is answered, and what is said there once. */
import type { PlannedPost, PostBody, PostTarget } from '../agent/ports/ticket-store.ts';
import { BOARD_NAMES, type Ticket } from '../agent/ticket.ts';

/** The asker's thread; undefined where nothing can be posted there. */
export const threadTargetOf = ({ address, threadId, isThreadPrivate }: Ticket): PostTarget | undefined => {
  const channel = BOARD_NAMES.find((name) => threadId.startsWith(`${name}:`));
  if (address === null || channel === undefined) return undefined;
  return { channel, isPrivate: isThreadPrivate, kind: 'thread', address };
};

/** Something that is said once in the asker's thread. `slot` is unique within the ticket. */
export const sayInThread = (ticket: Ticket, slot: string, body: PostBody): readonly PlannedPost[] => {
  const target = threadTargetOf(ticket);
  return target === undefined ? [] : [{ slot, target, body }];
};
