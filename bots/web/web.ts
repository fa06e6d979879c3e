/** The web page as a channel, on a server that also carries the health addresses and what other channels mount on it. */

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import type { Passage, ReplyAddress } from '../../agent/conversation.ts';
import { AppError } from '../../agent/errors.ts';
import type { Channel, Gateway } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { Store } from '../../agent/ports/store.ts';
import { safePartial, sanitiseAnswer } from '../egress.ts';
import { withSources } from '../egress-sources.ts';
import { toHtml } from '../markdown-html.ts';
import { toTerminalText } from '../markdown-terminal.ts';
import { isRunStatus } from '../run-status.ts';
import { answerError, createApi } from './api.ts';
import { createAssets } from './assets.ts';
import { createGuard, HEADERS, isLoopback } from './guard.ts';
import { createSessions } from './session.ts';
import { createStreams } from './streams.ts';
import { conversationOf, createThreads, type LiveState } from './threads.ts';

export interface WebReadiness {
  readonly ready: boolean;
  readonly parts: readonly { readonly name: string; readonly ok: boolean; readonly required: boolean; readonly detail: string }[];
}

export interface WebChannelOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Asked for off loopback, from any number of browsers. Without it a token is made that is good for one. */
  readonly token?: string | undefined;
  /** How visitors reach the page when not under `host` and `port`: `https://ask.example.com`. Makes the cookie `Secure` for https. */
  readonly publicUrl?: string | undefined;
  /** Holds `index.html`, `page.css` and the page's TypeScript. */
  readonly pageFolder: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly labelsFor: (userId: string) => readonly string[];
  /** Undefined for a passage that is gone or that none of the labels opens. */
  readonly readPassage: (chunkId: string, labels: readonly string[]) => Promise<Passage | undefined>;
  readonly readiness: () => Promise<WebReadiness>;
}

export interface WebChannel extends Channel {
  /** Where the server listens. Throws before `start`. */
  address(): { readonly host: string; readonly port: number };
  /** What a person opens; holds the one-time token while there is one. */
  url(): string;
  /** Hands every request under the path, its body unread, to the handler. Before `start`. */
  mount(path: string, handler: (request: IncomingMessage, response: ServerResponse) => void): void;
}

const HEADERS_TIMEOUT_MS = 15_000;

export const createWebChannel = (options: WebChannelOptions): WebChannel => {
  const { host, port, pageFolder, store, clock, logger, readiness } = options;
  const publicHost = URL.parse(options.publicUrl ?? '')?.hostname;
  // Behind a proxy that the world reaches, a loopback address protects nothing.
  const onLoopback = isLoopback(host) && (publicHost === undefined || isLoopback(publicHost));
  const live = new Map<string, LiveState>();
  const mounts = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  const streams = createStreams({ clock, bootId: randomBytes(6).toString('hex') });
  const threads = createThreads(store, live, options.labelsFor);
  const sessions = createSessions({
    needsToken: !onLoopback,
    configuredToken: options.token,
    isSecure: options.publicUrl?.startsWith('https:') ?? false,
    store,
    clock,
  });
  let gateway: Gateway | undefined;
  let server: Server | undefined;
  let isTaking = false;

  const createApp = (): Express => {
    const assets = createAssets(pageFolder);
    const app = express();
    app.disable('x-powered-by');
    app.set('etag', false);
    app.get('/livez', (_request, response) => void response.set(HEADERS).json({ alive: true }));
    app.get('/readyz', async (_request, response) => {
      const state = await readiness();
      response
        .set({ ...HEADERS, 'cache-control': 'no-store' })
        .status(state.ready ? 200 : 503)
        .json(state);
    });
    app.use(createGuard({ onLoopback }));
    app.get('/', async (request, response, next) => {
      if (onLoopback) await sessions.ensure(request, response);
      assets.serve('index.html')(request, response, next);
    });
    app.get('/page/:name', assets.serveNamed);
    app.use(
      '/api',
      createApi({ ...options, onLoopback, sessions, streams, threads, gateway: () => (isTaking ? gateway : undefined) }),
    );
    app.use(
      (_request, response) =>
        void response.status(404).json({ error: 'not_found', message: 'There is nothing under this address.' }),
    );
    app.use(answerError(logger));
    return app;
  };

  const listen = (app: Express): Promise<Server> =>
    new Promise((resolve, reject) => {
      const listening = createServer({ headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: 60_000 }, (request, response) => {
        const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
        const mounted = [...mounts].find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`));
        if (mounted === undefined) app(request, response);
        else mounted[1](request, response);
      });
      listening.once('error', (error: NodeJS.ErrnoException) => {
        const taken = error.code === 'EADDRINUSE';
        const message = taken
          ? `expected port ${port} on ${host} to be free, another program listens there; choose another with THREADWISE_WEB_PORT, for example THREADWISE_WEB_PORT=${port === 65_535 ? 3_000 : port + 1}`
          : `cannot listen on ${host} port ${port} (${error.code ?? error.message}); set THREADWISE_WEB_HOST and THREADWISE_WEB_PORT to an address of this machine`;
        reject(new AppError(taken ? 'port_in_use' : 'config_invalid', message, { cause: error }));
      });
      listening.listen(port, host, () => resolve(listening));
    });

  const turnOf = (key: string): string => key.slice(0, key.lastIndexOf(':'));
  const threadOf = (address: ReplyAddress): string => conversationOf(address['session'] ?? '', address['thread'] ?? '');

  const showLive = (address: ReplyAddress, key: string, text: string): void => {
    const turnId = turnOf(key);
    let html: string | undefined;
    const state: LiveState = {
      kind: isRunStatus(text) ? 'status' : 'partial',
      html: () => {
        html ??= toHtml(safePartial(text));
        return html;
      },
    };
    live.set(turnId, state);
    streams.publish(threadOf(address), {
      type: 'progress',
      subject: turnId,
      data: () => ({ id: address['question'] ?? '', turnId, live: { kind: state.kind, html: state.html() } }),
    });
  };

  const showTurn = async (address: ReplyAddress, key: string): Promise<void> => {
    const turnId = turnOf(key);
    const summary = await store.readTurn(turnId);
    // A card is shown while its run goes on.
    if (summary?.turn !== null || summary.state === 'done') live.delete(turnId);
    if (summary === undefined) return;
    const view = await threads.view(summary);
    streams.publish(threadOf(address), { type: 'turn', subject: turnId, data: () => view });
  };

  const address: WebChannel['address'] = () => {
    if (server === undefined) throw new AppError('internal', 'the web server has no address before it is started');
    return { host, port: (server.address() as AddressInfo).port };
  };

  return {
    name: 'web',
    keepsFiles: true,
    address,
    url: () => {
      const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
      const base = options.publicUrl?.replace(/\/$/u, '') ?? `http://${name}:${address().port}`;
      // Behind the #, a token reaches no log, no preview and no other site.
      return sessions.token === undefined || sessions.token === options.token ? `${base}/` : `${base}/#token=${sessions.token}`;
    },
    mount: (path, handler) => {
      if (server !== undefined) throw new AppError('internal', `expected ${path} to be mounted before the web server starts`);
      mounts.set(path, handler);
    },
    start: async (to) => {
      server = await listen(createApp());
      server.on('error', (error) => logger.error('web_server_failed', { error }));
      gateway = to;
      isTaking = true;
    },
    stopIntake: () => {
      isTaking = false;
      return Promise.resolve();
    },
    close: async () => {
      isTaking = false;
      streams.closeAll();
      const closing = server;
      if (closing === undefined) return;
      await new Promise<void>((resolve) => {
        closing.close(() => resolve());
        closing.closeAllConnections();
      });
    },
    status: () => ({
      connected: server?.listening === true,
      detail: server?.listening === true ? `listening on ${host}:${address().port}` : 'not listening',
    }),
    // The page is made from the transcript; the part is what the outbox records.
    render: (answer, _turnId, language) => [
      {
        text: toTerminalText(withSources(sanitiseAnswer(answer), { language, withQuotes: false }), { colour: false, width: 0 }),
        withFeedback: true,
      },
    ],
    post: async (to, part, key) => {
      if (part.withFeedback || part.isPlain === true || part.card !== undefined || part.file !== undefined)
        await showTurn(to, key);
      else showLive(to, key, part.text);
      return { turnId: turnOf(key) };
    },
    // A turn stands on the page from the moment it is in the inbox.
    find: (_to, key) => Promise.resolve({ turnId: turnOf(key) }),
    update: (to, _ref, _part, key) => showTurn(to, key),
    progress: (to, _ref, text, key) => showLive(to, key, text),
  };
};
