/**
 * One mail over one SMTP connection. What is told of a failure turns on one thing: whether the server had begun to take the mail. Before
 * that nothing was sent; after that, without the server's word, nobody knows.
 */
import { Readable } from 'node:stream';
import SMTPConnection, { type SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection';
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import { untilAborted } from '../agent/until-aborted.ts';
import { cleanOutsideText } from './outside-text.ts';

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `tls` from the first byte, `starttls` before anything that matters, `none` for servers on this machine or network. */
  readonly security: 'starttls' | 'tls' | 'none';
  readonly login: { readonly user: string; readonly password: { reveal(): string } } | undefined;
}

export interface Envelope {
  readonly from: string;
  readonly to: readonly string[];
}

export interface Delivery {
  readonly accepted: readonly string[];
  /** Each with what the server said of it. */
  readonly rejected: readonly { readonly address: string; readonly reason: string }[];
}

const CONNECT_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 20_000;
const GOOD_BYE_MS = 1_000;
const MAX_REASON_CHARS = 300;

interface SmtpFailure extends Error {
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly command?: string | undefined;
}

/** What the server itself said, where it said something. */
const wordsOf = ({ response = '' }: SmtpFailure): string => cleanOutsideText(response.replaceAll(/\s+/gu, ' '), MAX_REASON_CHARS);

/** What was refused where the command was one of these; before them there was no session to send in. */
const MAIL_COMMANDS: ReadonlySet<string> = new Set(['MAIL FROM', 'RCPT TO', 'DATA']);

const errorOf = (failure: SmtpFailure, hasBegun: boolean): AppError => {
  const { responseCode = 0, command = '' } = failure;
  const options = { cause: failure };
  const words = wordsOf(failure);
  const said = words === '' ? '' : ` The mail server said: ${words}`;
  if (command.startsWith('AUTH')) {
    const told = `Nothing was sent: our login was refused, an administrator has to correct it.${said}`;
    return new AppError('tool_unavailable', told, options);
  }
  if (responseCode >= 400 && (hasBegun || MAIL_COMMANDS.has(command))) {
    return responseCode >= 500
      ? new AppError('tool_refused', `Nothing was sent: the mail was refused.${said}`, options)
      : new AppError('tool_unavailable', `Nothing was sent: the mail was put off, it may be sent again later.${said}`, options);
  }
  if (hasBegun) {
    const told =
      'The mail was handed over, and the server did not say that it took it. Whether it was sent is not known: do not send it again, and tell the asker.';
    return new AppError('tool_interrupted', told, options);
  }
  const told = `Nothing was sent: no connection to the mail server could be made as configured.${said}`;
  return new AppError('tool_unavailable', told, options);
};

/** One thing asked of a connection. Rejects as soon as the connection fails or the signal aborts. */
const ask = <Value>(
  connection: SMTPConnection,
  signal: AbortSignal,
  begin: (done: (error?: Error | null, value?: Value) => void) => void,
): Promise<Value | undefined> => {
  const asked = Promise.withResolvers<Value | undefined>();
  connection.on('error', asked.reject);
  begin((error, value) => (error == null ? asked.resolve(value) : asked.reject(error)));
  return untilAborted(asked.promise, signal);
};

/** Connected and logged in. Throws `AppError`, or the signal's reason. */
const connect = async (server: SmtpServer, signal: AbortSignal): Promise<SMTPConnection> => {
  const { host, port, security, login } = server;
  const connection = new SMTPConnection({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: ANSWER_TIMEOUT_MS,
    socketCloseTimeout: 0,
  });
  try {
    await ask(connection, signal, (done) => connection.connect(done));
    if (login !== undefined) {
      const auth = { user: login.user, credentials: { user: login.user, pass: login.password.reveal() } };
      await ask(connection, signal, (done) => connection.login(auth, done));
    }
    return connection;
  } catch (error) {
    connection.close();
    signal.throwIfAborted();
    throw errorOf(error as SmtpFailure, false);
  }
};

/** Nobody waits for the server's good-bye, and a server that says none is left. */
const leave = (connection: SMTPConnection, clock: Clock): void => {
  connection.once(
    'end',
    clock.after(GOOD_BYE_MS, () => connection.close()),
  );
  connection.quit();
};

/** Whether the server takes our connection and our login. Throws as `sendOverSmtp` does. */
export const checkSmtp = async (server: SmtpServer, clock: Clock, signal: AbortSignal): Promise<void> =>
  leave(await connect(server, signal), clock);

/** Throws `AppError`, whose code says whether the mail can have been sent, or the signal's reason. */
export const sendOverSmtp = async (
  server: SmtpServer,
  { from, to }: Envelope,
  message: Buffer,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Delivery> => {
  const connection = await connect(server, signal);
  let hasBegun = false;
  // It is read when the server has taken all that comes before it, and not earlier.
  const content = new Readable({
    read() {
      hasBegun = true;
      this.push(message);
      this.push(null);
    },
  });
  try {
    const sent = await ask<SMTPConnectionSendInfo>(connection, signal, (done) =>
      connection.send({ from, to: [...to], size: message.length }, content, done),
    );
    leave(connection, clock);
    return {
      accepted: sent?.accepted ?? [],
      rejected: (sent?.rejectedErrors ?? []).map((error) => ({ address: String(error.recipient), reason: wordsOf(error) })),
    };
  } catch (error) {
    connection.close();
    signal.throwIfAborted();
    throw errorOf(error as SmtpFailure, hasBegun);
  }
};
