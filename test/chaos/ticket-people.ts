/** What people do to get a ticket and with its card, and what they then see, in the same words for Slack and Discord. */

import type { Clock } from '../../agent/ports/clock.ts';
import { systemClock } from '../../ops/clock.ts';
import { CHANNEL } from '../../simulator/discord/world.ts';
import { createSlackSimulator } from '../../simulator/slack.ts';
import { openDiscord } from '../simulator/discord-kit.ts';

export const WAYS = ['command', 'shortcut', 'emoji', 'wish', 'channel', 'forum'] as const;
export type Way = (typeof WAYS)[number];
export const SLACK_WAYS: readonly Way[] = WAYS.filter((way) => way !== 'forum');
export const CLICKS = ['claim', 'escalate', 'solve', 'close', 'send_draft'] as const;
export type ClickName = (typeof CLICKS)[number];

/** One attempt: a person, a team's channel and what they wrote, none of which another one shares. */
export interface Attempt {
  /** Again after a death, as a person does who saw nothing happen; what the platform sends again by itself is not done again. */
  arrive(way: Way, isAgain: boolean): void;
  /** Clicks on the ticket's card at the team. */
  click(name: ClickName): Promise<void>;
  readonly teamChannel: string;
  /** The assistant's messages: at the team, and wherever else. */
  seen(): { readonly team: readonly string[]; readonly asker: readonly string[] };
}

export interface Platform {
  readonly name: 'slack' | 'discord';
  readonly connection: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly ticketChannels: readonly string[];
  readonly helperId: string;
  open(n: number): Attempt;
  /** Before another life: the platform's time goes on, too. */
  step(): void;
  /** Resolves when nothing is under way to the app. */
  settle(): Promise<void>;
  readonly problems: readonly string[];
  close(): Promise<void>;
}

export const STEP_MS = 600_000;
const WISH = 'can I talk to a human please?';
/** Without the times and addresses in it; the team is named where it is known by then. */
const flat = (text: string): string =>
  text
    .replaceAll(/<https?:[^|>]*\|([^>]*)>|\[([^\]]*)\]\(<?https?:[^)]*\)/g, '$1$2')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'then')
    .replace('passed this on to a person.', 'passed this on to billing.')
    .replaceAll(/\s+/g, ' ')
    .trim();

const SLACK_CLICKS: Readonly<Record<ClickName, string>> = {
  claim: 'assign_me',
  escalate: 'escalate',
  solve: 'solve',
  close: 'close',
  send_draft: 'draft_send',
};

export const openSlackPlatform = async (): Promise<Platform> => {
  const slack = await createSlackSimulator({
    clock: systemClock,
    limits: false,
    retryDelaysMs: Array.from({ length: 300 }, () => 100),
  });
  const helper = slack.addUser({ displayName: 'Ben' }).id;
  const room = slack.addChannel({ name: 'room', members: [slack.botUserId, helper] }).id;
  const auto = slack.addChannel({ name: 'help', members: [slack.botUserId, helper] }).id;
  const own = (channelId: string, threadTs?: string) => slack.messages(channelId, threadTs).filter(({ isBot }) => isBot);
  return {
    name: 'slack',
    connection: { botToken: slack.botToken, appToken: slack.appToken, apiUrl: slack.apiUrl },
    clock: systemClock,
    ticketChannels: [`slack:${auto}`],
    helperId: `slack:${helper}`,
    open: (n) => {
      const asker = slack.addUser({ displayName: 'Ada' }).id;
      for (const id of [room, auto]) slack.workspace.channels.get(id)?.members.add(asker);
      const team = slack.addChannel({ name: `team-${n}`, members: [slack.botUserId, helper] }).id;
      const before = new Set([room, auto].flatMap((id) => slack.messages(id).map(({ ts }) => ts)));
      let said: string | undefined;
      const write = (): string => (said ??= slack.say(room, asker, 'my refund is late'));
      return {
        teamChannel: `slack:${team}`,
        arrive: (way, isAgain) => {
          // A press that was never answered fails for who pressed, who presses again.
          if (way === 'command') void slack.slash(room, asker, '/triage', 'my refund is late').catch(() => undefined);
          if (way === 'shortcut') void slack.shortcut(room, write(), helper, 'threadwise_ticket').catch(() => undefined);
          if (way === 'emoji') slack.react(room, write(), isAgain ? asker : helper, 'ticket');
          if (way === 'wish' && !isAgain) slack.mention(room, asker, WISH);
          if (way === 'channel' && !isAgain) slack.say(auto, asker, 'my refund is late');
        },
        click: async (name) => {
          const card = own(team)[0];
          if (card === undefined) throw new Error('no card to click on');
          await slack.click(team, card.ts, helper, `threadwise_ticket_${SLACK_CLICKS[name]}`).catch(() => undefined);
        },
        seen: () => {
          const roots = [room, auto].flatMap((id) =>
            slack
              .messages(id)
              .flatMap((message) => (before.has(message.ts) || message.threadTs !== undefined ? [] : [{ id, ts: message.ts }])),
          );
          return {
            team: own(team).map(({ text }) => flat(text)),
            asker: roots.flatMap(({ id, ts }) =>
              own(id, ts).flatMap((message) => (message.ts === ts ? [] : [flat(message.text)])),
            ),
          };
        },
      };
    },
    step: () => undefined,
    settle: () => slack.settle(),
    problems: [],
    close: () => slack.close(),
  };
};

const DISCORD_CLICKS: Readonly<Record<ClickName, string>> = {
  claim: 'Take it',
  escalate: 'Escalate',
  solve: 'Solve',
  close: 'Close',
  send_draft: 'Send draft',
};

export const openDiscordPlatform = async (): Promise<Platform> => {
  const sim = await openDiscord();
  const auto = sim.addChannel(sim.guildId, 'help');
  const forum = sim.addChannel(sim.guildId, 'support', CHANNEL.forum);
  const own = (channelId: string) =>
    sim.world().channels.has(channelId) ? sim.messages(channelId).filter(({ isBot, isEphemeral }) => isBot && !isEphemeral) : [];
  return {
    name: 'discord',
    connection: { token: sim.token, apiUrl: sim.apiUrl },
    clock: sim.clock,
    ticketChannels: [`discord:${auto}`, `discord:${forum}`],
    helperId: `discord:${sim.ben}`,
    open: (n) => {
      const asker = sim.addUser('Ada');
      const team = sim.addChannel(sim.guildId, `team-${n}`);
      const known = new Set(sim.world().channels.keys());
      let said: string | undefined;
      const write = (): string => (said ??= sim.say(sim.general, asker, 'my refund is late'));
      /** Without the mark by which it is found again. */
      const textOf = ({ embeds, text }: { readonly embeds: readonly string[]; readonly text: string }): string =>
        flat([text.replace(/\n?-# \S+$/u, ''), ...embeds].join(' '));
      return {
        teamChannel: `discord:${team}`,
        arrive: (way, isAgain) => {
          if (way === 'command') sim.slash(sim.general, asker, 'triage', { text: 'my refund is late' });
          if (way === 'shortcut') sim.messageCommand(sim.general, write(), sim.ben, 'Make a ticket');
          if (way === 'emoji') sim.react(sim.general, write(), isAgain ? asker : sim.ben, '🎫');
          if (way === 'wish' && !isAgain) sim.mention(sim.general, asker, WISH);
          if (way === 'channel' && !isAgain) sim.say(auto, asker, 'my refund is late');
          if (way === 'forum' && !isAgain) sim.postInForum(forum, asker, 'Late', 'my refund is late');
        },
        click: async (name) => {
          const card = own(team)[0];
          if (card === undefined) throw new Error('no card to click on');
          const click = sim.click(team, card.id, sim.ben, DISCORD_CLICKS[name]);
          for (let tries = 0; tries < 50 && click.answeredWith === null; tries += 1) await systemClock.sleep(5);
        },
        seen: () => ({
          team: own(team).map(textOf),
          asker: [...sim.world().channels.keys()].flatMap((id) => (known.has(id) ? [] : own(id).map(textOf))),
        }),
      };
    },
    step: () => sim.clock.advance(STEP_MS),
    settle: () => Promise.resolve(),
    get problems() {
      return sim.violations;
    },
    close: () => sim.close(),
  };
};
