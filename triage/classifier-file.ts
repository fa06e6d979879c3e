/** The trained classifier on disk, so that a start with the same examples trains nothing. A file that cannot be used is no file. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { z } from 'zod';
import type { TrainedClassifier } from './classifier-fit.ts';

/** Moves with everything that changes what a training makes of the same examples. */
export const CLASSIFIER_FORMAT = 1;

const floats = z.custom<Float32Array>((value) => value instanceof Float32Array);
const integers = z.custom<Uint32Array>((value) => value instanceof Uint32Array);

const stored = z
  .object({
    format: z.literal(CLASSIFIER_FORMAT),
    hash: z.string(),
    trained: z.object({
      terms: z.array(z.string()),
      idf: floats,
      model: z.object({ classes: z.int(), sparseColumns: z.int(), weights: floats, bias: floats }),
      temperature: z.number().positive(),
      scope: z.object({ bias: z.number(), score: z.number(), similarity: z.number() }).optional(),
      index: z.object({ labels: integers, dense: floats, offsets: integers, rows: integers, values: floats }),
      heldOut: z.int(),
    }),
  })
  .refine(({ trained: { terms, idf, model, index } }) => {
    const { classes, sparseColumns, weights, bias } = model;
    return (
      [idf.length, sparseColumns, index.offsets.length - 1].every((length) => length === terms.length) &&
      bias.length === classes &&
      weights.length >= sparseColumns * classes &&
      index.rows.length === index.values.length &&
      index.labels.every((label) => label < classes)
    );
  });

/** Undefined when there is none, when it is of other examples, or when it is broken. */
export const loadClassifier = async (path: string, hash: string): Promise<TrainedClassifier | undefined> => {
  try {
    const parsed = stored.safeParse(deserialize(await readFile(path)));
    if (!parsed.success || parsed.data.hash !== hash) return undefined;
    const { scope, ...rest } = parsed.data.trained;
    return { ...rest, scope };
  } catch {
    return undefined;
  }
};

/** The file is the old one or the new one at any time. Throws what the file system throws. */
export const saveClassifier = async (path: string, hash: string, trained: TrainedClassifier): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const written = `${path}.${process.pid}.new`;
  await writeFile(written, serialize({ format: CLASSIFIER_FORMAT, hash, trained }), { mode: 0o600 });
  await rename(written, path);
};
