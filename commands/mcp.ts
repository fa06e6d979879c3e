import { Console } from 'node:console';
import { resolve } from 'node:path';
import { AppError } from '../agent/errors.ts';
import type { Logger } from '../agent/ports/logger.ts';
import { createRegistry } from '../agent/registry.ts';
import { untilAborted } from '../agent/until-aborted.ts';
import type { SyncOutcome } from '../knowledge/sync.ts';
import { type Core, openCore, openDataFolder, readConfig } from '../main.ts';
import { systemClock } from '../ops/clock.ts';
import { type Config, EVERYONE, secretsOf } from '../ops/config.ts';
import { createLogger } from '../ops/log.ts';
import type { CommandIo } from './command.ts';

export const summary = 'offer the search of the documents to another assistant (MCP)';

export const usage = `Usage: threadwise mcp [--audience LABEL]... [--data DIR]

A server of the Model Context Protocol over standard input and output, with one tool: search_knowledge. For programs that start
such servers, for example an editor. It ends when its input ends.

  --audience LABEL  also finds documents of this label, which must be one of \`audiences\`; default: ${EVERYONE} alone
  --data DIR        the data folder to search

Standard output carries the protocol, standard error the log.
`;

interface Arguments {
  readonly audiences: readonly string[];
  readonly data: string | undefined;
}

const parseArguments = (args: readonly string[]): Arguments => {
  const audiences: string[] = [];
  let data: string | undefined;
  for (let at = 0; at < args.length; at += 2) {
    const [name = '', value = ''] = args.slice(at, at + 2);
    if (name !== '--audience' && name !== '--data')
      throw new AppError('usage', `mcp: expected --audience or --data, got ${JSON.stringify(name)}`);
    if (value === '') throw new AppError('usage', `mcp: expected a value after ${name}, got nothing`);
    if (name === '--data') data = value;
    else audiences.push(value);
  }
  return { audiences, data };
};

const labelsOf = (audiences: readonly string[], config: Config): readonly string[] => {
  const known = [EVERYONE, ...Object.keys(config.audiences)];
  const unknown = audiences.find((label) => !known.includes(label));
  if (unknown !== undefined) {
    throw new AppError('usage', `mcp: expected one of ${known.join(', ')} after --audience, got ${JSON.stringify(unknown)}`);
  }
  return [...new Set([EVERYONE, ...audiences])];
};

/** Searching needs nothing else: no program is started, no service asked, no person's memory opened. */
const searchAlone = (config: Config): Config => ({
  ...config,
  databases: [],
  services: [],
  tools: { ...config.tools, plugins: [], mcp: [], mail: undefined },
  approvals: { ...config.approvals, free: [], tools: {} },
  memory: { ...config.memory, enabled: false },
});

interface Place {
  readonly config: Config;
  readonly folder: string;
  readonly cwd: string;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** A serving process keeps its folder in step by itself; else `background` gets what goes on when the documents can be searched. */
const takeDocumentsIn = async (core: Core, place: Place, background: Promise<unknown>[]): Promise<void> => {
  const { config, folder, cwd, logger, signal } = place;
  const { isServed } = await import('../store/sqlite.ts');
  if (isServed(folder)) return;
  const keep = (work: Promise<unknown> | undefined): void => {
    const kept = work?.catch((error: unknown) => {
      if (!signal.aborted) logger.warn('documents_not_kept', { error: error as Error });
    });
    background.push(Promise.resolve(kept));
  };
  const onSync = ({ failed }: SyncOutcome): void => {
    for (const { source, reason } of failed) logger.warn('document_not_read', { source, reason });
    keep(core.embedding?.fill({ signal }));
  };
  const roots = config.knowledge.folders.map((path) => resolve(cwd, path));
  const options = { label: config.knowledge.label, signal };
  onSync(await core.syncConfigured(roots, options));
  if (config.knowledge.watch) keep(core.sync.watchPaths(roots, { ...options, onSync }));
};

export const run = async (args: readonly string[], io: CommandIo): Promise<number> => {
  const { audiences, data } = parseArguments(args);
  const config = await readConfig(io);
  const labels = labelsOf(audiences, config);
  // Whatever a library prints must not stand between the messages.
  globalThis.console = new Console(io.stderr, io.stderr);
  const clock = systemClock;
  const logger = createLogger({
    level: config.log.level === 'debug' ? 'debug' : 'warn',
    format: 'pretty',
    secrets: secretsOf(config),
    clock,
    write: (line) => io.stderr.write(line),
  });
  const folder = openDataFolder(data ?? config.dataDir, io.cwd);
  const core = await openCore({ config: searchAlone(config), folder, vectorEngine: 'exact', clock, logger });
  const stop = new AbortController();
  const onSignal = (): void => stop.abort(new AppError('internal', 'mcp: stopped'));
  process.once('SIGTERM', onSignal);
  process.once('SIGINT', onSignal);
  const background: Promise<unknown>[] = [];
  try {
    await core.checkIndex();
    const [{ serveMcp }, { createSearchKnowledge }] = await Promise.all([
      import('../tools/mcp-server.ts'),
      import('../tools/search-knowledge.ts'),
    ]);
    const ready = takeDocumentsIn(core, { config, folder, cwd: io.cwd, logger, signal: stop.signal }, background);
    background.push(ready);
    const search: Core['search']['search'] = async (request) => {
      await untilAborted(ready, request.signal ?? stop.signal);
      return core.search.search(request);
    };
    const registry = createRegistry([createSearchKnowledge({ knowledge: { search } })]);
    const served = serveMcp({ registry, labels, input: io.stdin, output: io.stdout, signal: stop.signal, clock, logger });
    // Documents that cannot be read as configured end it; a client is not left with an empty search.
    await Promise.race([served, ready.then(() => served)]);
    return 0;
  } finally {
    stop.abort(new AppError('internal', 'mcp: ended'));
    process.off('SIGTERM', onSignal);
    process.off('SIGINT', onSignal);
    await Promise.allSettled(background);
    await core.close();
  }
};
