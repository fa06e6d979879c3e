/** What a person does and sees on a platform, in the same words for Slack and Discord. */

import type { DiscordSimulator } from '../../simulator/discord.ts';
import type { SlackSimulator } from '../../simulator/slack.ts';
import { until } from './assembled.ts';

/** A question that was asked: where it stands, and where its answers do. */
export interface Spot {
  readonly channel: string;
  readonly message: string;
  readonly thread: string;
}

export interface Desk {
  readonly name: 'slack' | 'discord';
  /** Asks in the common channel. */
  mention(text: string): Spot;
  /** Says something in the thread of the answers, without a mention. */
  say(spot: Spot, text: string): Spot;
  direct(text: string, person?: string): Spot;
  command(text: string): Promise<Spot>;
  edit(spot: Spot, text: string): void;
  remove(spot: Spot): void;
  /** The assistant's messages in the place of the answers, oldest first. */
  answers(spot: Spot): readonly string[];
  /** Its messages outside of every thread. */
  outside(): readonly string[];
  /** Finds the last answer unhelpful, for a reason; the turn that it was about. */
  complain(spot: Spot, reason: string): Promise<string>;
  /** Who was notified by any of its messages. */
  pings(): readonly string[];
  /** The person's id as the configuration names it. */
  readonly personId: string;
}

export const openSlackDesk = (slack: SlackSimulator): Desk => {
  const person = slack.addUser({ displayName: 'Ada' }).id;
  const room = slack.addChannel({ name: 'general', members: [slack.botUserId, person] }).id;
  const own = (channel: string, thread?: string) => slack.messages(channel, thread).filter(({ isBot }) => isBot);
  const seen = new Map<string, number>();
  return {
    name: 'slack',
    personId: `slack:${person}`,
    mention: (text) => {
      const message = slack.mention(room, person, text);
      return { channel: room, message, thread: message };
    },
    say: (spot, text) => ({ ...spot, message: slack.say(spot.channel, person, text, { threadTs: spot.thread }) }),
    direct: (text, by = person) => {
      const channel = slack.openDirect(by).id;
      seen.set(channel, own(channel).length);
      return { channel, message: slack.say(channel, by, text), thread: '' };
    },
    command: async (text) => {
      await slack.slash(room, person, '/ask', text);
      const root = await until(() => own(room).findLast(({ threadTs }) => threadTs === undefined), 'the question');
      return { channel: room, message: root.ts, thread: root.ts };
    },
    edit: ({ channel, message }, text) => slack.edit(channel, message, text),
    remove: ({ channel, message }) => slack.delete(channel, message),
    answers: ({ channel, thread }) =>
      thread === ''
        ? own(channel)
            .slice(seen.get(channel))
            .map(({ text }) => text)
        : own(channel, thread)
            .filter(({ ts }) => ts !== thread)
            .map(({ text }) => text),
    outside: () => own(room).flatMap(({ threadTs, text }) => (threadTs === undefined ? [text] : [])),
    complain: async ({ channel, thread }, reason) => {
      const message = own(channel, thread).at(-1);
      const button = message?.buttons.find(({ actionId }) => actionId === 'threadwise_down');
      if (message === undefined || button === undefined) throw new Error('the answer has no button');
      await slack.click(channel, message.ts, person, button.actionId);
      const view = await until(() => slack.views().at(-1), 'the dialog');
      await slack.submitView(view.id, { threadwise_reason_input: reason });
      return button.value.replace(/:\d+$/, '');
    },
    pings: () => [...slack.workspace.channels.keys()].flatMap((channel) => own(channel).flatMap(({ pings }) => pings)),
  };
};

export const openDiscordDesk = (sim: DiscordSimulator): Desk => {
  const person = sim.addUser('Ada');
  const guild = sim.addGuild('Bright Lamps');
  const general = sim.addChannel(guild, 'general');
  const asking = sim.addChannel(guild, 'asking');
  const exists = (channel: string) => sim.world().channels.has(channel);
  const own = (channel: string) =>
    exists(channel) ? sim.messages(channel).filter(({ authorId }) => authorId === sim.botId) : [];
  const seen = new Map<string, number>();
  return {
    name: 'discord',
    personId: `discord:${person}`,
    mention: (text) => {
      const message = sim.mention(general, person, text);
      return { channel: general, message, thread: message };
    },
    say: ({ thread }, text) => ({ channel: thread, message: sim.say(thread, person, text), thread }),
    direct: (text, by = person) => {
      const channel = sim.openDm(by);
      seen.set(channel, own(channel).length);
      return { channel, message: sim.say(channel, by, text), thread: channel };
    },
    command: async (text) => {
      seen.set(asking, own(asking).length);
      sim.slash(asking, person, 'ask', { question: text });
      return { channel: asking, message: '', thread: asking };
    },
    edit: ({ channel, message }, text) => sim.edit(channel, message, text),
    remove: ({ channel, message }) => sim.delete(channel, message),
    answers: ({ thread }) =>
      own(thread)
        .slice(seen.get(thread) ?? 0)
        .flatMap(({ text, isThinking }) => (isThinking ? [] : [text])),
    outside: () => own(general).map(({ text }) => text),
    complain: async ({ thread }, reason) => {
      const message = own(thread).at(-1);
      const button = message?.buttons.find(({ customId }) => customId.startsWith('tw:down:'));
      if (message === undefined || button === undefined) throw new Error('the answer has no button');
      const clicked = sim.click(thread, message.id, person, button.customId);
      await until(() => clicked.modal !== null, 'the dialog');
      sim.submitModal(clicked, reason);
      return button.customId.replace(/^tw:down:\w+:/, '');
    },
    pings: () => [...sim.world().channels.keys()].flatMap((channel) => own(channel).flatMap(({ pinged }) => pinged)),
  };
};
