/**
 * Every fault on the wire and every known bug of agent loops against ours: the product's own provider and loop, a scripted server
 * that answers as badly as real ones do, and a linter over each request.
 */
import { DURABLE_CASES } from './faults/durable.ts';
import { GUARD_CASES } from './faults/guards.ts';
import { HISTORY_CASES } from './faults/history.ts';
import { type FaultCase, runCase } from './faults/rig.ts';
import { STREAM_CASES } from './faults/stream.ts';
import { TURN_CASES } from './faults/turns.ts';
import { WIRE_CASES } from './faults/wire.ts';
import type { BenchRow } from './row.ts';

export const FAULT_CASES: readonly FaultCase[] = [
  ...WIRE_CASES,
  ...STREAM_CASES,
  ...[...HISTORY_CASES, ...TURN_CASES, ...GUARD_CASES, ...DURABLE_CASES].sort(
    (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
  ),
];

export async function* run(): AsyncGenerator<BenchRow> {
  for (const fault of FAULT_CASES) {
    const wrong = await runCase(fault);
    const outcome = { bench: 'faults', case: fault.id, metric: 'outcome', unit: 'outcome', n: 1 };
    const note = wrong === undefined ? fault.what : `${fault.what}: ${wrong.replace(/\s+/gu, ' ').slice(0, 300)}`;
    yield { ...outcome, value: wrong === undefined ? 'right' : 'wrong', note };
  }
}
