/** What `/livez` and `/readyz` say. Alive is: this code ran. Ready is: every part that an answer needs works. */

import type { Clock } from '../agent/ports/clock.ts';

export interface PartState {
  readonly ok: boolean;
  /** One line for a person; no secret. */
  readonly detail: string;
}

export interface HealthPart {
  readonly name: string;
  /** False: shown when it is down, and the assistant serves on without it (a model that has a fallback). */
  readonly required: boolean;
  /** What it throws counts as down, and so does no answer in time. */
  readonly check: () => PartState | Promise<PartState>;
}

export interface Readiness {
  readonly ready: boolean;
  readonly parts: readonly (PartState & { readonly name: string; readonly required: boolean })[];
}

const NO_ANSWER: PartState = { ok: false, detail: 'no answer in time' };

const checkPart = async (part: HealthPart, clock: Clock, timeoutMs: number): Promise<PartState> => {
  let cancel: () => void = () => {};
  const late = new Promise<PartState>((resolve) => {
    cancel = clock.after(timeoutMs, () => resolve(NO_ANSWER));
  });
  try {
    return await Promise.race([(async () => part.check())(), late]);
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : 'the check failed' };
  } finally {
    cancel();
  }
};

/** Checks all parts at once; takes at most `timeoutMs`. Never throws. */
export const checkReadiness = async (parts: readonly HealthPart[], clock: Clock, timeoutMs: number): Promise<Readiness> => {
  const states = await Promise.all(
    parts.map(async (part) => ({ name: part.name, required: part.required, ...(await checkPart(part, clock, timeoutMs)) })),
  );
  return { ready: states.every(({ ok, required }) => ok || !required), parts: states };
};
