/** `tools.mail`: the server that mails are sent by, and to whom they may go. */
import { z } from 'zod';
import { choice, ids, number, secret, settingMeta } from './config-setting.ts';
import type { Secret } from './secret.ts';

const ADDRESS = /^[^\s@<>,;"]+@[a-z0-9.-]+\.[a-z]{2,}$/iu;
const ADDRESS_OR_DOMAIN = /^(?:[^\s@<>,;"]+@)?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/iu;

const address = (env: string, example: string, does: string) =>
  z
    .string()
    .regex(ADDRESS)
    .optional()
    .register(settingMeta, { does, expected: 'a mail address', example, env: [env] });

export const mailSettings = z
  .strictObject({
    host: z
      .string()
      .regex(/^[\w.:-]+$/u)
      .optional()
      .register(settingMeta, {
        does: 'The SMTP server that `send_email` hands mails to. Not set: there is no such tool.',
        expected: 'a host name or an IP address',
        example: 'smtp.example.com',
        env: ['THREADWISE_MAIL_HOST'],
      }),
    port: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .register(settingMeta, {
        does: 'Its port.',
        expected: 'a port from 1 to 65535',
        example: '587',
        env: ['THREADWISE_MAIL_PORT'],
        defaultText: '465 with `security: tls`, 587 otherwise',
      }),
    security: choice(
      ['starttls', 'tls', 'none'],
      'starttls',
      'THREADWISE_MAIL_SECURITY',
      'How the connection is secured: `starttls` on a plain port, `tls` from the start, or `none` without a login.',
    ),
    user: z
      .string()
      .min(1)
      .max(254)
      .optional()
      .register(settingMeta, {
        does: 'The name to log in with. Not set: no login.',
        expected: 'a name',
        example: 'assistant@example.com',
        env: ['THREADWISE_MAIL_USER'],
      }),
    password: secret(/^[^\r\n]{4,}$/u, 'at least 4 characters', 'your-password', 'THREADWISE_MAIL_PASSWORD', 'Its password.'),
    from: address('THREADWISE_MAIL_FROM', 'assistant@example.com', 'The sender of all mails. Required with `host`.'),
    replyTo: address('THREADWISE_MAIL_REPLY_TO', 'helpdesk@example.com', 'Where answers go, if not to the sender.'),
    allow: ids(
      ADDRESS_OR_DOMAIN,
      'mail addresses and domains',
      '[example.com, ops@partner.example]',
      ['THREADWISE_MAIL_ALLOW'],
      'Whom `send_email` may write to: addresses, and domains whose every address is meant. Required with `host`, unless that only serves `triage.mail`.',
    ),
    maxRecipients: number(1, 50, 5, 'THREADWISE_MAIL_MAX_RECIPIENTS', 'Recipients of one mail at most.'),
  })
  .prefault({});

export interface MailConfig {
  readonly host: string;
  readonly port: number;
  readonly security: 'starttls' | 'tls' | 'none';
  readonly login: { readonly user: string; readonly password: Secret } | undefined;
  readonly from: string;
  readonly replyTo: string | undefined;
  /** In lower case. */
  readonly allow: readonly string[];
  readonly maxRecipients: number;
}

/** Undefined where no server is set. */
export const checkMail = (
  { host, port, security, user, password, from, replyTo, allow, maxRecipients }: z.output<typeof mailSettings>,
  /** Answers to mails go to whoever wrote them: without `allow`, they alone are sent. */
  answersMails: boolean,
  report: (problem: string) => void,
): MailConfig | undefined => {
  if (host === undefined) {
    if (user !== undefined || password !== undefined || from !== undefined || allow.length > 0)
      report(
        'tools.mail.host (THREADWISE_MAIL_HOST): expected a server beside the other settings of mail, got none; for example tools: { mail: { host: smtp.example.com } }',
      );
    return undefined;
  }
  if (from === undefined)
    report(
      'tools.mail.from (THREADWISE_MAIL_FROM): expected the sender of mails, got none; for example tools: { mail: { from: assistant@example.com } }',
    );
  if (allow.length === 0 && !answersMails)
    report(
      'tools.mail.allow (THREADWISE_MAIL_ALLOW): expected addresses and domains that may be written to, got none; for example tools: { mail: { allow: [example.com] } }',
    );
  if ((user === undefined) !== (password === undefined))
    report(
      'tools.mail.password (THREADWISE_MAIL_PASSWORD): expected a user and a password, got one of them; for example THREADWISE_MAIL_PASSWORD=your-password',
    );
  if (security === 'none' && user !== undefined)
    report(
      'tools.mail.security (THREADWISE_MAIL_SECURITY): expected starttls or tls with a login, got none; for example tools: { mail: { security: starttls } }',
    );
  return {
    host,
    port: port ?? (security === 'tls' ? 465 : 587),
    security,
    login: user === undefined || password === undefined ? undefined : { user, password },
    from: from ?? '',
    replyTo,
    allow: allow.map((entry) => entry.toLowerCase()),
    maxRecipients,
  };
};
