/** A page on loopback where a person plays the members of the simulated Slack and Discord. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { AppError } from '../agent/errors.ts';
import type { DiscordSimulator } from './discord.ts';
import type { SlackSimulator } from './slack.ts';
import type { Act, PlatformView } from './visitor-platforms.ts';
import { actInDiscord, actInSlack, viewDiscord, viewSlack } from './visitor-platforms.ts';

export interface VisitorPage {
  readonly url: string;
  close(): Promise<void>;
}

export interface VisitorState {
  readonly slack: PlatformView;
  readonly discord: PlatformView;
}

const FILES: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/visitor.css': { file: 'visitor.css', type: 'text/css; charset=utf-8' },
  '/visitor.ts': { file: 'visitor.ts', type: 'text/javascript; charset=utf-8' },
};
const MAX_BODY_BYTES = 200_000;

const actSchema: z.ZodType<Act & { readonly platform: 'slack' | 'discord' }> = z.object({
  platform: z.enum(['slack', 'discord']),
  action: z.enum(['say', 'slash', 'click', 'edit', 'delete', 'submit']),
  person: z.string(),
  place: z.string().default(''),
  thread: z.string().default(''),
  message: z.string().default(''),
  button: z.string().default(''),
  text: z.string().default(''),
});

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_BODY_BYTES) throw new AppError('usage', `expected at most ${MAX_BODY_BYTES} bytes`);
    pieces.push(piece);
  }
  return JSON.parse(Buffer.concat(pieces).toString('utf8')) as unknown;
};

/** Throws `AppError('port_in_use')`. */
export const createVisitorPage = async (options: {
  readonly slack: SlackSimulator;
  readonly discord: DiscordSimulator;
  readonly port: number;
}): Promise<VisitorPage> => {
  const { slack, discord, port } = options;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const file = FILES[path];
    if (request.method === 'GET' && file !== undefined) {
      const text = readFileSync(new URL(`visitor/${file.file}`, import.meta.url), 'utf8');
      response.writeHead(200, {
        'content-type': file.type,
        'content-security-policy': "default-src 'self'",
        'cache-control': 'no-store',
      });
      response.end(file.file.endsWith('.ts') ? stripTypeScriptTypes(text) : text);
    } else if (request.method === 'GET' && path === '/state') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ slack: viewSlack(slack), discord: viewDiscord(discord) } satisfies VisitorState));
    } else if (request.method === 'POST' && path === '/act' && request.headers['content-type'] === 'application/json') {
      const { platform, ...act } = actSchema.parse(await readBody(request));
      await (platform === 'slack' ? actInSlack(slack, act) : actInDiscord(discord, act));
      response.writeHead(204).end();
    } else response.writeHead(404).end();
  };

  const server = createServer((request, response) => {
    // Pages of other sites must not act here.
    const isLocal = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(request.headers.host ?? '');
    if (!isLocal) {
      response.writeHead(403).end();
      return;
    }
    answer(request, response).catch((error: unknown) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message: error instanceof Error ? error.message : 'not understood' }));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new AppError('port_in_use', `expected port ${port} to be free for the simulator's page; choose another with --port`, {
          cause: error,
        }),
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
