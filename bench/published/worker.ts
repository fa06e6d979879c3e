/** One group of figures in a thread of its own: posts its rows. */
import { parentPort, workerData } from 'node:worker_threads';
import type { BenchRow } from '../row.ts';
import { completionCases } from './completion.ts';
import { latencyCases } from './latency.ts';
import { layerCases } from './layers.ts';
import { loopCases } from './loops.ts';
import { recoveryCases } from './recovery.ts';
import { successCases } from './success.ts';
import { tokenCases } from './tokens.ts';
import { modelCases } from './with-model.ts';

const GROUPS: Readonly<Record<string, () => AsyncGenerator<BenchRow>>> = {
  success: successCases,
  completion: completionCases,
  loops: loopCases,
  recovery: recoveryCases,
  tokens: tokenCases,
  latency: latencyCases,
  layers: layerCases,
  model: modelCases,
};

const cases = GROUPS[String(workerData)];
if (cases === undefined) throw new Error(`expected one of ${Object.keys(GROUPS).join(', ')}, got ${String(workerData)}`);
const rows: BenchRow[] = [];
for await (const row of cases()) rows.push(row);
parentPort?.postMessage(rows);
