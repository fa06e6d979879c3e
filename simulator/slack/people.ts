/** What people do in the workspace, and what they see of it: the side of the simulator that tests and visitors use. */

import type { JsonObject, JsonValue } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import { buttonsOf, isJsonObject, type MessageButton, menusOf, pingsOf, readableText } from './blocks.ts';
import type { AttemptOutcome, Dispatcher } from './delivery.ts';
import type { SimulatedMessage, Workspace } from './workspace.ts';

const TRIGGER_LIFE_MS = 3000;
const RESPONSE_URL_LIFE_MS = 30 * 60_000;
const RESPONSE_URL_USES = 5;

/** A message as a person sees it. */
export interface VisibleMessage {
  readonly ts: string;
  readonly threadTs: string | undefined;
  readonly author: string;
  readonly isBot: boolean;
  readonly text: string;
  readonly buttons: readonly MessageButton[];
  /** What menus say before something is chosen. */
  readonly menus: readonly string[];
  /** Only this person sees it. */
  readonly onlyFor: string | undefined;
  /** Whom it notifies: `<!channel>`, `<@U1>`. */
  readonly pings: readonly string[];
  readonly hasPreview: boolean;
  /** Titles of the files that stand with it. */
  readonly files: readonly string[];
}

export interface OpenView {
  readonly id: string;
  readonly userId: string;
  readonly view: JsonObject;
}

export interface CommandOutcome {
  readonly delivery: AttemptOutcome;
  /** What the app answered with its acknowledgement, shown to the person alone. */
  readonly text: string;
}

export interface SayOptions {
  readonly threadTs?: string;
  readonly files?: readonly JsonObject[];
  readonly blocks?: readonly JsonObject[];
  readonly attachments?: readonly JsonObject[];
  readonly subtype?: string;
}

export interface People {
  /** Posts as a person; answers its `ts`. */
  say(channelId: string, userId: string, text: string, options?: SayOptions): string;
  /** `say` with the app's mention in front. */
  mention(channelId: string, userId: string, text: string, options?: SayOptions): string;
  /** Posts as another app. */
  sayAsBot(channelId: string, text: string, options?: SayOptions): string;
  edit(channelId: string, ts: string, text: string): void;
  /** A preview is added to the message, as Slack does by itself some moments after. */
  unfurl(channelId: string, ts: string): void;
  delete(channelId: string, ts: string): void;
  slash(channelId: string, userId: string, command: string, text: string): Promise<CommandOutcome>;
  /** `chosen`: of a menu, the value or the person. */
  click(channelId: string, ts: string, userId: string, actionId: string, chosen?: string): Promise<AttemptOutcome>;
  /** An emoji under a message, by its name without colons. */
  react(channelId: string, ts: string, userId: string, name: string): void;
  /** A message's shortcut. */
  shortcut(channelId: string, ts: string, userId: string, callbackId: string): Promise<AttemptOutcome>;
  /** The dialogs that stand open, the newest last. */
  views(): readonly OpenView[];
  /** `values` by action id of what was changed. The dialog stays open where the app answers with errors. */
  submitView(viewId: string, values: Readonly<Record<string, string>>): Promise<AttemptOutcome>;
  /** Everything that stands in a place (or one thread of it) for everybody. */
  messages(channelId: string, threadTs?: string): readonly VisibleMessage[];
  /** What one person sees there, with what is shown to that person alone. */
  visible(channelId: string, userId: string, threadTs?: string): readonly VisibleMessage[];
}

export interface PeopleParts extends People {
  takeTrigger(triggerId: string): { readonly userId: string } | undefined;
  openView(userId: string, view: JsonObject): JsonObject;
  /** A use of a `response_url`: an HTTP status and a text. */
  respond(id: string, body: JsonObject): { readonly status: number; readonly text: string };
}

export interface PeopleOptions {
  readonly workspace: Workspace;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly baseUrl: () => string;
  /** Announces an event, where the app subscribed to it. */
  readonly push: (event: JsonObject) => void;
}

interface ResponseUrl {
  readonly channelId: string;
  readonly userId: string;
  readonly threadTs: string | undefined;
  readonly madeAt: number;
  uses: number;
}

const asObjects = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
const asText = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

export const createPeople = ({ workspace, dispatcher, clock, baseUrl, push }: PeopleOptions): PeopleParts => {
  const triggers = new Map<string, { readonly userId: string; readonly madeAt: number }>();
  const responseUrls = new Map<string, ResponseUrl>();
  const views: OpenView[] = [];

  const issueTrigger = (userId: string): string => {
    const id = `${workspace.nextId('TR')}.${workspace.teamId}`;
    triggers.set(id, { userId, madeAt: clock.monotonic() });
    return id;
  };

  const issueResponseUrl = (channelId: string, userId: string, threadTs: string | undefined): string => {
    const id = workspace.nextId('RU');
    responseUrls.set(id, { channelId, userId, threadTs, madeAt: clock.monotonic(), uses: 0 });
    return `${baseUrl()}/response/${id}`;
  };

  const require = (channelId: string, ts: string): SimulatedMessage => {
    const message = workspace.find(channelId, ts);
    if (message === undefined) throw new Error(`no message ${ts} in ${channelId}`);
    return message;
  };

  const requireUser = (userId: string) => {
    const user = workspace.users.get(userId);
    if (user === undefined) throw new Error(`no user ${userId}; add it with addUser`);
    return user;
  };

  const say: People['say'] = (channelId, userId, text, options = {}) => {
    requireUser(userId);
    if (!workspace.channels.has(channelId)) throw new Error(`no channel ${channelId}; add it with addChannel`);
    workspace.channels.get(channelId)?.members.add(userId);
    return workspace.post({
      channelId,
      userId,
      text,
      ...options,
      subtype: options.subtype ?? (options.files === undefined ? undefined : 'file_share'),
    }).ts;
  };

  const view = (message: SimulatedMessage): VisibleMessage => ({
    ts: message.ts,
    threadTs: message.threadTs,
    author: workspace.users.get(message.userId)?.displayName ?? message.userId,
    isBot: message.botId !== undefined,
    text: readableText(message.text, message.blocks),
    buttons: buttonsOf(message.blocks),
    menus: menusOf(message.blocks).map(({ label }) => label),
    onlyFor: undefined,
    pings: pingsOf(message.text, message.blocks),
    hasPreview: message.attachments.some((attachment) => attachment['from_url'] !== undefined),
    files: message.files.map((file) => asText(file['title'])),
  });

  const base = (userId: string, channelId: string) => ({
    team: { id: workspace.teamId, domain: workspace.domain },
    user: { id: userId, username: requireUser(userId).name, name: requireUser(userId).name, team_id: workspace.teamId },
    api_app_id: workspace.appId,
    token: 'simulated',
    channel: { id: channelId, name: workspace.channels.get(channelId)?.name ?? '' },
    is_enterprise_install: false,
    enterprise: null,
  });

  return {
    say,
    mention: (channelId, userId, text, options) =>
      say(channelId, userId, `<@${workspace.botUserId}>${text === '' ? '' : ` ${text}`}`, options),
    sayAsBot: (channelId, text, options = {}) =>
      workspace.post({ channelId, userId: 'U0OTHERBOT', botId: 'B0OTHERBOT', text, subtype: 'bot_message', ...options }).ts,
    edit: (channelId, ts, text) => {
      const message = require(channelId, ts);
      workspace.change(message, { text, edited: { user: message.userId, ts: workspace.nextTs() } });
    },
    unfurl: (channelId, ts) =>
      workspace.change(
        require(channelId, ts),
        { attachments: [{ from_url: 'https://example.com/', title: 'Example', fallback: 'Example', id: 1 }] },
        { hidden: true },
      ),
    delete: (channelId, ts) => workspace.remove(require(channelId, ts)),
    slash: async (channelId, userId, command, text) => {
      const channel = workspace.channels.get(channelId);
      if (channel === undefined) throw new Error(`no channel ${channelId}; add it with addChannel`);
      const delivery = await dispatcher.send('slash_commands', {
        token: 'simulated',
        team_id: workspace.teamId,
        team_domain: workspace.domain,
        channel_id: channelId,
        channel_name: channel.kind === 'im' ? 'directmessage' : channel.kind === 'group' ? 'privategroup' : channel.name,
        user_id: userId,
        user_name: requireUser(userId).name,
        command,
        text,
        api_app_id: workspace.appId,
        is_enterprise_install: 'false',
        response_url: issueResponseUrl(channelId, userId, undefined),
        trigger_id: issueTrigger(userId),
      }).done;
      const response = delivery.acked ? delivery.response : undefined;
      const shown = isJsonObject(response) ? asText(response['text']) : asText(response);
      if (shown !== '') workspace.addEphemeral({ channelId, threadTs: undefined, userId, text: shown, blocks: [] });
      return { delivery, text: shown };
    },
    react: (channelId, ts, userId, name) => {
      const message = require(channelId, ts);
      const by = message.reactions.get(name) ?? new Set();
      message.reactions.set(name, by.add(requireUser(userId).id));
      push({
        type: 'reaction_added',
        user: userId,
        reaction: name,
        item: { type: 'message', channel: channelId, ts },
        item_user: message.userId ?? '',
        event_ts: workspace.nextTs(),
      });
    },
    shortcut: (channelId, ts, userId, callbackId) => {
      const message = require(channelId, ts);
      return dispatcher.send('interactive', {
        type: 'message_action',
        ...base(userId, channelId),
        callback_id: callbackId,
        action_ts: workspace.nextTs(),
        message_ts: ts,
        trigger_id: issueTrigger(userId),
        response_url: issueResponseUrl(channelId, userId, message.threadTs),
        message: workspace.toJson(message),
      }).done;
    },
    click: (channelId, ts, userId, actionId, chosen) => {
      const message = require(channelId, ts);
      const button = [...buttonsOf(message.blocks), ...menusOf(message.blocks)].find(
        (candidate) => candidate.actionId === actionId,
      );
      if (button === undefined) throw new Error(`no button ${actionId} in message ${ts}`);
      return dispatcher.send('interactive', {
        type: 'block_actions',
        ...base(userId, channelId),
        container: {
          type: 'message',
          message_ts: ts,
          channel_id: channelId,
          is_ephemeral: false,
          ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
        },
        trigger_id: issueTrigger(userId),
        message: workspace.toJson(message),
        state: { values: {} },
        response_url: issueResponseUrl(channelId, userId, message.threadTs),
        actions: [
          {
            action_id: button.actionId,
            block_id: button.blockId,
            ...('choose' in button
              ? button.choose(chosen ?? '')
              : { type: 'button', text: { type: 'plain_text', text: button.label, emoji: true }, value: button.value }),
            action_ts: workspace.nextTs(),
          },
        ],
      }).done;
    },
    views: () => views,
    submitView: async (viewId, values) => {
      const index = views.findIndex(({ id }) => id === viewId);
      const open = views[index];
      if (open === undefined) throw new Error(`no open view ${viewId}`);
      const state: Record<string, JsonObject> = {};
      for (const block of asObjects(open.view['blocks'])) {
        const element = block['element'];
        if (block['type'] !== 'input' || !isJsonObject(element)) continue;
        const actionId = asText(element['action_id']);
        state[asText(block['block_id'])] = {
          [actionId]: {
            type: asText(element['type']),
            value: values[actionId] ?? element['initial_value'] ?? null,
          },
        };
      }
      const { channel: _channel, ...rest } = base(open.userId, '');
      const outcome = await dispatcher.send('interactive', {
        type: 'view_submission',
        ...rest,
        trigger_id: issueTrigger(open.userId),
        view: { ...open.view, id: open.id, team_id: workspace.teamId, state: { values: state } },
        response_urls: [],
      }).done;
      if (!outcome.acked) return outcome;
      const response = isJsonObject(outcome.response) ? outcome.response : {};
      if (response['response_action'] !== 'errors') {
        views.splice(index, 1);
        return outcome;
      }
      // https://docs.slack.dev/surfaces/modals/#displaying_errors : the dialog stays open, with each under its input.
      const errors = isJsonObject(response['errors']) ? Object.keys(response['errors']) : [];
      const unknown = errors.filter((blockId) => state[blockId] === undefined);
      if (errors.length === 0 || unknown.length > 0)
        throw new Error(`expected errors of inputs of the view, got ${JSON.stringify(response['errors'])}`);
      return outcome;
    },
    messages: (channelId, threadTs) => workspace.list(channelId, threadTs).map(view),
    visible: (channelId, userId, threadTs) => {
      const mine = workspace.ephemerals
        .filter(
          (ephemeral) =>
            ephemeral.channelId === channelId &&
            ephemeral.userId === userId &&
            (threadTs === undefined || ephemeral.threadTs === threadTs),
        )
        .map((ephemeral) => ({
          ts: ephemeral.ts,
          threadTs: ephemeral.threadTs,
          author: workspace.users.get(workspace.botUserId)?.displayName ?? 'app',
          isBot: true,
          text: readableText(ephemeral.text, ephemeral.blocks),
          buttons: buttonsOf(ephemeral.blocks),
          menus: [],
          onlyFor: userId,
          pings: [],
          hasPreview: false,
          files: [],
        }));
      return [...workspace.list(channelId, threadTs).map(view), ...mine].sort((a, b) => Number(a.ts) - Number(b.ts));
    },
    takeTrigger: (triggerId) => {
      const trigger = triggers.get(triggerId);
      triggers.delete(triggerId);
      return trigger === undefined || clock.monotonic() - trigger.madeAt > TRIGGER_LIFE_MS ? undefined : trigger;
    },
    openView: (userId, view) => {
      const id = workspace.nextId('V');
      const opened = { ...view, id, team_id: workspace.teamId };
      views.push({ id, userId, view: opened });
      return opened;
    },
    respond: (id, body) => {
      const url = responseUrls.get(id);
      if (url === undefined) return { status: 404, text: 'no_such_url' };
      if (clock.monotonic() - url.madeAt > RESPONSE_URL_LIFE_MS) return { status: 404, text: 'expired_url' };
      if (url.uses >= RESPONSE_URL_USES) return { status: 404, text: 'used_url' };
      url.uses += 1;
      const text = asText(body['text']);
      const blocks = asObjects(body['blocks']);
      if (body['delete_original'] !== true && text === '' && blocks.length === 0) return { status: 400, text: 'no_text' };
      if (body['response_type'] === 'in_channel') {
        workspace.post({
          channelId: url.channelId,
          userId: workspace.botUserId,
          botId: workspace.botId,
          text,
          blocks,
          threadTs: asText(body['thread_ts']) || undefined,
        });
      } else {
        workspace.addEphemeral({
          channelId: url.channelId,
          threadTs: asText(body['thread_ts']) || url.threadTs,
          userId: url.userId,
          text,
          blocks,
        });
      }
      return { status: 200, text: 'ok' };
    },
  };
};
