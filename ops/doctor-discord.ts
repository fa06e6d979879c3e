import { z } from 'zod';
import type { DiscordConfig } from './config-checks.ts';
import { type Finding, fail, ok, type Probe, warn } from './doctor.ts';

const API_URL = 'https://discord.com/api';
const TIMEOUT_MS = 8_000;

/** https://docs.discord.com/developers/resources/application#application-object-application-flags: verified, or not yet. */
const MESSAGE_CONTENT_FLAGS = (1 << 18) | (1 << 19);

const userSchema = z.looseObject({ id: z.string(), username: z.string() });
const applicationSchema = z.looseObject({ id: z.string(), flags: z.int().default(0) });

/**
 * https://docs.discord.com/developers/resources/user#get-current-user-guilds: `permissions` are those of the bot's roles there; what single
 * channels allow and deny is not in them.
 */
const guildsSchema = z.array(z.looseObject({ name: z.string(), permissions: z.string().regex(/^\d+$/) }));
const ADMINISTRATOR = 1n << 3n;
const MAX_NAMED = 5;

const missingIn = (permissions: string, wanted: ReadonlyMap<string, bigint>): readonly string[] => {
  const held = BigInt(permissions);
  if ((held & ADMINISTRATOR) !== 0n) return [];
  return [...wanted].flatMap(([name, bit]) => ((held & bit) === bit ? [] : [name]));
};

const findPermissions = (guilds: unknown, wanted: ReadonlyMap<string, bigint>): Finding => {
  const name = 'discord permissions';
  const servers = guildsSchema.parse(guilds);
  const mend = 'invite the bot with the address of ./threadwise discord invite';
  if (servers.length === 0) return warn(name, 'the bot is in no server', mend);
  const lacking = servers.flatMap((server) => {
    const missing = missingIn(server.permissions, wanted);
    return missing.length === 0 ? [] : [`${missing.join(', ')} in “${server.name}”`];
  });
  if (lacking.length === 0)
    return ok(name, `all of them in ${servers.length === 1 ? 'its server' : `${servers.length} servers`}`);
  const more = lacking.length > MAX_NAMED ? `; and in ${lacking.length - MAX_NAMED} more servers` : '';
  const detail = `its roles lack ${lacking.slice(0, MAX_NAMED).join('; ')}${more}`;
  return warn(name, detail, `${mend} again, or give them to its role; single channels may allow them all the same`);
};

/** The token (`users/@me`), the application's id and its intents (`applications/@me`), and the permissions in each server, by their names. */
export const discordProbe = (config: DiscordConfig, fetcher: typeof fetch, permissions: ReadonlyMap<string, bigint>): Probe => ({
  name: 'discord',
  mend: 'check that this machine reaches https://discord.com',
  run: async () => {
    const get = (path: string): Promise<Response> =>
      fetcher(`${config.apiUrl ?? API_URL}/v10/${path}`, {
        headers: { authorization: `Bot ${config.token.reveal()}` },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    const me = await get('users/@me');
    if (!me.ok) {
      const mend = 'reset the token in the developer portal (Bot, "Reset Token") and put it into DISCORD_TOKEN';
      return [fail('discord token', `Discord refused it with status ${me.status}`, mend)];
    }
    const findings = [ok('discord token', `@${userSchema.parse(await me.json()).username}`)];
    const response = await get('applications/@me');
    if (!response.ok)
      return [...findings, fail('discord application', `Discord answered with status ${response.status}`, 'try again later')];
    const application = applicationSchema.parse(await response.json());
    const isOther = config.applicationId !== undefined && config.applicationId !== application.id;
    findings.push(
      isOther
        ? fail(
            'discord application',
            'DISCORD_APPLICATION_ID is not the one of this token',
            `set it to ${application.id}, or leave it out`,
          )
        : ok('discord application', application.id),
    );
    const hasContent = (application.flags & MESSAGE_CONTENT_FLAGS) !== 0;
    if (!config.messageContent) findings.push(ok('discord intents', 'message content is not asked for'));
    else if (hasContent) findings.push(ok('discord intents', 'message content is switched on'));
    else {
      const mend = 'switch on Message Content Intent (developer portal, Bot), or set DISCORD_MESSAGE_CONTENT=false';
      findings.push(fail('discord intents', 'message content is switched off', mend));
    }
    const guilds = await get('users/@me/guilds');
    findings.push(
      guilds.ok
        ? findPermissions(await guilds.json(), permissions)
        : warn('discord permissions', `Discord answered with status ${guilds.status}`, 'try again later'),
    );
    return findings;
  },
});
