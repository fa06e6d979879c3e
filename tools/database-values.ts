/** Rows on their way out: personal data is covered first, before anything is logged or shown, then the table is cut to its limits. */
import { createHmac } from 'node:crypto';
import { cutMiddle } from '../agent/unicode.ts';
import type { RawCell, RawTable } from './database-engine.ts';
import type { Tag } from './sql-guard.ts';

export interface ShownTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly RawCell[])[];
  /** Rows, columns or text were left out. */
  readonly isCut: boolean;
}

export interface TableLimits {
  readonly rows: number;
  readonly columns: number;
  readonly cellChars: number;
  readonly bytes: number;
}

/** What a model is shown, and what goes into a file. */
export const SHOWN: TableLimits = { rows: 50, columns: 20, cellChars: 200, bytes: 16 * 1024 };
export const FILED: TableLimits = { rows: 200, columns: 100, cellChars: 2_000, bytes: 256 * 1024 };

const HASH_CHARS = 10;
const NAME_CHARS = 64;
const COVER = '•••';
const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** Values that are personal wherever they stand: mail addresses, card numbers, IBANs, American social security numbers. */
const PERSONAL: readonly RegExp[] = [
  /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g,
  /\b\d(?:[ -]?\d){12,18}\b/g,
  /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b/g,
  /\b\d{3}-\d{2}-\d{4}\b/g,
];

/** https://en.wikipedia.org/wiki/Luhn_algorithm: long numbers that are no card numbers, such as ids, stay. */
const isCardNumber = (text: string): boolean => {
  const digits = [...text.replace(/\D/g, '')].reverse().map(Number);
  const sum = digits.reduce((total, digit, at) => total + (at % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2), 0);
  return digits.length >= 13 && sum % 10 === 0;
};

const cover = (text: string): string => `${[...text][0] ?? ''}${COVER}`;

const coverValues = (text: string): string =>
  PERSONAL.reduce(
    (rest, pattern, at) => rest.replace(pattern, (found) => (at === 1 && !isCardNumber(found) ? found : cover(found))),
    text,
  );

export interface Protection {
  /** Of the column that an output column is, and of one that has its name. */
  readonly tagOf: (column: RawTable['columns'][number]) => Tag | undefined;
  /** Mail addresses and their like are covered in untagged text. */
  readonly coversValues: boolean;
  /** The same value has the same code while the key is the same. */
  readonly hashKey: Uint8Array;
}

export const protectTable = (table: RawTable, { tagOf, coversValues, hashKey }: Protection): RawTable => {
  const tags = table.columns.map(tagOf);
  const protectCell = (cell: RawCell, tag: Tag | undefined): RawCell => {
    if (cell === null) return null;
    if (tag === 'mask') return cover(String(cell));
    if (tag === 'hash') return createHmac('sha256', hashKey).update(String(cell)).digest('hex').slice(0, HASH_CHARS);
    return coversValues && typeof cell === 'string' ? coverValues(cell) : cell;
  };
  const isKept = (_: unknown, at: number): boolean => tags[at] !== 'deny';
  return {
    ...table,
    columns: table.columns.filter(isKept),
    rows: table.rows.map((row) => row.map((cell, at) => protectCell(cell, tags[at])).filter(isKept)),
  };
};

/** Names of columns are chosen by whoever wrote the table or the query. */
const cleanName = (name: string): string => cutMiddle(name.replace(CONTROL, ' ').trim(), NAME_CHARS) || 'column';

const fitCell = (cell: RawCell, chars: number): RawCell =>
  typeof cell === 'string' ? cutMiddle(cell.toWellFormed().replace(CONTROL, ' '), chars) : cell;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

export const fitTable = (table: RawTable, limits: TableLimits): ShownTable => {
  const columns = table.columns.slice(0, limits.columns).map(({ name }) => cleanName(name));
  const rows: (readonly RawCell[])[] = [];
  let bytes = bytesOf(columns);
  let isCut = table.hasMore || table.rows.length > limits.rows || table.columns.length > limits.columns;
  for (const row of table.rows.slice(0, limits.rows)) {
    const cells = row.slice(0, limits.columns).map((cell) => fitCell(cell, limits.cellChars));
    isCut ||= cells.some((cell, at) => typeof cell === 'string' && cell.length < String(row[at]).length);
    bytes += bytesOf(cells) + 1;
    if (bytes > limits.bytes) return { columns, rows, isCut: true };
    rows.push(cells);
  }
  return { columns, rows, isCut };
};

/** What a spreadsheet would take for a formula; fullwidth signs begin one as well where people write with them. A number is none. */
const isFormula = (text: string): boolean => /^\s*[=+\-@＝＋－＠]/.test(text) && !/^[+-]?\d+(?:\.\d+)?$/.test(text);

/** Without it spreadsheet programs read UTF-8 as the system's old code page. */
const BYTE_ORDER_MARK = '\ufeff';

/** RFC 4180, with a quote before what would be a formula. */
export const toCsv = ({ columns, rows }: ShownTable): string => {
  const field = (cell: RawCell): string => {
    const text = typeof cell === 'string' && isFormula(cell) ? `'${cell}` : String(cell ?? '');
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return BYTE_ORDER_MARK + [columns, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
};
