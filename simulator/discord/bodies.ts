import { z } from 'zod';
import { formError } from './api-error.ts';

/** Request bodies, strict: a field that Discord does not document is refused, so that a misspelt one is seen. */

const snowflake = z.string().regex(/^\d{1,20}$/);
const embed = z.record(z.string(), z.unknown());

const allowedMentions = z.strictObject({
  parse: z.array(z.enum(['users', 'roles', 'everyone'])).optional(),
  users: z.array(snowflake).max(100).optional(),
  roles: z.array(snowflake).max(100).optional(),
  replied_user: z.boolean().optional(),
});
export type AllowedMentions = z.infer<typeof allowedMentions>;

// discord.js sends these also where Discord ignores them.
const shared = {
  content: z.string().nullish(),
  embeds: z.array(embed).max(10).nullish(),
  allowed_mentions: allowedMentions.nullish(),
  components: z.array(z.unknown()).max(40).nullish(),
  flags: z.number().int().nullish(),
  attachments: z.array(z.unknown()).max(10).nullish(),
  tts: z.boolean().nullish(),
  nonce: z.union([z.string(), z.number().int()]).nullish(),
  enforce_nonce: z.boolean().nullish(),
  poll: z.unknown().optional(),
};

export const messageBody = z.strictObject({
  ...shared,
  sticker_ids: z.array(snowflake).max(3).nullish(),
  message_reference: z
    .strictObject({
      type: z.number().int().optional(),
      message_id: snowflake,
      channel_id: snowflake.optional(),
      guild_id: snowflake.optional(),
      fail_if_not_exists: z.boolean().optional(),
    })
    .nullish(),
});
export type MessageBody = z.infer<typeof messageBody>;

export const threadFromMessageBody = z.strictObject({
  name: z.string().min(1).max(100),
  auto_archive_duration: z.literal([60, 1440, 4320, 10080]).nullish(),
  rate_limit_per_user: z.number().int().nullish(),
  type: z.number().int().optional(),
});

export const threadBody = z.strictObject({
  ...threadFromMessageBody.shape,
  invitable: z.boolean().optional(),
  message: messageBody.optional(),
  applied_tags: z.array(snowflake).max(5).nullish(),
});

export const callbackBody = z.strictObject({
  type: z.literal([1, 4, 5, 6, 7, 8, 9, 12]),
  data: z
    .strictObject({
      ...shared,
      choices: z
        .array(
          z.strictObject({
            name: z.string().min(1).max(100),
            value: z.union([z.string().max(100), z.number()]),
            name_localizations: z.record(z.string(), z.string()).nullish(),
          }),
        )
        .max(25)
        .optional(),
      custom_id: z.string().min(1).max(100).optional(),
      title: z.string().min(1).max(45).optional(),
    })
    .nullish(),
});
export type CallbackBody = z.infer<typeof callbackBody>;

export const channelPatchBody = z.strictObject({
  archived: z.boolean().optional(),
  locked: z.boolean().optional(),
  name: z.string().min(1).max(100).optional(),
  auto_archive_duration: z.literal([60, 1440, 4320, 10080]).optional(),
  reason: z.string().optional(),
});

export const privateChannelBody = z.strictObject({ recipient_id: snowflake });

export const commandsBody = z
  .array(
    z.strictObject({
      // Those of a menu may hold spaces and capitals.
      name: z.string().min(1).max(32),
      description: z.string().min(1).max(100).optional(),
      name_localizations: z.record(z.string(), z.string()).nullish(),
      description_localizations: z.record(z.string(), z.string()).nullish(),
      type: z.number().int().optional(),
      options: z.array(z.record(z.string(), z.unknown())).max(25).optional(),
      default_member_permissions: z.string().nullish(),
      dm_permission: z.boolean().nullish(),
      contexts: z.array(z.number().int()).optional(),
      integration_types: z.array(z.number().int()).optional(),
      nsfw: z.boolean().optional(),
    }),
  )
  .max(110);
export type CommandsBody = z.infer<typeof commandsBody>;

const CODES: Readonly<Record<string, string>> = {
  too_big: 'BASE_TYPE_MAX_LENGTH',
  too_small: 'BASE_TYPE_BAD_LENGTH',
  unrecognized_keys: 'UNKNOWN_FIELD',
  invalid_value: 'BASE_TYPE_CHOICES',
};

/** Throws 50035 with the path of the first bad field. `report` hears of fields that Discord does not know. */
export const parseBody = <T>(schema: z.ZodType<T>, body: unknown, report: (problem: string) => void): T => {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    const path = [...issue.path, issue.keys[0] ?? ''];
    report(`unknown field ${path.map(String).join('.')}`);
    throw formError(path, 'UNKNOWN_FIELD', 'This field is not documented.');
  }
  throw formError(issue?.path ?? [], CODES[issue?.code ?? ''] ?? 'BASE_TYPE_INVALID', issue?.message ?? 'Invalid value.');
};

const EMBED_LIMITS: readonly (readonly [string, number])[] = [
  ['title', 256],
  ['description', 4096],
];
const MAX_EMBED_SUM = 6000;
const lengthOf = (value: unknown): number => (typeof value === 'string' ? value.length : 0);
const field = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

/** resources/message, "Embed Limits". */
export const checkEmbeds = (embeds: readonly Readonly<Record<string, unknown>>[]): void => {
  let sum = 0;
  const limit = (path: PropertyKey[], value: unknown, max: number): void => {
    const length = lengthOf(value);
    if (length > max) throw formError(path, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`);
    sum += length;
  };
  for (const [index, each] of embeds.entries()) {
    const at = (...path: PropertyKey[]): PropertyKey[] => ['embeds', index, ...path];
    for (const [key, max] of EMBED_LIMITS) limit(at(key), each[key], max);
    limit(at('footer', 'text'), field(each['footer'], 'text'), 2048);
    limit(at('author', 'name'), field(each['author'], 'name'), 256);
    const fields = Array.isArray(each['fields']) ? each['fields'] : [];
    if (fields.length > 25) throw formError(at('fields'), 'BASE_TYPE_MAX_LENGTH', 'Must be 25 or fewer in length.');
    for (const [position, entry] of fields.entries()) {
      limit(at('fields', position, 'name'), field(entry, 'name'), 256);
      limit(at('fields', position, 'value'), field(entry, 'value'), 1024);
    }
  }
  if (sum > MAX_EMBED_SUM) {
    throw formError(['embeds'], 'MAX_EMBED_SIZE_EXCEEDED', `Embed size exceeds maximum size of ${MAX_EMBED_SUM}`);
  }
};
