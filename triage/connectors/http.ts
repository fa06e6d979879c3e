/**
 * The HTTP that all helpdesks have in common: one try a call, within its time, nothing followed; and what an answer means to the sync.
 * What is not known to have failed may have happened.
 */
import type { z } from 'zod';
import { AppError, type ErrorCode } from '../../agent/errors.ts';
import type { JsonValue } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MAX_WORDS = 300;
const NO_BODY = [204, 205, 304];

export interface HelpdeskRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** After the base address, with what it names already encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HelpdeskAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** JSON where it is said to be that, text else; null where there is none. */
  readonly data: unknown;
}

/** Whatever the status. Throws `helpdesk_unavailable` where no answer came, the signal's reason where that ended it. */
export type SendToHelpdesk = (asked: HelpdeskRequest, signal: AbortSignal) => Promise<HelpdeskAnswer>;

const readBytes = async (response: Response): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** `fetch` as the connectors use it: the answer has come whole when it resolves. Throws as `SendToHelpdesk`. */
export const createHelpdeskFetch =
  ({ system, clock }: { readonly system: string; readonly clock: Clock }) =>
  async (url: string, init: RequestInit & { readonly signal: AbortSignal }): Promise<Response> => {
    init.signal.throwIfAborted();
    const late = new AbortController();
    const stopTimer = clock.after(TIMEOUT_MS, () => late.abort(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)));
    try {
      const signal = AbortSignal.any([init.signal, late.signal]);
      const response = await fetch(url, { ...init, redirect: 'manual', signal });
      const { status, headers } = response;
      const body = await readBytes(response);
      return new Response(NO_BODY.includes(status) ? null : new Uint8Array(body), { status, headers });
    } catch (error) {
      init.signal.throwIfAborted();
      const { message, cause } = error as Error;
      const why = cause instanceof Error ? cause.message : message;
      throw new AppError('helpdesk_unavailable', `${system}: expected an answer, got none: ${why}`, { cause: error });
    } finally {
      stopTimer();
    }
  };

export interface HelpdeskAddress {
  readonly system: string;
  /** `https://acme.zendesk.com`. */
  readonly baseUrl: string;
  /** Of every request; they hold the credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

export const createSend = ({ system, baseUrl, headers, clock }: HelpdeskAddress): SendToHelpdesk => {
  const send = createHelpdeskFetch({ system, clock });
  const root = baseUrl.replace(/\/+$/, '');
  return async ({ method, path, query, body, headers: own }, signal) => {
    const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
    const response = await send(`${root}${path}${search}`, {
      method,
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        accept: 'application/json',
        'user-agent': 'threadwise',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
        ...own,
      },
    });
    const text = await response.text();
    const isJson = /^application\/(?:[\w.+-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '');
    try {
      return {
        status: response.status,
        headers: response.headers,
        data: isJson && text !== '' ? JSON.parse(text) : text || null,
      };
    } catch (cause) {
      throw new AppError('helpdesk_unavailable', `${system}: expected JSON, got something else`, { cause });
    }
  };
};

/** `Retry-After` in seconds, or as a date, which counts from the answer's own. https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
export const retryAfterOf = (headers: Headers): number | undefined => {
  const text = headers.get('retry-after')?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.parse(headers.get('date') ?? '');
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
};

export interface HelpdeskRefusal {
  readonly code: ErrorCode;
  readonly retryAfterMs?: number | undefined;
}

const refusalOf = ({ status, headers }: HelpdeskAnswer): HelpdeskRefusal => {
  // A redirection is not followed: it leads to a login, or to where the helpdesk is now. An administrator can correct the address.
  if (status === 401 || status === 403 || (status >= 300 && status < 400)) return { code: 'helpdesk_auth' };
  if (status === 429) return { code: 'helpdesk_rate_limited', retryAfterMs: retryAfterOf(headers) };
  if (status === 409 || status === 412) return { code: 'helpdesk_moved' };
  if (status >= 400 && status < 500 && status !== 408) return { code: 'helpdesk_rejected' };
  return { code: 'helpdesk_unavailable', retryAfterMs: retryAfterOf(headers) };
};

export interface HelpdeskHttpOptions {
  readonly system: string;
  readonly send: SendToHelpdesk;
  /** What an answer that refuses says, for people. */
  readonly wordsOf: (data: unknown) => string | undefined;
  /** Where this helpdesk means something else by a status than others do. */
  readonly refusalOf?: (answer: HelpdeskAnswer) => HelpdeskRefusal | undefined;
}

export interface HelpdeskHttp {
  /**
   * The data of a good answer; of any other throws as `Connector` says, by the status, and `helpdesk_unavailable` where what came has
   * not the form.
   */
  read<Data>(asked: HelpdeskRequest, answer: HelpdeskAnswer, form: z.ZodType<Data>): Data;
  /** Sends, and reads the answer. */
  ask<Data>(asked: HelpdeskRequest, form: z.ZodType<Data>, signal: AbortSignal): Promise<Data>;
  /** The same; undefined where the helpdesk says that there is no such thing. */
  find<Data>(asked: HelpdeskRequest, form: z.ZodType<Data>, signal: AbortSignal): Promise<Data | undefined>;
}

export const createHelpdeskHttp = (options: HelpdeskHttpOptions): HelpdeskHttp => {
  const { system, send, wordsOf } = options;

  const read = <Data>({ method, path }: HelpdeskRequest, answer: HelpdeskAnswer, form: z.ZodType<Data>): Data => {
    const it = `${system} answered HTTP ${answer.status} to ${method} ${path}`;
    if (answer.status < 200 || answer.status >= 300) {
      const { code, retryAfterMs } = options.refusalOf?.(answer) ?? refusalOf(answer);
      const words = wordsOf(answer.data)?.replace(/\s+/g, ' ').slice(0, MAX_WORDS);
      throw new AppError(code, words ? `${it}: ${words}` : it, retryAfterMs === undefined ? {} : { retryAfterMs });
    }
    const { success, data, error } = form.safeParse(answer.data);
    if (success) return data;
    const where = error.issues.map(({ path: at, message }) => `${at.join('.') || 'the whole'}: ${message}`).join('; ');
    throw new AppError('helpdesk_unavailable', `${it}, and not in the expected form: ${where.slice(0, MAX_WORDS)}`);
  };

  return {
    read,
    ask: async (asked, form, signal) => read(asked, await send(asked, signal), form),
    find: async (asked, form, signal) => {
      const answer = await send(asked, signal);
      return answer.status === 404 || answer.status === 410 ? undefined : read(asked, answer, form);
    },
  };
};
