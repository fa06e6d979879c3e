/** The parts of the schema: a setting's description, and the kinds of settings that occur more than once. */
import { z } from 'zod';
import { Secret } from './secret.ts';

export interface SettingMeta {
  /** What it does, for the reference. */
  readonly does: string;
  /** What a good value is: completes the sentence "expected …". */
  readonly expected: string;
  /** The value as written in threadwise.yaml. */
  readonly example: string;
  /** The first one that is set counts. A secret has each of them with `_FILE` as well. */
  readonly env: readonly string[];
  /** Shown in the reference in place of the value that the schema gives. */
  readonly defaultText?: string;
  readonly secret?: true;
}

export const settingMeta = z.registry<SettingMeta>();

export const number = (min: number, max: number, standard: number, env: string, does: string) =>
  z
    .int()
    .min(min)
    .max(max)
    .default(standard)
    .register(settingMeta, { does, expected: `a whole number from ${min} to ${max}`, example: String(standard), env: [env] });

export const choice = <const Values extends readonly [string, ...string[]]>(
  values: Values,
  standard: Values[number],
  env: string,
  does: string,
) =>
  z
    .enum(values)
    .default(standard as never)
    .register(settingMeta, { does, expected: `one of ${values.join(', ')}`, example: standard, env: [env] });

export const flag = (standard: boolean, env: string, does: string) =>
  z
    .boolean()
    .default(standard)
    .register(settingMeta, { does, expected: 'true or false', example: String(standard), env: [env] });

export const price = (env: string, does: string) =>
  z
    .number()
    .min(0)
    .max(10_000)
    .default(0)
    .register(settingMeta, { does, expected: 'a number from 0 to 10000', example: '0.4', env: [env] });

/** Limits of what is used up; 0 is none. */
export const budget = (owner: string, env: string, toolCalls: number, tokens: number) =>
  z
    .strictObject({
      toolCalls: number(0, 1_000_000, toolCalls, `THREADWISE_${env}_TOOL_CALLS`, `Tool calls of ${owner}; 0 sets no limit.`),
      tokens: number(0, 1_000_000_000, tokens, `THREADWISE_${env}_TOKENS`, `Tokens of ${owner}, in and out; 0 sets no limit.`),
      usd: z
        .number()
        .min(0)
        .max(1_000_000)
        .default(0)
        .register(settingMeta, {
          does: `US dollars of ${owner}, by the prices under \`model\`; 0 sets no limit.`,
          expected: 'a number from 0 to 1000000',
          example: '2.5',
          env: [`THREADWISE_${env}_USD`],
        }),
    })
    .prefault({});

/** Without limits of its own until they are set. A single answer has `limits.steps` and `limits.runTimeoutMs` in place of the first two. */
export const dayBudget = (owner: string, env: string) =>
  budget(`${owner} in a day (UTC)`, env, 0, 0)
    .unwrap()
    .extend({
      modelCalls: number(
        0,
        1_000_000,
        0,
        `THREADWISE_${env}_MODEL_CALLS`,
        `Model calls of ${owner} in a day (UTC); 0 sets no limit.`,
      ),
      seconds: number(
        0,
        1_000_000,
        0,
        `THREADWISE_${env}_SECONDS`,
        `Seconds that the runs of ${owner} take in a day (UTC); 0 sets no limit.`,
      ),
    })
    .prefault({});

export const secret = (pattern: RegExp, expected: string, example: string, env: string, does: string) =>
  z
    .string()
    .regex(pattern)
    .transform((value) => new Secret(value))
    .optional()
    .register(settingMeta, { does, expected, example, env: [env], secret: true });

export const address = (env: string, example: string, does: string) =>
  z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .register(settingMeta, { does, expected: 'an http or https address', example, env: [env] });

export const ids = (
  pattern: RegExp,
  expected: string,
  example: string,
  env: readonly string[],
  does: string,
  standard?: readonly string[],
) =>
  z
    .array(z.string().regex(pattern))
    .default([...(standard ?? [])])
    .register(settingMeta, { does, expected: `a list of ${expected}`, example, env });
