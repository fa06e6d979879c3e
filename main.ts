/**
 * The composition root: the one place that knows every part and hands each what it needs. Run as a program it runs a
 * command; the commands build what they need from here. Modules are loaded when they are wanted, so that a question asked
 * on the command line does not wait for a chat platform's library.
 */
import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Embedding } from './agent/embedding.ts';
import { AppError, hasCode } from './agent/errors.ts';
import { DEFAULT_LIMITS } from './agent/limits.ts';
import type { AgentDeps } from './agent/loop.ts';
import type { ArticleShelf } from './agent/ports/article-shelf.ts';
import type { Clock } from './agent/ports/clock.ts';
import type { Embedder } from './agent/ports/embedder.ts';
import type { KnowledgeSearch, KnowledgeStore } from './agent/ports/knowledge.ts';
import type { Logger } from './agent/ports/logger.ts';
import type { Memory } from './agent/ports/memory.ts';
import type { Store } from './agent/ports/store.ts';
import type { TicketReader } from './agent/ports/ticket-reader.ts';
import type { TicketStore } from './agent/ports/ticket-store.ts';
import type { Agent } from './agent/run.ts';
import type { AskSide } from './agent/side-model.ts';
import type { CommandIo } from './commands/command.ts';
import {
  budgetsOf,
  createEmbedder,
  createModel,
  createSide,
  createTools,
  indexFactory,
  openCharts,
  openMemory,
  openServices,
} from './commands/core-parts.ts';
import { openTicketReader } from './commands/triage-parts.ts';
import type { Sync, SyncOptions, SyncOutcome } from './knowledge/sync.ts';
import type { RunningMemory } from './memory/memory.ts';
import type { Config } from './ops/config.ts';

/** Reads the environment and threadwise.yaml. Throws `AppError('config_invalid')`. */
export const readConfig = async (io: Pick<CommandIo, 'env' | 'cwd'>): Promise<Config> => {
  const { loadConfig } = await import('./ops/config.ts');
  const readFile = (path: string): string | undefined => {
    try {
      return readFileSync(resolve(io.cwd, path), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  };
  return loadConfig({ env: io.env, readFile });
};

/** Level by level: under /proc, `mkdirSync` with `recursive` tries for ever. */
const makeFolder = (path: string): void => {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
};

/** The data folder as an absolute path; made if it is missing, readable by its owner alone. */
export const openDataFolder = (folder: string, cwd: string): string => {
  const path = resolve(cwd, folder);
  try {
    makeFolder(path);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new AppError('config_invalid', `dataDir (THREADWISE_DATA_DIR): expected a folder that can be written, got ${path}`, {
      cause: error,
    });
  }
  return path;
};

/** All that answers a question, without a channel. */
export interface Core {
  readonly store: Store;
  readonly knowledge: KnowledgeStore;
  readonly tickets: TicketStore;
  /** Reads tickets by the taxonomy of that file. Throws `AppError('config_invalid')`. */
  openReader(taxonomyFile: string): Promise<TicketReader>;
  /** Approved articles from tickets, among the documents. */
  readonly articles: ArticleShelf;
  /** Asks the language model beside the answers, on triage's account; undefined without one. */
  openTriageSide(): Promise<AskSide | undefined>;
  readonly search: KnowledgeSearch;
  readonly sync: Sync;
  /** Takes the folders of the configuration in, and out what it no longer names. Throws `AppError('config_invalid')`. */
  syncConfigured(folders: readonly string[], options: SyncOptions): Promise<SyncOutcome>;
  /** Undefined where search is by words alone. */
  readonly embedding: Embedding | undefined;
  readonly embedder: Embedder | undefined;
  readonly agent: Agent;
  /** Undefined where it is switched off. Started by whoever serves. */
  readonly memory: (Memory & Pick<RunningMemory, 'start'>) | undefined;
  /** Throws `AppError('index_mismatch')` when the stored vectors were made by another embedder. */
  checkIndex(): Promise<void>;
  /** Answers nobody, so that the first answers are quick. Rejects with the signal's reason. */
  warmUp(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** A server that takes longer to start is waited for no more; its tools come when it does. */
const MCP_WAIT_MS = 5_000;

export interface CoreOptions {
  readonly config: Config;
  /** The data folder, or `:memory:` for one that is thrown away. */
  readonly folder: string;
  readonly vectorEngine: 'faiss' | 'exact';
  readonly clock: Clock;
  readonly logger: Logger;
}

export const openCore = async (options: CoreOptions): Promise<Core> => {
  const { config, folder, vectorEngine, clock, logger } = options;
  const [
    { openSqliteStore },
    { createKnowledgeSearch },
    { createSync },
    { syncConfigured },
    { createParser },
    { createArticleShelf },
    { createEmbedding, checkIdentity },
    { embeddingTexts },
    loop,
    window,
    tokens,
  ] = await Promise.all([
    import('./store/sqlite.ts'),
    import('./knowledge/search.ts'),
    import('./knowledge/sync.ts'),
    import('./knowledge/configured.ts'),
    import('./knowledge/parser.ts'),
    import('./knowledge/articles.ts'),
    import('./agent/embedding.ts'),
    import('./knowledge/embedding-text.ts'),
    import('./agent/loop.ts'),
    import('./memory/window.ts'),
    import('./memory/tokens.ts'),
  ]);
  const services = await openServices(config, clock);
  const { store, knowledge, memory: memoryStore, ledger, tickets, close: closeStore } = openSqliteStore({ folder, clock });
  const [embedder, model] = await Promise.all([
    createEmbedder(config, clock, logger),
    createModel(config, services, clock, logger),
  ]);
  const isKept = embedder !== undefined && folder !== ':memory:';
  const indexFile = isKept ? { path: join(folder, 'knowledge.vectors'), embedderId: embedder.id } : undefined;
  const search = createKnowledgeSearch({
    store: knowledge,
    embedder,
    createIndex: indexFactory(vectorEngine, indexFile, clock, logger),
    clock,
    logger,
  });
  const parser = createParser({ clock, logger });
  const sync = createSync({ store: knowledge, clock, logger, parse: parser.parse });
  const budgets = budgetsOf(config, ledger);
  // Without a language model nobody counts against these numbers, and the table takes a tenth of a second.
  const countTokens = config.model.provider === 'extractive' ? tokens.estimateTokens : tokens.createTokenCounter().count;
  const ask = config.memory.model ? await createSide(config, 'memory', { model, budgets, clock }) : undefined;
  const [memory, databases, mcp] = await Promise.all([
    openMemory(options, { store, memory: memoryStore, embedder, ask, countTokens }),
    config.databases.length === 0
      ? undefined
      : import('./tools/database-open.ts').then(({ openDatabases }) =>
          openDatabases(config.databases, { clock, logger, embedder }),
        ),
    config.tools.mcp.length === 0
      ? undefined
      : import('./tools/mcp.ts').then(({ openMcp }) => openMcp(config.tools.mcp, { clock, logger, waitMs: MCP_WAIT_MS })),
  ]);
  const agentDeps: AgentDeps = {
    model,
    tools: await createTools(config, search, [await openCharts(databases, clock), databases, services], mcp, clock),
    freeTools: config.approvals.free,
    clock,
    logger,
    limits: {
      ...DEFAULT_LIMITS,
      steps: config.limits.steps,
      windowTurns: config.limits.windowTurns,
      runTimeoutMs: config.limits.runTimeoutMs,
    },
    windowTokens: config.limits.windowTokens,
    fitWindow: window.fitWindow,
    countTokens,
    keepRepaired: (turns) => store.repairTurns(turns),
    ...(budgets === undefined ? {} : { budgets }),
    ...(memory === undefined ? {} : { recall: memory.recall }),
  };
  const agent = loop.createAgent(agentDeps);
  const openTriageSide = () => createSide(config, 'triage', { model, budgets, clock });
  return {
    store,
    knowledge,
    tickets,
    articles: createArticleShelf(knowledge, parser.parse),
    openTriageSide,
    search,
    sync,
    syncConfigured: async (folders, options) => {
      try {
        return await syncConfigured({ sync, settings: store }, folders, options);
      } catch (error) {
        if (!hasCode(error, 'source_missing') && !hasCode(error, 'source_unreadable')) throw error;
        throw new AppError('config_invalid', `knowledge.folders (THREADWISE_KNOWLEDGE): ${error.message}`, { cause: error });
      }
    },
    embedding:
      embedder === undefined
        ? undefined
        : createEmbedding({ store: knowledge, embedder, textsOf: embeddingTexts(knowledge), clock, logger }),
    embedder,
    agent,
    memory,
    checkIndex: async () => {
      if (embedder !== undefined) await checkIdentity(knowledge, embedder);
    },
    openReader: (taxonomyFile) =>
      openTicketReader({
        taxonomyFile,
        file: isKept ? join(folder, 'triage-classifier.bin') : undefined,
        tickets,
        embedder,
        ask: openTriageSide,
        clock,
        logger,
      }),
    warmUp: async (signal) => {
      // A language model is not asked for nothing.
      if (config.model.provider !== 'extractive') return;
      const [{ warmUp }, { silentLogger }] = await Promise.all([import('./commands/warm-up.ts'), import('./ops/silent-log.ts')]);
      await warmUp(loop.createAgent({ ...agentDeps, logger: silentLogger }), signal);
    },
    close: async () => {
      await Promise.all([search.close(), memory?.close(), databases?.close(), services?.close(), mcp?.close()]);
      await Promise.all([parser.close(), embedder?.close()]);
      await closeStore();
    },
  };
};

const COMMANDS = [
  'ask',
  'chat',
  'start',
  'ingest',
  'triage',
  'simulate',
  'slack',
  'discord',
  'mcp',
  'doctor',
  'test',
  'check',
  'bench',
] as const;

const loadCommand = (name: (typeof COMMANDS)[number]) =>
  import(`./commands/${name}.ts`) as Promise<import('./commands/command.ts').Command>;

const isCommand = (name: string): name is (typeof COMMANDS)[number] => COMMANDS.some((command) => command === name);

const showHelp = async (io: CommandIo): Promise<number> => {
  io.stdout.write('Usage: threadwise COMMAND [ARGUMENTS]\n\n');
  for (const name of COMMANDS) io.stdout.write(`  ${name.padEnd(10)}${(await loadCommand(name)).summary}\n`);
  io.stdout.write('\n`threadwise COMMAND --help` tells more.\n');
  return 0;
};

/** Resolves with the exit code. What a command throws becomes a line on stderr. */
export const runCommand = async (argv: readonly string[], io: CommandIo): Promise<number> => {
  const [name, ...args] = argv;
  try {
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') return await showHelp(io);
    if (!isCommand(name)) {
      throw new AppError(
        'usage',
        `expected a command (${COMMANDS.join(', ')}), got ${JSON.stringify(name)}; see threadwise --help`,
      );
    }
    const command = await loadCommand(name);
    if (args.length === 1 && (args[0] === '--help' || args[0] === '-h')) {
      io.stdout.write(command.usage);
      return 0;
    }
    return await command.run(args, io);
  } catch (error) {
    if (error instanceof AppError) {
      for (const line of error.message.split('\n')) io.stderr.write(`threadwise: ${line}\n`);
      return error.exitCode;
    }
    io.stderr.write(
      `threadwise: something went wrong on our side: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return 1;
  }
};

if (import.meta.main) {
  const { stdin, stdout, stderr, env } = process;
  // Whoever read the output has gone: what is under way goes on, and there is nobody to tell.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  // Children and timers of the parts do not keep the process; a command that has not ended does.
  const running = setInterval(() => {}, 0x7fffffff);
  // Not awaited here: the commands import this module and wait for its end.
  void runCommand(process.argv.slice(2), { stdin, stdout, stderr, env, cwd: process.cwd() }).then((exitCode) => {
    process.exitCode = exitCode;
    clearInterval(running);
  });
}
