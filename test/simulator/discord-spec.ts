import type { Validate } from '../../simulator/discord.ts';

/** Discord's published specification as a check of every request and every answer. */

interface Schema {
  safeParse(value: unknown): {
    readonly success: boolean;
    readonly data?: unknown;
    readonly error?: { readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] };
  };
}
// The package has no types for its schemas.
const schemas = (await import(import.meta.resolve('discord-api-spec/zod'))) as Readonly<Record<string, Schema>>;
const spec = (name: string): Schema => {
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`Discord's specification has no ${name}.`);
  return schema;
};
type Contract = { readonly request?: readonly Schema[]; readonly response?: readonly Schema[] };

/** Alternatives in order; the first that fits counts. */
const CONTRACTS: Readonly<Record<string, Contract>> = {
  'GET /gateway/bot': { response: [spec('GatewayBotResponseSchema')] },
  'GET /gateway': { response: [spec('GatewayResponseSchema')] },
  'GET /users/@me': { response: [spec('UserPIIResponseSchema')] },
  'GET /applications/@me': { response: [spec('PrivateApplicationResponseSchema')] },
  'GET /guilds/{guild_id}/members/{user_id}': { response: [spec('GuildMemberResponseSchema')] },
  'GET /channels/{channel_id}': {
    response: [spec('GuildChannelResponseSchema'), spec('PrivateChannelResponseSchema'), spec('ThreadResponseSchema')],
  },
  'PATCH /channels/{channel_id}': {
    request: [spec('UpdateThreadRequestPartialSchema')],
    response: [spec('ThreadResponseSchema')],
  },
  'POST /users/@me/channels': {
    request: [spec('CreatePrivateChannelRequestSchema')],
    response: [spec('PrivateChannelResponseSchema')],
  },
  'POST /channels/{channel_id}/messages': {
    request: [spec('MessageCreateRequestSchema')],
    response: [spec('MessageResponseSchema')],
  },
  'GET /channels/{channel_id}/messages/{message_id}': { response: [spec('MessageResponseSchema')] },
  'PATCH /channels/{channel_id}/messages/{message_id}': {
    request: [spec('MessageEditRequestPartialSchema')],
    response: [spec('MessageResponseSchema')],
  },
  'POST /channels/{channel_id}/messages/{message_id}/threads': {
    request: [spec('CreateTextThreadWithMessageRequestSchema')],
    response: [spec('ThreadResponseSchema')],
  },
  'POST /channels/{channel_id}/threads': {
    request: [spec('CreateForumThreadRequestSchema'), spec('CreateTextThreadWithoutMessageRequestSchema')],
    response: [spec('CreatedThreadResponseSchema')],
  },
  'POST /interactions/{interaction_id}/{interaction_token}/callback': {
    request: [
      spec('CreateMessageInteractionCallbackRequestSchema'),
      spec('UpdateMessageInteractionCallbackRequestSchema'),
      spec('ApplicationCommandAutocompleteCallbackRequestSchema'),
      spec('ModalInteractionCallbackRequestSchema'),
    ],
    response: [spec('InteractionCallbackResponseSchema')],
  },
  'POST /webhooks/{webhook_id}/{webhook_token}': {
    request: [spec('IncomingWebhookInteractionRequestSchema')],
    response: [spec('MessageResponseSchema')],
  },
  'GET /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}': { response: [spec('MessageResponseSchema')] },
  'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}': {
    request: [spec('IncomingWebhookUpdateRequestPartialSchema')],
    response: [spec('MessageResponseSchema')],
  },
};
/** Lists, which the specification has as arrays of a named schema. */
const LISTS: Readonly<Record<string, Contract>> = {
  'GET /channels/{channel_id}/messages': { response: [spec('MessageResponseSchema')] },
  'GET /applications/{application_id}/commands': { response: [spec('ApplicationCommandResponseSchema')] },
  'GET /applications/{application_id}/guilds/{guild_id}/commands': { response: [spec('ApplicationCommandResponseSchema')] },
  'PUT /applications/{application_id}/commands': {
    request: [spec('ApplicationCommandUpdateRequestSchema')],
    response: [spec('ApplicationCommandResponseSchema')],
  },
  'PUT /applications/{application_id}/guilds/{guild_id}/commands': {
    request: [spec('ApplicationCommandUpdateRequestSchema')],
    response: [spec('ApplicationCommandResponseSchema')],
  },
};

/** What the answer has and the specification does not: it keeps only the fields that it knows. */
const unknownFields = (given: unknown, kept: unknown, path: string): string[] => {
  if (Array.isArray(given) && Array.isArray(kept)) {
    return given.flatMap((each, index) => unknownFields(each, kept[index], `${path}[${index}]`));
  }
  if (typeof given !== 'object' || given === null || typeof kept !== 'object' || kept === null) return [];
  return Object.entries(given).flatMap(([key, value]) =>
    key in kept ? unknownFields(value, Reflect.get(kept, key), `${path}.${key}`) : [`unknown field ${path}.${key}`],
  );
};

/** Fields that the documentation has and the specification lacks. */
const DOCUMENTED_ONLY: ReadonlySet<string> = new Set(['POST /channels/{channel_id}/threads: unknown field body.message']);

const checkOne = (alternatives: readonly Schema[], body: unknown, isStrict: boolean): readonly string[] => {
  let problems: readonly string[] = [];
  for (const schema of alternatives) {
    const result = schema.safeParse(body);
    if (result.success) {
      const unknown = isStrict ? unknownFields(body, result.data, 'body') : [];
      if (unknown.length === 0) return [];
      if (problems.length === 0) problems = unknown;
    } else if (problems.length === 0) {
      problems = (result.error?.issues ?? []).slice(0, 3).map((issue) => `${issue.path.map(String).join('.')}: ${issue.message}`);
    }
  }
  return problems;
};

export const validateDiscord: Validate = ({ direction, method, path, status, body }) => {
  if (body === undefined) return [];
  if (direction === 'response' && status !== null && status >= 400) {
    if (status >= 500) return [];
    // The specification wants numbers as the codes inside `errors`; Discord sends words, as its documentation shows.
    return checkOne([spec(status === 429 ? 'RatelimitedResponseSchema' : 'ErrorSchema')], body, false);
  }
  const name = `${method} ${path}`;
  const contract = CONTRACTS[name]?.[direction];
  // discord.js itself sends fields that the specification lacks (`tts` in an edit): requests are checked for what it has.
  if (contract !== undefined) {
    const problems = checkOne(contract, body, direction === 'response');
    return problems.filter((problem) => !DOCUMENTED_ONLY.has(`${name}: ${problem}`));
  }
  const list = LISTS[name]?.[direction];
  if (list === undefined) return [`no contract for ${direction} ${name}`];
  if (!Array.isArray(body)) return ['a list was expected'];
  return body.flatMap((each) => checkOne(list, each, direction === 'response'));
};
