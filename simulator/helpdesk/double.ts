/**
 * What the doubles of helpdesks have in common: an HTTP server on loopback that takes what its routes name and nothing else, a world of
 * plain data, and the faults that real ones have.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { z } from 'zod';
import type { JsonObject, JsonValue } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';

export interface DoubleCall {
  readonly method: string;
  /** `/tickets/{id}`. */
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** What the route's form made of it; undefined where it takes none. */
  readonly body: unknown;
}

export interface DoubleAnswer {
  readonly status: number;
  /** JSON. */
  readonly body?: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface DoubleRoute<World> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Parameters that it takes. */
  readonly query?: readonly string[];
  /** Strict: what it does not name is a violation. */
  readonly body?: z.ZodType;
  /** Throws what `refuse` makes, and has changed nothing then. */
  run(world: World, call: DoubleCall): DoubleAnswer;
}

class Refusal extends Error {
  readonly answer: DoubleAnswer;
  readonly isViolation: boolean;

  constructor(answer: DoubleAnswer, isViolation: boolean) {
    super(JSON.stringify(answer.body));
    this.answer = answer;
    this.isViolation = isViolation;
  }
}

/** An answer that says no, as the real one does in the ordinary course of things. */
export const refuse = (status: number, body: JsonValue, headers: Readonly<Record<string, string>> = {}): Refusal =>
  new Refusal({ status, body, headers }, false);

/** The same, of what no client should have asked: it is recorded. */
export const violation = (status: number, body: JsonValue): Refusal => new Refusal({ status, body }, true);

export type DoubleFault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: JsonValue;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The work is done all the same, and HTTP 500 is answered. */
  | { readonly kind: 'failed_after' }
  /** The connection is cut: before anything is done, or after. */
  | { readonly kind: 'cut'; readonly when: 'before' | 'after' }
  /** Done, and never answered. */
  | { readonly kind: 'silent' }
  /** HTTP 200 with a page instead of data, as proxies send it. */
  | { readonly kind: 'html' }
  /** What was before the last change is read. */
  | { readonly kind: 'stale' }
  /** The first list in the answer is turned round, with one row twice. */
  | { readonly kind: 'disorder' };

export interface PlannedDoubleFault {
  readonly fault: DoubleFault;
  /** `writes`: every method but GET. */
  readonly only?: 'reads' | 'writes';
  /** The route, as it is written there; left out: every one. */
  readonly path?: string;
  /** How many calls it hits: 1 unless told. */
  readonly times?: number;
  /** How many it lets pass first. */
  readonly after?: number;
}

export interface DoubleRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonValue | undefined;
  /** 0 where none was answered. */
  status: number;
}

export interface Double<World> {
  readonly url: string;
  readonly world: World;
  readonly requests: readonly DoubleRequest[];
  /** Everything that no client of the real one may send. Empty in a good run. */
  readonly violations: readonly string[];
  /** As somebody over there does it. */
  change<T>(work: (world: World) => T): T;
  fail(fault: PlannedDoubleFault): void;
  clearFaults(): void;
  close(): Promise<void>;
}

export interface DoubleOptions<World> {
  readonly clock: Clock;
  /** Plain data, that can be copied. */
  readonly world: World;
  readonly routes: readonly DoubleRoute<World>[];
  /** Credentials, versions and the like, before anything else. Throws what `refuse` or `violation` makes. */
  check(call: Pick<DoubleCall, 'method' | 'headers'>, world: World): void;
  /** The form of its errors. */
  errorBody(status: number, message: string): JsonValue;
  /** Of every answer. */
  headers?(): Readonly<Record<string, string>>;
}

/** What people do over there, alike in every double, so that one test runs on all. Ids are theirs. */
export interface HelpdeskPeople {
  /** A customer's; returns the ticket's id. */
  open(subject: string, text: string, over?: { readonly isPrivate?: boolean }): string;
  set(id: string, over: { readonly status?: 'open' | 'waiting' | 'solved' | 'closed'; readonly assignee?: string | null }): void;
  /** Returns the comment's id. */
  say(id: string, text: string, over?: { readonly by?: 'requester' | 'agent' | 'other'; readonly isSeen?: boolean }): string;
  remove(id: string): void;
  /** Two who can be assigned. */
  readonly agents: readonly [string, string];
}

const MAX_BODY_BYTES = 25_000_000;

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) throw new Error('the body is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const compile = <World>(route: DoubleRoute<World>) => {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const pattern = route.path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '([^/]+?)');
  return { route, names, pattern: new RegExp(`^${pattern}$`) };
};

const disordered = (body: JsonValue | undefined): JsonValue | undefined => {
  const turn = (rows: readonly JsonValue[]): JsonValue => [...rows, ...rows.slice(0, 1)].toReversed();
  if (Array.isArray(body)) return turn(body as readonly JsonValue[]);
  const [name, rows] = Object.entries((body ?? {}) as JsonObject).find(([, value]) => Array.isArray(value)) ?? [];
  if (name === undefined) return body;
  return { ...(body as JsonObject), [name]: turn(rows as unknown as readonly JsonValue[]) };
};

export const createDouble = async <World extends object>(options: DoubleOptions<World>): Promise<Double<World>> => {
  const { clock, world, errorBody } = options;
  const routes = options.routes.map(compile);
  const requests: DoubleRequest[] = [];
  const violations: string[] = [];
  let past = structuredClone(world);
  let plan: { readonly planned: PlannedDoubleFault; left: number; skip: number }[] = [];

  const remember = (): void => {
    past = structuredClone(world);
  };

  const takeFault = (method: string, route: string): DoubleFault | undefined => {
    for (const entry of plan) {
      const { planned } = entry;
      const kind = method === 'GET' ? 'reads' : 'writes';
      if (entry.left <= 0 || (planned.only ?? kind) !== kind || (planned.path ?? route) !== route) continue;
      if (entry.skip > 0) entry.skip -= 1;
      else {
        entry.left -= 1;
        return planned.fault;
      }
    }
    return undefined;
  };

  const wrong = (status: number, message: string): Refusal => violation(status, errorBody(status, message));

  const readCall = (request: IncomingMessage, url: URL, text: string) => {
    const method = request.method ?? '';
    const found = routes.find(({ route, pattern }) => route.method === method && pattern.test(url.pathname));
    if (found === undefined) throw wrong(404, 'no such route');
    const { route, names, pattern } = found;
    const values = pattern.exec(url.pathname)?.slice(1) ?? [];
    const params = Object.fromEntries(names.map((name, n) => [name, decodeURIComponent(values[n] ?? '')]));
    const query = Object.fromEntries(url.searchParams);
    const unknown = Object.keys(query).filter((name) => !(route.query ?? []).includes(name));
    if (unknown.length > 0) throw wrong(400, `unknown parameters ${unknown.join(', ')}`);
    if (route.body === undefined && text !== '') throw wrong(400, 'a body where none is taken');
    let body: unknown;
    if (route.body !== undefined) {
      if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) throw wrong(415, 'expected JSON');
      let json: unknown;
      try {
        json = JSON.parse(text);
      } catch {
        throw wrong(400, 'the body is no JSON');
      }
      const parsed = route.body.safeParse(json);
      if (!parsed.success)
        throw wrong(422, parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
      body = parsed.data;
    }
    return { route, call: { method, route: route.path, params, query, headers: request.headers, body } };
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readBody(request);
    const url = new URL(request.url ?? '/', 'http://double');
    const method = request.method ?? '';
    let seen: JsonValue | undefined;
    try {
      seen = text === '' ? undefined : (JSON.parse(text) as JsonValue);
    } catch {
      seen = text;
    }
    const entry: DoubleRequest = { method, url: request.url ?? '/', headers: request.headers, body: seen, status: 0 };
    requests.push(entry);
    const send = ({ status, body, headers }: DoubleAnswer, type = 'application/json; charset=utf-8'): void => {
      entry.status = status;
      const date = new Date(clock.now()).toUTCString();
      response.writeHead(status, {
        date,
        ...options.headers?.(),
        ...headers,
        ...(body === undefined ? {} : { 'content-type': type }),
      });
      response.end(body === undefined ? undefined : type === 'text/html' ? String(body) : JSON.stringify(body));
    };
    /** The answer, whatever it is. */
    const answer = (work: () => DoubleAnswer): DoubleAnswer => {
      try {
        return work();
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.isViolation) violations.push(`${method} ${request.url}: ${error.message}`);
        return error.answer;
      }
    };
    let made: ReturnType<typeof readCall> | undefined;
    const early = answer(() => {
      options.check({ method, headers: request.headers }, world);
      made = readCall(request, url, text);
      return { status: 0 };
    });
    if (made === undefined) return send(early);
    const { route, call } = made;
    const run = (from: World): DoubleAnswer =>
      answer(() => {
        if (method !== 'GET') remember();
        return route.run(from, call);
      });
    const fault = takeFault(method, route.path);
    switch (fault?.kind) {
      case undefined:
        return send(run(world));
      case 'status':
        return send({ body: errorBody(fault.status, 'planned'), ...fault });
      case 'failed_after':
        run(world);
        return send({ status: 500, body: errorBody(500, 'planned') });
      case 'cut':
        if (fault.when === 'after') run(world);
        response.destroy();
        return;
      case 'silent':
        run(world);
        return;
      case 'html':
        return send({ status: 200, body: '<!DOCTYPE html><title>Please wait</title>' }, 'text/html');
      case 'stale':
        return send(run(method === 'GET' ? past : world));
      case 'disorder': {
        const { body, ...others } = run(world);
        const turned = disordered(body);
        return send({ ...others, ...(turned === undefined ? {} : { body: turned }) });
      }
    }
  };

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      violations.push(`the double failed: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    world,
    requests,
    violations,
    change: (work) => {
      remember();
      return work(world);
    },
    fail: (planned) => void plan.push({ planned, left: planned.times ?? 1, skip: planned.after ?? 0 }),
    clearFaults: () => {
      plan = [];
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
};
