/**
 * Tickets by mail: one folder of a mailbox is followed by IDLE and by asking now and then. How far it was read is stored after each
 * mail is taken in, so that whatever breaks in between repeats the mail, and a mail that is repeated is known.
 */
import { AppError, hasCode } from '../../agent/errors.ts';
import type { ChannelStatus } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { Store } from '../../agent/ports/store.ts';
import type { MailIntake } from './intake.ts';
import { type Mailbox, type MailboxServer, openMailbox, type RawMail } from './mailbox.ts';

export interface MailFollowerOptions {
  readonly server: MailboxServer;
  readonly intake: () => Promise<MailIntake>;
  readonly store: Pick<Store, 'readSetting' | 'writeSetting'>;
  /** At the first start, mails of so long before are taken in as well. */
  readonly firstMs: number;
  readonly pollMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** 0 to 1. */
  readonly random: () => number;
}

export interface MailFollower {
  start(): void;
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>;
  status(): ChannelStatus;
}

interface Cursor {
  readonly uidValidity: string;
  /** Of the last mail that was taken in. */
  readonly uid: number;
  /** Earlier mails are none of ours, epoch ms. */
  readonly since: number;
}

const BACKOFF_MS = 2_000;
const MAX_BACKOFF_MS = 300_000;
/** A server locks whoever comes with a wrong password too often. */
const AUTH_WAIT_MS = 300_000;
/** A mail that the server does not hand out holds up the others no longer. */
const MAX_TRIES = 5;

export const createMailFollower = (options: MailFollowerOptions): MailFollower => {
  const { server, store, firstMs, pollMs, clock, random } = options;
  const logger = options.logger.with({ mailbox: `${server.user}@${server.host}/${server.folder}` });
  const stopping = new AbortController();
  const { signal } = stopping;
  const name = `cursor:${server.user}@${server.host}:${server.port}/${server.folder}`;
  let running: Promise<void> | undefined;
  let state: ChannelStatus = { connected: false, detail: 'not connected yet' };
  let rouse: () => void = () => {};
  let failed = { uid: 0, times: 0 };

  const readCursor = async (uidValidity: string): Promise<Cursor> => {
    const kept = await store.readSetting('mail', name);
    const since = typeof kept?.['since'] === 'number' ? kept['since'] : clock.now() - firstMs;
    const isSame = kept?.['uidValidity'] === uidValidity && typeof kept['uid'] === 'number';
    if (kept !== undefined && !isSame) logger.warn('mail_uids_changed');
    return { uidValidity, uid: isSame ? Number(kept['uid']) : 0, since };
  };

  const readOne = async (mailbox: Mailbox, { uidValidity }: Cursor, uid: number): Promise<RawMail | undefined> => {
    try {
      return await mailbox.read(uid);
    } catch (error) {
      failed = { uid, times: failed.uid === uid ? failed.times + 1 : 1 };
      if (failed.times < MAX_TRIES) throw error;
      logger.error('mail_not_handed_out', { uid, error: error as Error });
      const told = `The mail server does not hand out mail ${uid} of ${server.folder}. Whoever wrote it waits for an answer.`;
      const source = Buffer.from(
        `Subject: A mail that cannot be read\r\nMessage-ID: <${uid}.${uidValidity}@not.handed.out>\r\n\r\n${told}`,
      );
      return { source, receivedAt: clock.now(), cutFiles: null };
    }
  };

  const catchUp = async (mailbox: Mailbox, intake: MailIntake, from: Cursor): Promise<Cursor> => {
    let cursor = from;
    for (const uid of await mailbox.list(cursor.uid, cursor.since)) {
      signal.throwIfAborted();
      const raw = await readOne(mailbox, cursor, uid);
      if (raw !== undefined && raw.receivedAt >= cursor.since)
        logger.info('mail_taken', { uid, outcome: await intake.take(raw) });
      cursor = { ...cursor, uid };
      await store.writeSetting('mail', name, { ...cursor });
    }
    return cursor;
  };

  /** Until something may be there, or the time is over. */
  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.after(ms, () => rouse());
      rouse = () => {
        cancel();
        rouse = () => {};
        resolve();
      };
      if (signal.aborted) rouse();
    });

  const follow = async (): Promise<void> => {
    const intake = await options.intake();
    const mailbox = await openMailbox(server);
    try {
      let isNew = true;
      mailbox.onChange(() => {
        isNew = true;
        rouse();
      });
      const opened = mailbox.uidValidity();
      let cursor = await readCursor(opened);
      // What came before the first start stays so, also if nothing comes for long.
      await store.writeSetting('mail', name, { ...cursor });
      state = { connected: true, detail: `reads ${server.folder} of ${server.user}${mailbox.canIdle ? '' : ', by asking'}` };
      while (!signal.aborted) {
        isNew = false;
        cursor = await catchUp(mailbox, intake, cursor);
        if (!isNew) await rest(pollMs);
        signal.throwIfAborted();
        if (!isNew) await mailbox.poll();
        if (mailbox.uidValidity() !== opened)
          throw new AppError('channel_unavailable', `${server.host}: the folder was made anew`);
      }
    } finally {
      mailbox.close();
    }
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    while (!signal.aborted) {
      const since = clock.monotonic();
      try {
        await follow();
      } catch (error) {
        if (signal.aborted) return;
        const isLogin = hasCode(error, 'channel_auth');
        // A connection that held for a while is no failure in a row.
        failures = clock.monotonic() - since > MAX_BACKOFF_MS ? 1 : failures + 1;
        state = { connected: false, detail: error instanceof Error ? error.message : String(error) };
        logger.warn('mail_not_followed', { error: error as Error });
        const ceiling = isLogin ? AUTH_WAIT_MS : Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** Math.min(failures - 1, 10));
        await rest(ceiling / 2 + (random() * ceiling) / 2);
      }
    }
  };

  return {
    start: () => {
      running ??= run();
    },
    stop: async () => {
      stopping.abort(new AppError('internal', 'the process is stopping'));
      rouse();
      await running;
    },
    status: () => state,
  };
};
