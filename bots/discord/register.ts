/** What an administrator does once: the invitation to a server, and the registration of the commands. */

import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  InteractionContextType,
  PermissionFlagsBits,
  REST,
  type RESTPutAPIApplicationCommandsJSONBody,
  Routes,
} from 'discord.js';
import { z } from 'zod';
import { AppError } from '../../agent/errors.ts';
import { createDiscordRest } from './rest.ts';

export const ASK_COMMAND = 'ask';
export const QUESTION_OPTION = 'question';
export const TRIAGE_COMMAND = 'triage';
export const TRIAGE_OPTION = 'text';
export const TICKET_MENU = 'Make a ticket';
/** What Discord takes as the text of one option. */
const MAX_OPTION_UNITS = 6000;

type Commands = RESTPutAPIApplicationCommandsJSONBody;

export interface DiscordFeatures {
  /** `/ask`. */
  readonly commands: boolean;
  /** Mentions in channels and the threads that answer them. */
  readonly mentions: boolean;
  /** `/triage`, a message's menu, and cards. */
  readonly tickets?: boolean;
}

export const ALL_FEATURES: DiscordFeatures = { commands: true, mentions: true };

const ASK: Commands[number] = {
  type: ApplicationCommandType.ChatInput,
  name: ASK_COMMAND,
  description: 'Ask a question; the answer comes from the knowledge base, with its sources.',
  description_localizations: { 'zh-CN': '提问；回答来自知识库，并附出处。', 'zh-TW': '提問；回答來自知識庫，並附出處。' },
  contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
  options: [
    {
      type: ApplicationCommandOptionType.String,
      name: QUESTION_OPTION,
      description: 'Your question',
      description_localizations: { 'zh-CN': '你的问题', 'zh-TW': '你的問題' },
      required: true,
      min_length: 1,
      max_length: MAX_OPTION_UNITS,
    },
  ],
};

const TICKETS: Commands = [
  {
    type: ApplicationCommandType.ChatInput,
    name: TRIAGE_COMMAND,
    description: 'Ask the support team; your words become a ticket.',
    description_localizations: {
      'zh-CN': '向支持团队求助；你的话会成为一张工单。',
      de: 'Das Support-Team fragen; daraus wird ein Ticket.',
    },
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: TRIAGE_OPTION,
        description: 'What is wrong',
        description_localizations: { 'zh-CN': '哪里有问题', de: 'Was nicht geht' },
        required: true,
        min_length: 1,
        max_length: MAX_OPTION_UNITS,
      },
    ],
  },
  {
    type: ApplicationCommandType.Message,
    name: TICKET_MENU,
    name_localizations: { 'zh-CN': '建立工单', de: 'Ticket anlegen' },
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
  },
];

export const commandDefinitions = ({ commands, tickets }: DiscordFeatures = ALL_FEATURES): Commands =>
  commands ? [ASK, ...(tickets === true ? TICKETS : [])] : [];

/** What the features need, and no more, by the names that Discord shows. */
export const neededPermissions = ({ mentions, tickets }: DiscordFeatures = ALL_FEATURES): ReadonlyMap<string, bigint> =>
  new Map([
    ['View Channels', PermissionFlagsBits.ViewChannel],
    ['Send Messages', PermissionFlagsBits.SendMessages],
    ['Attach Files', PermissionFlagsBits.AttachFiles],
    ['Read Message History', PermissionFlagsBits.ReadMessageHistory],
    ...(mentions || tickets === true
      ? ([
          ['Create Public Threads', PermissionFlagsBits.CreatePublicThreads],
          ['Send Messages in Threads', PermissionFlagsBits.SendMessagesInThreads],
        ] as const)
      : []),
    // A ticket's card is an embed.
    ...(tickets === true ? ([['Embed Links', PermissionFlagsBits.EmbedLinks]] as const) : []),
  ]);

export const permissionBits = (features: DiscordFeatures = ALL_FEATURES): bigint =>
  [...neededPermissions(features).values()].reduce((bits, bit) => bits | bit, 0n);

export const inviteUrl = (applicationId: string, features: DiscordFeatures = ALL_FEATURES): string => {
  const query = new URLSearchParams({
    client_id: applicationId,
    permissions: String(permissionBits(features)),
    scope: features.commands ? 'bot applications.commands' : 'bot',
  });
  return `https://discord.com/oauth2/authorize?${query.toString()}`;
};

export interface RegisterOptions {
  readonly token: string;
  readonly applicationId?: string;
  readonly apiUrl?: string;
  /** Commands of one server show at once; global ones may take a while. */
  readonly guildId?: string;
  readonly features?: DiscordFeatures;
}

const application = z.object({ id: z.string() });
const registered = z.array(z.object({ name: z.string() }));

const createRest = ({ token, apiUrl }: RegisterOptions) =>
  createDiscordRest(
    new REST({ version: '10', retries: 0, timeout: 10_000, ...(apiUrl === undefined ? {} : { api: apiUrl }) }).setToken(token),
  );

/** The application of the token. Throws `AppError('channel_auth')` when Discord refuses it. */
export const readApplicationId = async (options: RegisterOptions): Promise<string> => {
  try {
    return application.parse(await createRest(options).call('GET', Routes.currentApplication(), 'a look at the application')).id;
  } catch (error) {
    const { cause } = error as AppError;
    if (typeof cause === 'object' && cause !== null && Reflect.get(cause, 'status') === 401) {
      throw new AppError(
        'channel_auth',
        'Discord refused DISCORD_TOKEN: copy the bot token again (Developer Portal, Bot, Reset Token)',
        {
          cause,
        },
      );
    }
    throw error;
  }
};

/** Replaces all commands of the application (or of one server) with ours. Returns their names. */
export const registerCommands = async (options: RegisterOptions): Promise<readonly string[]> => {
  const applicationId = options.applicationId ?? (await readApplicationId(options));
  const route =
    options.guildId === undefined
      ? Routes.applicationCommands(applicationId)
      : Routes.applicationGuildCommands(applicationId, options.guildId);
  const body = commandDefinitions(options.features);
  return registered.parse(await createRest(options).call('PUT', route, 'the commands', { body })).map(({ name }) => name);
};
