/** The assistant with its channels, as `start`, `chat` and `simulate` run it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ChannelName } from '../agent/conversation.ts';
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import { type Access, createAccess } from '../bots/access.ts';
import { createGateway, type RunningGateway } from '../bots/gateway.ts';
import type { TerminalChannel } from '../bots/terminal.ts';
import type { WebChannel } from '../bots/web/web.ts';
import type { SyncOutcome } from '../knowledge/sync.ts';
import { type Core, openCore } from '../main.ts';
import type { Config } from '../ops/config.ts';
import { checkReadiness, type HealthPart, type Readiness } from '../ops/health.ts';
import type { CommandIo } from './command.ts';
import { openMail } from './mail-parts.ts';
import { openChannels } from './serving-channels.ts';
import { articlesWith, draftWith, hasTriage, openTriage } from './triage-parts.ts';

export interface ServingOptions {
  readonly config: Config;
  /** Absolute; `:memory:` keeps nothing. */
  readonly folder: string;
  readonly io: CommandIo;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly channels: readonly ChannelName[];
  /** One line for a person, while it starts. */
  readonly say: (line: string) => void;
  readonly unhandledRejections?: () => number;
}

export interface Serving {
  readonly core: Core;
  readonly gateway: RunningGateway;
  /** Those that are configured. */
  readonly channels: readonly ChannelName[];
  readonly web: WebChannel | undefined;
  readonly terminal: TerminalChannel | undefined;
  /** Takes the documents in, begins to answer and connects the channels. Rejects when `stop` comes first; after a failure, `stop` is due. */
  start(): Promise<void>;
  readiness(): Promise<Readiness>;
  /** Stops intake, lets what runs finish within the time, parks the rest, closes everything. */
  stop(timeoutMs: number): Promise<void>;
}

const READINESS_TIMEOUT_MS = 2_000;
const PLACEHOLDER_DELAY_MS = 150;
/** Whoever asks for the state often costs the disk one write in this time. */
const WRITE_CHECK_MS = 3_000;

/** Whoever may open the page may ask, and holds the labels that the configuration gives it. */
const accessFor = (config: Config): Access => {
  const access = createAccess({
    people: { ...config.people, guests: config.people.guests === 'allow', external: config.people.external === 'allow' },
    audiences: config.audiences,
  });
  return {
    ...access,
    decide: (message) => (message.place.id === 'web' ? { kind: 'allowed' } : access.decide(message)),
    labelsFor: (place, userId) => (place.id === 'web' ? config.web.labels : access.labelsFor(place, userId)),
  };
};

export const openServing = async (options: ServingOptions): Promise<Serving> => {
  const { config, folder, io, clock, logger, say } = options;
  const { lockServing } = await import('../store/sqlite.ts');
  const lock = lockServing(folder);
  const core = await openCore({ config, folder, vectorEngine: 'faiss', clock, logger });
  const access = accessFor(config);
  const stopping = new AbortController();
  const background: Promise<unknown>[] = [];
  let isSynced = false;

  const readiness = (): Promise<Readiness> => checkReadiness(healthParts(), clock, READINESS_TIMEOUT_MS);

  const {
    all: channels,
    web,
    terminal,
    boards,
  } = await openChannels({
    config,
    folder,
    io,
    clock,
    logger,
    core,
    wanted: options.channels,
    readiness,
    desk: hasTriage(config) ? () => triage.desk : undefined,
  });

  const mail = await openMail({ config, folder, store: core.store, desk: () => triage.desk, clock, logger });

  const { taxonomy } = config.triage;
  const reader = taxonomy === undefined ? undefined : await core.openReader(resolve(io.cwd, taxonomy));
  const triage = openTriage({
    config,
    store: core.tickets,
    settings: core.store,
    reader,
    embedder: core.embedder,
    boards: mail === undefined ? boards : [...boards, mail.board],
    writeDraft: config.triage.drafts ? draftWith(core.agent) : undefined,
    articles: config.triage.articles
      ? articlesWith({
          config,
          agent: core.agent,
          shelf: core.articles,
          ask: await core.openTriageSide(),
          onShelved: () => fillVectors(),
        })
      : undefined,
    onChange: () => helpdesks?.wake(),
    readFile: (path) => readFileSync(resolve(io.cwd, path), 'utf8'),
    clock,
    logger,
  });
  const helpdesks =
    config.triage.helpdesks.length === 0
      ? undefined
      : await (await import('./helpdesks.ts')).openHelpdesks({
          configs: config.triage.helpdesks,
          desk: triage.desk,
          tickets: core.tickets,
          settings: core.store,
          clock,
          logger,
        });

  for (const settings of config.triage.webhooks) {
    const { createTicketWebhook } = await import('../bots/ticket-webhook.ts');
    const notice = helpdesks?.noticeOf(settings.from, settings.name);
    web?.mount(`/webhooks/${settings.name}`, createTicketWebhook({ settings, desk: triage.desk, notice, clock, logger }));
  }

  const gateway = createGateway({
    store: core.store,
    agent: core.agent,
    memory: core.memory,
    channels,
    access,
    approvals: config.approvals,
    clock,
    logger,
    placeholderDelayMs: PLACEHOLDER_DELAY_MS,
    workers: config.limits.workers,
    leaseMs: config.limits.leaseMs,
  });

  let written: { readonly at: number; readonly done: Promise<void> } | undefined;
  /** A full disk can be read: only a write tells whether a question could be taken. */
  const checkWrite = (): Promise<void> => {
    const at = clock.monotonic();
    if (written === undefined || at - written.at >= WRITE_CHECK_MS) {
      written = { at, done: core.store.writeSetting('readiness', 'checked', { at: clock.now() }) };
    }
    return written.done;
  };

  const healthParts = (): readonly HealthPart[] => [
    {
      name: 'store',
      required: true,
      check: async () => {
        await checkWrite();
        const { waiting, running, answered } = await core.store.countStates();
        return { ok: true, detail: `${waiting} waiting, ${running + answered} under way` };
      },
    },
    {
      name: 'knowledge',
      required: true,
      check: async () => {
        const { documents, chunks, vectors } = await core.knowledge.countDocuments();
        return { ok: isSynced, detail: `${documents} documents, ${chunks} passages, ${vectors} vectors` };
      },
    },
    ...[...channels.values()].map((channel) => ({
      name: channel.name,
      required: channel.name !== 'terminal',
      check: () => {
        const { connected, detail } = channel.status();
        return { ok: connected, detail };
      },
    })),
    ...(mail === undefined
      ? []
      : [
          {
            name: 'mail',
            required: false,
            check: () => {
              const { connected, detail } = mail.follower.status();
              return { ok: connected, detail };
            },
          },
        ]),
    {
      name: 'process',
      required: false,
      check: () => {
        const count = options.unhandledRejections?.() ?? 0;
        return { ok: count === 0, detail: `${count} unhandled rejections` };
      },
    },
  ];

  const roots = config.knowledge.folders.map((path) => resolve(io.cwd, path));
  const syncOptions = { label: config.knowledge.label, signal: stopping.signal };

  const report = (outcome: SyncOutcome): void => {
    for (const { source, reason } of outcome.failed) logger.warn('document_not_read', { source, reason });
    const { added, changed, removed, unchanged, failed } = outcome;
    logger.info('knowledge_synced', { added, changed, removed, unchanged, failed: failed.length });
  };

  const fillVectors = (): void => {
    if (core.embedding === undefined) return;
    background.push(
      core.embedding.fill({ signal: stopping.signal }).catch((error: unknown) => {
        if (!stopping.signal.aborted) logger.warn('vectors_not_filled', { error: error as Error });
      }),
    );
  };

  const takeDocumentsIn = async (): Promise<void> => {
    await core.checkIndex();
    if ((await core.knowledge.countDocuments()).documents === 0) say('reading the documents ...');
    report(await core.syncConfigured(roots, syncOptions));
    isSynced = true;
    fillVectors();
    if (!config.knowledge.watch) return;
    const watching = core.sync.watchPaths(roots, {
      ...syncOptions,
      onSync: (outcome) => {
        report(outcome);
        fillVectors();
      },
    });
    background.push(watching.catch((error: unknown) => logger.warn('knowledge_not_watched', { error: error as Error })));
  };

  return {
    core,
    gateway,
    channels: [...channels.keys()],
    web,
    terminal,
    readiness,
    start: async () => {
      await takeDocumentsIn();
      await core.store.expireLeases();
      core.memory?.start();
      gateway.start();
      triage.start();
      mail?.follower.start();
      helpdesks?.start();
      background.push(
        core.warmUp(stopping.signal).catch((error: unknown) => logger.debug('not_warmed_up', { error: error as Error })),
      );
      for (const channel of channels.values()) {
        stopping.signal.throwIfAborted();
        await channel.start(gateway);
        if (channel.name !== 'terminal')
          say(`${channel.name}: ${channel.name === 'web' ? (web?.url() ?? '') : channel.status().detail}`);
      }
    },
    stop: async (timeoutMs) => {
      stopping.abort(new AppError('internal', 'the process stops'));
      for (const channel of channels.values()) await channel.stopIntake();
      await mail?.follower.stop();
      await Promise.all([gateway.drain(timeoutMs), triage.stop(), helpdesks?.stop()]);
      await Promise.all([...channels.values()].map((channel) => channel.close()));
      await Promise.allSettled(background);
      await reader?.close();
      await core.close();
      lock[Symbol.dispose]();
    },
  };
};
