/**
 * Runs one peer's turns and prints its processor time a turn: `measure.ts BASE_URL TURNS CONCURRENCY PEER_FILE [profile]`; with
 * `profile` also the share of each module in it.
 */
import { pathToFileURL } from 'node:url';
import { profileOf } from './profile.ts';
import * as workload from './workload.ts';

/** Answers one question by the scripted model; what it returns must hold the answer. */
export type RunTurn = (question: string) => Promise<string>;
export type CreatePeer = (baseUrl: string, shared: typeof workload) => Promise<{ readonly run: RunTurn; close(): Promise<void> }>;

const WARM_UP_TURNS = 60;

const [baseUrl = '', turns = '', concurrency = '', file = '', mode = ''] = process.argv.slice(2);
const { createPeer } = (await import(pathToFileURL(file).href)) as { createPeer: CreatePeer };
const peer = await createPeer(baseUrl, workload);

let asked = 0;
const runTurns = async (count: number): Promise<void> => {
  const until = asked + count;
  const worker = async (): Promise<void> => {
    while (asked < until) {
      asked += 1;
      const answer = await peer.run(`what is the refund window? ${asked}`);
      if (!answer.includes('30 days')) throw new Error(`not the answer: ${answer}`);
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, worker));
};

await runTurns(WARM_UP_TURNS);
const before = process.cpuUsage();
const modules = mode === 'profile' ? await profileOf(() => runTurns(Number(turns))) : undefined;
if (modules === undefined) await runTurns(Number(turns));
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${JSON.stringify({ cpuMsPerTurn: (user + system) / 1000 / Number(turns), modules })}\n`);
await peer.close();
process.exit(0);
