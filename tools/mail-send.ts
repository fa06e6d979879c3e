/** A mail that the product itself sends, to one person. Who may be written to is settled by whoever sends it. */
import MailComposer from 'nodemailer/lib/mail-composer';
import { AppError, hasCode } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { SendMail } from '../agent/ports/mail-sender.ts';
import { type SmtpServer, sendOverSmtp } from './mail-smtp.ts';

const TIMEOUT_MS = 60_000;
/** The server did not take it: the soonest that it is asked again. */
const RETRY_MS = 5_000;

export const createMailSender =
  (server: SmtpServer, { clock }: { readonly clock: Clock }): SendMail =>
  async ({ from, to, subject, text, messageId, inReplyTo, references, headers }) => {
    const message = await new MailComposer({
      from,
      to,
      subject,
      text,
      messageId,
      ...(inReplyTo === null ? {} : { inReplyTo }),
      ...(references.length === 0 ? {} : { references: [...references] }),
      date: new Date(clock.now()),
      headers: { ...headers },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
      .compile()
      .build();
    const limit = new AbortController();
    const cancel = clock.after(TIMEOUT_MS, () =>
      limit.abort(new AppError('channel_unavailable', `the mail server did not answer within ${TIMEOUT_MS / 1_000} seconds`)),
    );
    try {
      const { rejected } = await sendOverSmtp(server, { from, to: [to] }, message, { clock, signal: limit.signal });
      const [first] = rejected;
      if (first !== undefined) throw new AppError('channel_rejected', `the mail server refused the address: ${first.reason}`);
    } catch (cause) {
      if (hasCode(cause, 'tool_refused')) throw new AppError('channel_rejected', cause.message, { cause });
      if (hasCode(cause, 'tool_unavailable'))
        throw new AppError('channel_unavailable', cause.message, { cause, retryAfterMs: RETRY_MS });
      if (hasCode(cause, 'tool_interrupted')) throw new AppError('channel_unavailable', cause.message, { cause });
      throw cause;
    } finally {
      cancel();
    }
  };
