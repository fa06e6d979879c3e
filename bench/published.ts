/**
 * The figures of five published accounts of hand-written agent loops, measured on the loop they began with and on ours under the
 * same seeded faults. The rates of faults are solved from the published "before"; so what is shown is that the mechanisms make
 * the published "after" of it, not that a real model would behave so.
 */
import { completionCases } from './published/completion.ts';
import { latencyCases } from './published/latency.ts';
import { layerCases } from './published/layers.ts';
import { loopCases } from './published/loops.ts';
import { recoveryCases } from './published/recovery.ts';
import { successCases } from './published/success.ts';
import { tokenCases } from './published/tokens.ts';
import { modelCases } from './published/with-model.ts';
import type { BenchRow } from './row.ts';

export async function* run(): AsyncGenerator<BenchRow> {
  for (const cases of [successCases, completionCases, loopCases, recoveryCases, tokenCases, latencyCases, layerCases, modelCases])
    yield* cases();
}
