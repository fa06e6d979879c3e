import { AppError } from '../agent/errors.ts';
import { readConfig } from '../main.ts';
import { systemClock } from '../ops/clock.ts';
import { Secret } from '../ops/secret.ts';
import type { CommandIo } from './command.ts';
import { serve } from './start.ts';

export const summary = 'try the Slack and Discord flows on this machine, without an account';

export const usage = `Usage: threadwise simulate [--port PORT] [--limits]

Starts a Slack and a Discord on loopback with the assistant connected, and a page where you play their people.
Everything is thrown away at the end.

  --port PORT  of that page (default 3100)
  --limits     with the platforms' rate limits
`;

const DEFAULT_PORT = 3100;

const parseArguments = (args: readonly string[]): { readonly port: number; readonly limits: boolean } => {
  let port = DEFAULT_PORT;
  let limits = false;
  for (let at = 0; at < args.length; at++) {
    if (args[at] === '--limits') limits = true;
    else if (args[at] === '--port' && /^\d{1,5}$/.test(args[at + 1] ?? '') && Number(args[at + 1]) <= 65_535)
      port = Number(args[++at]);
    else throw new AppError('usage', `simulate: expected --port PORT (0 to 65535) or --limits, got ${JSON.stringify(args[at])}`);
  }
  return { port, limits };
};

export const run = async (args: readonly string[], io: CommandIo): Promise<number> => {
  const { port, limits } = parseArguments(args);
  const config = await readConfig(io);
  const [{ createSlackSimulator }, { createDiscordSimulator }, { createVisitorPage }, { ASK_COMMAND, registerCommands }] =
    await Promise.all([
      import('../simulator/slack.ts'),
      import('../simulator/discord.ts'),
      import('../simulator/visitor.ts'),
      import('../bots/discord/register.ts'),
    ]);
  const clock = systemClock;
  const slack = await createSlackSimulator({ clock, limits });
  const discord = await createDiscordSimulator({ clock, limits });
  const member = slack.addUser({ name: 'member', displayName: 'Member' });
  slack.addUser({ name: 'guest', displayName: 'Guest', isRestricted: true });
  slack.addChannel({ name: 'general', members: [...slack.workspace.users.keys()] });
  slack.openDirect(member.id);
  const guild = discord.addGuild('Simulated server');
  discord.addChannel(guild, 'general');
  discord.openDm(discord.addUser('Member'));
  await registerCommands({ token: discord.token, apiUrl: discord.apiUrl, applicationId: discord.applicationId });
  const page = await createVisitorPage({ slack, discord, port });
  io.stderr.write(`threadwise: the page where you play the people: ${page.url} (/${ASK_COMMAND} works in both)\n`);
  try {
    return await serve(
      io,
      {
        ...config,
        slack: {
          botToken: new Secret(slack.botToken),
          appToken: new Secret(slack.appToken),
          signingSecret: undefined,
          mode: 'socket',
          editIntervalMs: 1200,
          apiUrl: slack.apiUrl,
        },
        discord: {
          token: new Secret(discord.token),
          applicationId: discord.applicationId,
          messageContent: true,
          apiUrl: discord.apiUrl,
        },
      },
      ':memory:',
      ['slack', 'discord'],
    );
  } finally {
    await page.close();
    await Promise.all([slack.close(), discord.close()]);
  }
};
