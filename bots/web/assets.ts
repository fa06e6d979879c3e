/** The page's files. Its TypeScript is served with the types taken out, under its own name, so that imports stay as written. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { extname, join } from 'node:path';
import type { RequestHandler } from 'express';
import { AppError } from '../../agent/errors.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface Asset {
  readonly body: Buffer;
  readonly type: string;
  readonly etag: string;
}

const readAsset = (path: string): Asset | undefined => {
  const extension = extname(path);
  const type = TYPES[extension];
  if (type === undefined) return undefined;
  const source = readFileSync(path, 'utf8');
  const body = Buffer.from(extension === '.ts' ? stripTypeScriptTypes(source) : source);
  return { body, type, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
};

/** Reads the folder once. Throws `AppError('source_missing')` where the page is not there. */
export const createAssets = (
  folder: string,
): { readonly serve: (name: string) => RequestHandler; readonly serveNamed: RequestHandler } => {
  const assets = new Map<string, Asset>();
  try {
    for (const name of readdirSync(folder)) {
      const asset = readAsset(join(folder, name));
      if (asset !== undefined) assets.set(name, asset);
    }
  } catch (error) {
    throw new AppError(
      'source_missing',
      `expected the web page's files in ${folder}, which cannot be read; install the program again`,
      {
        cause: error,
      },
    );
  }
  const send =
    (name: string): RequestHandler =>
    (request, response, next) => {
      const asset = assets.get(name);
      if (asset === undefined) {
        next();
        return;
      }
      response.set({ 'content-type': asset.type, 'cache-control': 'no-cache', etag: asset.etag });
      if (request.headers['if-none-match'] === asset.etag) response.status(304).end();
      else response.send(asset.body);
    };
  return {
    serve: send,
    serveNamed: (request, response, next) => send(String(request.params['name'] ?? ''))(request, response, next),
  };
};
