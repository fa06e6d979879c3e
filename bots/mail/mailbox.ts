/** One folder of a mailbox over IMAP, only ever read: nothing in it is marked, moved or deleted. */
import { ImapFlow, type MessageStructureObject } from 'imapflow';
import { AppError } from '../../agent/errors.ts';

export interface MailboxServer {
  readonly host: string;
  readonly port: number;
  /** `tls` from the first byte, `starttls` before anything that matters, `none` for servers on this machine or network. */
  readonly security: 'tls' | 'starttls' | 'none';
  readonly user: string;
  readonly password: { reveal(): string };
  readonly folder: string;
}

export interface RawMail {
  readonly source: Buffer;
  /** When it came into the mailbox, epoch ms. */
  readonly receivedAt: number;
  /** What hangs on it, where the mail is too large for its source to be whole; null where it is whole. */
  readonly cutFiles: readonly { readonly name: string; readonly mediaType: string; readonly sizeBytes: number }[] | null;
}

/** A connection with the folder open. Every method throws `AppError('channel_unavailable')` once it is lost. */
export interface Mailbox {
  /** While it is the same, a UID means the same mail. */
  uidValidity(): string;
  readonly count: number;
  readonly canIdle: boolean;
  /** UIDs above `after`, of mails that came on the day of `since` or later; ascending. */
  list(after: number, since: number): Promise<readonly number[]>;
  /** Undefined where somebody took it away. */
  read(uid: number): Promise<RawMail | undefined>;
  /** Whether the folder holds a mail whose Message-ID has this in it. */
  holds(part: string): Promise<boolean>;
  /** Called when there may be something new, and when the connection is lost. */
  onChange(run: () => void): void;
  /** Asks the server for news. */
  poll(): Promise<void>;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 15_000;
/** Longer than the pause between two polls: a server that says nothing for so long is gone. */
const SOCKET_TIMEOUT_MS = 300_000;
const IDLE_AFTER_MS = 100;
const MAX_WHOLE_BYTES = 15 * 1024 * 1024;
/** Of a larger mail: its headers and, as mails are written, its text. */
const CUT_BYTES = 2 * 1024 * 1024;
const DAY_MS = 86_400_000;

interface ImapFailure extends Error {
  readonly authenticationFailed?: boolean;
  readonly mailboxMissing?: boolean;
  readonly responseText?: string;
  readonly code?: string;
}

const errorOf = (cause: unknown, server: MailboxServer): AppError => {
  if (cause instanceof AppError) return cause;
  const { authenticationFailed, mailboxMissing, responseText, code, message } = cause as ImapFailure;
  const where = `${server.host}:${server.port}`;
  if (authenticationFailed === true)
    return new AppError('channel_auth', `${where}: expected the user and the password of a mailbox; the server refused them`, {
      cause,
    });
  if (mailboxMissing === true)
    return new AppError('channel_auth', `${where}: expected a folder that exists, got ${JSON.stringify(server.folder)}`, {
      cause,
    });
  return new AppError('channel_unavailable', `${where}: ${responseText ?? code ?? message}`, { cause });
};

const leavesOf = (node: MessageStructureObject): readonly MessageStructureObject[] =>
  node.childNodes === undefined ? [node] : node.childNodes.flatMap(leavesOf);

const filesOf = (structure: MessageStructureObject | undefined): NonNullable<RawMail['cutFiles']> =>
  (structure === undefined ? [] : leavesOf(structure)).flatMap(
    ({ type, disposition, dispositionParameters, parameters, size = 0 }) => {
      const name = dispositionParameters?.['filename'] ?? parameters?.['name'];
      return name === undefined && disposition !== 'attachment'
        ? []
        : [{ name: name ?? 'attachment', mediaType: type, sizeBytes: size }];
    },
  );

/** Throws `AppError('channel_auth')` where the login or the folder is wrong, `AppError('channel_unavailable')` for everything else. */
export const openMailbox = async (server: MailboxServer): Promise<Mailbox> => {
  const { host, port, security, user, password, folder } = server;
  const client = new ImapFlow({
    host,
    port,
    secure: security === 'tls',
    ...(security === 'tls' ? {} : { doSTARTTLS: security === 'starttls' }),
    auth: { user, pass: password.reveal() },
    logger: false,
    disableCompression: true,
    autoIdleDelay: IDLE_AFTER_MS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
  });
  let changed = (): void => {};
  // What is under way rejects with it as well.
  client.on('error', () => {});
  client.on('close', () => changed());
  client.on('exists', () => changed());
  const asked = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      client.close();
      throw errorOf(error, server);
    }
  };
  const opened = await asked(async () => {
    await client.connect();
    return client.mailboxOpen(folder, { readOnly: true });
  });

  const fetchOne = async (uid: number, query: Parameters<typeof client.fetchOne>[1]) => {
    const found = await client.fetchOne(String(uid), query, { uid: true });
    if (found === false && !client.usable) throw new AppError('channel_unavailable', `${host}:${port}: the connection was lost`);
    return found === false || found === undefined ? undefined : found;
  };

  return {
    uidValidity: () => String(client.mailbox === false ? '' : client.mailbox.uidValidity),
    count: opened.exists,
    canIdle: client.capabilities.has('IDLE'),
    list: (after, since) =>
      asked(async () => {
        // A day of the server's own calendar, wherever that is.
        const day = new Date(Math.max(0, since - DAY_MS));
        const found = await client.search({ uid: `${after + 1}:*`, since: day }, { uid: true });
        if (!Array.isArray(found)) throw new AppError('channel_unavailable', `${host}:${port}: the folder could not be searched`);
        // `9:*` is the last mail where none has so high a number.
        return found.filter((uid) => uid > after).sort((a, b) => a - b);
      }),
    read: (uid) =>
      asked(async () => {
        const head = await fetchOne(uid, { uid: true, size: true, internalDate: true });
        if (head === undefined) return undefined;
        const isWhole = (head.size ?? 0) <= MAX_WHOLE_BYTES;
        const body = await fetchOne(uid, {
          uid: true,
          source: isWhole ? true : { start: 0, maxLength: CUT_BYTES },
          ...(isWhole ? {} : { bodyStructure: true }),
        });
        if (body === undefined) return undefined;
        return {
          source: body.source ?? Buffer.alloc(0),
          receivedAt: new Date(head.internalDate ?? 0).getTime(),
          cutFiles: isWhole ? null : filesOf(body.bodyStructure),
        };
      }),
    holds: (part) =>
      asked(async () => {
        const found = await client.search({ header: { 'message-id': part } }, { uid: true });
        if (!Array.isArray(found)) throw new AppError('channel_unavailable', `${host}:${port}: the folder could not be searched`);
        return found.length > 0;
      }),
    onChange: (run) => {
      changed = run;
    },
    poll: () => asked(() => client.noop()),
    close: () => client.close(),
  };
};
