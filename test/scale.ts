/**
 * How much the repeated tests do: a tenth by default, everything with `./threadwise test --full`, which sets TEST_SCALE. The
 * seed is printed by that command; TEST_SEED repeats a run.
 */

const env = process.env;

export const isFull = env['TEST_SCALE'] === 'full';

/** Of `full` repetitions, those to do now: at least one. */
export const scaled = (full: number): number => (isFull ? full : Math.max(1, Math.ceil(full / 10)));

export const seed: number = Number(env['TEST_SEED'] ?? 1);
