import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../agent/ports/clock.ts';
import { ApiError, apiError, unauthorized } from './discord/api-error.ts';
import { readForm } from './discord/attachments.ts';
import { createDriver, type DiscordDriver } from './discord/driver.ts';
import { createSimEvents } from './discord/events.ts';
import { createFaults, type Fault, type FaultKind } from './discord/faults.ts';
import { createSimGateway, INTENT, type SimGateway } from './discord/gateway.ts';
import { renderMessages } from './discord/html.ts';
import { createInteractions } from './discord/interactions.ts';
import { createMessages } from './discord/messages.ts';
import { createRateLimits } from './discord/rate-limits.ts';
import { createRoutes, type Route, type RouteAnswer } from './discord/routes.ts';
import { createThreads } from './discord/threads.ts';
import { createWorld, type SimMessage, type World } from './discord/world.ts';

/** A Discord on loopback: REST version 10 and a gateway, for the unmodified discord.js. */

/** One request or answer, for whoever holds Discord's specification. Returns what is wrong with it. */
export type Validate = (exchange: {
  readonly direction: 'request' | 'response';
  readonly method: string;
  /** As the specification writes it: `/channels/{channel_id}/messages`. */
  readonly path: string;
  readonly status: number | null;
  readonly body: unknown;
}) => readonly string[];

export interface DiscordSimulatorOptions {
  readonly clock: Clock;
  /** Rate limits on or off. */
  readonly limits: boolean;
  readonly token?: string;
  /** The Message Content intent as the developer portal has it. On unless set. */
  readonly messageContent?: boolean;
  readonly heartbeatIntervalMs?: number;
  readonly port?: number;
  readonly validate?: Validate;
  /** How many invalid requests in 10 minutes are too many. Discord's number unless set. */
  readonly invalidRequestLimit?: number;
}

export interface SimRequest {
  readonly method: string;
  /** `/channels/:/messages`. */
  readonly route: string;
  readonly url: string;
  readonly body: unknown;
  readonly status: number;
  readonly at: number;
}

export interface DiscordSimulator extends DiscordDriver {
  /** What discord.js takes as `rest.api`. */
  readonly apiUrl: string;
  readonly token: string;
  readonly applicationId: string;
  readonly botId: string;
  readonly gateway: SimGateway;
  /** Everything that the real Discord would not have taken, or that breaks its specification. Empty in a good run. */
  readonly violations: readonly string[];
  readonly requests: readonly SimRequest[];
  readonly typing: readonly string[];
  /** How many requests the rate limits refused. */
  readonly refusals: number;
  fail(fault: Fault): void;
  clearFaults(): void;
  /** Resolves when `check` returns something; looks again after every request and event. Rejects after `timeoutMs`. */
  waitFor<T>(check: () => T | undefined | false, timeoutMs?: number): Promise<T>;
  /** Calls `listener` after every request and event. Returns what ends it. */
  onChange(listener: () => void): () => void;
  renderThreadHtml(channelId: string, viewerId?: string): string;
  world(): World;
  close(): Promise<void>;
}

const POLL_MS = 20;
const MAX_BODY_BYTES = 25_000_000;
const GATEWAY_MESSAGE_CONTENT_LIMITED = 1 << 19;

interface CompiledRoute extends Route {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly short: string;
}

const compile = (route: Route): CompiledRoute => {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  return {
    ...route,
    names,
    pattern: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
    short: route.path.replaceAll(/\{\w+\}/g, ':'),
  };
};

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_BODY_BYTES) throw new ApiError(413, { message: 'Request entity too large', code: 40005 });
    pieces.push(piece);
  }
  if (size === 0) return undefined;
  const contentType = request.headers['content-type'] ?? '';
  if (contentType.startsWith('multipart/form-data')) return await readForm(contentType, Buffer.concat(pieces));
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    throw new ApiError(400, { message: 'The request body contains invalid JSON.', code: 50109 });
  }
};

const reply = (response: ServerResponse, answer: RouteAnswer, headers: Readonly<Record<string, string>> = {}): void => {
  if (answer.body === undefined) {
    response.writeHead(answer.status, headers);
    response.end();
    return;
  }
  response.writeHead(answer.status, { ...headers, 'content-type': 'application/json' });
  response.end(JSON.stringify(answer.body));
};

export const createDiscordSimulator = async (options: DiscordSimulatorOptions): Promise<DiscordSimulator> => {
  const { clock, validate } = options;
  const token = options.token ?? 'simulated-discord-token';
  const hasContent = options.messageContent ?? true;
  const world = createWorld(clock);
  const violations: string[] = [];
  const report = (problem: string): void => void violations.push(problem);
  const requests: SimRequest[] = [];
  const typing: string[] = [];
  const watchers = new Set<() => void>();
  const changed = (): void => {
    for (const watcher of watchers) watcher();
  };
  const faults = createFaults();
  const limits = createRateLimits(clock, options.limits, options.invalidRequestLimit);

  const http = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      report(`the simulator failed: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = http.address() as AddressInfo;
  const gatewayUrl = (): string => `ws://127.0.0.1:${port}`;
  const simGateway = createSimGateway({
    world,
    token,
    url: gatewayUrl,
    heartbeatIntervalMs: options.heartbeatIntervalMs ?? 41_250,
    allowedPrivileged: hasContent ? INTENT.messageContent : 0,
    report,
  });
  const gateway: SimGateway = Object.defineProperties(
    {
      ...simGateway,
      dispatch(event: string, audience: Parameters<SimGateway['dispatch']>[1]) {
        simGateway.dispatch(event, audience);
        changed();
      },
    },
    {
      connections: { get: () => simGateway.connections },
      identifies: { get: () => simGateway.identifies },
      resumes: { get: () => simGateway.resumes },
    },
  );
  http.on('upgrade', (request, socket, head) => gateway.handleUpgrade(request, socket, head));

  const events = createSimEvents(world, gateway);
  const messages = createMessages(world, events);
  const threads = createThreads(world, events, messages);
  const interactions = createInteractions(world, events, messages);
  const routes = createRoutes({
    world,
    gateway,
    gatewayUrl,
    events,
    messages,
    threads,
    interactions,
    applicationFlags: hasContent ? GATEWAY_MESSAGE_CONTENT_LIMITED : 0,
    onTyping: (channelId) => typing.push(channelId),
    report,
  }).map(compile);
  const driver = createDriver({ world, events, messages, threads, interactions });

  const check = (direction: 'request' | 'response', route: CompiledRoute, status: number | null, body: unknown): void => {
    for (const problem of validate?.({ direction, method: route.method, path: route.path, status, body }) ?? []) {
      report(`${direction} ${route.method} ${route.path}: ${problem}`);
    }
  };

  const isAuthorized = (request: IncomingMessage, route: CompiledRoute): boolean =>
    route.isOpen === true || request.headers.authorization === `Bot ${token}`;

  const limited = (retryAfterMs: number, scope: string): { answer: RouteAnswer; headers: Record<string, string> } => ({
    answer: {
      status: 429,
      body: {
        message: scope === 'shared' ? 'The resource is being rate limited.' : 'You are being rate limited.',
        code: 0,
        retry_after: Math.max(0.001, retryAfterMs / 1000),
        global: scope === 'global',
      },
    },
    headers: {
      'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))),
      'x-ratelimit-scope': scope,
      ...(scope === 'global' ? { 'x-ratelimit-global': 'true' } : {}),
    },
  });

  const answerOf = (fault: FaultKind): { answer: RouteAnswer; headers: Record<string, string> } | undefined => {
    if (fault.kind === 'limited') return limited(fault.retryAfterMs, fault.scope);
    if (fault.kind === 'status')
      return { answer: { status: fault.status, body: { message: `${fault.status}: simulated`, code: 0 } }, headers: {} };
    if (fault.kind === 'error')
      return { answer: { status: fault.status, body: { message: fault.message, code: fault.code } }, headers: {} };
    return undefined;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const method = request.method ?? 'GET';
    const path = url.pathname.replace(/^\/api\/v10/, '');
    let body: unknown;
    let problem: unknown;
    try {
      body = await readBody(request);
    } catch (error) {
      problem = error;
    }
    let route: CompiledRoute | undefined;
    let params: Record<string, string> = {};
    for (const candidate of routes) {
      const match = candidate.method === method ? candidate.pattern.exec(path) : null;
      if (match === null) continue;
      route = candidate;
      params = Object.fromEntries(candidate.names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')]));
      break;
    }
    const finish = (answer: RouteAnswer, headers: Readonly<Record<string, string>> = {}): void => {
      if (
        answer.status === 401 ||
        answer.status === 403 ||
        (answer.status === 429 && headers['x-ratelimit-scope'] !== 'shared')
      ) {
        limits.countInvalid();
      }
      requests.push({
        method,
        route: route?.short ?? path,
        url: request.url ?? '',
        body,
        status: answer.status,
        at: clock.now(),
      });
      if (route !== undefined) check('response', route, answer.status, answer.body);
      reply(response, answer, headers);
      changed();
    };
    if (limits.isBanned()) {
      // Cloudflare answers then, not Discord: no JSON.
      response.writeHead(429, { 'content-type': 'text/plain', 'retry-after': '600' });
      response.end('error code: 1015');
      return;
    }
    if (route === undefined || !url.pathname.startsWith('/api/v10/')) {
      report(`unknown route ${method} ${url.pathname}`);
      return finish({ status: 404, body: apiError(0).body });
    }
    if (problem instanceof ApiError) return finish({ status: problem.status, body: problem.body });
    if (!isAuthorized(request, route)) return finish({ status: 401, body: unauthorized().body });
    const fault = faults.take(method, route.short);
    if (fault?.kind === 'drop' && fault.when === 'before') return void request.socket.destroy();
    const spoilt = fault === undefined ? undefined : answerOf(fault);
    if (spoilt !== undefined) return finish(spoilt.answer, spoilt.headers);
    const verdict = limits.take(
      `${method} ${route.short}`,
      params['channel_id'] ?? params['webhook_token'] ?? params['guild_id'] ?? '',
      route.isOpen === true,
    );
    if (verdict.limited !== undefined) {
      const refusal = limited(verdict.limited.retryAfterMs, verdict.limited.scope);
      return finish(refusal.answer, { ...verdict.headers, ...refusal.headers });
    }
    let answer: RouteAnswer;
    try {
      answer = route.handle({ params, query: url.searchParams, body });
      // What was taken must be what the specification takes.
      check('request', route, null, body);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      answer = { status: error.status, body: error.body };
    }
    if (fault?.kind === 'drop') {
      requests.push({ method, route: route.short, url: request.url ?? '', body, status: 0, at: clock.now() });
      request.socket.destroy();
      return changed();
    }
    if (fault?.kind === 'slow') await clock.sleep(fault.ms);
    finish(answer, verdict.headers);
  };

  return Object.defineProperties(
    {
      ...driver,
      apiUrl: `http://127.0.0.1:${port}/api`,
      token,
      applicationId: world.applicationId,
      botId: world.botId,
      gateway,
      violations,
      requests,
      typing,
      refusals: 0,
      fail: faults.add,
      clearFaults: faults.clear,
      async waitFor<T>(look: () => T | undefined | false, timeoutMs = 5_000): Promise<T> {
        const first = look();
        if (first !== undefined && first !== false) return first;
        return await new Promise<T>((resolve, reject) => {
          const stop = clock.after(timeoutMs, () => {
            watchers.delete(watcher);
            reject(new Error(`Nothing came within ${timeoutMs} ms: ${look.toString()}`));
          });
          const watcher = (): void => {
            const found = look();
            if (found === undefined || found === false) return;
            watchers.delete(watcher);
            stop();
            resolve(found);
          };
          watchers.add(watcher);
          // Connections come and go without a request.
          const poll = (): void => {
            if (!watchers.has(watcher)) return;
            watcher();
            clock.after(POLL_MS, poll);
          };
          poll();
        });
      },
      onChange(listener: () => void): () => void {
        watchers.add(listener);
        return () => void watchers.delete(listener);
      },
      renderThreadHtml(channelId: string, viewerId?: string): string {
        const channel = world.channel(channelId);
        const starter: SimMessage | undefined =
          channel.parentId === null
            ? undefined
            : world.channels.get(channel.parentId)?.messages.find((message) => message.id === channelId);
        const seen = driver.messages(channelId, viewerId);
        const first =
          starter === undefined
            ? []
            : driver.messages(starter.channelId, viewerId).filter((message) => message.id === starter.id);
        const names = new Map([...world.users.values()].map((user) => [user.id, user.displayName]));
        return renderMessages(channel.name, [...first, ...seen], names);
      },
      world: () => world,
      async close(): Promise<void> {
        gateway.close();
        http.closeAllConnections();
        await new Promise<void>((resolve) => void http.close(() => resolve()));
      },
    },
    { refusals: { get: () => limits.refusals } },
  );
};
