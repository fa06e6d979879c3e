/**
 * Two Socket Mode connections that are kept up. Slack closes each of them some times a day; while one comes back the other
 * receives. The SDK's own reconnecting is off: it waits five seconds, gives up on some errors for good, and lets others end the
 * process as unhandled rejections.
 */
import { type App, SocketModeReceiver } from '@slack/bolt';
import { AppError, hasCode } from '../../agent/errors.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import { reconnectDelayMs } from '../retry.ts';
import type { BoltLogger } from './bolt-log.ts';
import { clientOptions, describeFailure, isRefusedToken } from './web-client.ts';

export interface SocketsOptions {
  readonly appToken: string;
  readonly apiUrl: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly boltLogger: BoltLogger;
  /** 0 to 1, for jitter. */
  readonly random: () => number;
}

export interface Sockets {
  /** Bolt's receivers: the first is the app's own, each hands what it gets to the same app. */
  readonly receivers: readonly SocketModeReceiver[];
  /**
   * Connects; resolves when the first connection stands or its first try failed for now. Throws `AppError('channel_auth')` when
   * Slack refuses the token.
   */
  start(app: App): Promise<void>;
  connected(): number;
  /** Why there is no connection, as Slack's code or a word for it. Empty when there is one. */
  problem(): string;
  stop(): Promise<void>;
}

export const SOCKET_COUNT = 2;
const HELLO_TIMEOUT_MS = 15_000;
/** A connection that held for so long was a good one: the next try comes at once. */
const GOOD_CONNECTION_MS = 60_000;
const CLOSE_TIMEOUT_MS = 2000;

/**
 * A frame that the SDK can read. `app_rate_limited` comes without an `event`, at which the SDK fails; it gets one, and is
 * acknowledged like any other.
 */
const repairFrame = (data: unknown): unknown => {
  if (typeof data !== 'string' || !data.includes('app_rate_limited')) return data;
  try {
    const frame = JSON.parse(data) as { payload?: { type?: string; event?: unknown } };
    if (frame.payload?.type !== 'app_rate_limited' || frame.payload.event !== undefined) return data;
    return JSON.stringify({ ...frame, payload: { ...frame.payload, event: { type: 'app_rate_limited' } } });
  } catch {
    return data;
  }
};

const guardFrames = ({ client }: SocketModeReceiver, logger: Logger): void => {
  const handlers = client.listeners('ws_message');
  client.removeAllListeners('ws_message');
  client.on('ws_message', (data: unknown, isBinary: boolean) => {
    for (const handle of handlers) {
      // The SDK's handler is asynchronous and nobody waits for it.
      Promise.resolve(handle(repairFrame(data), isBinary)).catch((error: unknown) => {
        logger.warn('slack_frame_ignored', { error: error as Error });
      });
    }
  });
};

export const createSockets = (options: SocketsOptions): Sockets => {
  const { appToken, apiUrl, clock, logger, boltLogger, random } = options;
  const stopping = new AbortController();
  const up = new Set<SocketModeReceiver>();
  const loops: Promise<void>[] = [];
  let problem = 'connecting';

  const receivers = Array.from({ length: SOCKET_COUNT }, () => {
    const receiver = new SocketModeReceiver({
      appToken,
      logger: boltLogger,
      autoReconnectEnabled: false,
      installerOptions: { clientOptions: clientOptions(apiUrl, boltLogger) },
    });
    guardFrames(receiver, logger);
    return receiver;
  });

  /** Resolves when the connection, which stands when `onUp` is called, has ended. Throws when it did not come to stand. */
  const connect = async (receiver: SocketModeReceiver, onUp: () => void): Promise<void> => {
    const { client } = receiver;
    // A connection that is only being made cannot be closed cleanly by the SDK: it is closed as soon as it stands.
    const close = (): void => void client.disconnect().catch(() => undefined);
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<void>();
    client.once('disconnected', onEnd);
    const cancelTimer = clock.after(HELLO_TIMEOUT_MS, close);
    try {
      await client.start();
      cancelTimer();
      if (stopping.signal.aborted) close();
      else onUp();
      stopping.signal.addEventListener('abort', close, { once: true });
      await ended;
    } finally {
      cancelTimer();
      client.off('disconnected', onEnd);
      stopping.signal.removeEventListener('abort', close);
    }
  };

  const keepUp = async (receiver: SocketModeReceiver, onFirst: (error?: AppError) => void): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      let upSince: number | undefined;
      try {
        await connect(receiver, () => {
          upSince = clock.monotonic();
          up.add(receiver);
          logger.info('slack_socket_up', { open: up.size });
          onFirst();
        });
      } catch (error) {
        problem = error === undefined ? 'closed_before_hello' : describeFailure(error);
        if (isRefusedToken(error)) {
          logger.error('slack_token_refused', { problem });
          onFirst(
            new AppError(
              'channel_auth',
              `slack.appToken (SLACK_APP_TOKEN): expected an app-level token with connections:write, Slack says ${problem}; make one under Basic Information, App-Level Tokens`,
              { cause: error },
            ),
          );
        } else {
          logger.warn('slack_socket_failed', { problem, failures });
          onFirst();
        }
      }
      up.delete(receiver);
      if (stopping.signal.aborted) return;
      const wasGood = upSince !== undefined && clock.monotonic() - upSince >= GOOD_CONNECTION_MS;
      failures = wasGood ? 0 : failures + 1;
      if (upSince !== undefined) {
        problem = 'reconnecting';
        logger.info('slack_socket_down', { open: up.size, heldMs: Math.round(clock.monotonic() - upSince) });
      }
      await clock.sleep(reconnectDelayMs(failures, random), stopping.signal).catch(() => undefined);
    }
  };

  const begin = (receiver: SocketModeReceiver): Promise<AppError | undefined> =>
    new Promise((resolve) => {
      loops.push(keepUp(receiver, resolve));
    });

  const stop = async (): Promise<void> => {
    stopping.abort();
    const closed = new AbortController();
    const timeout = clock.sleep(CLOSE_TIMEOUT_MS, closed.signal).catch(() => undefined);
    await Promise.race([Promise.all(loops), timeout]);
    closed.abort();
    up.clear();
  };

  return {
    receivers,
    start: async (app) => {
      const [first, ...others] = receivers;
      if (first === undefined) return;
      for (const receiver of receivers) receiver.init(app);
      const refused = await begin(first);
      if (hasCode(refused, 'channel_auth')) {
        await stop();
        throw refused;
      }
      for (const receiver of others) void begin(receiver);
    },
    connected: () => up.size,
    problem: () => (up.size > 0 ? '' : problem),
    stop,
  };
};
