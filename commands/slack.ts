import { AppError } from '../agent/errors.ts';
import { createSlackManifest } from '../bots/slack/manifest.ts';
import { readConfig } from '../main.ts';
import type { CommandIo } from './command.ts';
import { hasTriage } from './triage-parts.ts';

export const summary = 'what Slack wants to know: the app manifest';

export const usage = `Usage: threadwise slack manifest [--http URL]

Prints the app manifest to paste at https://api.slack.com/apps?new_app=1 ("From a manifest"), with what tickets need where
the configuration sets them up.

  --http URL  events over HTTP to this public address of the web server, instead of Socket Mode
`;

export const run = async (args: readonly string[], io: CommandIo): Promise<number> => {
  const [action, option, url, ...more] = args;
  const wellFormed =
    action === 'manifest' && more.length === 0 && (option === undefined || (option === '--http' && URL.canParse(url ?? '')));
  if (!wellFormed)
    throw new AppError(
      'usage',
      `slack: expected manifest, or manifest --http https://assistant.example.com, got ${JSON.stringify(args.join(' '))}`,
    );
  const tickets = hasTriage(await readConfig(io));
  const manifest = createSlackManifest(
    option === undefined ? { mode: 'socket', tickets } : { mode: 'http', publicUrl: url, tickets },
  );
  io.stdout.write(`${JSON.stringify(manifest, null, 2)}\n`);
  return 0;
};
