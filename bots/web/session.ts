/**
 * Who a browser is: a random secret in a cookie that scripts cannot read. Ids are its hash, so that what is stored and logged
 * opens nothing. Off loopback a session is granted for the token only.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Store } from '../../agent/ports/store.ts';

const COOKIE = 'threadwise_session';
const SECRET = /^[\w-]{43}$/u;
const MAX_AGE_S = 180 * 24 * 3_600;

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

export interface Sessions {
  /** The session's id, or undefined where there is none that is valid. */
  read(request: Request): Promise<string | undefined>;
  /** The session's id; makes one where there is none. Only where no token is asked for. */
  ensure(request: Request, response: Response): Promise<string>;
  /** Grants a session for the token. False for a wrong or used one. */
  enter(token: string, response: Response): Promise<boolean>;
  /** Set while a token would be accepted. */
  readonly token: string | undefined;
}

export interface SessionOptions {
  readonly needsToken: boolean;
  /** A configured token stays valid; without one a token is made that is good for one browser. */
  readonly configuredToken: string | undefined;
  readonly isSecure: boolean;
  readonly store: Store;
  readonly clock: Clock;
}

export const createSessions = ({ needsToken, configuredToken, isSecure, store, clock }: SessionOptions): Sessions => {
  let token = needsToken ? (configuredToken ?? randomBytes(24).toString('base64url')) : undefined;
  const granted = new Set<string>();

  const secretOf = (request: Request): string | undefined => {
    const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
    const secret = cookies.find((cookie) => cookie.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
    return secret !== undefined && SECRET.test(secret) ? secret : undefined;
  };
  const idOf = (secret: string): string => hash(`session:${secret}`).toString('hex').slice(0, 24);

  const give = (response: Response): string => {
    const secret = randomBytes(32).toString('base64url');
    const secure = isSecure ? '; Secure' : '';
    response.setHeader('set-cookie', `${COOKIE}=${secret}; Path=/; Max-Age=${MAX_AGE_S}; HttpOnly; SameSite=Strict${secure}`);
    return idOf(secret);
  };

  const isGranted = async (id: string): Promise<boolean> => {
    if (!needsToken || granted.has(id)) return true;
    if ((await store.readSetting(`web:${id}`, 'granted')) === undefined) return false;
    granted.add(id);
    return true;
  };

  const read: Sessions['read'] = async (request) => {
    const secret = secretOf(request);
    if (secret === undefined) return undefined;
    const id = idOf(secret);
    return (await isGranted(id)) ? id : undefined;
  };

  return {
    get token() {
      return token;
    },
    read,
    ensure: async (request, response) => (await read(request)) ?? give(response),
    enter: async (given, response) => {
      if (token === undefined || !timingSafeEqual(hash(given), hash(token))) return false;
      // Used before anything is awaited: of two who come at once, one gets in.
      if (configuredToken === undefined) token = undefined;
      const id = give(response);
      await store.writeSetting(`web:${id}`, 'granted', { at: clock.now() });
      granted.add(id);
      return true;
    },
  };
};
