/** The form of a Web API method: which arguments it takes, which scope it wants, what it does. */
import type { JsonObject, JsonValue } from '../../agent/json.ts';

type ArgumentKind = 'string' | 'json' | 'boolean' | 'number';

export interface MethodArguments {
  readonly [name: string]: JsonValue | undefined;
}

export interface Method {
  /** The bot's scope, or `connections:write` for the app-level token. Undefined: any valid token. */
  readonly scope?: string | ((args: MethodArguments) => string | undefined);
  readonly required?: Readonly<Record<string, ArgumentKind>>;
  readonly optional?: Readonly<Record<string, ArgumentKind>>;
  readonly run: (args: MethodArguments) => JsonObject | Promise<JsonObject>;
}

/** `ok: false` with a code of Slack's and what else the answer carries. */
export class SlackApiError extends Error {
  readonly code: string;
  readonly details: JsonObject;

  constructor(code: string, details: JsonObject = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

/** What the client's libraries add to any call. */
const COMMON = { token: 'string', team_id: 'string' } as const satisfies Record<string, ArgumentKind>;

const parseArgument = (name: string, kind: ArgumentKind, raw: JsonValue): JsonValue => {
  const refuse = (): never => {
    throw new SlackApiError('invalid_arguments', { response_metadata: { messages: [`[ERROR] ${name} must be a ${kind}`] } });
  };
  if (kind === 'string') return typeof raw === 'string' ? raw : refuse();
  if (typeof raw !== 'string') return raw;
  if (kind === 'number') return raw !== '' && Number.isFinite(Number(raw)) ? Number(raw) : refuse();
  if (kind === 'boolean') return ['true', '1'].includes(raw) ? true : ['false', '0'].includes(raw) ? false : refuse();
  try {
    return JSON.parse(raw) as JsonValue;
  } catch {
    return refuse();
  }
};

/** Checks and reads the arguments; an unknown one is an error, so that a test sees a misspelt field. */
export const readArguments = (method: Method, raw: Readonly<Record<string, JsonValue>>): MethodArguments => {
  const kinds: Readonly<Record<string, ArgumentKind>> = { ...COMMON, ...method.required, ...method.optional };
  const args: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(raw)) {
    const kind = kinds[name];
    if (kind === undefined) {
      throw new SlackApiError('invalid_arguments', { response_metadata: { messages: [`[ERROR] unknown argument ${name}`] } });
    }
    args[name] = parseArgument(name, kind, value);
  }
  for (const name of Object.keys(method.required ?? {})) {
    if (args[name] === undefined || args[name] === '') {
      throw new SlackApiError('invalid_arguments', {
        response_metadata: { messages: [`[ERROR] missing required field: ${name}`] },
      });
    }
  }
  return args;
};

export const asText = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
