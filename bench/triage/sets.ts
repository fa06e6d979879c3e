/** The two public sets of short requests, read where they lie beside the repository, and what is made of them. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { AppError } from '../../agent/errors.ts';
import { parseRecords } from '../../knowledge/csv.ts';

const DATA = new URL('../../../shared/data/', import.meta.url);

export interface Labelled {
  readonly text: string;
  readonly label: string;
}

const readData = (path: string): string => {
  try {
    return readFileSync(new URL(path, DATA), 'utf8');
  } catch (cause) {
    throw new AppError('source_missing', `bench triage: expected a public data set at ../shared/data/${path}, got none`, {
      cause,
    });
  }
};

const readCsv = (path: string): readonly Labelled[] =>
  parseRecords(readData(path), ',')
    .slice(1)
    .map(({ cells: [text = '', label = ''] }) => ({ text, label }));

export const readBanking = () => ({ train: readCsv('banking77/train.csv'), test: readCsv('banking77/test-even-rows.csv') });

const pairs = z.array(z.tuple([z.string(), z.string()]).transform(([text, label]): Labelled => ({ text, label })));
const clinc = z.object({ train: pairs, val: pairs, oos_train: pairs, oos_val: pairs });

export const readClinc = () => clinc.parse(JSON.parse(readData('clinc150/train-and-val.json')));

/** The first `count` of each label, in their order. */
export const takeEach = (rows: readonly Labelled[], count: number): readonly Labelled[] => {
  const taken = new Map<string, number>();
  return rows.filter(({ label }) => {
    const before = taken.get(label) ?? 0;
    taken.set(label, before + 1);
    return before < count;
  });
};
