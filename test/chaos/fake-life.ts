/** A life as a process: `node fake-life.ts '<LifeOptions as JSON>'`. */

import { createPlatformChannel } from './fake-platform.ts';
import { additionText, type LifeOptions, runLife, secondQuestionText, trialMessage } from './life.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as LifeOptions;
await runLife(options, ({ clock }) => ({
  channel: createPlatformChannel(options.platformUrl),
  // A platform delivers until it is acknowledged, so a life that died in `accept` is handed the message again.
  ask: async (gateway, trial) => {
    await gateway.accept(trialMessage(trial, clock.now()));
    if (options.kind === 'folding') await gateway.accept(trialMessage(trial, clock.now(), additionText(trial)));
    if (options.kind === 'waiting') await gateway.accept(trialMessage(trial, clock.now(), secondQuestionText(trial)));
  },
}));
process.exit(0);
