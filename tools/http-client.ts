/**
 * One service: its host alone is asked, at addresses of the kinds that are allowed; nothing is followed, unpacked or kept. An answer is
 * read up to its limit, and what it means is told: a refusal is no outage, and what a write has done may be unknown.
 */
import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent, type Dispatcher, request } from 'undici';
import { AppError } from '../agent/errors.ts';
import type { JsonValue } from '../agent/json.ts';
import type { ToolEffect } from '../agent/ports/tool.ts';
import { type AddressKind, kindOfAddress } from './http-address.ts';
import type { HttpMethod } from './http-operation.ts';

export const MAX_ANSWER_BYTES = 256 * 1024;
const USER_AGENT = 'threadwise';
const CONNECTIONS = 8;

export interface HttpRequest {
  readonly method: HttpMethod;
  /** With the query, encoded. */
  readonly path: string;
  /** JSON. */
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  /** Null where there is none, or none that can be read of a write that went through. */
  readonly data: JsonValue;
  readonly note?: string;
}

export interface HttpClient {
  /** Throws `AppError` by the table of failures, or what the connection threw. Never asks twice. */
  send(asked: HttpRequest, effect: ToolEffect, signal: AbortSignal): Promise<HttpAnswer>;
  /** The status with which the service answers when nothing is asked of it, whatever that is. No secret goes with it. */
  reach(signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/** Every address of a name. */
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

export interface ServiceAddress {
  readonly service: string;
  readonly baseUrl: string;
  readonly addresses: readonly AddressKind[];
  /** Of every request; they may hold secrets. */
  readonly headers: Readonly<Record<string, { reveal(): string }>>;
  readonly query: Readonly<Record<string, { reveal(): string }>>;
}

const refusedAddress = (service: string, addresses: readonly AddressKind[]): AppError =>
  new AppError(
    'tool_refused',
    `The host of the service ${service} has no address of a kind that it may have (${addresses.join(', ')}), so it was not asked. An administrator can mend this; do not try again.`,
  );

/** Connects to what was checked: a name that resolves to something else a moment later is not asked again. */
const createAgent = ({ service, addresses, baseUrl }: ServiceAddress, lookup: Lookup): Agent => {
  const isAllowed = (address: string): boolean => {
    const kind = kindOfAddress(address);
    return kind !== undefined && addresses.includes(kind);
  };
  const findAllowed = async (name: string): Promise<readonly [LookupAddress, ...LookupAddress[]]> => {
    const [first, ...others] = (await lookup(name)).filter((found) => isAllowed(found.address));
    if (first === undefined) throw refusedAddress(service, addresses);
    return [first, ...others];
  };
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  return new Agent({
    connections: CONNECTIONS,
    pipelining: 1,
    // Sockets do not look up what is an address already.
    ...(isIP(host) > 0 && !isAllowed(host)
      ? {
          connect: (_options: unknown, done: (error: Error, socket: null) => void) =>
            done(refusedAddress(service, addresses), null),
        }
      : {
          connect: {
            lookup: (name, options, done) => {
              const answer = async (): Promise<void> => {
                const allowed = await findAllowed(name).catch((error: unknown) =>
                  error instanceof Error ? error : new Error(String(error)),
                );
                if (allowed instanceof Error) done(allowed, '', 0);
                else if (options.all === true) done(null, [...allowed]);
                else done(null, allowed[0].address, allowed[0].family);
              };
              void answer();
            },
          },
        }),
  });
};

/** `Retry-After` in seconds, or as a date, which counts from the answer's own. */
const retryAfterOf = (headers: Dispatcher.ResponseData['headers']): { readonly retryAfterMs?: number } => {
  const text = String(headers['retry-after'] ?? '').trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.parse(String(headers['date'] ?? ''));
  return Number.isFinite(ms) && ms > 0 ? { retryAfterMs: ms } : {};
};

/** Throws for a status that is not the service's word on what was asked. */
const checkStatus = (service: string, { statusCode: status, headers }: Dispatcher.ResponseData): void => {
  const it = `The service ${service} answered HTTP ${status}`;
  if (status === 404 || status === 410) throw new AppError('tool_not_found', `${it}: it does not have what was asked for.`);
  if (status === 401 || status === 403)
    throw new AppError('tool_refused', `${it}: it does not let the assistant do this. An administrator can mend it.`);
  if (status === 429) throw new AppError('tool_rate_limited', `${it}.`, retryAfterOf(headers));
  if (status === 408) throw new AppError('tool_timeout', `${it}: it gave up waiting. This is no evidence that it is down.`);
  if (status >= 502 && status <= 504) throw new AppError('tool_network', `${it}.`, retryAfterOf(headers));
  if (status >= 500 || status < 200) throw new AppError('tool_failed', `${it}.`);
};

const readBytes = async (body: Dispatcher.ResponseData['body'], announced: number): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = announced > MAX_ANSWER_BYTES ? announced : 0;
  if (bytes === 0) {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      if (bytes > MAX_ANSWER_BYTES) break;
      chunks.push(chunk);
    }
  }
  body.on('error', () => {}).destroy();
  return bytes > MAX_ANSWER_BYTES ? undefined : Buffer.concat(chunks);
};

/** A number with more digits than ours can hold, an id mostly, keeps them as text. */
const wholeNumbers = (_key: string, value: unknown, ...[context]: readonly [{ readonly source?: string }?]): unknown =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '') ? context?.source : value;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/;

type Content =
  | { readonly data: JsonValue }
  | { readonly fault: string; readonly code: 'tool_too_large' | 'tool_network' | 'tool_failed' };

const readContent = async (
  { headers, body }: Dispatcher.ResponseData,
  redact: (text: string) => string,
  signal: AbortSignal,
): Promise<Content> => {
  const [type = '', ...more] = String(headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  let bytes: Buffer | undefined;
  try {
    bytes = await readBytes(body, Number(headers['content-length'] ?? 0));
  } catch {
    signal.throwIfAborted();
    return { fault: 'it broke off', code: 'tool_network' };
  }
  if (bytes === undefined) return { fault: `it is longer than ${MAX_ANSWER_BYTES / 1024} KB`, code: 'tool_too_large' };
  if (bytes.byteLength === 0) return { data: null };
  if (encoding !== 'identity') return { fault: 'it is packed, which was not asked for', code: 'tool_failed' };
  const isJson = JSON_TYPE.test(type);
  if (!isJson && !/^text\/(?!html$)[\w.+-]+$/.test(type))
    return { fault: 'it is neither JSON nor plain text', code: 'tool_failed' };
  const charset = more
    .find((part) => part.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  let text: string;
  try {
    text = redact(new TextDecoder(charset ?? 'utf-8').decode(bytes));
    return { data: isJson ? (JSON.parse(text, wholeNumbers) as JsonValue) : text };
  } catch {
    return { fault: 'it is broken', code: 'tool_failed' };
  }
};

/** `redact` takes the service's secrets out of a text; a service may echo them. */
export const createHttpClient = (
  address: ServiceAddress,
  {
    redact,
    lookup = async (host) => await systemLookup(host, { all: true }),
  }: { readonly redact: (text: string) => string; readonly lookup?: Lookup | undefined },
): HttpClient => {
  const { service, baseUrl } = address;
  const dispatcher = createAgent(address, lookup);
  const { origin } = new URL(baseUrl);
  const urlOf = (path: string): URL => {
    const url = new URL(`${origin}${path}`);
    for (const [name, value] of Object.entries(address.query)) url.searchParams.set(name, value.reveal());
    return url;
  };
  const send: HttpClient['send'] = async ({ method, path, body }, effect, signal) => {
    const response = await request(urlOf(path), {
      dispatcher,
      method,
      signal,
      // A connection is used once: none is found broken after the request has left, which makes clients send it again.
      reset: true,
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(body === undefined ? {} : { body }),
      headers: {
        accept: 'application/json, text/plain;q=0.5',
        'accept-encoding': 'identity',
        'user-agent': USER_AGENT,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...Object.fromEntries(Object.entries(address.headers).map(([name, value]) => [name, value.reveal()])),
      },
    });
    const { statusCode: status } = response;
    const drop = (): void => void response.body.on('error', () => {}).destroy();
    try {
      checkStatus(service, response);
    } catch (error) {
      drop();
      throw error;
    }
    if (status >= 300 && status < 400) {
      drop();
      if (effect === 'write') return { status, data: null, note: 'The service took it, and refers to another place for more.' };
      throw new AppError(
        'tool_refused',
        `The service ${service} answered HTTP ${status}, which refers to another place; that is not followed. An administrator can correct the address.`,
      );
    }
    const content = await readContent(response, redact, signal);
    if ('data' in content) return { status, data: content.data };
    if (status >= 400) return { status, data: null };
    // It was done, whatever the answer looks like.
    if (effect === 'write')
      return { status, data: null, note: `The service did it. Its answer cannot be read: ${content.fault}.` };
    const advice = content.code === 'tool_too_large' ? ' Ask for less of it.' : '';
    throw new AppError(content.code, `The answer of the service ${service} cannot be used: ${content.fault}.${advice}`);
  };
  const reach: HttpClient['reach'] = async (signal) => {
    const { statusCode, body } = await request(baseUrl, {
      dispatcher,
      method: 'HEAD',
      signal,
      reset: true,
      headers: { 'user-agent': USER_AGENT },
    });
    body.on('error', () => {}).destroy();
    return statusCode;
  };
  return { send, reach, close: async () => await dispatcher.destroy() };
};
