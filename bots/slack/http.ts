/** Slack's signed requests, taken in under one path of the web server that stands already. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HTTPReceiver } from '@slack/bolt';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { BoltLogger } from './bolt-log.ts';

export const EVENTS_PATH = '/slack/events';

/** Gets requests whose body nobody has read: their signature is over the exact bytes. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Hangs a handler into a web server under a path. */
export type Mount = (path: string, handler: RequestHandler) => void;

export interface HttpIntake {
  readonly receiver: HTTPReceiver;
  readonly handler: RequestHandler;
  /** Before and after, requests are answered with 503, so that Slack sends them again. */
  open(isOpen: boolean): void;
}

/** Slack's own bound for requests that are too old; Bolt checks that one and lets requests from the future pass. */
const MAX_SKEW_S = 300;
const NOTABLE_SKEW_S = 60;

export const createHttpIntake = (options: {
  readonly signingSecret: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly boltLogger: BoltLogger;
}): HttpIntake => {
  const { signingSecret, clock, logger, boltLogger } = options;
  const receiver = new HTTPReceiver({ signingSecret, endpoints: [EVENTS_PATH], logger: boltLogger });
  let isOpen = false;

  const refuse = (response: ServerResponse, status: number): void => {
    response.writeHead(status);
    response.end();
  };

  const handler: RequestHandler = (request, response) => {
    if (!isOpen) return refuse(response, 503);
    const sentAtS = Number(request.headers['x-slack-request-timestamp'] ?? Number.NaN);
    const skewS = sentAtS - clock.now() / 1000;
    // A clock that is off makes every request look forged; this line tells the two apart.
    if (Math.abs(skewS) > NOTABLE_SKEW_S) logger.warn('slack_clock_skew', { skewS: Math.round(skewS) });
    if (skewS > MAX_SKEW_S) return refuse(response, 401);
    try {
      // Mounted under a prefix a web server may have shortened `url`; Bolt wants the whole path.
      request.url = EVENTS_PATH;
      receiver.requestListener(request, response);
    } catch {
      // Bolt throws for what is no POST to its path.
      refuse(response, 404);
    }
  };

  return {
    receiver,
    handler,
    open: (does) => {
      isOpen = does;
    },
  };
};
