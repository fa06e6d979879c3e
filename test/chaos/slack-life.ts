/** A life that is connected to a simulated Slack by Bolt: `node slack-life.ts '<LifeOptions as JSON>'`. */

import { setTimeout as delay } from 'node:timers/promises';
import { createSlackChannel } from '../../bots/slack/slack.ts';
import { type LifeOptions, quiet, runLife, sayAsk } from './life.ts';

/** Each step of an upload is a boundary: before it, while it is under way, after it. */
const watchUploads = (at: (name: string) => void): void => {
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const step = /\/(files\.\w+|upload)\b/.exec(String(input))?.[1];
    if (step === undefined) return await fetch(input, init);
    at(`before ${step}`);
    const answer = fetch(input, init);
    answer.catch(() => undefined);
    await delay(5);
    at(`during ${step}`);
    const response = await answer;
    at(`after ${step}`);
    return response;
  };
};

const options = JSON.parse(process.argv[2] ?? '{}') as LifeOptions;
const { botToken = '', appToken, apiUrl } = options.connection;
await runLife(options, ({ clock, at }) => {
  watchUploads(at);
  return {
    channel: createSlackChannel({ botToken, appToken, apiUrl, mode: 'socket', clock, logger: quiet, editIntervalMs: 0 }),
    ask: async (_gateway, trial) => sayAsk(trial),
  };
});
process.exit(0);
