/** A life that is connected to a simulated Slack by Bolt: `node slack-life.ts '<LifeOptions as JSON>'`. */

import { createSlackChannel } from '../../bots/slack/slack.ts';
import { type LifeOptions, quiet, runLife, sayAsk } from './life.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as LifeOptions;
const { botToken = '', appToken, apiUrl } = options.connection;
await runLife(options, ({ clock }) => ({
  channel: createSlackChannel({ botToken, appToken, apiUrl, mode: 'socket', clock, logger: quiet, editIntervalMs: 0 }),
  ask: async (_gateway, trial) => sayAsk(trial),
}));
process.exit(0);
