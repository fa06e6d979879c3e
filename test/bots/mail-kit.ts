/** A mailbox on the tests' Dovecot, the intake on a store in memory, and mails as people write them. */
import { ImapFlow } from 'imapflow';
import type { TicketDesk } from '../../agent/ports/ticket-desk.ts';
import { createMailIdentity, type MailIdentity } from '../../bots/mail/identity.ts';
import { createMailIntake, type IntakeSettings, type MailIntake, type TakenMail } from '../../bots/mail/intake.ts';
import type { MailboxServer } from '../../bots/mail/mailbox.ts';
import { createMailThreads } from '../../bots/mail/threads.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createFakeClock } from '../fake-clock.ts';
import { openTriageBench, type TriageBench } from '../fakes/triage-bench.ts';

export const SUPPORT = 'support@example.com';
export const ADA = 'ada@example.org';
const PASSWORD = process.env['TEST_IMAP_PASSWORD'] ?? '';

export const imapServer = (user: string, over: Partial<MailboxServer> = {}): MailboxServer => {
  const address = process.env['TEST_IMAP_URL'];
  if (address === undefined) throw new Error('expected TEST_IMAP_URL, which the test command sets: ./threadwise test');
  const { hostname, port } = new URL(address);
  return {
    host: hostname,
    port: Number(port),
    security: 'none',
    user,
    password: { reveal: () => PASSWORD },
    folder: 'INBOX',
    ...over,
  };
};

/** Somebody else at the same mailbox. */
export const openImap = async (user: string) => {
  const { host, port } = imapServer(user);
  const client = new ImapFlow({ host, port, secure: false, doSTARTTLS: false, auth: { user, pass: PASSWORD }, logger: false });
  client.on('error', () => {});
  await client.connect();
  return {
    client,
    append: async (source: string | Buffer, folder = 'INBOX') => {
      await client.append(folder, Buffer.from(source));
    },
    /** The sources of a folder's mails. */
    sources: async (folder = 'INBOX'): Promise<readonly string[]> => {
      await client.mailboxOpen(folder, { readOnly: true });
      const found = await client.fetchAll('1:*', { source: true });
      return found.map(({ source }) => source?.toString('utf8') ?? '');
    },
    [Symbol.asyncDispose]: async () => client.close(),
  };
};

let number = 0;

/** A mail from Ada, unless it says otherwise; a header set to null is left out. */
export const mail = (text: string, headers: Readonly<Record<string, string | null>> = {}): string => {
  number += 1;
  const all: Record<string, string | null> = {
    From: `Ada <${ADA}>`,
    To: SUPPORT,
    Subject: 'Kettle',
    'Message-ID': `<m${number}@example.org>`,
    Date: 'Mon, 05 Jan 2026 09:00:00 +0000',
    'Content-Type': 'text/plain; charset=utf-8',
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  return `${[...lines, '', text].join('\n').replaceAll('\n', '\r\n')}\r\n`;
};

export const idOf = (source: string): string => /^Message-ID: (.*)$/imu.exec(source)?.[1]?.trim() ?? '';

export interface MailDesk {
  readonly bench: TriageBench;
  readonly store: ReturnType<typeof openSqliteStore>['store'];
  readonly identity: MailIdentity;
  readonly intake: MailIntake;
  readonly take: (source: string | Buffer, receivedAt?: number) => Promise<TakenMail>;
  readonly close: () => Promise<void>;
}

/** `over.desk`: in place of the bench's own. */
export const openMailDesk = (
  settings: Partial<IntakeSettings> = {},
  over: { readonly desk?: (own: TicketDesk) => TicketDesk; readonly filesFolder?: string } = {},
): MailDesk => {
  const clock = createFakeClock();
  const opened = openSqliteStore({ folder: ':memory:', clock });
  const bench = openTriageBench({ store: opened.tickets, clock });
  const identity = createMailIdentity('a secret', SUPPORT);
  const intake = createMailIntake({
    settings: { address: SUPPORT, authserv: undefined, isPrivate: true, ...settings },
    desk: over.desk?.(bench.triage.desk) ?? bench.triage.desk,
    identity,
    threads: createMailThreads(opened.store),
    filesFolder: over.filesFolder,
    clock,
    logger: silentLogger,
  });
  return {
    bench,
    store: opened.store,
    identity,
    intake,
    take: (source, receivedAt = clock.now()) => intake.take({ source: Buffer.from(source), receivedAt, cutFiles: null }),
    close: () => opened.close(),
  };
};
