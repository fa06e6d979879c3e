/** The two simulated platforms in the one shape that the visitor's page shows. */

import type { SeenMessage } from './discord/driver.ts';
import type { DiscordSimulator } from './discord.ts';
import type { VisibleMessage } from './slack/people.ts';
import type { SlackSimulator } from './slack.ts';

export interface MessageView {
  readonly id: string;
  readonly author: string;
  readonly isBot: boolean;
  readonly text: string;
  readonly buttons: readonly { readonly id: string; readonly label: string }[];
  /** Shown to one person alone. */
  readonly isPrivate: boolean;
  /** The thread under it, by the name that `thread` has in an act; empty where there is none. */
  readonly thread: string;
  /** Names of the files that stand with it. */
  readonly files: readonly string[];
  readonly replies: readonly MessageView[];
}

export interface PlaceView {
  readonly id: string;
  readonly name: string;
  readonly messages: readonly MessageView[];
}

export interface DialogView {
  readonly id: string;
  readonly title: string;
  readonly person: string;
}

export interface PlatformView {
  readonly people: readonly { readonly id: string; readonly name: string }[];
  readonly places: readonly PlaceView[];
  readonly dialogs: readonly DialogView[];
}

export interface Act {
  readonly action: 'say' | 'slash' | 'click' | 'edit' | 'delete' | 'submit';
  readonly person: string;
  readonly place: string;
  readonly thread: string;
  readonly message: string;
  readonly button: string;
  readonly text: string;
}

const BOT_NAME = /@threadwise\b/gi;

const seenInSlack = (message: VisibleMessage, replies: readonly MessageView[], nameOf: (id: string) => string): MessageView => ({
  id: message.ts,
  author: nameOf(message.author),
  isBot: message.isBot,
  text: message.text.replace(/<@(\w+)>/g, (_whole, id: string) => `@${nameOf(id)}`),
  buttons: message.buttons.map((button) => ({ id: button.actionId, label: button.label })),
  isPrivate: message.onlyFor !== undefined,
  thread: message.threadTs ?? message.ts,
  files: message.files,
  replies,
});

export const viewSlack = (slack: SlackSimulator): PlatformView => {
  const { workspace } = slack;
  const people = [...workspace.users.values()].filter((user) => user.id !== slack.botUserId && !user.isBot);
  const nameOf = (id: string): string => (id === slack.botUserId ? 'Threadwise' : (workspace.users.get(id)?.displayName ?? id));
  const first = people[0]?.id ?? '';
  const places = [...workspace.channels.values()].map((channel) => {
    const all = slack.visible(channel.id, first);
    const isRoot = (message: VisibleMessage): boolean => message.threadTs === undefined || message.threadTs === message.ts;
    return {
      id: channel.id,
      name: channel.kind === 'im' ? 'Direct message' : `#${channel.name}`,
      messages: all.filter(isRoot).map((root) =>
        seenInSlack(
          root,
          all
            .filter((message) => message.threadTs === root.ts && message.ts !== root.ts)
            .map((reply) => seenInSlack(reply, [], nameOf)),
          nameOf,
        ),
      ),
    };
  });
  const dialogs = slack.views().map(({ id, userId }) => ({ id, person: userId, title: 'What was wrong with it?' }));
  return { people: people.map(({ id, displayName }) => ({ id, name: displayName })), places, dialogs };
};

export const actInSlack = async (slack: SlackSimulator, act: Act): Promise<void> => {
  const text = act.text.replace(BOT_NAME, `<@${slack.botUserId}>`);
  if (act.action === 'say') slack.say(act.place, act.person, text, act.thread === '' ? {} : { threadTs: act.thread });
  else if (act.action === 'slash') await slack.slash(act.place, act.person, '/ask', act.text);
  else if (act.action === 'click') await slack.click(act.place, act.message, act.person, act.button);
  else if (act.action === 'edit') slack.edit(act.place, act.message, text);
  else if (act.action === 'delete') slack.delete(act.place, act.message);
  else {
    const open = slack.views().find(({ id }) => id === act.message);
    const input = JSON.stringify(open?.view ?? {}).match(/"action_id":"([^"]+)"/)?.[1] ?? 'reason';
    await slack.submitView(act.message, { [input]: act.text });
  }
};

const CHANNEL_DM = 1;

const seenInDiscord = (discord: DiscordSimulator, message: SeenMessage): MessageView => ({
  id: message.id,
  author: message.author,
  isBot: message.isBot,
  text: message.text.replaceAll(`<@${discord.botId}>`, '@Threadwise'),
  buttons: message.buttons.map((button) => ({ id: button.customId, label: button.label })),
  isPrivate: message.isEphemeral,
  thread: message.threadId ?? '',
  files: message.files.map(({ filename }) => filename),
  replies: message.threadId === null ? [] : discord.messages(message.threadId).map((reply) => seenInDiscord(discord, reply)),
});

export const viewDiscord = (discord: DiscordSimulator): PlatformView => {
  const { users, channels } = discord.world();
  const people = [...users.values()].filter((user) => !user.bot);
  const places = [...channels.values()]
    .filter((channel) => channel.thread === null)
    .map((channel) => ({
      id: channel.id,
      name: channel.type === CHANNEL_DM ? 'Direct message' : `#${channel.name}`,
      messages: discord.messages(channel.id, people[0]?.id).map((message) => seenInDiscord(discord, message)),
    }));
  const dialogs = discord
    .interactions()
    .filter((interaction) => interaction.modal !== null)
    .map((interaction) => ({ id: interaction.id, person: interaction.userId, title: interaction.modal?.title ?? '' }));
  return { people: people.map(({ id, displayName }) => ({ id, name: displayName })), places, dialogs };
};

export const actInDiscord = async (discord: DiscordSimulator, act: Act): Promise<void> => {
  const text = act.text.replace(BOT_NAME, `<@${discord.botId}>`);
  const place = act.thread === '' ? act.place : act.thread;
  if (act.action === 'say') discord.say(place, act.person, text);
  else if (act.action === 'slash') discord.slash(place, act.person, 'ask', { question: act.text });
  else if (act.action === 'click') discord.click(place, act.message, act.person, act.button);
  else if (act.action === 'edit') discord.edit(place, act.message, text);
  else if (act.action === 'delete') discord.delete(place, act.message);
  else {
    const opened = discord.interactions().find(({ id }) => id === act.message);
    if (opened !== undefined) discord.submitModal(opened, act.text);
  }
};
