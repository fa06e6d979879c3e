import { z } from 'zod';
import { configSchema } from './config-schema.ts';
import { type SettingMeta, settingMeta } from './config-setting.ts';

/** One setting of the schema. `kind`: how a variable's text is read. */
export interface Setting {
  readonly path: readonly string[];
  readonly key: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'list' | 'map';
  readonly meta: SettingMeta;
  readonly defaultValue: unknown;
}

const unwrap = (schema: z.core.$ZodType): z.core.$ZodType => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrap(schema.unwrap());
  }
  return schema instanceof z.ZodPipe ? unwrap(schema.in) : schema;
};

const kindOf = (schema: z.core.$ZodType): Setting['kind'] => {
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodArray) return 'list';
  return schema instanceof z.ZodRecord ? 'map' : 'text';
};

const walk = (schema: z.core.$ZodType, path: readonly string[]): readonly Setting[] => {
  const meta = settingMeta.get(schema);
  const inner = unwrap(schema);
  if (meta !== undefined) {
    const defaultValue = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined;
    return [{ path, key: path.join('.'), kind: kindOf(inner), meta, defaultValue }];
  }
  if (!(inner instanceof z.ZodObject)) throw new TypeError(`the setting ${path.join('.')} has no description`);
  return Object.entries(inner.shape).flatMap(([name, child]) => walk(child as z.core.$ZodType, [...path, name]));
};

/** The setting's example as threadwise.yaml has it: `web: { port: 3000 }`. */
export const exampleOf = ({ path, meta }: Setting): string => {
  const [last = '', ...outer] = [...path].reverse();
  return outer.reduce((inner, name) => `${name}: { ${inner} }`, `${last}: ${meta.example}`);
};

/** Every setting, in the order of the schema. */
export const listSettings = (): readonly Setting[] => walk(configSchema, []);
