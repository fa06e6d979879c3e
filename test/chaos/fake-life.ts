/** A life as a process: `node fake-life.ts '<LifeOptions as JSON>'`. */

import { createPlatformChannel } from './fake-platform.ts';
import { type LifeOptions, runLife } from './life.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as LifeOptions;
await runLife(options, () => createPlatformChannel(options.platformUrl));
process.exit(0);
