import { writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '../agent/errors.ts';
import { runChild } from '../ops/child.ts';
import { systemClock } from '../ops/clock.ts';
import { renderConfigReference } from '../ops/config-reference.ts';
import type { CommandIo } from './command.ts';

export const summary = 'types, lint, import boundaries, format and dead code';

export const usage = `Usage: threadwise check [--fix]

Says whether the code is in order: types (tsc), lint and import boundaries (oxlint), format (biome), dead code (knip).
Exits 0 when it is, 1 when it is not.

  --fix   formats the code and makes docs/configuration.md anew, before the check
`;

interface Check {
  readonly name: string;
  readonly tool: string;
  readonly args: readonly string[];
}

const CHECKS: readonly Check[] = [
  { name: 'types', tool: 'tsc', args: ['-p', '.'] },
  { name: 'types of the page', tool: 'tsc', args: ['-p', 'console/page'] },
  { name: 'types of the simulator page', tool: 'tsc', args: ['-p', 'simulator/visitor'] },
  { name: 'lint', tool: 'oxlint', args: ['--deny-warnings'] },
  { name: 'format', tool: 'biome', args: ['check', '--colors=off'] },
  { name: 'dead code', tool: 'knip', args: ['--no-progress'] },
];

export const projectFolder = fileURLToPath(new URL('..', import.meta.url));

/** The tools are programs of node_modules that start whatever `node` is first on PATH: it must be this one. */
const toolEnv = (env: CommandIo['env']): CommandIo['env'] => ({
  ...env,
  NO_COLOR: '1',
  FORCE_COLOR: undefined,
  PATH: `${dirname(process.execPath)}${delimiter}${env['PATH'] ?? ''}`,
});

const runTool = async (tool: string, args: readonly string[], io: CommandIo, folder: string) => {
  const path = join(projectFolder, 'node_modules', '.bin', tool);
  try {
    return await runChild(path, args, { cwd: folder, env: toolEnv(io.env) });
  } catch (error) {
    const message = `${tool} could not be started from ${path}; run ./threadwise check, which installs it`;
    throw new AppError('service_missing', message, { cause: error });
  }
};

/** Runs every check on the folder, or the one named `only`, prints a line for each, and what a failed one said. True when all passed. */
export const runChecks = async (io: CommandIo, folder: string, only?: string): Promise<boolean> => {
  let passed = true;
  for (const { name, tool, args } of CHECKS.filter((check) => only === undefined || check.name === only)) {
    const startedAt = systemClock.monotonic();
    const { code, output } = await runTool(tool, args, io, folder);
    const seconds = ((systemClock.monotonic() - startedAt) / 1000).toFixed(1);
    io.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)\n`);
    if (code === 0) continue;
    passed = false;
    io.stdout.write(`${output.trimEnd()}\n`);
  }
  return passed;
};

const fix = async (io: CommandIo): Promise<void> => {
  writeFileSync(join(projectFolder, 'docs', 'configuration.md'), renderConfigReference());
  await runTool('biome', ['check', '--write', '--colors=off'], io, projectFolder);
};

export const run = async (args: readonly string[], io: CommandIo): Promise<number> => {
  const unknown = args.find((argument) => argument !== '--fix');
  if (unknown !== undefined) throw new AppError('usage', `check: expected --fix or nothing, got ${JSON.stringify(unknown)}`);
  if (args.includes('--fix')) await fix(io);
  return (await runChecks(io, projectFolder)) ? 0 : 1;
};
