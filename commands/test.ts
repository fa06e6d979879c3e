import { globSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, relative, resolve } from 'node:path';
import { AppError } from '../agent/errors.ts';
import { systemClock } from '../ops/clock.ts';
import { mariadb, postgres } from '../ops/service-databases.ts';
import { dovecot } from '../ops/service-mail.ts';
import { chromium, ensureService, type Service, systemInstaller } from '../ops/services.ts';
import { runTestGroup, type TestCounts } from '../ops/test-run.ts';
import { projectFolder, runChecks } from './check.ts';
import type { CommandIo } from './command.ts';

export const summary = 'the whole suite, with the services it needs';

export const usage = `Usage: threadwise test [--full] [FILE|GLOB]...

Runs the check, then every test, and starts or installs what they need (as root on Debian; elsewhere it prints the line that
installs it and exits 69). With files or globs it runs those alone, without the check.

  --full   full counts instead of a tenth, and the tests that are too slow for every day

TEST_SEED=N repeats the random choices of an earlier run.
`;

/** Servers are started only for the tests that ask them. */
const SERVICES: readonly { readonly service: Service; readonly files?: RegExp }[] = [
  { service: chromium },
  { service: postgres, files: /^test\/(?:tools|bench)\/database/ },
  { service: mariadb, files: /^test\/tools\/database/ },
  { service: dovecot, files: /^test\/(?:bots\/mail-|e2e\/triage\/mail)/ },
];

/** These start processes, kill them or change the state of their own: each file gets a process. All others share one. */
const APART: readonly string[] = ['test/chaos', 'test/commands', 'test/e2e', 'test/setup', 'test/docker'];

const GLOB = 'test/**/*.test.ts';
/** What only `--full` runs. */
const SLOW = /\.slow\.test\.ts$/;

const isApart = (file: string): boolean => APART.some((folder) => file.startsWith(`${folder}/`));

const findFiles = (patterns: readonly string[], cwd: string): readonly string[] => {
  const absolute = patterns.map((pattern) => (isAbsolute(pattern) ? pattern : resolve(cwd, pattern)));
  const files = globSync(absolute).map((file) => relative(projectFolder, resolve(cwd, file)));
  return [...new Set(files)].sort();
};

const parseArguments = (args: readonly string[]): { readonly full: boolean; readonly patterns: readonly string[] } => {
  const unknown = args.find((argument) => argument.startsWith('-') && argument !== '--full');
  if (unknown !== undefined) throw new AppError('usage', `test: expected --full, files or globs, got ${JSON.stringify(unknown)}`);
  return { full: args.includes('--full'), patterns: args.filter((argument) => argument !== '--full') };
};

const printCounts = (counts: TestCounts, io: CommandIo): void => {
  for (const [name, count] of Object.entries(counts)) io.stdout.write(`ℹ ${name} ${Math.round(count)}\n`);
};

export const run = async (args: readonly string[], io: CommandIo): Promise<number> => {
  const { full, patterns } = parseArguments(args);
  const all = patterns.length === 0;
  const found = all ? findFiles([GLOB], projectFolder) : findFiles(patterns, io.cwd);
  const files = all && !full ? found.filter((file) => !SLOW.test(file)) : found;
  if (files.length === 0)
    throw new AppError('usage', `test: expected at least one test file, found none for ${patterns.join(' ')}`);

  const installer = systemInstaller(io.env, projectFolder, (line) => io.stderr.write(`threadwise: ${line}\n`));
  const stops: (() => Promise<void>)[] = [];
  const seed = io.env['TEST_SEED'] || String(systemClock.now() % 1_000_000);
  let env: CommandIo['env'] = {
    ...io.env,
    PATH: `${dirname(process.execPath)}${delimiter}${io.env['PATH'] ?? ''}`,
    TEST_SEED: seed,
    ...(full ? { TEST_SCALE: 'full' } : {}),
  };
  try {
    for (const { service, files: needed } of SERVICES) {
      if (needed !== undefined && !files.some((file) => needed.test(file))) continue;
      const started = await service.start?.(await ensureService(service, installer), env);
      if (started === undefined) continue;
      env = { ...env, ...started.env };
      stops.push(started.stop);
    }
    const checked = !all || (await runChecks(io, projectFolder));
    io.stdout.write(`seed ${seed} (TEST_SEED=${seed} repeats it)\n`);
    const groups = [
      { name: 'together', isolation: 'none' as const, files: files.filter((file) => !isApart(file)) },
      { name: 'apart', isolation: 'process' as const, files: files.filter(isApart) },
    ].filter((group) => group.files.length > 0);
    let passed = checked;
    let counts: TestCounts = {};
    for (const group of groups) {
      const result = await runTestGroup(group, {
        cwd: projectFolder,
        env,
        clock: systemClock,
        write: (text) => io.stdout.write(text),
      });
      passed &&= result.passed;
      counts = Object.fromEntries(Object.entries(result.counts).map(([name, count]) => [name, count + (counts[name] ?? 0)]));
    }
    if (!checked) io.stdout.write('✖ the check failed; its lines stand above\n');
    printCounts(counts, io);
    return passed ? 0 : 1;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
};
