/** Tables as aligned monospace lines, for places that have none of their own. */

import { plainText, type Table } from './markdown.ts';

/** East Asian wide and full-width characters and emoji take two columns, combining marks none. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const ZERO = /[\p{Mn}\p{Me}\u200d\ufe0f]/u;

/** Columns that a terminal or a monospace block gives the text. */
export const displayWidth = (text: string): number => {
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (WIDE.test(segment) || segment.includes('\ufe0f')) width += 2;
    else if (!ZERO.test(segment) || segment.length > 1) width += 1;
  }
  return width;
};

const pad = (text: string, width: number, align: 'left' | 'right' | 'center'): string => {
  const room = Math.max(0, width - displayWidth(text));
  const left = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0;
  return ' '.repeat(left) + text + ' '.repeat(room - left);
};

/** The header, a line under it, the rows. Cells as plain text on one line. */
export const tableLines = (table: Table): readonly string[] => {
  const cellsOf = (row: Table['header']) => row.map((cell) => plainText(cell).replace(/\s+/gu, ' ').trim());
  const header = cellsOf(table.header);
  const rows = table.rows.map(cellsOf);
  const widths = header.map((_, column) => Math.max(1, ...[header, ...rows].map((row) => displayWidth(row[column] ?? ''))));
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) => pad(row[column] ?? '', width, table.align[column] ?? 'left'))
      .join('  ')
      .trimEnd();
  return [line(header), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)];
};
