/** Discord's answers that say no: the status, the JSON code and, for a bad form, the path of the field. */

/** From the developer documentation, topics/opcodes-and-status-codes. */
const MESSAGES = {
  0: [404, '404: Not Found'],
  10003: [404, 'Unknown Channel'],
  10004: [404, 'Unknown Guild'],
  10007: [404, 'Unknown Member'],
  10008: [404, 'Unknown Message'],
  10013: [404, 'Unknown User'],
  10015: [404, 'Unknown Webhook'],
  10062: [404, 'Unknown interaction'],
  20016: [429, 'This action cannot be performed due to slowmode rate limit'],
  30046: [429, 'Maximum number of edits to messages older than 1 hour reached. Try again later'],
  40060: [400, 'Interaction has already been acknowledged.'],
  50001: [403, 'Missing Access'],
  50005: [403, 'Cannot edit a message authored by another user'],
  50006: [400, 'Cannot send an empty message'],
  50007: [403, 'Cannot send messages to this user'],
  50008: [400, 'Cannot send messages in a non-text channel'],
  50013: [403, 'Missing Permissions'],
  50024: [400, 'Cannot execute action on this channel type'],
  50027: [401, 'Invalid Webhook Token'],
  50083: [400, 'Thread is archived'],
  160002: [400, 'Cannot reply without permission to read message history'],
  160004: [400, 'A thread has already been created for this message'],
  160005: [403, 'Thread is locked'],
  160006: [400, 'Maximum number of active threads reached'],
  200000: [400, 'Message was blocked by automatic moderation'],
} as const satisfies Record<number, readonly [number, string]>;

export type ErrorNumber = keyof typeof MESSAGES;

export class ApiError extends Error {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(`${status} ${JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
  }
}

export const apiError = (code: ErrorNumber, more: Readonly<Record<string, unknown>> = {}): ApiError => {
  const [status, message] = MESSAGES[code];
  return new ApiError(status, { message, code, ...(status === 429 ? { retry_after: 60, global: false } : {}), ...more });
};

export const unauthorized = (): ApiError => new ApiError(401, { message: '401: Unauthorized', code: 0 });

/** 50035 with the field's path, as `{"errors":{"embeds":{"0":{"title":{"_errors":[…]}}}}}`. */
export const formError = (path: readonly PropertyKey[], code: string, message: string): ApiError => {
  let errors: Record<string, unknown> = { _errors: [{ code, message }] };
  for (const key of path.toReversed()) errors = { [String(key)]: errors };
  return new ApiError(400, { message: 'Invalid Form Body', code: 50035, errors });
};
