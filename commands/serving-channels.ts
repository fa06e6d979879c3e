/** The channels that are configured, each loaded when it is wanted. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChannelName } from '../agent/conversation.ts';
import type { Channel } from '../agent/ports/channel.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { TicketBoard } from '../agent/ports/ticket-board.ts';
import type { TicketDesk } from '../agent/ports/ticket-desk.ts';
import type { DiscordChannel } from '../bots/discord/discord.ts';
import type { SlackChannel } from '../bots/slack/slack.ts';
import type { TerminalChannel } from '../bots/terminal.ts';
import type { WebChannel } from '../bots/web/web.ts';
import type { Core } from '../main.ts';
import type { Config } from '../ops/config.ts';
import type { Readiness } from '../ops/health.ts';
import type { CommandIo } from './command.ts';

export interface ChannelsOptions {
  readonly config: Config;
  /** Absolute; `:memory:` keeps nothing. */
  readonly folder: string;
  readonly io: CommandIo;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly core: Core;
  readonly wanted: readonly ChannelName[];
  readonly readiness: () => Promise<Readiness>;
  /** Once the channels start; undefined where tickets are not set up. */
  readonly desk: (() => TicketDesk) | undefined;
}

export interface OpenedChannels {
  /** In the order they are started: where people look for a fault first, and the prompt last. */
  readonly all: ReadonlyMap<ChannelName, Channel>;
  readonly web: WebChannel | undefined;
  readonly terminal: TerminalChannel | undefined;
  /** Where tickets can be shown. */
  readonly boards: readonly TicketBoard[];
}

const PAGE_FOLDER = fileURLToPath(new URL('../console/page', import.meta.url));

export const openChannels = async (options: ChannelsOptions): Promise<OpenedChannels> => {
  const { config, folder, io, clock, logger, core, readiness, desk } = options;

  const ticketSettings =
    desk === undefined ? undefined : { desk, emoji: config.triage.emoji, channels: new Set(config.triage.channels) };

  const openWeb = async (): Promise<WebChannel> => {
    const { createWebChannel } = await import('../bots/web/web.ts');
    return createWebChannel({
      host: config.web.host,
      port: config.web.port,
      token: config.web.token?.reveal(),
      publicUrl: config.web.publicUrl,
      pageFolder: PAGE_FOLDER,
      store: core.store,
      clock,
      logger,
      labelsFor: () => config.web.labels,
      readPassage: async (chunkId, labels) => (await core.knowledge.readPassages([chunkId], labels))[0],
      readiness,
    });
  };

  const openTerminal = async (): Promise<TerminalChannel> => {
    const { createTerminalChannel } = await import('../bots/terminal.ts');
    return createTerminalChannel({
      input: io.stdin,
      output: io.stdout,
      clock,
      logger,
      colour: !io.env['NO_COLOR'],
      ...(folder === ':memory:'
        ? {}
        : { historyPath: resolve(folder, 'terminal-history'), filesFolder: resolve(folder, 'files') }),
    });
  };

  const openSlack = async (web: WebChannel | undefined): Promise<SlackChannel | undefined> => {
    if (config.slack === undefined) return undefined;
    const { createSlackChannel } = await import('../bots/slack/slack.ts');
    const { botToken, appToken, signingSecret, mode, editIntervalMs, apiUrl } = config.slack;
    return createSlackChannel({
      botToken: botToken.reveal(),
      appToken: appToken?.reveal(),
      signingSecret: signingSecret?.reveal(),
      mode,
      editIntervalMs,
      apiUrl,
      mount: web?.mount,
      tickets: ticketSettings,
      clock,
      logger,
    });
  };

  const openDiscord = async (): Promise<DiscordChannel | undefined> => {
    if (config.discord === undefined) return undefined;
    const { createDiscordChannel } = await import('../bots/discord/discord.ts');
    const { token, messageContent, apiUrl } = config.discord;
    return createDiscordChannel({
      token: token.reveal(),
      messageContent,
      ...(apiUrl === undefined ? {} : { apiUrl }),
      tickets: ticketSettings,
      clock,
      logger,
      cursor: {
        read: async () => ((await core.store.readSetting('discord', 'cursor')) ?? {}) as Readonly<Record<string, string>>,
        write: (lastMessageIds) => core.store.writeSetting('discord', 'cursor', lastMessageIds),
      },
    });
  };

  const wants = (name: ChannelName): boolean => options.wanted.includes(name);
  const web = wants('web') && config.web.enabled ? await openWeb() : undefined;
  const terminal = wants('terminal') ? await openTerminal() : undefined;
  const slack = wants('slack') ? await openSlack(web) : undefined;
  const discord = wants('discord') ? await openDiscord() : undefined;
  const all = new Map<ChannelName, Channel>();
  for (const channel of [web, slack, discord, terminal]) if (channel !== undefined) all.set(channel.name, channel);
  return { all, web, terminal, boards: [slack, discord].flatMap((channel) => channel?.board ?? []) };
};
