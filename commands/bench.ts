import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '../agent/errors.ts';
import type { BenchRow } from '../bench/row.ts';
import type { CommandIo } from './command.ts';

export const summary =
  'measures: start, turns, router, database, tool-arguments, database, memory, vectors, faults, published, ingest, load, calculator, triage';

export const usage = `Usage: threadwise bench NAME [--json] [--full]

Runs one benchmark and prints a line for each measure as it comes. Each ends within 10 minutes.

  --json   one JSON object a line: bench, case, metric, value, unit, n, and against and ratio where something is compared
  --full   what takes longer
`;

interface Bench {
  run(options: { readonly full: boolean }): AsyncIterable<BenchRow>;
}

const folder = fileURLToPath(new URL('../bench', import.meta.url));

const isBench = (module: object): module is Bench => 'run' in module && typeof module.run === 'function';

/** A file of bench/ that is a benchmark says so by exporting `run`. */
const loadBench = async (name: string): Promise<Bench> => {
  const names = globSync('*.ts', { cwd: folder })
    .map((file) => basename(file, '.ts'))
    .sort();
  const module = names.includes(name) ? ((await import(`../bench/${name}.ts`)) as object) : {};
  if (isBench(module)) return module;
  throw new AppError(
    'usage',
    `bench: expected one of ${names.filter((other) => other !== 'row').join(', ')}, got ${JSON.stringify(name)}`,
  );
};

const renderRow = ({ bench, case: name, metric, value, unit, n, against, ratio, note }: BenchRow): string => {
  const measure = typeof value === 'string' ? value : `${Number(value.toPrecision(4))} ${unit}`;
  const compared = against === undefined || ratio === undefined ? '' : `  ${ratio.toFixed(2)} of ${against}`;
  const noted = note === undefined ? '' : `  ${note}`;
  return `${bench.padEnd(15)}${name.padEnd(28)}${metric.padEnd(28)}${measure.padStart(16)}  n=${n}${compared}${noted}\n`;
};

export const run = async (args: readonly string[], io: CommandIo): Promise<number> => {
  const [name, ...more] = args.filter((argument) => !argument.startsWith('--'));
  const unknown = [...more, ...args.filter((argument) => argument.startsWith('--') && !['--json', '--full'].includes(argument))];
  if (name === undefined || unknown.length > 0) {
    throw new AppError('usage', `bench: expected NAME [--json] [--full], got ${JSON.stringify(args.join(' '))}`);
  }
  const bench = await loadBench(name);
  for await (const row of bench.run({ full: args.includes('--full') })) {
    io.stdout.write(args.includes('--json') ? `${JSON.stringify(row)}\n` : renderRow(row));
  }
  return 0;
};
