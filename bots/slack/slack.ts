/** Slack as a channel: by Socket Mode or by HTTP, with the same behaviour in both. */
import type { App } from '@slack/bolt';
import { asksNothing } from '../../agent/asks-nothing.ts';
import { AppError, hasCode } from '../../agent/errors.ts';
import type { Channel, ChannelStatus, Gateway } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { TicketBoard } from '../../agent/ports/ticket-board.ts';
import { createEditBudget } from '../edit-budget.ts';
import { reconnectDelayMs } from '../retry.ts';
import { NO_TICKETS, NOTHING_ASKED } from '../ticket-actions.ts';
import { withPersonButton } from '../ticket-person.ts';
import { createBoltApp } from './app.ts';
import { createApprovalClick } from './approvals.ts';
import { createAskPerson } from './ask-person.ts';
import { renderAnswer } from './blocks.ts';
import { createBoltLogger } from './bolt-log.ts';
import { createChannels } from './channels.ts';
import { createAskCommand } from './command.ts';
import { createSlackDelivery } from './delivery.ts';
import { createFeedback } from './feedback.ts';
import { createHttpIntake, EVENTS_PATH, type Mount } from './http.ts';
import { createIntake, type Identity } from './intake.ts';
import { createPeople } from './people.ts';
import { createSockets, SOCKET_COUNT, type Sockets } from './sockets.ts';
import { createStopClick } from './stop.ts';
import { createSlackBoard } from './ticket-board.ts';
import { createSlackTickets, type SlackTicketSettings } from './tickets.ts';
import { callSlack, createWebClient, describeFailure, isRefusedToken } from './web-client.ts';

export interface SlackChannelOptions {
  readonly botToken: string;
  readonly mode: 'socket' | 'http';
  /** Needed for `socket`. */
  readonly appToken?: string | undefined;
  /** Needed for `http`. */
  readonly signingSecret?: string | undefined;
  /** Needed for `http`: called once, at once, with `/slack/events`; until `start` requests are answered with 503. */
  readonly mount?: Mount | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Another Web API than Slack's own, with its path: `http://127.0.0.1:4000/api/`. */
  readonly apiUrl?: string | undefined;
  /** Default `/ask`. */
  readonly command?: string;
  /** Undefined where tickets are not set up. */
  readonly tickets?: SlackTicketSettings | undefined;
  /** One edit per this time for the whole workspace. Default 1,200, which is Slack's Tier 3; 0 switches pacing off. */
  readonly editIntervalMs?: number;
  /** 0 to 1, for jitter. */
  readonly random?: () => number;
}

const DEFAULT_EDIT_INTERVAL_MS = 1200;

const missing = (key: string, mode: string): AppError =>
  new AppError('config_invalid', `${key}: expected a value with slack.mode ${mode}, got none`);

/** The way in: what differs between the modes. */
interface Transport {
  /** For the app of one try to connect. */
  receiver(): Parameters<typeof createBoltApp>[0]['receiver'];
  open(app: App): Promise<void>;
  status(): ChannelStatus;
  close(): Promise<void>;
}

export interface SlackChannel extends Channel {
  readonly board: TicketBoard;
}

export const createSlackChannel = (options: SlackChannelOptions): SlackChannel => {
  const { botToken, mode, apiUrl, clock, command = '/ask', random = Math.random } = options;
  const logger = options.logger.with({ channel: 'slack' });
  const boltLogger = createBoltLogger(logger);
  const client = createWebClient(botToken, apiUrl, boltLogger);
  const budget = createEditBudget({ intervalMs: options.editIntervalMs ?? DEFAULT_EDIT_INTERVAL_MS, clock });
  const stopping = new AbortController();
  let identity: Identity | undefined;
  let problem = 'not started';
  let isOpen = false;
  let connecting: Promise<void> | undefined;

  const overSockets = (): Transport => {
    const { appToken } = options;
    if (appToken === undefined) throw missing('slack.appToken (SLACK_APP_TOKEN)', mode);
    const create = (): Sockets => createSockets({ appToken, apiUrl, clock, logger, boltLogger, random });
    let sockets = create();
    return {
      receiver: () => {
        // Those of an earlier try were stopped when it failed.
        sockets = create();
        const [receiver] = sockets.receivers;
        if (receiver === undefined) throw new AppError('internal', 'expected a Slack receiver, got none');
        return receiver;
      },
      open: (app) => sockets.start(app),
      status: () => {
        const open = sockets.connected();
        return open > 0
          ? { connected: true, detail: `Socket Mode, ${open} of ${SOCKET_COUNT} connections` }
          : { connected: false, detail: `Socket Mode is not connected: ${sockets.problem()}` };
      },
      close: () => sockets.stop(),
    };
  };

  const overHttp = (): Transport => {
    if (options.signingSecret === undefined) throw missing('slack.signingSecret (SLACK_SIGNING_SECRET)', mode);
    const { mount } = options;
    if (mount === undefined) throw new AppError('internal', 'Slack over HTTP needs the web server to hang its path into');
    const intake = createHttpIntake({ signingSecret: options.signingSecret, clock, logger, boltLogger });
    mount(EVENTS_PATH, intake.handler);
    return {
      receiver: () => intake.receiver,
      open: () => {
        intake.open(true);
        return Promise.resolve();
      },
      status: () => ({ connected: true, detail: `HTTP, events under ${EVENTS_PATH}` }),
      close: () => {
        intake.open(false);
        return Promise.resolve();
      },
    };
  };

  const transport = mode === 'http' ? overHttp() : overSockets();

  const identify = async (): Promise<Identity> => {
    try {
      const { team_id: teamId, user_id: botUserId, bot_id: botId } = await client.auth.test();
      if (teamId !== undefined && botUserId !== undefined && botId !== undefined) return { teamId, botUserId, botId };
    } catch (error) {
      if (!isRefusedToken(error)) return await callSlack('auth.test', () => Promise.reject(error as Error));
      throw new AppError(
        'channel_auth',
        `slack.botToken (SLACK_BOT_TOKEN): expected a bot token of an installed app, Slack says ${describeFailure(error)}; copy it anew from OAuth & Permissions after installing the app`,
        { cause: error },
      );
    }
    throw new AppError(
      'channel_auth',
      'slack.botToken (SLACK_BOT_TOKEN): expected a bot token, got one of another kind; it begins with xoxb-',
    );
  };

  const connect = async (gateway: Gateway): Promise<void> => {
    const known = await identify();
    identity = known;
    const people = createPeople({ client, clock, logger, teamId: known.teamId });
    const shared = { gateway, client, people, identity: known, clock, logger };
    const channels = createChannels({ client, clock, logger });
    const tickets =
      options.tickets === undefined ? undefined : createSlackTickets({ ...shared, channels, settings: options.tickets });
    const app = createBoltApp({
      receiver: transport.receiver(),
      botToken,
      identity: known,
      intake: createIntake({ ...shared, tickets }),
      tickets,
      triage:
        tickets === undefined
          ? () => Promise.resolve(NO_TICKETS)
          : createAskCommand({
              ...shared,
              refusalOfText: (text) => (asksNothing(text) ? NOTHING_ASKED : undefined),
              gateway: {
                refusalFor: gateway.refusalFor,
                accept: async (message) => {
                  await tickets.arriveWith(message, 'command');
                  return 'accepted';
                },
              },
            }),
      ask: createAskCommand(shared),
      feedback: createFeedback(shared),
      stop: createStopClick(shared),
      approval: createApprovalClick(shared),
      askPerson: createAskPerson({ ...shared, channels, desk: options.tickets?.desk() }),
      command,
      logger,
      boltLogger,
    });
    if (stopping.signal.aborted) return;
    await transport.open(app);
    isOpen = true;
  };

  /** Slack was out of reach at the start: the rest of the assistant works, and this goes on until it answers. */
  const keepConnecting = async (gateway: Gateway): Promise<void> => {
    for (let failures = 1; !stopping.signal.aborted; failures += 1) {
      await clock.sleep(reconnectDelayMs(failures, random), stopping.signal).catch(() => undefined);
      if (stopping.signal.aborted) return;
      try {
        return await connect(gateway);
      } catch (error) {
        problem = error instanceof Error ? error.message : 'unknown';
        logger.warn('slack_start_failed', { failures, error: error as Error });
      }
    }
  };

  const stopIntake = async (): Promise<void> => {
    stopping.abort();
    isOpen = false;
    problem = 'stopped';
    await connecting;
    await transport.close();
  };

  const delivery = createSlackDelivery({ client, identity: () => identity, budget, clock, logger });
  return {
    name: 'slack',
    start: async (gateway) => {
      problem = 'connecting';
      try {
        await connect(gateway);
      } catch (error) {
        if (!hasCode(error, 'channel_unavailable')) throw error;
        problem = error.message;
        logger.warn('slack_start_failed', { failures: 0, error });
        connecting = keepConnecting(gateway);
      }
    },
    stopIntake,
    close: async () => {
      budget.stop();
      await stopIntake();
    },
    status: () => (isOpen ? transport.status() : { connected: false, detail: problem }),
    render: (answer, _turnId, language) => {
      const parts = renderAnswer(answer, language);
      return options.tickets === undefined ? parts : withPersonButton(parts, answer);
    },
    ...delivery,
    board: createSlackBoard(delivery, client),
  };
};
