/** Answers to who wrote a mail: in its thread, in plain text, known again by their Message-ID. */
import { AppError, hasCode } from '../../agent/errors.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { SendMail } from '../../agent/ports/mail-sender.ts';
import type { BoardMessage, TicketBoard } from '../../agent/ports/ticket-board.ts';
import { languageOf } from '../../agent/texts.ts';
import { sanitiseAnswer } from '../egress.ts';
import { withSources } from '../egress-sources.ts';
import { toTerminalText } from '../markdown-terminal.ts';
import { LOOP_HEADER } from './automatic.ts';
import type { MailIdentity } from './identity.ts';
import { type MailboxServer, openMailbox } from './mailbox.ts';
import type { MailThreads } from './threads.ts';

export interface MailBoardOptions {
  /** The mailbox's own address: answers to what is sent come there. */
  readonly address: string;
  /** With the folder in which the mail server keeps what is sent through it; undefined where it keeps nothing. */
  readonly sent: MailboxServer | undefined;
  readonly identity: () => Promise<MailIdentity>;
  readonly threads: MailThreads;
  readonly send: SendMail;
  readonly clock: Clock;
}

/** To one address, of what nobody of the team wrote: another machine may be answering there. */
const MAX_AN_HOUR = 20;
const HOUR_MS = 3_600_000;
const MAX_ADDRESSES = 10_000;

/** https://www.rfc-editor.org/rfc/rfc3834 and https://learn.microsoft.com/openspecs/exchange_server_protocols/ms-oxcmail */
const BY_ITSELF = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

const textOf = (message: Exclude<BoardMessage, { kind: 'card' }>): string => {
  if (message.kind === 'note') return message.text;
  const { text, citations } = message;
  const answer = sanitiseAnswer({ text, citations, answered: true, stopReason: 'answered', allowedLinks: [], fallback: false });
  return toTerminalText(withSources(answer, { language: languageOf(text), withQuotes: true }), { colour: false, width: 0 });
};

export const createMailBoard = ({ address: from, sent, identity, threads, send, clock }: MailBoardOptions): TicketBoard => {
  const sentAt = new Map<string, readonly number[]>();

  const brake = (to: string): void => {
    const now = clock.now();
    const recent = (sentAt.get(to) ?? []).filter((at) => now - at < HOUR_MS);
    if (recent.length >= MAX_AN_HOUR) {
      const told = `${MAX_AN_HOUR} mails went to one address within an hour: a machine may be answering there`;
      throw new AppError('channel_unavailable', told, { retryAfterMs: HOUR_MS - (now - (recent[0] ?? now)) });
    }
    if (sentAt.size > MAX_ADDRESSES) sentAt.clear();
    sentAt.set(to, [...recent, now]);
  };

  return {
    channel: 'mail',
    post: async (target, message, key) => {
      const { to, subject = '', messageId: first } = target.kind === 'thread' ? target.address : {};
      if (to === undefined || message.kind === 'card')
        throw new AppError('channel_rejected', 'expected words for who wrote a mail, got something else');
      const { ticketId } = message;
      const isByPerson = message.kind === 'note' && message.byPerson === true;
      if (!isByPerson) brake(to);
      const { messageIdOf, subjectOf } = await identity();
      const { messageIds } = await threads.read(ticketId);
      const references = messageIds.length === 0 && first !== undefined ? [first] : messageIds;
      const messageId = messageIdOf(ticketId, key);
      await send({
        from,
        to,
        subject: subjectOf(ticketId, subject),
        text: textOf(message),
        messageId,
        inReplyTo: references.at(-1) ?? null,
        references,
        headers: message.kind === 'note' && !isByPerson ? { ...BY_ITSELF, [LOOP_HEADER]: from } : {},
      });
      return { messageId };
    },
    find: async (_target, key) => {
      if (sent === undefined)
        throw new AppError(
          'channel_unknown',
          'the mail server did not say that it took the mail, and keeps no copies (triage.mail.sent)',
        );
      try {
        const mailbox = await openMailbox(sent);
        try {
          return (await mailbox.holds(`.${key}.`)) ? { key } : undefined;
        } finally {
          mailbox.close();
        }
      } catch (error) {
        if (!hasCode(error, 'channel_auth')) throw error;
        throw new AppError('channel_unknown', `the copies cannot be looked through: ${error.message}`, { cause: error });
      }
    },
    // What was sent by mail stands as it was sent.
    update: async () => {},
  };
};
