/** `send_email`: a plain text to addresses that the configuration allows, once a person has agreed to it as it stands. */
import { createHash, randomUUID } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import { z } from 'zod';
import type { Clock } from '../agent/ports/clock.ts';
import type { Tool } from '../agent/ports/tool.ts';
import { type SmtpServer, sendOverSmtp } from './mail-smtp.ts';

export interface MailSettings extends SmtpServer {
  readonly from: string;
  readonly replyTo: string | undefined;
  /** Addresses, and domains whose every address is meant. */
  readonly allow: readonly string[];
  readonly maxRecipients: number;
}

const MAX_SUBJECT_CHARS = 200;
const MAX_TEXT_CHARS = 10_000;
const TIMEOUT_MS = 30_000;
/** A line break in a header would begin another header. */
const NO_CONTROLS = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;
const TEXT_CONTROLS = /^(?:[\n\t]|[^\p{Cc}])*$/u;

const isAllowed = (address: string, allow: readonly string[]): boolean => {
  const lower = address.toLowerCase();
  return allow.some((entry) => (entry.includes('@') ? lower === entry : lower.endsWith(`@${entry}`)));
};

const parametersOf = ({ allow, maxRecipients }: MailSettings) => {
  const allowed = `expected an address of ${allow.join(', ')}`;
  const recipient = z
    .email('expected a mail address such as ops@example.com')
    .max(254)
    .refine((address) => isAllowed(address, allow), allowed);
  return z.strictObject({
    to: z
      .array(recipient)
      .min(1)
      .max(maxRecipients)
      .describe(`Who gets it. Allowed: ${allow.join(', ')}.`),
    subject: z.string().trim().min(1).max(MAX_SUBJECT_CHARS).regex(NO_CONTROLS, 'expected one line of text'),
    text: z
      .string()
      .min(1)
      .max(MAX_TEXT_CHARS)
      .transform((text) => text.replaceAll(/\r\n?/gu, '\n'))
      .refine((text) => TEXT_CONTROLS.test(text), 'expected text without control characters')
      .describe('Plain text, sent as it is: no HTML, no Markdown, no attachments.'),
  });
};

/** The same for one call in all its lives, so that a copy can be known as one. */
const messageIdOf = (callKey: string, from: string): string => {
  const hash = createHash('sha256').update(callKey).digest('hex').slice(0, 32);
  return `<${hash}@${from.slice(from.lastIndexOf('@') + 1)}>`;
};

export const createSendEmail = (
  settings: MailSettings,
  { clock }: { readonly clock: Clock },
): Tool<z.output<ReturnType<typeof parametersOf>>> => {
  const { from, replyTo } = settings;
  return {
    name: 'send_email',
    description:
      'Sends one mail in plain text. Use it only when someone asks for a mail; send each mail once. A person sees it first and must agree.',
    parameters: parametersOf(settings),
    effect: 'write',
    timeoutMs: TIMEOUT_MS,
    describeCall: ({ to, subject }) =>
      `Sends a mail from ${from} to ${to.join(', ')}${replyTo === undefined ? '' : `, answers go to ${replyTo}`}: ${subject}`,
    run: async ({ to, subject, text }, { signal, callKey = randomUUID() }) => {
      const messageId = messageIdOf(callKey, from);
      const message = await new MailComposer({
        from,
        to,
        ...(replyTo === undefined ? {} : { replyTo }),
        subject,
        text,
        messageId,
        date: new Date(clock.now()),
        // https://www.rfc-editor.org/rfc/rfc3834: no answering machine answers it.
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      })
        .compile()
        .build();
      const { accepted, rejected } = await sendOverSmtp(settings, { from, to }, message, { clock, signal });
      return { sent_to: [...accepted], not_sent_to: rejected.map((one) => ({ ...one })), message_id: messageId };
    },
  };
};
