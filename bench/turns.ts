/**
 * The processor time of a turn: our loop with all that the product needs around it, beside bare loops on the library it stands
 * on and on the package below that, and beside the frameworks. Each runs in a process of its own against a scripted server in
 * another one.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { installPeers } from './peers/install.ts';
import type { BenchRow } from './row.ts';

const OURS = 'threadwise';
/** What the accounts of a day in the store cost is the difference between the two. */
const VARIANTS = [OURS, 'threadwise-no-day-budgets'] as const;
const BARE = ['raw-stream', 'chatopenai-stream'] as const;
const FRAMEWORKS = ['createAgent', 'createAgent-mw', 'mastra', 'aisdk', 'agents'] as const;

const ROUNDS = 5;
const TURNS = 300;
const FULL_ROUNDS = 7;
const FULL_TURNS = 1_000;
const CONCURRENCY = 8;
const PROFILED_TURNS = 600;
const PLACES = ['10', '30', '300'] as const;
/** Modules with less are summed up. */
const SMALL_SHARE = 0.01;

const measured = z.object({
  cpuMsPerTurn: z.number().positive(),
  modules: z.record(z.string(), z.number()).optional(),
});
const byPlace = z.record(z.enum(PLACES), z.number().positive());

const fileOf = (name: string): string => fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url));
const runNode = async (args: readonly string[]): Promise<unknown> => {
  const { stdout } = await promisify(execFile)(process.execPath, [...args]);
  // A framework may greet on standard output; ours is the last line.
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
};

const startServer = async (): Promise<{ readonly child: ChildProcess; readonly baseUrl: string }> => {
  const child = spawn(process.execPath, [fileOf('turn-server')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, baseUrl: `http://127.0.0.1:${port}/v1` };
};

interface Peer {
  readonly name: string;
  readonly file: string;
  readonly times: number[];
}

const measure = async ({ file }: Peer, baseUrl: string, turns: number, ...mode: readonly string[]) =>
  measured.parse(await runNode([fileOf('measure'), baseUrl, String(turns), String(CONCURRENCY), file, ...mode]));

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
};

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

/**
 * The peers take turns, so that a busy spell of the machine falls on all of them; the median of the rounds counts, and of the ratios
 * within a round.
 */
async function* peerRows(baseUrl: string, rounds: number, turns: number): AsyncGenerator<BenchRow> {
  const asPeer = (name: string): Peer => ({ name, file: fileOf(name), times: [] });
  const ours = VARIANTS.map(asPeer);
  const { folder, missing } = await installPeers();
  const frameworks = missing === undefined ? FRAMEWORKS : [];
  const peers: Peer[] = [
    ...BARE.map(asPeer),
    ...frameworks.map((name) => ({ name, file: join(folder, `${name}.mjs`), times: [] })),
  ];
  for (let round = 0; round < rounds; round += 1) {
    for (const peer of [...ours, ...peers]) peer.times.push((await measure(peer, baseUrl, turns)).cpuMsPerTurn);
  }
  const rowOf = ({ name, times }: Peer): BenchRow => ({
    bench: 'turns',
    case: name,
    metric: 'cpu_ms_per_turn',
    value: rounded(median(times)),
    unit: 'ms',
    n: rounds * turns,
  });
  for (const peer of peers) {
    yield rowOf(peer);
    for (const variant of ours) {
      const ratios = peer.times.map((time, round) => (variant.times[round] as number) / time);
      yield { ...rowOf(variant), against: peer.name, ratio: rounded(median(ratios)) };
    }
  }
  if (missing !== undefined) {
    const note = `compared with those at hand alone: ${missing}`;
    for (const name of FRAMEWORKS) {
      yield { bench: 'turns', case: name, metric: 'cpu_ms_per_turn', value: 'not measured', unit: 'ms', n: 0, note };
    }
  }
}

/** Where the time of our turns goes, a wait for the disk included; the shares sum to 1. */
async function* profileRows(baseUrl: string): AsyncGenerator<BenchRow> {
  const { modules = {} } = await measure({ name: OURS, file: fileOf(OURS), times: [] }, baseUrl, PROFILED_TURNS, 'profile');
  const shares = Object.entries(modules);
  const common = { bench: 'turns', metric: 'share_of_time', unit: 'share', n: PROFILED_TURNS };
  const small = shares.filter(([, share]) => share < SMALL_SHARE);
  for (const [name, share] of shares) {
    if (share >= SMALL_SHARE) yield { ...common, case: `${OURS}: ${name}`, value: rounded(share) };
  }
  const rest = small.reduce((sum, [, share]) => sum + share, 0);
  const note = small.map(([name]) => name).join(', ');
  yield { ...common, case: `${OURS}: ${small.length} smaller modules`, value: rounded(rest), note };
  yield {
    ...common,
    case: `${OURS}: all modules named above`,
    value: rounded(shares.reduce((sum, [, share]) => sum + share, 0) - rest),
  };
}

/** A long conversation costs no more a turn than a short one. */
async function* lengthRows(baseUrl: string): AsyncGenerator<BenchRow> {
  const times = byPlace.parse(await runNode([fileOf('conversation'), baseUrl, ...PLACES]));
  const [first] = PLACES;
  for (const place of PLACES) {
    const row = { bench: 'turns', case: `turn ${place}, a window of 6`, metric: 'cpu_ms_per_turn', unit: 'ms', n: 120 };
    const compared = place === first ? {} : { against: `turn ${first}`, ratio: rounded(times[place] / times[first]) };
    yield { ...row, value: rounded(times[place]), ...compared };
  }
}

export async function* run({ full }: { readonly full: boolean }): AsyncGenerator<BenchRow> {
  const { child, baseUrl } = await startServer();
  try {
    yield* peerRows(baseUrl, full ? FULL_ROUNDS : ROUNDS, full ? FULL_TURNS : TURNS);
    yield* profileRows(baseUrl);
    yield* lengthRows(baseUrl);
  } finally {
    child.stdin?.end();
  }
}
