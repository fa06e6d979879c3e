import { AppError } from '../agent/errors.ts';
import { type Block, createBlock, type DocumentBlocks } from './blocks.ts';

interface CsvRecord {
  readonly cells: readonly string[];
  /** As it stands in the file, so that a quote of it is found there. */
  readonly raw: string;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
const MAX_ROWS = 20_000;

/** RFC 4180 with any delimiter: quoted cells may hold delimiters, line ends and doubled quotes. */
export const parseRecords = (text: string, delimiter: string): readonly CsvRecord[] => {
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let cell = '';
  let start = 0;
  let quoted = false;
  const endRecord = (end: number): void => {
    cells.push(cell.trim());
    if (cells.some((value) => value !== '')) records.push({ cells, raw: text.slice(start, end).trim() });
    cells = [];
    cell = '';
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at++;
      } else quoted = false;
    } else if (character === '"' && cell.trim() === '') {
      quoted = true;
      cell = '';
    } else if (character === delimiter) {
      cells.push(cell.trim());
      cell = '';
    } else if (character === '\n') {
      endRecord(at);
      start = at + 1;
    } else cell += character;
  }
  if (quoted) throw new AppError('document_unreadable', 'expected every quoted cell to end with a quote; one is never closed.');
  endRecord(text.length);
  return records;
};

/** The delimiter that cuts the first line into most cells. */
export const delimiterOf = (text: string): string => {
  const end = text.indexOf('\n');
  const header = end < 0 ? text : text.slice(0, end);
  const count = (delimiter: string): number => header.split(delimiter).length;
  return DELIMITERS.reduce<string>((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best), ',');
};

const rowBlock = (columns: readonly string[], record: CsvRecord, row: number): Block => {
  const lines = record.cells.flatMap((value, index) =>
    value === '' ? [] : [`${columns[index] || `column ${index + 1}`}: ${value}`],
  );
  const text = record.cells.length > 1 ? [...lines, record.raw].join('\n') : lines.join('\n');
  return createBlock('row', text, `row ${row}`);
};

/** Each row is a passage of `column: value` lines with the row as it stands in the file under them. Rows count from 1 under the header. */
export const parseCsv = (text: string): DocumentBlocks => {
  const [header, ...rows] = parseRecords(text, delimiterOf(text));
  if (rows.length > MAX_ROWS) {
    throw new AppError(
      'document_unreadable',
      `expected at most ${MAX_ROWS} rows, got ${rows.length}. Split the file, or connect it as a database.`,
    );
  }
  const blocks =
    rows.length === 0 && header !== undefined
      ? [createBlock('row', header.raw, 'row 1')]
      : rows.map((record, index) => rowBlock(header?.cells ?? [], record, index + 1));
  return { title: null, fallbackTitle: null, date: null, blocks };
};
