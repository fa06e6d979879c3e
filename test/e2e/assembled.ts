/** The whole product as `start` runs it, in this process: real channels, in front of a simulated Slack, Discord and model. */

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChannelName } from '../../agent/conversation.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import { openServing, type Serving } from '../../commands/serving.ts';
import { systemClock } from '../../ops/clock.ts';
import { loadConfig } from '../../ops/config.ts';
import { createDiscordSimulator, type DiscordSimulator } from '../../simulator/discord.ts';
import { createModelSimulator, type ModelSimulator } from '../../simulator/model.ts';
import { createSlackSimulator, type SlackSimulator } from '../../simulator/slack.ts';
import { createMemoryLogger, type LogLine } from '../fakes/gateway-bench.ts';

const SAMPLE = join(import.meta.dirname, '..', '..', 'examples', 'knowledge');
/** Discord takes one new session in five seconds. */
const DISCORD_SESSION_MS = 5_000;

export const until = async <T>(look: () => T | undefined | false, what: string, timeoutMs = 20_000): Promise<T> => {
  const endsAt = performance.now() + timeoutMs;
  for (;;) {
    const seen = look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > endsAt) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await pause(10);
  }
};

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The platforms, which outlive the product. */
export interface World extends AsyncDisposable {
  readonly slack: SlackSimulator;
  readonly discord: DiscordSimulator;
  readonly model: ModelSimulator;
  /** For the data and the documents; removed at the end. */
  readonly folder: string;
  /** A copy of the sample documents. */
  readonly documents: string;
  readonly env: Readonly<Record<string, string>>;
}

export const openWorld = async (): Promise<World> => {
  const clock = systemClock;
  const slack = await createSlackSimulator({ clock, limits: false, retryDelaysMs: Array.from({ length: 200 }, () => 100) });
  const discord = await createDiscordSimulator({ clock, limits: false });
  const model = await createModelSimulator({ clock });
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-assembled-'));
  const documents = join(folder, 'documents');
  cpSync(SAMPLE, documents, { recursive: true });
  return {
    slack,
    discord,
    model,
    folder,
    documents,
    env: {
      THREADWISE_WEB: 'false',
      THREADWISE_KNOWLEDGE: documents,
      THREADWISE_EMBEDDER: 'none',
      THREADWISE_QUESTIONS_PER_MINUTE: '1000',
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_APP_TOKEN: slack.appToken,
      SLACK_API_URL: slack.apiUrl,
      THREADWISE_SLACK_EDIT_INTERVAL_MS: '0',
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      OPENAI_BASE_URL: model.url,
      THREADWISE_MODEL: 'scripted-model',
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([slack.close(), discord.close(), model.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

export interface Assistant extends AsyncDisposable {
  readonly serving: Serving;
  readonly log: readonly LogLine[];
  stop(timeoutMs: number): Promise<void>;
}

export interface AssistantOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The text of threadwise.yaml. */
  readonly yaml?: string;
  readonly channels?: readonly ChannelName[];
  readonly folder?: string;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** Each simulated Discord has its own sessions. */
const lastDiscordAt = new WeakMap<DiscordSimulator, number>();

export const startAssistant = async (world: World, options: AssistantOptions = {}): Promise<Assistant> => {
  const channels = options.channels ?? ['slack', 'discord'];
  const env = { ...world.env, ...options.env };
  const config = loadConfig({ env, readFile: () => options.yaml });
  const logger = createMemoryLogger();
  const { stdin, stdout, stderr } = process;
  if (channels.includes('discord')) {
    const last = lastDiscordAt.get(world.discord) ?? Number.NEGATIVE_INFINITY;
    await pause(Math.max(0, last + DISCORD_SESSION_MS - performance.now()));
    lastDiscordAt.set(world.discord, performance.now());
  }
  const serving = await openServing({
    config,
    folder: options.folder ?? ':memory:',
    io: { stdin, stdout, stderr, env, cwd: world.folder },
    clock: options.clock ?? systemClock,
    logger,
    channels,
    say: () => undefined,
  });
  let isStopped = false;
  const stop = async (timeoutMs: number): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await serving.stop(timeoutMs);
  };
  try {
    await serving.start();
  } catch (error) {
    await stop(0);
    throw error;
  }
  return { serving, log: logger.lines, stop, [Symbol.asyncDispose]: () => stop(0) };
};
