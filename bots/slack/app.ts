/** The Bolt app: what Slack sends goes to its handler, and is acknowledged after that has it for good. */
import { App, type Receiver } from '@slack/bolt';
import type { Logger } from '../../agent/ports/logger.ts';
import { ACTION_APPROVE, ACTION_DENY, ACTION_SHOW } from './approvals.ts';
import { ACTION_DOWN, ACTION_PERSON, ACTION_STOP, ACTION_UP } from './blocks.ts';
import type { BoltLogger } from './bolt-log.ts';
import type { AskCommand } from './command.ts';
import { type Click, FEEDBACK_VIEW, type FeedbackHandlers, readReason } from './feedback.ts';
import type { Identity, Intake, SlackMessageEvent } from './intake.ts';
import type { StopClick } from './stop.ts';
import { TICKET_BLOCK, TICKET_SHORTCUT, TRIAGE_COMMAND } from './ticket-blocks.ts';
import { DRAFT_VIEW } from './ticket-draft.ts';
import type { SlackTickets } from './tickets.ts';

export interface BoltAppOptions {
  readonly receiver: Receiver;
  readonly botToken: string;
  readonly identity: Identity;
  readonly intake: Intake;
  readonly ask: AskCommand;
  readonly feedback: FeedbackHandlers;
  readonly stop: StopClick;
  readonly approval: (click: Click) => Promise<void>;
  readonly askPerson: (click: Click) => Promise<void>;
  /** With its slash. */
  readonly command: string;
  /** Undefined where tickets are not set up. */
  readonly tickets: SlackTickets | undefined;
  readonly triage: AskCommand;
  readonly logger: Logger;
  readonly boltLogger: BoltLogger;
}

/**
 * Bolt acknowledges an event before any listener runs; a crash after that would lose it. Here the acknowledgement comes after
 * the listeners, which do no more than write to the inbox. When they fail there is none, and Slack sends the event again.
 */
const acknowledgeLast = (app: App, logger: Logger): void => {
  const process = app.processEvent.bind(app);
  app.processEvent = async (event) => {
    if (event.body['type'] === 'app_rate_limited') {
      // Slack drops events of this workspace for the minute it names.
      logger.error('slack_events_dropped', { minute: Number(event.body['minute_rate_limited']) });
      return await event.ack();
    }
    if (event.body['event'] === undefined) return await process(event);
    await process({ ...event, ack: () => Promise.resolve() });
    await event.ack();
  };
};

export const createBoltApp = (options: BoltAppOptions): App => {
  const { receiver, botToken, identity, intake, ask, feedback, stop, approval, askPerson, tickets, triage, logger, boltLogger } =
    options;
  const app = new App({
    receiver,
    // The channel has asked Slack already who it is.
    authorize: () => Promise.resolve({ botToken, botId: identity.botId, botUserId: identity.botUserId, teamId: identity.teamId }),
    convoStore: false,
    logger: boltLogger,
  });
  acknowledgeLast(app, logger);

  app.event('message', ({ event }) => intake.onMessage(event as SlackMessageEvent));
  app.event('app_mention', ({ event }) => intake.onMessage(event as SlackMessageEvent));

  for (const [name, run] of [
    [options.command, ask],
    [TRIAGE_COMMAND, triage],
  ] as const) {
    app.command(name, async ({ command, ack }) => {
      const text = await run({
        command: command.command,
        text: command.text,
        channelId: command.channel_id,
        userId: command.user_id,
      });
      await (text === undefined ? ack() : ack({ response_type: 'ephemeral', text }));
    });
  }

  app.event('reaction_added', async ({ event }) => {
    const { item, reaction: name, user: userId } = event;
    if (item.type === 'message') await tickets?.onReaction({ userId, name, channelId: item.channel, ts: item.ts });
  });

  app.shortcut({ type: 'message_action', callback_id: TICKET_SHORTCUT }, async ({ shortcut, ack }) => {
    if (shortcut.type !== 'message_action') return;
    const { message, channel, user } = shortcut;
    const threadTs = typeof message['thread_ts'] === 'string' ? message['thread_ts'] : undefined;
    const { user: writer = '', ts, text = '' } = message;
    await tickets?.onShortcut({ channelId: channel.id, ts, threadTs, userId: writer, text }, user.id);
    await ack();
  });

  app.action({ type: 'block_actions', block_id: new RegExp(`^${TICKET_BLOCK}`, 'u') }, async ({ body, action, ack }) => {
    const chosen =
      'selected_option' in action && action.selected_option !== null
        ? action.selected_option?.value
        : 'selected_user' in action
          ? action.selected_user
          : 'value' in action
            ? action.value
            : '';
    await tickets?.onClick({
      actionId: action.action_id,
      blockId: action.block_id,
      chosen: typeof chosen === 'string' ? chosen : '',
      value: undefined,
      userId: body.user.id,
      channelId: body.channel?.id ?? '',
      threadTs: typeof body.message?.['thread_ts'] === 'string' ? body.message['thread_ts'] : undefined,
      triggerId: body.trigger_id,
      messageText: '',
    });
    await ack();
  });

  app.view({ type: 'view_submission', callback_id: DRAFT_VIEW }, async ({ body, view, ack }) => {
    const { private_metadata: metadata, state } = view;
    const why = await tickets?.onDraft({ userId: body.user.id, metadata, values: state.values, viewId: view.id });
    if (why === undefined) return await ack();
    // The dialog stays open with what was written.
    const errors = Object.fromEntries(Object.keys(state.values).map((blockId) => [blockId, why]));
    await ack({ response_action: 'errors', errors });
  });

  const clicks = new Map([
    [ACTION_UP, feedback.onClick],
    [ACTION_DOWN, feedback.onClick],
    [ACTION_STOP, stop],
    [ACTION_PERSON, askPerson],
    [ACTION_APPROVE, approval],
    [ACTION_DENY, approval],
    [ACTION_SHOW, approval],
  ]);
  for (const [actionId, onClick] of clicks) {
    app.action({ type: 'block_actions', action_id: actionId }, async ({ body, action, ack }) => {
      await onClick({
        actionId,
        value: 'value' in action ? action.value : undefined,
        userId: body.user.id,
        channelId: body.channel?.id ?? '',
        threadTs: typeof body.message?.['thread_ts'] === 'string' ? body.message['thread_ts'] : undefined,
        triggerId: body.trigger_id,
        messageText: body.message?.text ?? '',
      });
      await ack();
    });
  }

  app.view({ type: 'view_submission', callback_id: FEEDBACK_VIEW }, async ({ body, view, ack }) => {
    await feedback.onReason({
      userId: body.user.id,
      privateMetadata: view.private_metadata,
      reason: readReason(view.state.values),
    });
    await ack();
  });

  return app;
};
