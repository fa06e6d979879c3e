import { resolve } from 'node:path';
import { AppError, hasCode } from '../agent/errors.ts';
import type { SyncOutcome } from '../knowledge/sync.ts';
import { type Core, openCore, openDataFolder, readConfig } from '../main.ts';
import { systemClock } from '../ops/clock.ts';
import { EVERYONE, secretsOf } from '../ops/config.ts';
import { createLogger } from '../ops/log.ts';
import type { CommandIo } from './command.ts';
import { createProgressBar } from './progress-bar.ts';

export const summary = 'take documents into the knowledge base';

export const usage = `Usage: threadwise ingest [--audience LABEL] [--data DIR] [--watch] PATH...
       threadwise ingest --remove PATH...
       threadwise ingest --rebuild

Takes files and folders of Markdown, HTML, text, PDF, DOCX and CSV in. Files that did not change are not read again; what is
gone from a folder is gone from the next answer. Works beside a running assistant.

  --audience LABEL  who may be answered from them (default ${EVERYONE}); who holds a label is set under \`audiences\`
  --data DIR        the data folder
  --watch           stay, and take changes in as they happen, until Ctrl-C
  --remove          takes what came from these paths out again
  --rebuild         makes all vectors anew, after the embedder was changed

Exit codes: 0 all taken in, 65 some files could not be read (each has its line), 64 usage.
`;

const UNREADABLE_DATA = 65;
const LABEL = /^[a-z][a-z0-9_-]{0,39}$/;

interface Arguments {
  readonly label: string;
  readonly data: string | undefined;
  readonly flags: ReadonlySet<string>;
  readonly paths: readonly string[];
}

const parseArguments = (args: readonly string[]): Arguments => {
  const values = new Map<string, string>();
  const flags = new Set<string>();
  const paths: string[] = [];
  let onlyPaths = false;
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] ?? '';
    if (onlyPaths || !argument.startsWith('--')) paths.push(argument);
    else if (argument === '--') onlyPaths = true;
    else if (argument === '--audience' || argument === '--data') {
      const value = args[++at];
      if (value === undefined || value === '')
        throw new AppError('usage', `ingest: expected a value after ${argument}, got nothing`);
      values.set(argument, value);
    } else if (['--watch', '--remove', '--rebuild'].includes(argument)) flags.add(argument);
    else
      throw new AppError('usage', `ingest: expected --audience, --data, --watch, --remove, --rebuild or a path, got ${argument}`);
  }
  const label = values.get('--audience') ?? EVERYONE;
  if (!LABEL.test(label)) {
    throw new AppError(
      'usage',
      `ingest: expected a label of lower-case letters, digits, - and _ after --audience, got ${JSON.stringify(label)}; for example finance`,
    );
  }
  if (paths.length === 0 && !flags.has('--rebuild')) {
    throw new AppError('usage', 'ingest: expected files or folders, got none; for example threadwise ingest ./handbook');
  }
  return { label, data: values.get('--data'), flags, paths };
};

const describe = (outcome: SyncOutcome): string =>
  [
    `${outcome.added} added`,
    `${outcome.changed} changed`,
    `${outcome.unchanged} unchanged`,
    `${outcome.removed} removed`,
    ...(outcome.ignored === 0 ? [] : [`${outcome.ignored} of other kinds passed over`]),
    ...(outcome.failed.length === 0 ? [] : [`${outcome.failed.length} not read`]),
  ].join(', ');

const remove = async (core: Core, paths: readonly string[]): Promise<number> => {
  const documents = await core.knowledge.listDocuments();
  const gone = documents.filter(({ root, source }) =>
    paths.some((path) => path === root || path === resolve(root, source) || root.startsWith(`${path}/`)),
  );
  await core.knowledge.removeDocuments(gone.map(({ id }) => id));
  return gone.length;
};

export const run = async (args: readonly string[], io: CommandIo): Promise<number> => {
  const { label, data, flags, paths } = parseArguments(args);
  const config = await readConfig(io);
  const clock = systemClock;
  const say = (line: string): void => void io.stdout.write(`${line}\n`);
  const logger = createLogger({
    level: config.log.level === 'debug' ? 'debug' : 'warn',
    format: 'pretty',
    secrets: secretsOf(config),
    clock,
    write: (line) => io.stderr.write(line),
  });
  const core = await openCore({
    config,
    folder: openDataFolder(data ?? config.dataDir, io.cwd),
    vectorEngine: 'exact',
    clock,
    logger,
  });
  const stop = new AbortController();
  const onInterrupt = (): void =>
    stop.abort(new AppError('internal', 'ingest: stopped; what was taken in stays, the rest is taken in next time'));
  process.once('SIGINT', onInterrupt);
  process.once('SIGTERM', onInterrupt);

  const fill = async (): Promise<void> => {
    if (core.embedding === undefined) return;
    const bar = createProgressBar(io.stdout, 'vectors');
    await core.embedding.fill({ signal: stop.signal, onProgress: ({ done, total }) => bar.show(done, total, '') });
    bar.end();
  };
  const tell = (outcome: SyncOutcome): void => {
    for (const { source, reason } of outcome.failed) io.stderr.write(`threadwise: ${source}: ${reason}\n`);
    say(describe(outcome));
  };

  try {
    if (flags.has('--rebuild')) await core.embedding?.rebuild();
    else await core.checkIndex();
    const roots = paths.map((path) => resolve(io.cwd, path));
    if (flags.has('--remove')) {
      const count = await remove(core, roots);
      say(`${count} removed`);
      return 0;
    }
    let failed = 0;
    if (roots.length > 0) {
      if (label !== EVERYONE && config.audiences[label] === undefined) {
        io.stderr.write(
          `threadwise: nobody but this machine's owner holds the label ${label} yet: add it under audiences in threadwise.yaml\n`,
        );
      }
      const bar = createProgressBar(io.stdout, 'documents');
      const outcome = await core.sync.syncPaths(roots, {
        label,
        signal: stop.signal,
        onProgress: ({ done, total, source }) => bar.show(done, total, source),
      });
      bar.end();
      tell(outcome);
      failed = outcome.failed.length;
      if (outcome.added + outcome.changed + outcome.unchanged + failed === 0)
        io.stderr.write('threadwise: no file of Markdown, HTML, text, PDF, DOCX or CSV is there, so nothing was taken in\n');
    }
    await fill();
    if (flags.has('--watch')) {
      say('watching; Ctrl-C ends');
      await core.sync.watchPaths(roots, {
        label,
        signal: stop.signal,
        onSync: (outcome) =>
          void (tell(outcome), fill().catch((error: unknown) => logger.warn('vectors_not_filled', { error: error as Error }))),
      });
      return 0;
    }
    return failed === 0 ? 0 : UNREADABLE_DATA;
  } catch (error) {
    if (hasCode(error, 'source_unreadable')) {
      io.stderr.write(`threadwise: ${error.message}\n`);
      return UNREADABLE_DATA;
    }
    if (!stop.signal.aborted) throw error;
    io.stderr.write(`threadwise: ${(stop.signal.reason as AppError).message}\n`);
    return 130;
  } finally {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
    await core.close();
  }
};
