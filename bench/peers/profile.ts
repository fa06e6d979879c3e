/** Where a process spends its time, by module, from the profiler built into Node. */
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The last is the profiler at its start. */
const NOT_WORK = new Set(['(idle)', 'node:inspector']);
const SAMPLE_MICROSECONDS = 200;

interface Frame {
  readonly functionName: string;
  readonly url: string;
}

/** `agent`, `store`, `openai`, `@langchain/openai`, `node`; undefined for what is built into the engine. */
const moduleOf = ({ functionName, url }: Frame): string | undefined => {
  if (url === '') return functionName.startsWith('(') ? functionName : undefined;
  if (url === 'node:inspector') return url;
  if (url.startsWith('node:')) return 'node';
  const path = url.startsWith('file:') ? fileURLToPath(url) : url;
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(path)?.[1];
  if (inPackage !== undefined) return inPackage;
  return path.startsWith(ROOT) ? (path.slice(ROOT.length).split('/')[0] ?? 'other') : 'other';
};

interface ProfileNode {
  readonly id: number;
  readonly callFrame: Frame;
  readonly children?: readonly number[] | undefined;
}

/** What is built into the engine counts for whoever called it: a query for the store, a regular expression for its reader. */
const modulesOf = (nodes: readonly ProfileNode[]): ReadonlyMap<number, string> => {
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child): [number, number] => [child, id])));
  const modules = new Map<number, string>();
  // A caller stands before what it calls.
  for (const { id, callFrame } of nodes) {
    modules.set(id, moduleOf(callFrame) ?? modules.get(callers.get(id) ?? -1) ?? 'other');
  }
  return modules;
};

/** The share of each module in the time that the thread was not idle, waiting for the disk included; they sum to 1. */
export const profileOf = async (work: () => Promise<void>): Promise<Readonly<Record<string, number>>> => {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS });
  await session.post('Profiler.start');
  await work();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const modules = modulesOf(profile.nodes);
  const times = new Map<string, number>();
  let total = 0;
  for (const [n, id] of (profile.samples ?? []).entries()) {
    const name = modules.get(id) ?? 'other';
    const took = profile.timeDeltas?.[n] ?? 0;
    if (NOT_WORK.has(name)) continue;
    total += took;
    times.set(name, (times.get(name) ?? 0) + took);
  }
  return Object.fromEntries([...times].sort(([, a], [, b]) => b - a).map(([name, took]) => [name, took / total]));
};
