/** The unmodified Bolt against the simulated Slack, with no code of ours between them. */
import type { AddressInfo } from 'node:net';
import { App, HTTPReceiver, LogLevel, SocketModeReceiver } from '@slack/bolt';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import { systemClock } from '../../ops/clock.ts';
import { createSlackSimulator, type SlackSimulator, type SlackSimulatorOptions } from '../../simulator/slack.ts';

export const startSlack = (options: Partial<SlackSimulatorOptions> = {}): Promise<SlackSimulator> =>
  createSlackSimulator({ clock: systemClock, limits: false, ...options });

/** A client that tries once. */
export const clientOf = (slack: SlackSimulator, options: WebClientOptions = {}, token = slack.botToken): WebClient =>
  new WebClient(token, {
    slackApiUrl: slack.apiUrl,
    retryConfig: { retries: 0 },
    logLevel: LogLevel.ERROR,
    logger: SILENT,
    ...options,
  });

export const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

export interface Bolt extends AsyncDisposable {
  readonly app: App;
  readonly eventsUrl: string;
}

export const startBoltOverHttp = async (slack: SlackSimulator, set: (app: App) => void = () => undefined): Promise<Bolt> => {
  const receiver = new HTTPReceiver({ signingSecret: slack.signingSecret, logger: SILENT });
  const app = new App({ token: slack.botToken, receiver, clientOptions: { slackApiUrl: slack.apiUrl }, logger: SILENT });
  set(app);
  const server = (await app.start({ port: 0, host: '127.0.0.1' } as unknown as number)) as unknown as { address(): AddressInfo };
  const eventsUrl = `http://127.0.0.1:${server.address().port}/slack/events`;
  slack.useHttp(eventsUrl);
  return {
    app,
    eventsUrl,
    [Symbol.asyncDispose]: async () => {
      await app.stop();
    },
  };
};

export const startBoltOverSocket = async (
  slack: SlackSimulator,
  set: (app: App) => void = () => undefined,
  options: { readonly clientPingTimeout?: number } = {},
): Promise<Bolt> => {
  const receiver = new SocketModeReceiver({
    appToken: slack.appToken,
    logger: SILENT,
    installerOptions: { clientOptions: { slackApiUrl: slack.apiUrl } },
    ...options,
  });
  const app = new App({ token: slack.botToken, receiver, clientOptions: { slackApiUrl: slack.apiUrl }, logger: SILENT });
  set(app);
  await app.start();
  return {
    app,
    eventsUrl: '',
    [Symbol.asyncDispose]: async () => {
      // `app.stop()` does not wait for the connection to end.
      await receiver.client.disconnect();
    },
  };
};

export const closing = (slack: SlackSimulator): AsyncDisposable => ({ [Symbol.asyncDispose]: () => slack.close() });
