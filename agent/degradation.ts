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
  /** `counts`: by the table of errors. */
  record(tool: string, outcome: 'succeeded' | 'failed' | 'undecided'): DegradationLevel;
}

interface ToolState {
  failures: number;
  level: DegradationLevel;
  asideAt: number | undefined;
  probing: boolean;
}

export const createDegradation = (
  { failuresToSetAside, probeAfterMs }: Pick<RunLimits, 'failuresToSetAside' | 'probeAfterMs'>,
  clock: Clock,
): Degradation => {
  const states = new Map<string, ToolState>();

  const stateOf = (tool: string): ToolState => {
    const state = states.get(tool) ?? { failures: 0, level: 0, asideAt: undefined, probing: false };
    states.set(tool, state);
    return state;
  };
  const waitMs = ({ asideAt }: ToolState): number =>
    asideAt === undefined ? 0 : Math.max(0, asideAt + probeAfterMs - clock.monotonic());

  return {
    admit: (tool) => {
      const state = stateOf(tool);
      if (state.asideAt === undefined) return undefined;
      const wait = waitMs(state);
      if (wait > 0) return wait;
      if (state.probing) return probeAfterMs;
      state.probing = true;
      return undefined;
    },
    record: (tool, outcome) => {
      const state = stateOf(tool);
      if (outcome === 'failed') {
        state.failures += 1;
        state.level = state.failures < failuresToSetAside ? 1 : state.failures === failuresToSetAside ? 2 : 3;
        if (state.level >= 2) state.asideAt = clock.monotonic();
      } else if (outcome === 'succeeded') {
        state.level = Math.max(0, state.level - 1) as DegradationLevel;
        state.failures = state.level === 0 ? 0 : Math.min(state.failures, failuresToSetAside) - 1;
        state.asideAt = undefined;
      }
      state.probing = false;
      return state.level;
    },
  };
};
