/**
 * One mail becomes a ticket, joins the one it belongs to, or is passed over. A mail joins a ticket only when it can know of it and its
 * sender takes part in that: otherwise it is a ticket of its own, so that nobody writes into the ticket of another.
 */
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { ArriveOutcome, TicketDesk } from '../../agent/ports/ticket-desk.ts';
import { keepFiles } from './files.ts';
import type { MailIdentity } from './identity.ts';
import type { RawMail } from './mailbox.ts';
import { saidIn } from './quotes.ts';
import { type ReadMail, readMail } from './read-mail.ts';
import type { MailThread, MailThreads } from './threads.ts';
import { type Verdict, verdictOf } from './trust.ts';

export interface IntakeSettings {
  /** The mailbox's own address, in lower case. */
  readonly address: string;
  /** Whose Authentication-Results are believed. */
  readonly authserv: string | undefined;
  readonly isPrivate: boolean;
}

export interface IntakeOptions {
  readonly settings: IntakeSettings;
  readonly desk: TicketDesk;
  readonly identity: MailIdentity;
  readonly threads: MailThreads;
  /** Undefined keeps no attachments. */
  readonly filesFolder: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type TakenMail = ArriveOutcome['kind'] | 'automatic' | 'own';

export interface MailIntake {
  /** Twice with the same mail is once. Throws what the store throws; nothing is lost then, the mail is taken again. */
  take(raw: RawMail): Promise<TakenMail>;
}

interface KnownThread extends MailThread {
  readonly ticketId: string;
}

const MAX_REPORT_BYTES = 262_144;
const NOBODY = 'unknown';

export const createMailIntake = ({
  settings,
  desk,
  identity,
  threads,
  filesFolder,
  clock,
  logger,
}: IntakeOptions): MailIntake => {
  const { address: ownAddress, authserv, isPrivate } = settings;

  /** A report that mails of ours did not arrive. Its words are the other server's: its number alone is passed on. */
  const hearReport = async (source: Buffer): Promise<void> => {
    const text = source.subarray(0, MAX_REPORT_BYTES).toString('latin1');
    if (!/^Action:\s*failed\b/imu.test(text)) return;
    const status = /^Status:\s*(\d\.\d{1,3}\.\d{1,3})\b/imu.exec(text)?.[1];
    for (const { ticketId, key } of identity.ownIdsIn(text)) {
      const why = `A mail to the asker came back${status === undefined ? '' : ` (${status})`}: it was not delivered.`;
      await desk.act({
        ticketId,
        action: { kind: 'undelivered', slot: `mail:${key}`, why },
        actor: { kind: 'outside', id: 'mail' },
        source: 'mail',
        key: `mail:returned:${key}`,
      });
    }
  };

  /** The ticket that the mail says it belongs to, and can know of. */
  const ticketOf = async ({ references, subject }: ReadMail, verdict: Verdict): Promise<string | undefined> => {
    for (const id of references.toReversed()) {
      const ticketId = identity.ticketOf(id) ?? (await threads.ticketOf(id));
      if (ticketId !== undefined) return ticketId;
    }
    const token = identity.tokenIn(subject);
    return token !== undefined && (token.isProven || verdict === 'verified') ? token.ticketId : undefined;
  };

  const threadOf = async (mail: ReadMail, verdict: Verdict): Promise<KnownThread | undefined> => {
    if (mail.from === null || verdict === 'forged') return undefined;
    const ticketId = await ticketOf(mail, verdict);
    if (ticketId === undefined) return undefined;
    const thread = await threads.read(ticketId);
    return thread.people.includes(mail.from.address) ? { ...thread, ticketId } : undefined;
  };

  const deliver = async (
    mail: ReadMail,
    raw: RawMail,
    thread: KnownThread | undefined,
    verdict: Verdict,
    files: readonly string[],
  ): Promise<ArriveOutcome> => {
    const { messageId, from, replyTo, subject } = mail;
    const id = `mail:${messageId}`;
    const author = { id: `mail:${from?.address ?? NOBODY}`, displayName: from?.name || (from?.address ?? NOBODY) };
    const said = saidIn(mail.text, subject);
    const text = said === '' && files.length > 0 ? `Attached: ${files.join('; ')}` : said;
    const whole = said === mail.text ? {} : { whole: mail.text };
    if (thread !== undefined) {
      // Who else is written to is no member of the team by that.
      const from = thread.authorId === author.id ? 'asker' : 'other';
      const named = files.length === 0 || said === '' ? text : `${text}\n\nAttached: ${files.join('; ')}`;
      const heard = {
        deliveryId: id,
        threadId: thread.threadId,
        author,
        from,
        text: named,
        ...whole,
        at: clock.now(),
        source: 'mail',
      } as const;
      const outcome = await desk.hear(heard);
      if (outcome.kind !== 'no_ticket') return outcome;
    }
    return desk.arrive({
      deliveryId: id,
      threadId: id,
      how: 'mail',
      author,
      place: null,
      isPrivate,
      address: replyTo === null ? null : { to: replyTo.address, subject: identity.withoutToken(subject), messageId },
      external: null,
      subject: identity.withoutToken(subject),
      text,
      ...whole,
      receivedAt: raw.receivedAt > 0 ? Math.min(raw.receivedAt, clock.now()) : clock.now(),
      fields: {
        sender: verdict === 'verified' ? 'verified' : 'unverified',
        ...(files.length === 0 ? {} : { attachments: files.join('; ') }),
      },
    });
  };

  return {
    take: async (raw) => {
      const mail = await readMail(raw.source);
      const { messageId, from, automatic } = mail;
      if (from?.address === ownAddress || identity.ticketOf(messageId) !== undefined) return 'own';
      if (automatic !== null) {
        logger.info('mail_passed_over', { reason: automatic });
        await hearReport(raw.source);
        return 'automatic';
      }
      // Whoever else sends a mail under that id adds nobody to the ticket, and changes no file of it.
      if ((await threads.ticketOf(messageId)) !== undefined) return 'duplicate';
      const verdict = verdictOf(mail.authentication, authserv);
      const all = raw.cutFiles?.map((file) => ({ ...file, bytes: undefined })) ?? mail.files;
      const files = keepFiles(filesFolder, messageId, all);
      const thread = await threadOf(mail, verdict);
      const outcome = await deliver(mail, raw, thread, verdict, files);
      if (outcome.kind === 'not_a_ticket') return outcome.kind;
      const people = [from, mail.replyTo].flatMap((one) => (one === null ? [] : [one.address]));
      const others = [...people, ...mail.readers].filter((address) => address !== ownAddress);
      await threads.add(thread?.ticketId ?? outcome.ticket.id, outcome.ticket, messageId, others);
      return outcome.kind;
    },
  };
};
