/** Who may talk to the page at all: the right Host, the right Origin, and headers that keep the page from talking to others. */

import type { RequestHandler } from 'express';

export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

const LOOPBACK = /^(?:localhost|(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/iu;

export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

const hostnameOf = (host: string): string => URL.parse(`http://${host}`)?.hostname ?? '';

/**
 * On loopback only loopback names are served: a name of somebody else's that was pointed here (DNS rebinding) is not. A request
 * that a page sent must come from this page.
 */
export const createGuard = ({ onLoopback }: { readonly onLoopback: boolean }): RequestHandler => {
  return (request, response, next) => {
    response.set(HEADERS);
    const host = request.headers.host ?? '';
    if (host === '' || (onLoopback && !isLoopback(hostnameOf(host)))) {
      response.status(421).json({
        error: 'wrong_host',
        message: `Expected a loopback name such as http://localhost as the address of this page, got another. Open it under localhost or 127.0.0.1.`,
      });
      return;
    }
    const { origin } = request.headers;
    const site = request.headers['sec-fetch-site'];
    const isForeign =
      (origin !== undefined && URL.parse(origin)?.host !== host) || (site === 'cross-site' && request.method !== 'GET');
    if (isForeign) {
      response
        .status(403)
        .json({ error: 'wrong_origin', message: 'Expected a request from this page itself, got one from another site.' });
      return;
    }
    next();
  };
};
