import { AppError } from '../agent/errors.ts';
import { readConfig } from '../main.ts';
import type { CommandIo } from './command.ts';
import { hasTriage } from './triage-parts.ts';

export const summary = 'what Discord needs once: the invitation and the commands';

export const usage = `Usage: threadwise discord invite
       threadwise discord register [--guild ID]

  invite    prints the address under which an administrator invites the bot, with the rights it needs and no more
  register  registers its slash commands, with --guild for one server (there at once), else for all (may take a while)

Both use DISCORD_TOKEN.
`;

export const run = async (args: readonly string[], io: CommandIo): Promise<number> => {
  const [action, option, guildId, ...more] = args;
  const isInvite = action === 'invite' && args.length === 1;
  const isRegister =
    action === 'register' && more.length === 0 && (option === undefined || (option === '--guild' && /^\d+$/.test(guildId ?? '')));
  if (!isInvite && !isRegister)
    throw new AppError(
      'usage',
      `discord: expected invite, register, or register --guild ID, got ${JSON.stringify(args.join(' '))}`,
    );
  const config = await readConfig(io);
  const { discord } = config;
  if (discord === undefined)
    throw new AppError('config_invalid', 'discord.token (DISCORD_TOKEN): expected a bot token, got none; see docs/discord.md');
  const { ALL_FEATURES, inviteUrl, readApplicationId, registerCommands, TICKET_MENU } = await import(
    '../bots/discord/register.ts'
  );
  const features = { ...ALL_FEATURES, tickets: hasTriage(config) };
  const options = {
    features,
    token: discord.token.reveal(),
    ...(discord.applicationId === undefined ? {} : { applicationId: discord.applicationId }),
    ...(discord.apiUrl === undefined ? {} : { apiUrl: discord.apiUrl }),
  };
  if (isInvite) io.stdout.write(`${inviteUrl(discord.applicationId ?? (await readApplicationId(options)), features)}\n`);
  else {
    const names = await registerCommands(guildId === undefined ? options : { ...options, guildId });
    io.stdout.write(
      `registered ${names.map((name) => (name === TICKET_MENU ? `“${name}”` : `/${name}`)).join(', ')}${guildId === undefined ? '' : ` in server ${guildId}`}\n`,
    );
  }
  return 0;
};
