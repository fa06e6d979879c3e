/**
 * The whole product with triage in front of a simulated Slack or Discord, and what an asker and a helper do and see there, in the same
 * words for both: Ada asks in a common channel, Ben is of the team, whose channel has the cards.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Clock } from '../../../agent/ports/clock.ts';
import { systemClock } from '../../../ops/clock.ts';
import type { DiscordSimulator } from '../../../simulator/discord.ts';
import { createJiraDouble, JIRA, type JiraDouble } from '../../../simulator/helpdesk/jira.ts';
import type { SlackSimulator } from '../../../simulator/slack.ts';
import { ALWAYS } from '../../fakes/triage-bench.ts';
import { type Assistant, openWorld, startAssistant, until, type World } from '../assembled.ts';

const TAXONOMY = join(import.meta.dirname, '..', '..', '..', 'examples', 'tickets', 'taxonomy.yaml');

/** Waits pass so many times as fast: a second lies between two messages in one place. The time of day is left as it is. */
const PACE = 8;
export const PACED: Clock = {
  now: systemClock.now,
  monotonic: () => systemClock.monotonic() * PACE,
  after: (ms, run) => systemClock.after(ms / PACE, run),
  sleep: (ms, signal) => systemClock.sleep(ms / PACE, signal),
};

/** A message of a person, and the thread that goes on from it. */
export interface Spot {
  readonly channel: string;
  readonly message: string;
  readonly thread: string;
}

export interface Scene {
  readonly platform: 'slack' | 'discord';
  readonly world: World;
  readonly assistant: Assistant;
  /** The helpdesk that all tickets stand in as well. */
  readonly jira: JiraDouble;
  /** Ada, in the common channel; or somebody else. */
  say(text: string, by?: string): Spot;
  /** Goes on in the thread. */
  reply(spot: Spot, text: string, by?: string): Spot;
  direct(text: string): Spot;
  /** In the channel in which each message is a ticket. */
  post(text: string, by?: string): Spot;
  mention(text: string): Spot;
  command(text: string): Promise<void>;
  menu(spot: Spot): Promise<void>;
  emoji(spot: Spot, by?: string): void;
  newcomer(name: string): string;
  readonly ada: string;
  readonly ben: string;
  /** What the assistant says in the thread, its cards excepted. */
  said(spot: Spot): readonly string[];
  /** All cards in the team's channel, or in a thread, as text. */
  cards(spot?: Spot): readonly string[];
  /** Waits for the card in the team's channel that says so. */
  card(words: RegExp, spot?: Spot): Promise<string>;
  /** Of the team that has what is dangerous. */
  leadCards(): readonly string[];
  /** Ben clicks under the card of that ticket, or of `Article of T1`, in the team's channel; a menu needs a choice, a dialog a text. */
  press(ticketId: string, label: string, choice?: string): Promise<void>;
  /** Somebody else does, and is told so. */
  pressAs(person: string, ticketId: string, label: string): Promise<string>;
}

interface Stage extends Omit<Scene, 'world' | 'assistant' | 'jira' | 'card' | 'platform'> {
  readonly teamChannel: string;
  readonly leadChannel: string;
  readonly ticketChannel: string;
  /** Where Ada writes, as places are named in the configuration. */
  readonly places: readonly string[];
  readonly benId: string;
}

interface Shown {
  readonly id: string;
  readonly text: string;
  readonly isCard: boolean;
}

const CARD = /^(?:\W*)(?:Article of )?T\d+ · /u;
const idIn = (text: string): string | undefined => /(?:Article of )?T\d+(?= · )/.exec(text)?.[0];
const cardOf = (shown: readonly Shown[], ticketId: string): Shown => {
  const found = shown.findLast(({ text, isCard }) => isCard && idIn(text) === ticketId);
  assert.ok(found !== undefined, `no card of ${ticketId} among ${shown.map(({ text }) => text).join(' | ')}`);
  return found;
};

const SLACK_MENUS: Readonly<Record<string, string>> = {
  'Category …': 'set_category',
  'Priority …': 'set_priority',
  'Snooze …': 'snooze',
  'Assign …': 'assign',
};

const onSlack = (slack: SlackSimulator): Stage => {
  const person = (displayName: string): string => slack.addUser({ displayName }).id;
  const [ada, ben] = [person('Ada'), person('Ben')];
  const channel = (name: string): string => slack.addChannel({ name, members: [slack.botUserId, ada, ben] }).id;
  const [general, tickets, team, lead] = [channel('general'), channel('tickets'), channel('team'), channel('lead')];
  /** `*Status*` over its value, as Slack shows a field. */
  const plain = (text: string): string =>
    text
      .replaceAll(/<https?:[^|>]*\|([^>]*)>/g, '$1')
      .replaceAll(/\*([\w ]+)\*\n/g, '$1: ')
      .replaceAll('*', '');
  const shownIn = (channelId: string, thread?: string): readonly Shown[] =>
    slack.messages(channelId, thread).flatMap(({ isBot, ts, text }) => {
      const shown = plain(text);
      return isBot && ts !== thread ? [{ id: ts, text: shown, isCard: CARD.test(shown) }] : [];
    });
  const at = (channelId: string, ts: string): Spot => ({ channel: channelId, message: ts, thread: ts });
  const join = (id: string): string => {
    for (const channelId of [general, tickets]) slack.workspace.channels.get(channelId)?.members.add(id);
    return id;
  };
  const whispersTo = (id: string): readonly string[] =>
    slack.visible(team, id).flatMap(({ onlyFor, text }) => (onlyFor === id ? [text] : []));
  const pressed = async (by: string, ticketId: string, label: string, choice = ''): Promise<void> => {
    const { id } = cardOf(shownIn(team), ticketId);
    const button = slack
      .messages(team)
      .find(({ ts }) => ts === id)
      ?.buttons.find((one) => one.label === label);
    const menu = SLACK_MENUS[label];
    const action = button?.actionId ?? (menu === undefined ? undefined : `threadwise_ticket_${menu}`);
    assert.ok(action !== undefined, `no ${label} under ${ticketId}`);
    const known = slack.views().length;
    await slack.click(team, id, by, action, choice);
    if (choice !== '' && menu === undefined) {
      const view = await until(() => slack.views()[known], `the dialog of ${label}`);
      await slack.submitView(view.id, { threadwise_ticket_draft_input: choice });
    }
  };
  return {
    ada,
    ben,
    benId: `slack:${ben}`,
    teamChannel: `slack:${team}`,
    leadChannel: `slack:${lead}`,
    ticketChannel: `slack:${tickets}`,
    places: [general, tickets].map((id) => `slack:${id}`),
    newcomer: (name) => join(person(name)),
    say: (text, by = ada) => at(general, slack.say(general, by, text)),
    post: (text, by = ada) => at(tickets, slack.say(tickets, by, text)),
    mention: (text) => at(general, slack.mention(general, ada, text)),
    reply: (spot, text, by = ada) => ({ ...spot, message: slack.say(spot.channel, by, text, { threadTs: spot.thread }) }),
    direct: (text) => {
      const dm = slack.openDirect(ada).id;
      return { channel: dm, message: slack.say(dm, ada, text), thread: '' };
    },
    command: async (text) => void (await slack.slash(general, ada, '/triage', text)),
    menu: async ({ channel: channelId, message }) => void (await slack.shortcut(channelId, message, ben, 'threadwise_ticket')),
    emoji: ({ channel: channelId, message }, by = ben) => slack.react(channelId, message, by, 'ticket'),
    said: ({ channel: channelId, thread }) =>
      shownIn(channelId, thread === '' ? undefined : thread).flatMap(({ isCard, text }) => (isCard ? [] : [text])),
    cards: (spot) =>
      (spot === undefined ? shownIn(team) : shownIn(spot.channel, spot.thread === '' ? undefined : spot.thread)).flatMap(
        ({ isCard, text }) => (isCard ? [text] : []),
      ),
    leadCards: () => shownIn(lead).flatMap(({ isCard, text }) => (isCard ? [text] : [])),
    press: (ticketId, label, choice) => pressed(ben, ticketId, label, choice),
    pressAs: async (by, ticketId, label) => {
      slack.workspace.channels.get(team)?.members.add(by);
      const known = whispersTo(by).length;
      await pressed(by, ticketId, label);
      return until(() => whispersTo(by)[known], 'a word to who clicked');
    },
  };
};

const onDiscord = (sim: DiscordSimulator): Stage => {
  const guild = sim.addGuild('Larkfield');
  const [ada, ben] = [sim.addUser('Ada'), sim.addUser('Ben')];
  const channel = (name: string): string => sim.addChannel(guild, name);
  const [general, tickets, team, lead] = [channel('general'), channel('tickets'), channel('team'), channel('lead')];
  const shownIn = (channelId: string): readonly Shown[] =>
    sim.world().channels.has(channelId)
      ? sim.messages(channelId).flatMap(({ isBot, isEphemeral, id, text, embeds }) => {
          const shown = [...(embeds.length === 0 ? [text.replace(/\n-# \S+$/u, '')] : embeds)].join('\n').replaceAll('\\', '');
          return isBot && !isEphemeral ? [{ id, text: shown, isCard: embeds.length > 0 && CARD.test(shown) }] : [];
        })
      : [];
  const at = (channelId: string, id: string): Spot => ({ channel: channelId, message: id, thread: id });
  const whispersTo = (id: string) => sim.messages(team, id).filter(({ isEphemeral }) => isEphemeral);
  const answered = (interaction: ReturnType<typeof sim.click>): Promise<unknown> =>
    until(() => interaction.answeredWith !== null, 'an answer to the click');
  const pressed = async (by: string, ticketId: string, label: string, choice = ''): Promise<void> => {
    const { id } = cardOf(shownIn(team), ticketId);
    const known = new Set(whispersTo(by).map((one) => one.id));
    const click = sim.click(team, id, by, label);
    await answered(click);
    if (choice === '') return;
    if (click.modal !== null) return void (await answered(sim.submitModal(click, choice)));
    const menu = await until(() => whispersTo(by).find((one) => !known.has(one.id) && one.menus.length > 0), 'the menu');
    sim.choose(team, menu.id, by, menu.menus[0]?.customId ?? '', choice);
    await until(() => whispersTo(by).some((one) => one.id === menu.id && one.menus.length === 0), 'the choice to be taken');
  };
  return {
    ada,
    ben,
    benId: `discord:${ben}`,
    teamChannel: `discord:${team}`,
    leadChannel: `discord:${lead}`,
    ticketChannel: `discord:${tickets}`,
    places: [general, tickets].map((id) => `discord:${id}`),
    newcomer: (name) => sim.addUser(name),
    say: (text, by = ada) => at(general, sim.say(general, by, text)),
    post: (text, by = ada) => at(tickets, sim.say(tickets, by, text)),
    mention: (text) => at(general, sim.mention(general, ada, text)),
    reply: (spot, text, by = ada) => ({ ...spot, message: sim.say(spot.thread, by, text) }),
    direct: (text) => {
      const dm = sim.openDm(ada);
      return { channel: dm, message: sim.say(dm, ada, text), thread: dm };
    },
    command: async (text) => void (await answered(sim.slash(general, ada, 'triage', { text }))),
    menu: async ({ channel, message }) => void (await answered(sim.messageCommand(channel, message, ben, 'Make a ticket'))),
    emoji: ({ channel, message }, by = ben) => sim.react(channel, message, by, '🎫'),
    said: ({ thread }) => shownIn(thread).flatMap(({ isCard, text }) => (isCard ? [] : [text])),
    cards: (spot) => shownIn(spot?.thread ?? team).flatMap(({ isCard, text }) => (isCard ? [text] : [])),
    leadCards: () => shownIn(lead).flatMap(({ isCard, text }) => (isCard ? [text] : [])),
    press: (ticketId, label, choice) => pressed(ben, ticketId, label, choice),
    pressAs: async (by, ticketId, label) => {
      const known = whispersTo(by).length;
      await pressed(by, ticketId, label);
      return (await until(() => whispersTo(by)[known], 'a word to who clicked')).text;
    },
  };
};

/** The number that a ticket was given. */
export const numberOf = (card: string): string => idIn(card) ?? '';

/** Two teams on each platform: one for what is dangerous, one for all else. Rules tell the platforms apart. */
const writeRules = (file: string, stages: readonly (readonly [platform: string, stage: Stage])[]): void => {
  const rules = [
    ...stages.map(([platform, { places: place }]) => ({
      name: 'what is dangerous',
      when: { category: 'safety', place },
      team: `lead_${platform}`,
      priority: 'urgent',
    })),
    ...stages.map(([platform, { places: place }]) => ({ name: 'all else', when: { place }, team: `team_${platform}` })),
    // An incident has no place: those about returns go here, the others to the default team.
    { name: 'incidents about returns', when: { category: 'return_request' }, team: 'team_discord' },
  ];
  writeFileSync(file, JSON.stringify({ rules }));
};

const teamLines = (platform: string, { teamChannel, leadChannel, benId }: Stage): readonly string[] => [
  `    team_${platform}: { channel: '${teamChannel}', members: ['${benId}'] }`,
  `    lead_${platform}: { channel: '${leadChannel}', members: ['${benId}'] }`,
];

const helpdesk = (url: string) => ({
  kind: 'jira',
  url,
  email: JIRA.email,
  token: '${JIRA_TOKEN}',
  project: JIRA.project,
  serviceDesk: true,
  statuses: { waiting: ['Waiting for customer'], closed: ['Closed'] },
  create: 'all',
  pollSeconds: 10,
});

const openScenes = async () => {
  const world = await openWorld();
  const [slack, discord] = [onSlack(world.slack), onDiscord(world.discord)];
  const stages = [['slack', slack] as const, ['discord', discord] as const];
  const rules = join(world.folder, 'rules.yaml');
  writeRules(rules, stages);
  const jira = await createJiraDouble({ clock: systemClock });
  const assistant = await startAssistant(world, {
    clock: PACED,
    // Without a language model: what is shown here needs none.
    env: { OPENAI_BASE_URL: undefined, THREADWISE_MODEL: undefined, JIRA_TOKEN: JIRA.token },
    yaml: [
      'triage:',
      `  taxonomy: ${TAXONOMY}`,
      `  rules: ${rules}`,
      '  teams:',
      ...stages.flatMap(([platform, stage]) => teamLines(platform, stage)),
      '  defaultTeam: team_slack',
      `  channels: ['${slack.ticketChannel}', '${discord.ticketChannel}']`,
      '  serviceLevels: { urgent: { first_answer: 30 } }',
      `  calendar: ${JSON.stringify(ALWAYS)}`,
      '  burstSeconds: 0',
      `  helpdesks: ${JSON.stringify({ acme: helpdesk(jira.url) })}`,
      '',
    ].join('\n'),
  });
  const sceneOf = (platform: Scene['platform'], stage: Stage): Scene => ({
    ...stage,
    platform,
    world,
    assistant,
    jira,
    card: (words, spot) =>
      until(() => stage.cards(spot).find((text) => words.test(text)), `a card with ${words}`, 8_000).catch((error: unknown) => {
        throw new Error(`${String(error)}; the latest are: ${stage.cards(spot).slice(-2).join(' | ')}`);
      }),
  });
  return {
    slack: sceneOf('slack', slack),
    discord: sceneOf('discord', discord),
    close: async () => {
      await assistant.stop(0);
      await world[Symbol.asyncDispose]();
      await jira.close();
      assert.deepEqual(jira.violations, []);
    },
  };
};

/** One installation for all stories of a run: each has people and words of its own. */
let opening: ReturnType<typeof openScenes> | undefined;
let stories = 0;

/** The same story on both platforms at once. */
export const onBoth = (title: string, play: (scene: Scene) => Promise<void>): void => {
  stories += 1;
  describe(title, { concurrency: 2 }, () => {
    for (const platform of ['slack', 'discord'] as const) {
      it(`in ${platform}`, async () => {
        opening ??= openScenes();
        await play((await opening)[platform]);
      });
    }
    after(async () => {
      stories -= 1;
      if (stories === 0) await (await opening)?.close();
    });
  });
};

export { until };
