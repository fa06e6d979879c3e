/** What the core is made of, each part from the configuration. Modules are loaded when they are wanted. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isBuiltOn } from '../agent/answer.ts';
import type { Budgets } from '../agent/budget.ts';
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Embedder } from '../agent/ports/embedder.ts';
import type { KnowledgeSearch } from '../agent/ports/knowledge.ts';
import type { Ledger, Spend } from '../agent/ports/ledger.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { MemoryStore } from '../agent/ports/memory-store.ts';
import type { ModelProvider } from '../agent/ports/model-provider.ts';
import type { Store } from '../agent/ports/store.ts';
import type { VectorIndex } from '../agent/ports/vector-index.ts';
import type { CountTokens } from '../agent/ports/window.ts';
import type { ToolRegistry } from '../agent/registry.ts';
import type { AskSide } from '../agent/side-model.ts';
import type { CoreOptions } from '../main.ts';
import type { RunningMemory } from '../memory/memory.ts';

import type { Config } from '../ops/config.ts';
import type { Databases } from '../tools/database-open.ts';
import type { HttpServices } from '../tools/http-open.ts';
import type { McpServers } from '../tools/mcp.ts';

const SIDE_MODEL_TIMEOUT_MS = 30_000;
/** Earlier turns that memory looks at: as many as a window is given. */
const HISTORY_TURNS = 50;

export const createEmbedder = async (config: Config, clock: Clock, logger: Logger): Promise<Embedder | undefined> => {
  const { embeddings } = config;
  if (embeddings !== undefined) {
    const { createOpenAIEmbedder } = await import('../models/openai-embedder.ts');
    return createOpenAIEmbedder({
      baseUrl: embeddings.baseUrl,
      apiKey: embeddings.apiKey?.reveal() ?? '',
      model: embeddings.name,
      dimensions: embeddings.dimensions,
      clock,
    });
  }
  if (config.knowledge.embedder === 'none') return undefined;
  const { createLocalEmbedder } = await import('../models/local-embedder.ts');
  return createLocalEmbedder({ clock, logger });
};

/** Finds the named query, or the operation of a service, that a question asks for; undefined where there are none. */
const createFindQuery = async ({ databases }: Config, services: HttpServices | undefined, clock: Clock) => {
  const queries = databases.flatMap((database) => Object.entries(database.queries).map(([name, query]) => ({ name, ...query })));
  const cards = [...queries, ...(services?.cards ?? [])];
  if (cards.length === 0) return {};
  const { createQueryMatcher } = await import('../models/extractive-queries.ts');
  const match = createQueryMatcher(cards);
  return { findQuery: (question: string) => match(question, new Date(clock.now()).toISOString().slice(0, 10)) };
};

/** Undefined where no service is configured. Throws `AppError('config_invalid')` for a document that cannot be used. */
export const openServices = async ({ services }: Config, clock: Clock): Promise<HttpServices | undefined> => {
  if (services.length === 0) return undefined;
  const [{ openHttpServices }, { createRedactor }] = await Promise.all([
    import('../tools/http-open.ts'),
    import('../ops/redact.ts'),
  ]);
  return openHttpServices(services, { clock, redact: createRedactor(services.flatMap(({ secrets }) => secrets)) });
};

export const createModel = async (
  config: Config,
  services: HttpServices | undefined,
  clock: Clock,
  logger: Logger,
): Promise<ModelProvider> => {
  const { model } = config;
  const { createExtractiveProvider } = await import('../models/extractive.ts');
  const extractive = createExtractiveProvider(await createFindQuery(config, services, clock));
  if (model.provider === 'extractive') return extractive;
  const [{ createOpenAIProvider, DEFAULT_OPENAI_LIMITS }, { createProviderChain }, { createTextProtocol }] = await Promise.all([
    import('../models/openai.ts'),
    import('../models/chain.ts'),
    import('../models/text-protocol.ts'),
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

/** The tool that draws, also the named queries of the databases where there are some. */
export const openCharts = async (databases: Databases | undefined, clock: Clock) => {
  const [{ createChart }, { createDrawChart }] = await Promise.all([
    import('../tools/chart.ts'),
    import('../tools/chart-process.ts'),
  ]);
  const chart = createChart({ draw: createDrawChart({ clock }), readQuery: databases?.readQuery });
  return { registerTools: (registry: ToolRegistry): void => registry.registerTool(chart) };
};

/** The tools of every installation, those of `outside`, and those that modules named in the configuration register. */
export const createTools = async (
  { tools, audiences, approvals }: Config,
  search: KnowledgeSearch,
  outside: readonly ({ registerTools(registry: ToolRegistry): void } | undefined)[],
  mcp: McpServers | undefined,
  clock: Clock,
): Promise<ToolRegistry> => {
  const [{ createRegistry }, { createSearchKnowledge }, { createCalculator }, { createReadMore }] = await Promise.all([
    import('../agent/registry.ts'),
    import('../tools/search-knowledge.ts'),
    import('../tools/calculator.ts'),
    import('../tools/read-more.ts'),
  ]);
  const registry = createRegistry();
  registry.registerTool(createSearchKnowledge({ knowledge: search, readsSensitive: Object.keys(audiences).length > 0 }));
  registry.registerTool(createCalculator({ clock }));
  registry.registerTool(createReadMore());
  for (const source of outside) source?.registerTools(registry);
  for (const path of tools.plugins) {
    const plugin = (await import(pathToFileURL(resolve(path)).href).catch((cause: unknown) => {
      throw new AppError('config_invalid', `tools.plugins: expected a module that can be loaded, got ${path}`, { cause });
    })) as { registerTools?: unknown };
    if (typeof plugin.registerTools !== 'function') {
      throw new AppError('config_invalid', `tools.plugins: expected a module that exports registerTools(registry), got ${path}`);
    }
    await (plugin.registerTools as (to: ToolRegistry) => unknown)(registry);
  }
  if (tools.mail !== undefined && tools.mail.allow.length > 0) {
    if (registry.find('send_email') !== undefined) {
      const told =
        'tools.mail: expected no other tool send_email, got one that tools.plugins registers; leave one of the two out';
      throw new AppError('config_invalid', told);
    }
    const { createSendEmail } = await import('../tools/mail.ts');
    registry.registerTool(createSendEmail(tools.mail, { clock }));
  }
  mcp?.registerTools(registry);
  for (const [setting, names] of [
    ['approvals.free (THREADWISE_FREE_TOOLS)', approvals.free],
    ['approvals.tools', Object.keys(approvals.tools)],
  ] as const) {
    const unknown = names.find((name) => registry.find(name) === undefined && !mcp?.names.includes(name));
    if (unknown === undefined) continue;
    const known = registry.tools.map(({ name }) => name).join(', ');
    throw new AppError('config_invalid', `${setting}: expected names of tools (${known}), got ${JSON.stringify(unknown)}`);
  }
  return registry;
};

/** Nothing is counted for a model that costs nothing. */
export const budgetsOf = ({ budgets, model }: Config, ledger: Ledger): Budgets | undefined => {
  if (model.provider === 'extractive') return undefined;
  const limitsOf = ({ toolCalls, tokens, usd }: Config['budgets']['run']): Partial<Spend> => ({
    ...(toolCalls > 0 ? { toolCalls } : {}),
    ...(tokens > 0 ? { tokens } : {}),
    ...(usd > 0 ? { microUsd: Math.round(usd * 1_000_000) } : {}),
  });
  const dayLimitsOf = (day: Config['budgets']['day']): Partial<Spend> => ({
    ...limitsOf(day),
    ...(day.modelCalls > 0 ? { modelCalls: day.modelCalls } : {}),
    ...(day.seconds > 0 ? { runMs: day.seconds * 1_000 } : {}),
  });
  return {
    run: limitsOf(budgets.run),
    person: dayLimitsOf(budgets.person),
    channel: dayLimitsOf(budgets.channel),
    day: dayLimitsOf(budgets.day),
    prices: { inputUsd: model.inputUsdPerMillion, outputUsd: model.outputUsdPerMillion },
    ledger,
  };
};

/** FAISS, which the exact index stands in for where it does not load; the exact index where one search is not worth a process. */
export const indexFactory =
  (
    engine: 'faiss' | 'exact',
    file: { readonly path: string; readonly embedderId: string } | undefined,
    clock: Clock,
    logger: Logger,
  ) =>
  async (dimensions: number): Promise<VectorIndex> => {
    if (engine === 'faiss') {
      const { createFaissIndex } = await import('../memory/faiss.ts');
      return createFaissIndex({ dimensions, clock, logger, ...(file === undefined ? {} : { file }) });
    }
    const { createExactIndex } = await import('../memory/exact.ts');
    return createExactIndex({ dimensions });
  };

interface MemoryParts {
  readonly store: Store;
  readonly memory: MemoryStore;
  readonly embedder: Embedder | undefined;
  /** Absent: rules pick out what is kept, and summaries are made of the turns' own sentences. */
  readonly ask: AskSide | undefined;
  readonly countTokens: CountTokens;
}

/** Questions to the model beside the answers, on an account of their own; undefined without a language model. */
export const createSide = async (
  config: Config,
  account: 'memory' | 'triage',
  { model, budgets, clock }: { model: ModelProvider; budgets: Budgets | undefined; clock: Clock },
): Promise<AskSide | undefined> => {
  if (config.model.provider === 'extractive') return undefined;
  const [{ createSideModel }, { NO_BUDGETS }, { estimateTokens }] = await Promise.all([
    import('../agent/side-model.ts'),
    import('../agent/budget.ts'),
    import('../memory/tokens.ts'),
  ]);
  return createSideModel({
    model,
    budgets: budgets ?? NO_BUDGETS,
    account,
    countTokens: estimateTokens,
    timeoutMs: SIDE_MODEL_TIMEOUT_MS,
    clock,
  });
};

/** Undefined where nothing is remembered. Its index has no file: what is forgotten is to stand nowhere. */
export const openMemory = async (
  { config, vectorEngine, clock, logger }: CoreOptions,
  { store, memory, embedder, ask, countTokens }: MemoryParts,
): Promise<RunningMemory | undefined> => {
  if (!config.memory.enabled) return undefined;
  const [{ createMemory }, { createSummariser }, { RULES }, { createModelExtractor }] = await Promise.all([
    import('../memory/memory.ts'),
    import('../memory/summary.ts'),
    import('../memory/significance-rules.ts'),
    import('../memory/extraction.ts'),
  ]);
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
