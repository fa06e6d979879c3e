/**
 * What follows when a tool keeps failing: first its arguments are doubted, then it is set aside for another way, then the run ends
 * with what was found. A success steps one level back; a tool set aside is tried again with one call after a while.
 */
import type { RunLimits } from './limits.ts';
import type { Clock } from './ports/clock.ts';

/** 0: all is well. 1: check the arguments. 2: set aside. 3: the run ends. */
export type DegradationLevel = 0 | 1 | 2 | 3;

export interface Degradation {
  /** May the tool be called now? A wait in ms if not; undefined if so, which takes the probe of a tool that was set aside. */
  admit(tool: string): number | undefined;
  /** `failed`: by the table of errors. `waitMs`: the service behind the tool asks to be left alone so long. */
  record(tool: string, outcome: 'succeeded' | 'failed' | 'undecided', waitMs?: number): DegradationLevel;
}

interface ToolState {
  failures: number;
  level: DegradationLevel;
  asideUntil: number | undefined;
  probing: boolean;
}

export const createDegradation = (
  { failuresToSetAside, probeAfterMs }: Pick<RunLimits, 'failuresToSetAside' | 'probeAfterMs'>,
  clock: Clock,
): Degradation => {
  const states = new Map<string, ToolState>();

  const stateOf = (tool: string): ToolState => {
    const state = states.get(tool) ?? { failures: 0, level: 0, asideUntil: undefined, probing: false };
    states.set(tool, state);
    return state;
  };
  return {
    admit: (tool) => {
      const state = stateOf(tool);
      if (state.asideUntil === undefined) return undefined;
      const wait = state.asideUntil - clock.monotonic();
      if (wait > 0) return wait;
      if (state.probing) return probeAfterMs;
      state.probing = true;
      return undefined;
    },
    record: (tool, outcome, waitMs = 0) => {
      const state = stateOf(tool);
      if (outcome === 'failed') {
        state.failures += 1;
        state.level = state.failures < failuresToSetAside ? 1 : state.failures === failuresToSetAside ? 2 : 3;
        const restMs = Math.max(waitMs, state.level >= 2 ? probeAfterMs : 0);
        if (restMs > 0) state.asideUntil = clock.monotonic() + restMs;
      } else if (outcome === 'succeeded') {
        state.level = Math.max(0, state.level - 1) as DegradationLevel;
        state.failures = state.level === 0 ? 0 : Math.min(state.failures, failuresToSetAside) - 1;
        state.asideUntil = undefined;
      }
      state.probing = false;
      return state.level;
    },
  };
};
