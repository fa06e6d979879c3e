/** The doctor asks each part how it is. A finding that is not fine carries its mend: what to do, in one line. */

import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';

export interface Finding {
  readonly name: string;
  readonly level: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** Empty when all is fine. */
  readonly mend: string;
}

/** What it throws becomes a failed finding under its name, with `mend`. */
export interface Probe {
  readonly name: string;
  readonly mend: string;
  readonly run: () => Promise<readonly Finding[]>;
}

export const ok = (name: string, detail: string): Finding => ({ name, level: 'ok', detail, mend: '' });
export const warn = (name: string, detail: string, mend: string): Finding => ({ name, level: 'warn', detail, mend });
export const fail = (name: string, detail: string, mend: string): Finding => ({ name, level: 'fail', detail, mend });

const runProbe = async ({ name, mend, run }: Probe, clock: Clock, timeoutMs: number): Promise<readonly Finding[]> => {
  const cancelled = new AbortController();
  try {
    const late = clock
      .sleep(timeoutMs, cancelled.signal)
      .then(() => [fail(name, `no answer within ${timeoutMs / 1000} s`, mend)]);
    // Its rejection when it is called off has nobody waiting for it.
    late.catch(() => {});
    return await Promise.race([run(), late]);
  } catch (error) {
    return [fail(name, error instanceof Error ? error.message : String(error), mend)];
  } finally {
    cancelled.abort(new AppError('internal', 'the probe answered'));
  }
};

/** One after the other, in order: a probe may build what the next one uses. Never throws. */
export const runProbes = async (probes: readonly Probe[], clock: Clock, timeoutMs: number): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  for (const probe of probes) findings.push(...(await runProbe(probe, clock, timeoutMs)));
  return findings;
};

/** One line a finding, its mend below it. */
export const renderFindings = (findings: readonly Finding[]): string =>
  findings
    .map(({ name, level, detail, mend }) => `${level.padEnd(4)}  ${name}: ${detail}\n${mend === '' ? '' : `      -> ${mend}\n`}`)
    .join('');
