/** Tickets by mail from the configuration: the mailbox that is followed, and the board by which answers leave. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { Store } from '../agent/ports/store.ts';
import type { TicketBoard } from '../agent/ports/ticket-board.ts';
import type { TicketDesk } from '../agent/ports/ticket-desk.ts';
import type { MailFollower } from '../bots/mail/mail.ts';
import type { Config } from '../ops/config.ts';

export interface MailParts {
  readonly config: Config;
  /** Absolute; `:memory:` keeps nothing. */
  readonly folder: string;
  readonly store: Store;
  readonly desk: () => TicketDesk;
  readonly clock: Clock;
  readonly logger: Logger;
}

const DAY_MS = 86_400_000;

/** Undefined where no mailbox is configured. */
export const openMail = async ({
  config,
  folder,
  store,
  desk,
  clock,
  logger,
}: MailParts): Promise<{ readonly board: TicketBoard; readonly follower: MailFollower } | undefined> => {
  const { mail } = config.triage;
  const smtp = config.tools.mail;
  if (mail === undefined || smtp === undefined) return undefined;
  const [
    { createMailFollower },
    { createMailIntake },
    { createMailIdentity },
    threadsModule,
    { createMailBoard },
    { createMailSender },
  ] = await Promise.all([
    import('../bots/mail/mail.ts'),
    import('../bots/mail/intake.ts'),
    import('../bots/mail/identity.ts'),
    import('../bots/mail/threads.ts'),
    import('../bots/mail/board.ts'),
    import('../tools/mail-send.ts'),
  ]);
  const threads = threadsModule.createMailThreads(store);
  const identity = async () => {
    const secret = await threadsModule.readMailSecret(store, () => randomBytes(32).toString('hex'));
    return createMailIdentity(secret, mail.address);
  };
  const filesFolder = folder === ':memory:' ? undefined : resolve(folder, 'mail-files');
  const { host, port, security, user, password, sent, address, authserv } = mail;
  const server = { host, port, security, user, password, folder: mail.folder };
  return {
    board: createMailBoard({
      address,
      sent: sent === undefined ? undefined : { ...server, folder: sent },
      identity,
      threads,
      send: createMailSender(smtp, { clock }),
      clock,
    }),
    follower: createMailFollower({
      server,
      intake: async () =>
        createMailIntake({
          settings: { address, authserv, isPrivate: mail.private },
          desk: desk(),
          identity: await identity(),
          threads,
          filesFolder,
          clock,
          logger,
        }),
      store,
      firstMs: mail.firstDays * DAY_MS,
      pollMs: mail.pollSeconds * 1_000,
      clock,
      logger,
      random: Math.random,
    }),
  };
};
