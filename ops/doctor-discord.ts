import { z } from 'zod';
import type { DiscordConfig } from './config-checks.ts';
import { fail, ok, type Probe } from './doctor.ts';

const API_URL = 'https://discord.com/api';
const TIMEOUT_MS = 8_000;

/** https://docs.discord.com/developers/resources/application#application-object-application-flags: verified, or not yet. */
const MESSAGE_CONTENT_FLAGS = (1 << 18) | (1 << 19);

const userSchema = z.looseObject({ id: z.string(), username: z.string() });
const applicationSchema = z.looseObject({ id: z.string(), flags: z.int().default(0) });

/** The token (`users/@me`), the application's id and its intents (`applications/@me`). */
export const discordProbe = (config: DiscordConfig, fetcher: typeof fetch): Probe => ({
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
    return findings;
  },
});
