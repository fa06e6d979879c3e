import { z } from 'zod';
import type { SlackConfig } from './config-checks.ts';
import { type Finding, fail, ok, type Probe, warn } from './doctor.ts';
import type { Secret } from './secret.ts';

const API_URL = 'https://slack.com/api';
const TIMEOUT_MS = 8_000;

const answerSchema = z.looseObject({
  ok: z.boolean(),
  error: z.string().optional(),
  team: z.string().optional(),
  user: z.string().optional(),
});

const call = async (fetcher: typeof fetch, apiUrl: string, method: string, token: Secret) => {
  const response = await fetcher(`${apiUrl}/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.reveal()}`, 'content-type': 'application/x-www-form-urlencoded' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const scopes = response.headers.get('x-oauth-scopes');
  return { answer: answerSchema.parse(await response.json()), scopes: scopes?.split(',').map((scope) => scope.trim()) };
};

const probeScopes = (granted: readonly string[] | undefined, needed: readonly string[]): Finding => {
  if (granted === undefined) {
    return warn('slack scopes', 'Slack did not name them', 'compare OAuth & Permissions with ./threadwise slack manifest');
  }
  const missing = needed.filter((scope) => !granted.includes(scope));
  if (missing.length === 0) return ok('slack scopes', `all ${needed.length} granted`);
  return fail(
    'slack scopes',
    `missing ${missing.join(', ')}`,
    'add them under OAuth & Permissions (or paste ./threadwise slack manifest) and reinstall the app',
  );
};

/** `auth.test` for the bot token and its scopes, `apps.connections.open` for the app token: https://docs.slack.dev/reference/methods */
export const slackProbe = (config: SlackConfig, scopes: readonly string[], fetcher: typeof fetch): Probe => ({
  name: 'slack',
  mend: 'check that this machine reaches https://slack.com',
  run: async () => {
    const apiUrl = config.apiUrl ?? API_URL;
    const bot = await call(fetcher, apiUrl, 'auth.test', config.botToken);
    if (!bot.answer.ok) {
      const mend = 'copy the Bot User OAuth Token of OAuth & Permissions into SLACK_BOT_TOKEN';
      return [fail('slack bot token', `Slack refused it: ${bot.answer.error ?? 'no reason given'}`, mend)];
    }
    const findings = [
      ok('slack bot token', `@${bot.answer.user ?? '?'} in ${bot.answer.team ?? '?'}`),
      probeScopes(bot.scopes, scopes),
    ];
    if (config.mode === 'http') return [...findings, ok('slack events', 'over HTTP, signed')];
    if (config.appToken === undefined) return findings;
    const app = await call(fetcher, apiUrl, 'apps.connections.open', config.appToken);
    const mend = 'make an app-level token with connections:write (Basic Information) and switch Socket Mode on';
    return [
      ...findings,
      app.answer.ok
        ? ok('slack app token', 'Socket Mode opens')
        : fail('slack app token', `Slack refused it: ${app.answer.error ?? 'no reason given'}`, mend),
    ];
  },
});
