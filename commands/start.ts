import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { ChannelName } from '../agent/conversation.ts';
import { AppError } from '../agent/errors.ts';
import type { Logger } from '../agent/ports/logger.ts';
import { openDataFolder, readConfig } from '../main.ts';
import { systemClock } from '../ops/clock.ts';
import { type Config, secretsOf } from '../ops/config.ts';
import { createLogger } from '../ops/log.ts';
import { installShutdown } from '../ops/shutdown.ts';
import type { CommandIo } from './command.ts';
import { openServing } from './serving.ts';

export const summary = 'start the assistant on every configured channel';

export const usage = `Usage: threadwise start

Starts the web page, a chat in this terminal where there is one, and every channel whose tokens are configured.
SIGTERM or Ctrl-C stops it: what is under way is finished or kept for the next start.
While the terminal chat runs, the log goes to threadwise.log in the data folder.
`;

/** Running answers have this long to finish; a container's grace is longer. */
const DRAIN_MS = 25_000;

/** Beside a prompt the log would be in the way. */
export const openLog = (config: Config, folder: string, besidePrompt: boolean, io: CommandIo): Logger => {
  const file = besidePrompt ? createWriteStream(join(folder, 'threadwise.log'), { flags: 'a', mode: 0o600 }) : undefined;
  // A log on a full disk is lost; the answers go on.
  file?.on('error', () => {});
  const format = config.log.format === 'auto' ? (file === undefined && io.stderr.isTTY ? 'pretty' : 'json') : config.log.format;
  return createLogger({
    level: config.log.level,
    format,
    secrets: secretsOf(config),
    clock: systemClock,
    write: (line) => void (file ?? io.stderr).write(line),
  });
};

export const serve = async (io: CommandIo, config: Config, folder: string, channels: readonly ChannelName[]): Promise<number> => {
  const clock = systemClock;
  const logger = openLog(config, folder, channels.includes('terminal'), io);
  const ended = Promise.withResolvers<number>();
  const opened = Promise.withResolvers<Awaited<ReturnType<typeof openServing>>>();
  // Nobody may be waiting for it when opening fails.
  opened.promise.catch(() => {});
  using shutdown = installShutdown({
    events: process,
    clock,
    logger,
    drain: async () => (await opened.promise).stop(DRAIN_MS),
    drainTimeoutMs: DRAIN_MS + 5_000,
    exit: (code) => {
      ended.resolve(code);
      // A second signal, or a drain that hangs: nothing else ends the process then.
      if (code !== 0) process.exit(code);
    },
  });
  try {
    const serving = await openServing({
      config,
      folder,
      io,
      clock,
      logger,
      channels,
      say: (line) => io.stderr.write(`threadwise: ${line}\n`),
      unhandledRejections: shutdown.unhandledRejections,
    });
    opened.resolve(serving);
    // A signal may come while the documents are read or a platform does not answer.
    await Promise.race([serving.start(), ended.promise]);
    if (shutdown.isDraining()) return await ended.promise;
    logger.info('ready', { channels: [...serving.channels] });
    void serving.terminal?.ended.then(() => shutdown.begin('terminal_ended'));
    return await ended.promise;
  } catch (error) {
    opened.reject(error);
    if (shutdown.isDraining()) return await ended.promise;
    // Vectors may still be in the making: what does not start does not work on.
    await opened.promise.then((serving) => serving.stop(0)).catch(() => {});
    throw error;
  }
};

export const run = async (args: readonly string[], io: CommandIo): Promise<number> => {
  if (args.length > 0) throw new AppError('usage', `start: expected no argument, got ${JSON.stringify(args.join(' '))}`);
  const config = await readConfig(io);
  const folder = openDataFolder(config.dataDir, io.cwd);
  const hasTerminal = io.stdin.isTTY && io.stdout.isTTY;
  return serve(io, config, folder, ['web', 'slack', 'discord', ...(hasTerminal ? (['terminal'] as const) : [])]);
};
