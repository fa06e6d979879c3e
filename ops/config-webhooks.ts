/** `triage.webhooks`: the helpdesks and forms that send tickets, each with its secret. */
import { z } from 'zod';
import { type McpSource, resolveReference } from './config-mcp.ts';
import { settingMeta } from './config-setting.ts';
import { Secret } from './secret.ts';

const NAME = /^[a-z][a-z0-9-]{0,39}$/u;
const SENDERS = ['generic', 'github', 'zendesk', 'freshdesk', 'zammad', 'chatwoot', 'jira', 'linear'] as const;

const pointer = z.string().regex(/^(?:\/[^/]*)+$/u, 'expected a JSON pointer such as /ticket/id');
const pointers = z.preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(pointer));

const webhook = z.strictObject({
  from: z.enum(SENDERS).default('generic'),
  /** `${NAME}`: the variable of that name, or the file that NAME_FILE names. */
  secret: z.string().regex(/^\$\{[A-Z][A-Z0-9_]*\}$/u, 'expected a variable such as ${SUPPORT_WEBHOOK_SECRET}'),
  mapping: z
    .strictObject({
      ticket: pointers.optional(),
      message: pointers.optional(),
      subject: pointers.optional(),
      text: pointers.optional(),
      author: pointers.optional(),
      authorName: pointers.optional(),
      url: pointers.optional(),
      fields: z.record(z.string(), pointer).optional(),
      only: z.record(pointer, z.array(z.string())).optional(),
    })
    .default({}),
});

/** Checked by `readWebhooks`. */
export const webhooks = z
  .record(z.string().regex(NAME), z.unknown())
  .default({})
  .register(settingMeta, {
    does: 'Webhooks by name, each under `/webhooks/NAME` of the web server: who sends it, its secret, and where another payload keeps what a ticket needs (docs/triage.md).',
    expected: `a map of names to from (${SENDERS.join(', ')}), secret and mapping`,
    example: '{ acme: { from: zendesk, secret: "${ZENDESK_WEBHOOK_SECRET}" } }',
    env: [],
  });

const MIN_SECRET_CHARS = 16;

export interface WebhookConfig {
  readonly name: string;
  readonly from: (typeof SENDERS)[number];
  readonly secret: Secret;
  /** Undefined parts are the sender's own. */
  readonly mapping: z.output<typeof webhook>['mapping'];
}

/** Each problem goes to `report` as one line. */
export const readWebhooks = (
  raw: z.output<typeof webhooks>,
  source: McpSource,
  report: (problem: string) => void,
): readonly WebhookConfig[] =>
  Object.entries(raw).flatMap(([name, given]): readonly WebhookConfig[] => {
    const parsed = webhook.safeParse(given);
    if (!parsed.success) {
      for (const { path, message } of parsed.error.issues)
        report(`triage.webhooks.${[name, ...path].join('.')}: ${message.replace(/^Invalid input: /u, '')}; see docs/triage.md`);
      return [];
    }
    const { from, secret, mapping } = parsed.data;
    const value = resolveReference(secret, source, (problem) => report(`triage.webhooks.${name}.secret: ${problem}`));
    if (value !== '' && value.length < MIN_SECRET_CHARS)
      report(`triage.webhooks.${name}.secret: expected at least ${MIN_SECRET_CHARS} characters, got ${value.length}`);
    return [{ name, from, secret: new Secret(value), mapping }];
  });
