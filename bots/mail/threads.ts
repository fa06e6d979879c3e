/** What is known of the mails of a ticket: who takes part in them, and which came last. Kept in the store, by the ticket and by message id. */
import { createHash } from 'node:crypto';
import type { Store } from '../../agent/ports/store.ts';
import type { Ticket } from '../../agent/ticket.ts';

export interface MailThread {
  /** Of its ticket; empty where nothing is known of it. */
  readonly threadId: string;
  /** Of who asked: `mail:ada@example.org`. */
  readonly authorId: string;
  /** Addresses that wrote in it, or that somebody who did wrote to. */
  readonly people: readonly string[];
  /** Ids of the mails that came in, oldest first. */
  readonly messageIds: readonly string[];
}

export interface MailThreads {
  read(ticketId: string): Promise<MailThread>;
  /** The ticket that the mail with this id belongs to. */
  ticketOf(messageId: string): Promise<string | undefined>;
  /** A mail came into the ticket. The same one twice changes nothing. */
  add(ticketId: string, ticket: Pick<Ticket, 'threadId' | 'author'>, messageId: string, people: readonly string[]): Promise<void>;
}

const OWNER = 'mail';
const MAX_PEOPLE = 200;
const MAX_MESSAGES = 20;

const strings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

const idKey = (messageId: string): string => `id:${createHash('sha256').update(messageId).digest('hex').slice(0, 40)}`;

export const createMailThreads = (store: Pick<Store, 'readSetting' | 'writeSetting'>): MailThreads => {
  const read = async (ticketId: string): Promise<MailThread> => {
    const kept = await store.readSetting(OWNER, `ticket:${ticketId}`);
    const threadId = kept?.['threadId'];
    const authorId = kept?.['authorId'];
    return {
      threadId: typeof threadId === 'string' ? threadId : '',
      authorId: typeof authorId === 'string' ? authorId : '',
      people: strings(kept?.['people']),
      messageIds: strings(kept?.['messageIds']),
    };
  };
  return {
    read,
    ticketOf: async (messageId) => {
      const kept = await store.readSetting(OWNER, idKey(messageId));
      return typeof kept?.['ticketId'] === 'string' ? kept['ticketId'] : undefined;
    },
    add: async (ticketId, { threadId, author }, messageId, people) => {
      const known = await read(ticketId);
      // First, so that whoever finds the mail finds its people.
      await store.writeSetting(OWNER, `ticket:${ticketId}`, {
        threadId: known.threadId || threadId,
        authorId: known.authorId || author.id,
        people: [...new Set([...known.people, ...people])].slice(0, MAX_PEOPLE),
        messageIds: [...new Set([...known.messageIds, messageId])].slice(-MAX_MESSAGES),
      });
      await store.writeSetting(OWNER, idKey(messageId), { ticketId });
    },
  };
};

/** Made once for an installation, and the same ever after: mails that were sent are known by it. */
export const readMailSecret = async (
  store: Pick<Store, 'readSetting' | 'writeSetting'>,
  newSecret: () => string,
): Promise<string> => {
  const kept = await store.readSetting(OWNER, 'secret');
  if (typeof kept?.['secret'] === 'string') return kept['secret'];
  const secret = newSecret();
  await store.writeSetting(OWNER, 'secret', { secret });
  return secret;
};
