/** The Web API over HTTP: token, scope, limit, fault, arguments, work, in the order in which Slack answers. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import type { JsonObject, JsonValue } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import { isJsonObject } from './blocks.ts';
import type { FaultPlan, SlackFault } from './faults.ts';
import type { RateLimits } from './limits.ts';
import { asText, type Method, readArguments, SlackApiError } from './method.ts';

/** One call as it arrived and how it was answered. */
export interface ApiCall {
  readonly method: string;
  readonly args: JsonObject;
  readonly at: number;
  /** `ok`, Slack's error code, `http_<status>` or `dropped`. */
  outcome: string;
}

export interface WebApiOptions {
  readonly clock: Clock;
  readonly methods: Readonly<Record<string, Method>>;
  readonly limits: RateLimits | undefined;
  readonly faults: FaultPlan;
  readonly tokens: { readonly bot: string; readonly app: string };
  readonly scopes: ReadonlySet<string>;
}

export interface WebApi {
  readonly calls: readonly ApiCall[];
  handle(methodName: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
}

export const readBytes = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

export const readBody = async (request: IncomingMessage): Promise<string> => (await readBytes(request)).toString('utf8');

const readFields = (contentType: string, body: string): Readonly<Record<string, JsonValue>> => {
  if (contentType.startsWith('application/json')) {
    const parsed: unknown = JSON.parse(body);
    return isJsonObject(parsed as JsonValue) ? (parsed as JsonObject) : {};
  }
  const fields: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(parseForm(body)))
    fields[name] = Array.isArray(value) ? (value[0] ?? '') : (value ?? '');
  return fields;
};

const sendJson = (response: ServerResponse, status: number, body: JsonObject, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
};

export const createWebApi = ({ clock, methods, limits, faults, tokens, scopes }: WebApiOptions): WebApi => {
  const calls: ApiCall[] = [];

  const authorize = (name: string, method: Method, token: string, fields: Readonly<Record<string, JsonValue>>): void => {
    if (token === '') throw new SlackApiError('not_authed');
    if (token !== tokens.bot && token !== tokens.app) throw new SlackApiError('invalid_auth');
    const wantsAppToken = name === 'apps.connections.open';
    if ((token === tokens.app) !== wantsAppToken) throw new SlackApiError('not_allowed_token_type');
    const scope = typeof method.scope === 'function' ? method.scope(fields) : method.scope;
    if (wantsAppToken || scope === undefined || scopes.has(scope)) return;
    throw new SlackApiError('missing_scope', { needed: scope, provided: [...scopes].join(',') });
  };

  const run = async (name: string, token: string, fields: Readonly<Record<string, JsonValue>>): Promise<JsonObject> => {
    const method = methods[name];
    if (method === undefined) throw new SlackApiError('unknown_method', { req_method: name });
    authorize(name, method, token, fields);
    return await method.run(readArguments(method, fields));
  };

  const answer = async (name: string, token: string, fields: Readonly<Record<string, JsonValue>>): Promise<JsonObject> => {
    try {
      return { ok: true, ...(await run(name, token, fields)) };
    } catch (error) {
      if (!(error instanceof SlackApiError)) throw error;
      return { ok: false, error: error.code, ...error.details };
    }
  };

  const fail = async (
    fault: SlackFault,
    call: ApiCall,
    response: ServerResponse,
    apply: () => Promise<JsonObject>,
  ): Promise<void> => {
    switch (fault.kind) {
      case 'error':
        call.outcome = fault.error;
        return sendJson(
          response,
          200,
          { ok: false, error: fault.error },
          fault.retryAfterS === undefined ? {} : { 'retry-after': String(fault.retryAfterS) },
        );
      case 'status': {
        if (fault.applied === true) await apply();
        call.outcome = `http_${fault.status}`;
        return sendJson(
          response,
          fault.status,
          { ok: false, error: fault.status === 429 ? 'ratelimited' : 'internal_error' },
          fault.retryAfterS === undefined ? {} : { 'retry-after': String(fault.retryAfterS) },
        );
      }
      case 'drop':
        if (fault.applied) await apply();
        call.outcome = 'dropped';
        response.destroy();
        return;
      case 'html':
        call.outcome = 'html';
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end('<!DOCTYPE html><title>Slack</title>');
        return;
      case 'slow': {
        await clock.sleep(fault.ms);
        const body = await apply();
        call.outcome = body['ok'] === true ? 'ok' : asText(body['error']);
        return sendJson(response, 200, body);
      }
    }
  };

  return {
    calls,
    handle: async (name, request, response) => {
      if (request.method !== 'POST') return sendJson(response, 405, { ok: false, error: 'method_not_allowed' });
      const fields = readFields(request.headers['content-type'] ?? '', await readBody(request));
      const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
      const { token: formToken, ...args } = fields;
      const token = bearer ?? asText(formToken);
      const call: ApiCall = { method: name, args, at: clock.now(), outcome: 'pending' };
      calls.push(call);
      const fault = faults.next(name);
      if (fault !== undefined) return await fail(fault, call, response, () => answer(name, token, args));
      const waitS = limits?.take(name, asText(args['channel']) || undefined);
      if (waitS !== undefined) {
        call.outcome = 'http_429';
        return sendJson(response, 429, { ok: false, error: 'ratelimited' }, { 'retry-after': String(waitS) });
      }
      const body = await answer(name, token, args);
      call.outcome = body['ok'] === true ? 'ok' : asText(body['error']);
      sendJson(response, 200, body);
    },
  };
};
