/**
 * The composition root: the one place that knows every part and hands each what it needs. Run as a program it runs a
 * command; the commands build what they need from here. Modules are loaded when they are wanted, so that a question asked
 * on the command line does not wait for a chat platform's library.
 */
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isBuiltOn } from './agent/answer.ts';
import type { Budgets } from './agent/budget.ts';
import type { Embedding } from './agent/embedding.ts';
import { AppError, hasCode } from './agent/errors.ts';
import { DEFAULT_LIMITS } from './agent/limits.ts';
import type { Clock } from './agent/ports/clock.ts';
import type { Embedder } from './agent/ports/embedder.ts';
import type { KnowledgeSearch, KnowledgeStore } from './agent/ports/knowledge.ts';
import type { Ledger, Spend } from './agent/ports/ledger.ts';
import type { Logger } from './agent/ports/logger.ts';
import type { Memory } from './agent/ports/memory.ts';
import type { MemoryStore } from './agent/ports/memory-store.ts';
import type { ModelProvider } from './agent/ports/model-provider.ts';
import type { Store } from './agent/ports/store.ts';
import type { Tool } from './agent/ports/tool.ts';
import type { VectorIndex } from './agent/ports/vector-index.ts';
import type { ToolRegistry } from './agent/registry.ts';
import type { Agent } from './agent/run.ts';
import type { AskSide } from './agent/side-model.ts';
import type { CommandIo } from './commands/command.ts';
import type { Sync, SyncOptions, SyncOutcome } from './knowledge/sync.ts';
import type { RunningMemory } from './memory/memory.ts';
import type { Config } from './ops/config.ts';
import type { Databases } from './tools/database-open.ts';

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

const MEMORY_MODEL_TIMEOUT_MS = 30_000;
/** Earlier turns that memory looks at: as many as a window is given. */
const HISTORY_TURNS = 50;

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

const createEmbedder = async (config: Config, clock: Clock, logger: Logger): Promise<Embedder | undefined> => {
  const { embeddings } = config;
  if (embeddings !== undefined) {
    const { createOpenAIEmbedder } = await import('./models/openai-embedder.ts');
    return createOpenAIEmbedder({
      baseUrl: embeddings.baseUrl,
      apiKey: embeddings.apiKey?.reveal() ?? '',
      model: embeddings.name,
      dimensions: embeddings.dimensions,
      clock,
    });
  }
  if (config.knowledge.embedder === 'none') return undefined;
  const { createLocalEmbedder } = await import('./models/local-embedder.ts');
  return createLocalEmbedder({ clock, logger });
};

/** Finds the named query of the configured databases that a question asks for; undefined where there are none. */
const createFindQuery = async ({ databases }: Config, clock: Clock) => {
  const cards = databases.flatMap(({ queries }) => Object.entries(queries).map(([name, query]) => ({ name, ...query })));
  if (cards.length === 0) return {};
  const { createQueryMatcher } = await import('./models/extractive-queries.ts');
  const match = createQueryMatcher(cards);
  return { findQuery: (question: string) => match(question, new Date(clock.now()).toISOString().slice(0, 10)) };
};

const createModel = async (config: Config, clock: Clock, logger: Logger): Promise<ModelProvider> => {
  const { model } = config;
  const { createExtractiveProvider } = await import('./models/extractive.ts');
  const extractive = createExtractiveProvider(await createFindQuery(config, clock));
  if (model.provider === 'extractive') return extractive;
  const [{ createOpenAIProvider, DEFAULT_OPENAI_LIMITS }, { createProviderChain }, { createTextProtocol }] = await Promise.all([
    import('./models/openai.ts'),
    import('./models/chain.ts'),
    import('./models/text-protocol.ts'),
  ]);
  const { protocol, emptyContent, echoReasoning } = model;
  const models = [model, model.second]
    .filter((one) => one !== undefined)
    .map(({ baseUrl, apiKey, name }) => {
      const provider = createOpenAIProvider({
        baseUrl,
        apiKey: apiKey?.reveal() ?? '',
        model: name,
        limits: DEFAULT_OPENAI_LIMITS,
        profile: { emptyContent, echoReasoning },
        clock,
        logger,
      });
      return protocol === 'text' ? createTextProtocol(provider) : provider;
    });
  return createProviderChain({ models, lastResort: extractive, clock, logger });
};

/** The tools of every installation, and those that modules named in the configuration register. */
const createTools = async (
  { tools, audiences, approvals }: Config,
  search: KnowledgeSearch,
  databases: Databases | undefined,
  clock: Clock,
): Promise<readonly Tool[]> => {
  const [{ createRegistry }, { createSearchKnowledge }, { createCalculator }, { createReadMore }] = await Promise.all([
    import('./agent/registry.ts'),
    import('./tools/search-knowledge.ts'),
    import('./tools/calculator.ts'),
    import('./tools/read-more.ts'),
  ]);
  const registry = createRegistry();
  registry.registerTool(createSearchKnowledge({ knowledge: search, readsSensitive: Object.keys(audiences).length > 0 }));
  registry.registerTool(createCalculator({ clock }));
  registry.registerTool(createReadMore());
  databases?.registerTools(registry);
  for (const path of tools.plugins) {
    const plugin = (await import(pathToFileURL(resolve(path)).href).catch((cause: unknown) => {
      throw new AppError('config_invalid', `tools.plugins: expected a module that can be loaded, got ${path}`, { cause });
    })) as { registerTools?: unknown };
    if (typeof plugin.registerTools !== 'function') {
      throw new AppError('config_invalid', `tools.plugins: expected a module that exports registerTools(registry), got ${path}`);
    }
    await (plugin.registerTools as (to: ToolRegistry) => unknown)(registry);
  }
  for (const [setting, names] of [
    ['approvals.free (THREADWISE_FREE_TOOLS)', approvals.free],
    ['approvals.tools', Object.keys(approvals.tools)],
  ] as const) {
    const unknown = names.find((name) => registry.find(name) === undefined);
    if (unknown === undefined) continue;
    const known = registry.tools.map(({ name }) => name).join(', ');
    throw new AppError('config_invalid', `${setting}: expected names of tools (${known}), got ${JSON.stringify(unknown)}`);
  }
  return registry.tools;
};

/** Nothing is counted for a model that costs nothing. */
const budgetsOf = ({ budgets, model }: Config, ledger: Ledger): Budgets | undefined => {
  if (model.provider === 'extractive') return undefined;
  const limitsOf = ({ toolCalls, tokens, usd }: Config['budgets']['run']): Partial<Spend> => ({
    ...(toolCalls > 0 ? { toolCalls } : {}),
    ...(tokens > 0 ? { tokens } : {}),
    ...(usd > 0 ? { microUsd: Math.round(usd * 1_000_000) } : {}),
  });
  return {
    run: limitsOf(budgets.run),
    person: limitsOf(budgets.person),
    channel: limitsOf(budgets.channel),
    day: limitsOf(budgets.day),
    prices: { inputUsd: model.inputUsdPerMillion, outputUsd: model.outputUsdPerMillion },
    ledger,
  };
};

/** FAISS, which the exact index stands in for where it does not load; the exact index where one search is not worth a process. */
const indexFactory =
  (
    engine: 'faiss' | 'exact',
    file: { readonly path: string; readonly embedderId: string } | undefined,
    clock: Clock,
    logger: Logger,
  ) =>
  async (dimensions: number): Promise<VectorIndex> => {
    if (engine === 'faiss') {
      const { createFaissIndex } = await import('./memory/faiss.ts');
      return createFaissIndex({ dimensions, clock, logger, ...(file === undefined ? {} : { file }) });
    }
    const { createExactIndex } = await import('./memory/exact.ts');
    return createExactIndex({ dimensions });
  };

interface MemoryParts {
  readonly store: Store;
  readonly memory: MemoryStore;
  readonly embedder: Embedder | undefined;
  /** Absent: rules pick out what is kept, and summaries are made of the turns' own sentences. */
  readonly ask: AskSide | undefined;
}

/** Memory's questions to the model, where there is one and it may be asked. */
const createMemoryModel = async (
  config: Config,
  { model, budgets, clock }: { model: ModelProvider; budgets: Budgets | undefined; clock: Clock },
): Promise<AskSide | undefined> => {
  if (!config.memory.model || config.model.provider === 'extractive') return undefined;
  const [{ createSideModel }, { NO_BUDGETS }, { estimateTokens }] = await Promise.all([
    import('./agent/side-model.ts'),
    import('./agent/budget.ts'),
    import('./memory/tokens.ts'),
  ]);
  return createSideModel({
    model,
    budgets: budgets ?? NO_BUDGETS,
    account: 'memory',
    countTokens: estimateTokens,
    timeoutMs: MEMORY_MODEL_TIMEOUT_MS,
    clock,
  });
};

/** Undefined where nothing is remembered. Its index has no file: what is forgotten is to stand nowhere. */
const openMemory = async (
  { config, vectorEngine, clock, logger }: CoreOptions,
  { store, memory, embedder, ask }: MemoryParts,
): Promise<RunningMemory | undefined> => {
  if (!config.memory.enabled) return undefined;
  const [{ createMemory }, { createSummariser }, { createTokenCounter }, { RULES }, { createModelExtractor }] = await Promise.all(
    [
      import('./memory/memory.ts'),
      import('./memory/summary.ts'),
      import('./memory/tokens.ts'),
      import('./memory/significance-rules.ts'),
      import('./memory/extraction.ts'),
    ],
  );
  const countTokens = createTokenCounter().count;
  return createMemory({
    store: memory,
    readTurns: async (conversationId) =>
      (await store.readTranscript(conversationId, HISTORY_TURNS)).filter(
        ({ question, answer }) => question !== '' && isBuiltOn(answer),
      ),
    embedder,
    createIndex: indexFactory(vectorEngine, undefined, clock, logger),
    significance: RULES,
    extendSummary: createSummariser({ countTokens, scrub: RULES.scrubSecrets, ...(ask === undefined ? {} : { ask }) }),
    ...(ask === undefined ? {} : { extract: createModelExtractor({ ask }) }),
    countTokens,
    recallTokens: config.memory.recallTokens,
    roomTokens: Math.floor(config.limits.windowTokens / 2),
    retentionDays: config.memory.retentionDays,
    clock,
    logger,
    newCode: () => randomBytes(6).toString('hex').toUpperCase(),
  });
};

/** All that answers a question, without a channel. */
export interface Core {
  readonly store: Store;
  readonly knowledge: KnowledgeStore;
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
  close(): Promise<void>;
}

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
    import('./agent/embedding.ts'),
    import('./knowledge/embedding-text.ts'),
    import('./agent/loop.ts'),
    import('./memory/window.ts'),
    import('./memory/tokens.ts'),
  ]);
  const { store, knowledge, memory: memoryStore, ledger, close: closeStore } = openSqliteStore({ folder, clock });
  const [embedder, model] = await Promise.all([createEmbedder(config, clock, logger), createModel(config, clock, logger)]);
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
  const memory = await openMemory(options, {
    store,
    memory: memoryStore,
    embedder,
    ask: await createMemoryModel(config, { model, budgets, clock }),
  });
  const databases =
    config.databases.length === 0
      ? undefined
      : await (await import('./tools/database-open.ts')).openDatabases(config.databases, { clock, logger });
  const agent = loop.createAgent({
    model,
    tools: await createTools(config, search, databases, clock),
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
    countTokens: tokens.createTokenCounter().count,
    keepRepaired: (turns) => store.repairTurns(turns),
    ...(budgets === undefined ? {} : { budgets }),
    ...(memory === undefined ? {} : { recall: memory.recall }),
  });
  return {
    store,
    knowledge,
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
    close: async () => {
      await Promise.all([search.close(), memory?.close(), databases?.close()]);
      await Promise.all([parser.close(), embedder?.close()]);
      await closeStore();
    },
  };
};

const COMMANDS = ['ask', 'chat', 'start', 'ingest', 'simulate', 'slack', 'discord', 'doctor', 'test', 'check', 'bench'] as const;

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
