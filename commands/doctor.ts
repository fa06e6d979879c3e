import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError, hasCode } from '../agent/errors.ts';
import { openDataFolder, readConfig } from '../main.ts';
import { systemClock } from '../ops/clock.ts';
import type { Config } from '../ops/config.ts';
import { type Finding, fail, ok, type Probe, renderFindings, runProbes, warn } from '../ops/doctor.ts';
import { discordProbe } from '../ops/doctor-discord.ts';
import { dataFolderProbe, nodeProbe, portProbe } from '../ops/doctor-machine.ts';
import { modelProbe } from '../ops/doctor-model.ts';
import { slackProbe } from '../ops/doctor-slack.ts';
import { createLogger } from '../ops/log.ts';
import type { CommandIo } from './command.ts';
import { findApprovers } from './doctor-approvals.ts';
import { mailInProbe, mailProbe, mcpProbe, serviceProbes } from './doctor-tools.ts';
import { findTriage, helpdeskProbes } from './doctor-triage.ts';
import { hasTriage } from './triage-parts.ts';

export const summary = 'checks configuration, tokens, store, index, model, services and FAISS';

export const usage = `Usage: threadwise doctor [--json]

Checks everything that an answer needs and prints a line for each: ok, warn or fail, with what mends it. It may run beside a
serving assistant. With a model configured it asks it two short questions. Exits 0 when nothing failed, 1 otherwise.

  --json   one array of objects: name, level, detail, mend
`;

const PROBE_TIMEOUT_MS = 30_000;

const logger = createLogger({ level: 'silent', format: 'json', secrets: [], clock: systemClock, write: () => {} });

const faissProbe: Probe = {
  name: 'FAISS',
  mend: 'see the lines of ./threadwise setup; the exact index answers meanwhile',
  run: async () => {
    const { isFaissAvailable } = await import('../memory/faiss.ts');
    if (await isFaissAvailable(systemClock)) return [ok('FAISS', 'it loads')];
    const mend = 'Debian: apt-get install g++ libfaiss-dev libopenblas-dev, then ./threadwise setup';
    return [warn('FAISS', 'not available; the exact index answers, which is slower beyond some ten thousand passages', mend)];
  },
};

const storeProbe = (config: Config, folder: string): Probe => ({
  name: 'store',
  mend: `restore ${folder} from a backup, or start with a fresh data folder`,
  run: async () => {
    const { openSqliteStore } = await import('../store/sqlite.ts');
    const { store, knowledge, close } = openSqliteStore({ folder, clock: systemClock });
    try {
      const states = await store.countStates();
      const { documents, chunks, vectors } = await knowledge.countDocuments();
      const identity = await knowledge.readIdentity();
      const made = identity === undefined ? 'no vectors yet' : `${vectors} vectors by ${identity.embedderId}`;
      return [
        ok('store', `${states.done} questions answered, ${states.waiting + states.running + states.answered} open`),
        documents === 0
          ? warn('knowledge', 'no documents', 'the start takes in knowledge.folders; or run ./threadwise ingest PATH')
          : ok('knowledge', `${documents} documents, ${chunks} passages, ${made}`),
        ...(await probeEmbedder(config, identity)),
      ];
    } finally {
      await close();
    }
  },
});

const createEmbedder = async ({ embeddings }: Config) => {
  if (embeddings === undefined) {
    const { createLocalEmbedder } = await import('../models/local-embedder.ts');
    return createLocalEmbedder({ clock: systemClock, logger });
  }
  const { createOpenAIEmbedder } = await import('../models/openai-embedder.ts');
  const { baseUrl, apiKey, name, dimensions } = embeddings;
  return createOpenAIEmbedder({ baseUrl, apiKey: apiKey?.reveal() ?? '', model: name, dimensions, clock: systemClock });
};

const probeEmbedder = async (
  config: Config,
  identity: { readonly embedderId: string; readonly dimensions: number } | undefined,
): Promise<readonly Finding[]> => {
  if (config.knowledge.embedder === 'none') return [ok('embedder', 'switched off; documents are searched by words')];
  const embedder = await createEmbedder(config);
  try {
    const isOther =
      identity !== undefined && (identity.embedderId !== embedder.id || identity.dimensions !== embedder.dimensions);
    const index = isOther
      ? fail(
          'index',
          `made by ${identity.embedderId} (${identity.dimensions}), configured is ${embedder.id} (${embedder.dimensions})`,
          'run ./threadwise ingest --rebuild, or configure the embedder that made it',
        )
      : ok('index', 'made by the configured embedder');
    await embedder.embed(['ready']);
    return [index, ok('embedder', `${embedder.id}, ${embedder.dimensions} dimensions`)];
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [fail('embedder', detail, 'check the embedder; documents are searched by words meanwhile')];
  } finally {
    await embedder.close();
  }
};

/** Without a folder there is no store to look into. */
const dataProbes = (config: Config, cwd: string): readonly Probe[] => {
  try {
    const folder = openDataFolder(config.dataDir, cwd);
    return [dataFolderProbe(folder), storeProbe(config, folder)];
  } catch (error) {
    if (!hasCode(error, 'config_invalid')) throw error;
    const finding = fail('data folder', error.message, 'set THREADWISE_DATA_DIR to a folder that can be written');
    return [{ name: finding.name, mend: finding.mend, run: async () => [finding] }];
  }
};

const missingFolders = ({ knowledge }: Config, cwd: string): readonly Finding[] =>
  knowledge.folders
    .filter((folder) => statSync(resolve(cwd, folder), { throwIfNoEntry: false }) === undefined)
    .map((folder) => fail('knowledge', `${folder} does not exist`, 'correct knowledge.folders (THREADWISE_KNOWLEDGE)'));

const slackScopes = async (mode: 'socket' | 'http', tickets: boolean): Promise<readonly string[]> => {
  const { createSlackManifest } = await import('../bots/slack/manifest.ts');
  const manifest = createSlackManifest({ mode, tickets }) as { oauth_config?: { scopes?: { bot?: readonly string[] } } };
  return manifest.oauth_config?.scopes?.bot ?? [];
};

const discordPermissions = async (config: Config): Promise<ReadonlyMap<string, bigint>> => {
  const { ALL_FEATURES, neededPermissions } = await import('../bots/discord/register.ts');
  return neededPermissions({ ...ALL_FEATURES, tickets: hasTriage(config) });
};

const channelProbes = async (config: Config, { slack, discord } = config): Promise<readonly Probe[]> => [
  ...(slack === undefined ? [] : [slackProbe(slack, await slackScopes(slack.mode, hasTriage(config)), fetch)]),
  ...(discord === undefined ? [] : [discordProbe(discord, fetch, await discordPermissions(config))]),
];

const modelProbes = async ({ model }: Config): Promise<readonly Probe[]> => {
  if (model.provider === 'extractive') return [];
  const { createOpenAIProvider, DEFAULT_OPENAI_LIMITS } = await import('../models/openai.ts');
  const provider = createOpenAIProvider({
    baseUrl: model.baseUrl,
    apiKey: model.apiKey?.reveal() ?? '',
    model: model.name,
    limits: DEFAULT_OPENAI_LIMITS,
    clock: systemClock,
    logger,
  });
  return [modelProbe(provider, AbortSignal.timeout(PROBE_TIMEOUT_MS))];
};

const databaseProbe = (database: Config['databases'][number]): Probe => {
  const name = `database ${database.name}`;
  const mend = 'check its address and its role (docs/databases.md, The role)';
  return {
    name,
    mend,
    run: async () => {
      const { testDatabase } = await import('../tools/database-open.ts');
      const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
      const { tables, problem } = await testDatabase(database, { clock: systemClock, logger, signal });
      if (problem !== undefined) return [fail(name, problem, mend)];
      if (tables === 0) return [warn(name, 'its role can read none of its tables', mend)];
      return [ok(name, `its role passed the test of attacks and can read ${tables} tables`)];
    },
  };
};

const findAll = async (io: CommandIo): Promise<readonly Finding[]> => {
  let config: Config;
  try {
    config = await readConfig(io);
  } catch (error) {
    if (!hasCode(error, 'config_invalid')) throw error;
    return error.message
      .split('\n')
      .map((line) => fail('configuration', line, 'correct this setting; docs/configuration.md lists them all'));
  }
  const probes: readonly Probe[] = [
    nodeProbe(process.version),
    ...dataProbes(config, io.cwd),
    faissProbe,
    ...(await modelProbes(config)),
    ...(await channelProbes(config)),
    ...(config.tools.mcp.length === 0 ? [] : [mcpProbe(config)]),
    ...(await serviceProbes(config, PROBE_TIMEOUT_MS)),
    ...config.databases.map(databaseProbe),
    ...(config.tools.mail === undefined ? [] : [mailProbe(config.tools.mail)]),
    ...(config.triage.mail === undefined ? [] : [mailInProbe(config.triage.mail)]),
    ...helpdeskProbes(config),
    ...(config.web.enabled ? [portProbe(config.web.host, config.web.port)] : []),
  ];
  const platforms = config.slack === undefined && config.discord === undefined ? ['no chat platform is configured'] : [];
  return [
    ok('configuration', ['valid', ...platforms].join('; ')),
    ...missingFolders(config, io.cwd),
    ...(await findApprovers(config)),
    ...(await findTriage(config, io.cwd)),
    ...(await runProbes(probes, systemClock, PROBE_TIMEOUT_MS)),
  ];
};

export const run = async (args: readonly string[], io: CommandIo): Promise<number> => {
  const unknown = args.find((argument) => argument !== '--json');
  if (unknown !== undefined) throw new AppError('usage', `doctor: expected --json or nothing, got ${JSON.stringify(unknown)}`);
  const findings = await findAll(io);
  io.stdout.write(args.includes('--json') ? `${JSON.stringify(findings)}\n` : renderFindings(findings));
  return findings.some(({ level }) => level === 'fail') ? 1 : 0;
};
