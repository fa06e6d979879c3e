/**
 * The processor time of a turn: our loop with all that the product needs around it, beside bare loops on the library it stands
 * on and on the package below that. Each runs in a process of its own against a scripted server in a third one.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { BenchRow } from './row.ts';

const OURS = 'threadwise';
const PEERS = [OURS, 'chatopenai-stream', 'raw-stream'] as const;
type Peer = (typeof PEERS)[number];

const ROUNDS = 3;
const TURNS = 300;
const FULL_ROUNDS = 7;
const FULL_TURNS = 1_000;
const CONCURRENCY = 8;

const measured = z.object({ cpuMsPerTurn: z.number().positive() });

const fileOf = (name: string): string => fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url));

const startServer = async (): Promise<{ readonly child: ChildProcess; readonly baseUrl: string }> => {
  const child = spawn(process.execPath, [fileOf('turn-server')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, baseUrl: `http://127.0.0.1:${port}/v1` };
};

const measure = async (peer: Peer, baseUrl: string, turns: number): Promise<number> => {
  const args = [fileOf('measure'), baseUrl, String(turns), String(CONCURRENCY), fileOf(peer)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return measured.parse(JSON.parse(stdout)).cpuMsPerTurn;
};

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
};

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

/** The peers take turns, so that a busy spell of the machine falls on all of them; the median of the rounds counts. */
export async function* run({ full }: { readonly full: boolean }): AsyncGenerator<BenchRow> {
  const rounds = full ? FULL_ROUNDS : ROUNDS;
  const turns = full ? FULL_TURNS : TURNS;
  const times: Record<Peer, number[]> = { threadwise: [], 'chatopenai-stream': [], 'raw-stream': [] };
  const { child, baseUrl } = await startServer();
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const peer of PEERS) times[peer].push(await measure(peer, baseUrl, turns));
    }
  } finally {
    child.stdin?.end();
  }
  const row = (peer: Peer): BenchRow => ({
    bench: 'turns',
    case: peer,
    metric: 'cpu_ms_per_turn',
    value: rounded(median(times[peer])),
    unit: 'ms',
    n: rounds * turns,
  });
  for (const peer of PEERS.slice(1)) {
    yield row(peer);
    yield { ...row(OURS), against: peer, ratio: rounded(median(times[OURS]) / median(times[peer])) };
  }
}
