/** `triage.mail`: the mailbox whose mails are tickets. */
import { z } from 'zod';
import type { MailConfig } from './config-mail.ts';
import { choice, flag, number, secret, settingMeta } from './config-setting.ts';
import type { Secret } from './secret.ts';

const ADDRESS = /^[^\s@<>,;"]+@[a-z0-9.-]+\.[a-z]{2,}$/iu;
const HOST = /^[\w.:-]+$/u;

const text = (pattern: RegExp, expected: string, example: string, env: string, does: string) =>
  z
    .string()
    .regex(pattern)
    .optional()
    .register(settingMeta, { does, expected, example, env: [env] });

export const mailInSettings = z
  .strictObject({
    host: text(
      HOST,
      'a host name or an IP address',
      'imap.example.com',
      'THREADWISE_TRIAGE_MAIL_HOST',
      'The IMAP server of a mailbox whose mails are tickets (docs/triage.md). Answers leave by `tools.mail`. Not set: none are.',
    ),
    port: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .register(settingMeta, {
        does: 'Its port.',
        expected: 'a port from 1 to 65535',
        example: '993',
        env: ['THREADWISE_TRIAGE_MAIL_PORT'],
        defaultText: '993 with `security: tls`, 143 otherwise',
      }),
    security: choice(
      ['tls', 'starttls', 'none'],
      'tls',
      'THREADWISE_TRIAGE_MAIL_SECURITY',
      'How the connection is secured: `tls` from the start, `starttls` on a plain port, or `none` for a server on this machine.',
    ),
    user: text(
      /^[^\r\n]{1,254}$/u,
      'a name',
      'support@example.com',
      'THREADWISE_TRIAGE_MAIL_USER',
      'The name to log in with. Required with `host`.',
    ),
    password: secret(
      /^[^\r\n]{4,}$/u,
      'at least 4 characters',
      'your-password',
      'THREADWISE_TRIAGE_MAIL_PASSWORD',
      'Its password. Required with `host`.',
    ),
    folder: z
      .string()
      .min(1)
      .max(200)
      .default('INBOX')
      .register(settingMeta, {
        does: 'The folder that is read. Nothing in it is marked, moved or deleted.',
        expected: 'the name of a folder',
        example: 'Support',
        env: ['THREADWISE_TRIAGE_MAIL_FOLDER'],
      }),
    sent: text(
      /^[^\r\n]{1,200}$/u,
      'the name of a folder',
      'Sent',
      'THREADWISE_TRIAGE_MAIL_SENT',
      'The folder in which the mail server itself keeps what is sent through it. An answer whose sending broke off is looked for there; without it nobody knows, and the ticket says so.',
    ),
    address: text(
      ADDRESS,
      'a mail address',
      'support@example.com',
      'THREADWISE_TRIAGE_MAIL_ADDRESS',
      'The address of the mailbox: answers are from it. Needed where `user` is no address.',
    ),
    authserv: text(
      HOST,
      'the name at the beginning of the header',
      'mx.example.com',
      'THREADWISE_TRIAGE_MAIL_AUTHSERV',
      'The server whose `Authentication-Results` are believed, the one that takes in mails for this mailbox. Not set: every sender is only what the mail claims.',
    ),
    private: flag(true, 'THREADWISE_TRIAGE_MAIL_PRIVATE', 'Mails make private tickets.'),
    pollSeconds: number(
      5,
      240,
      60,
      'THREADWISE_TRIAGE_MAIL_POLL_SECONDS',
      'How often the server is asked for news beside its own word (IDLE), in seconds.',
    ),
    firstDays: number(
      0,
      3_650,
      1,
      'THREADWISE_TRIAGE_MAIL_FIRST_DAYS',
      'At the very first start, mails of so many days before are taken in as well.',
    ),
  })
  .prefault({});

export interface MailInConfig {
  readonly host: string;
  readonly port: number;
  readonly security: 'tls' | 'starttls' | 'none';
  readonly user: string;
  readonly password: Secret;
  readonly folder: string;
  readonly sent: string | undefined;
  /** In lower case. */
  readonly address: string;
  readonly authserv: string | undefined;
  readonly private: boolean;
  readonly pollSeconds: number;
  readonly firstDays: number;
}

/** Undefined where no server is set. */
export const checkMailIn = (
  { host, port, user, password, address, sent, authserv, ...rest }: z.output<typeof mailInSettings>,
  sender: MailConfig | undefined,
  report: (problem: string) => void,
): MailInConfig | undefined => {
  if (host === undefined) {
    if (user !== undefined || password !== undefined || address !== undefined)
      report(
        'triage.mail.host (THREADWISE_TRIAGE_MAIL_HOST): expected a server beside the other settings of the mailbox, got none; for example triage: { mail: { host: imap.example.com } }',
      );
    return undefined;
  }
  if (user === undefined || password === undefined)
    report(
      'triage.mail.user and triage.mail.password (THREADWISE_TRIAGE_MAIL_PASSWORD): expected both beside host, got one or none; for example triage: { mail: { user: support@example.com } }',
    );
  if (sender === undefined)
    report(
      'tools.mail.host (THREADWISE_MAIL_HOST): expected a server that answers to mails leave by, got none; for example tools: { mail: { host: smtp.example.com, from: support@example.com } }',
    );
  const own = address ?? (user !== undefined && ADDRESS.test(user) ? user : undefined);
  if (own === undefined && user !== undefined)
    report(
      'triage.mail.address (THREADWISE_TRIAGE_MAIL_ADDRESS): expected the address of the mailbox where user is none, got none; for example triage: { mail: { address: support@example.com } }',
    );
  if (user === undefined || password === undefined || own === undefined) return undefined;
  return {
    ...rest,
    sent,
    authserv,
    host,
    port: port ?? (rest.security === 'tls' ? 993 : 143),
    user,
    password,
    address: own.toLowerCase(),
  };
};
