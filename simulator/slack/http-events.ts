/** Deliveries as signed HTTP requests. https://docs.slack.dev/authentication/verifying-requests-from-slack */
import { createHmac } from 'node:crypto';
import { stringify } from 'node:querystring';
import type { JsonObject, JsonValue } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { AttemptOutcome, DeliveryKind, Retry, Transport } from './delivery.ts';

const MAX_REDIRECTS = 2;

export interface SignedRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const sign = (signingSecret: string, timestampS: number, body: string): string =>
  `v0=${createHmac('sha256', signingSecret).update(`v0:${timestampS}:${body}`).digest('hex')}`;

/** The request as Slack makes it: JSON for events, a form for commands, a form with `payload` for what people click. */
export const buildRequest = (
  kind: DeliveryKind,
  payload: JsonObject,
  options: { readonly signingSecret: string; readonly timestampS: number; readonly retry?: Retry | undefined },
): SignedRequest => {
  const body =
    kind === 'events_api'
      ? JSON.stringify(payload)
      : kind === 'slash_commands'
        ? stringify(Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, String(value)])))
        : stringify({ payload: JSON.stringify(payload) });
  return {
    body,
    headers: {
      'content-type': kind === 'events_api' ? 'application/json' : 'application/x-www-form-urlencoded',
      'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
      'x-slack-request-timestamp': String(options.timestampS),
      'x-slack-signature': sign(options.signingSecret, options.timestampS, body),
      ...(options.retry === undefined
        ? {}
        : { 'x-slack-retry-num': String(options.retry.num), 'x-slack-retry-reason': options.retry.reason }),
    },
  };
};

export interface HttpEventOptions {
  readonly clock: Clock;
  readonly url: string;
  readonly signingSecret: string;
  readonly ackTimeoutMs: number;
}

const readResponse = (text: string): JsonValue | undefined => {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
};

export const createHttpTransport = ({ clock, url, signingSecret, ackTimeoutMs }: HttpEventOptions): Transport => {
  const send = async (request: SignedRequest, signal: AbortSignal): Promise<AttemptOutcome> => {
    let target = url;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const response = await fetch(target, { method: 'POST', ...request, redirect: 'manual', signal });
      const location = response.headers.get('location');
      if (response.status >= 300 && response.status < 400 && location !== null) {
        target = new URL(location, target).href;
        await response.body?.cancel();
        continue;
      }
      const text = await response.text();
      if (response.ok) return { acked: true, response: readResponse(text) };
      return { acked: false, reason: 'http_error', isFinal: response.headers.get('x-slack-no-retry') === '1' };
    }
    return { acked: false, reason: 'too_many_redirects' };
  };

  return async (kind, body, retry) => {
    const request = buildRequest(kind, body, { signingSecret, timestampS: Math.floor(clock.now() / 1000), retry });
    const late = new AbortController();
    const stop = clock.after(ackTimeoutMs, () => late.abort());
    try {
      return await send(request, late.signal);
    } catch {
      return { acked: false, reason: late.signal.aborted ? 'http_timeout' : 'connection_failed' };
    } finally {
      stop();
    }
  };
};
