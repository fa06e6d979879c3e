/** A life that is connected to a simulated Discord by discord.js: `node discord-life.ts '<LifeOptions as JSON>'`. */

import { createDiscordChannel } from '../../bots/discord/discord.ts';
import { type LifeOptions, quiet, runLife, sayAsk } from './life.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as LifeOptions;
const { token = '', apiUrl = '' } = options.connection;
await runLife(options, ({ clock, store }) => ({
  channel: createDiscordChannel({
    token,
    apiUrl,
    messageContent: true,
    clock,
    logger: quiet,
    editIntervalMs: 0,
    cursor: {
      read: async () => ((await store.readSetting('discord', 'cursor')) ?? {}) as Readonly<Record<string, string>>,
      write: (lastMessageIds) => store.writeSetting('discord', 'cursor', lastMessageIds),
    },
  }),
  ask: async (_gateway, trial) => sayAsk(trial),
}));
process.exit(0);
