/** Tickets from a file: each row or object is one, taken in as if it had arrived by itself. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { z } from 'zod';
import { AppError } from '../agent/errors.ts';
import type { ArriveOutcome } from '../agent/ports/ticket-desk.ts';
import type { Ticket, TicketArrival } from '../agent/ticket.ts';
import { delimiterOf, parseRecords } from '../knowledge/csv.ts';
import { openCore, openDataFolder, readConfig } from '../main.ts';
import { systemClock } from '../ops/clock.ts';
import { silentLogger } from '../ops/silent-log.ts';
import type { CommandIo } from './command.ts';
import { openTriage } from './triage-parts.ts';

const MAX_BYTES = 20 * 1024 * 1024;
const MAX_ROWS = 20_000;

const value = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const row = z.record(z.string(), z.union([value, z.null()]));
type Row = z.infer<typeof row>;

const TEXT_COLUMNS = ['text', 'body', 'description', 'message'] as const;
const OWN_COLUMNS: ReadonlySet<string> = new Set([...TEXT_COLUMNS, 'id', 'subject', 'author']);

/** With the number under which a person finds it: the row of a table, the line of a text, the place in a list. */
type NumberedRow = readonly [number: number, row: unknown];

const readTable = (text: string): readonly NumberedRow[] => {
  const [head, ...records] = parseRecords(text, delimiterOf(text));
  const names = (head?.cells ?? []).map((name) => name.toLowerCase());
  return records.map(({ cells }, at) => [at + 2, Object.fromEntries(names.map((name, n) => [name, cells[n] ?? null]))]);
};

const readList = (text: string): readonly NumberedRow[] => {
  const list = z.array(z.unknown()).safeParse(JSON.parse(text));
  if (!list.success) throw new SyntaxError('not a list');
  return list.data.map((item, at) => [at + 1, item]);
};

const readLines = (text: string): readonly NumberedRow[] =>
  text.split(/\r?\n/).flatMap((line, at) => (line.trim() === '' ? [] : [[at + 1, JSON.parse(line) as unknown] as const]));

const readRows = (file: string, cwd: string): readonly NumberedRow[] => {
  const path = resolve(cwd, file);
  const wrong = (expected: string, came: string, cause?: unknown): AppError =>
    new AppError('usage', `triage: expected ${expected}, got ${came}`, { cause });
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if (size === undefined) throw wrong('a file that can be read', file);
  if (size > MAX_BYTES) throw wrong(`a file of at most ${MAX_BYTES} bytes`, `${file} with ${size}; take it in in parts`);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)).replace(/^\uFEFF/u, '');
    if (text.includes('\0')) throw new SyntaxError('not text');
    const rows = text.trimStart().startsWith('[')
      ? readList(text)
      : text.trimStart().startsWith('{')
        ? readLines(text)
        : readTable(text);
    if (rows.length <= MAX_ROWS) return rows;
  } catch (error) {
    throw wrong('CSV with a header, a JSON list, or one JSON object a line, in UTF-8', file, error);
  }
  throw wrong(`at most ${MAX_ROWS} tickets`, `more in ${file}; take it in in parts`);
};

/** Undefined where it has no text. */
const arrivalOf = (given: Row, file: string, now: number): TicketArrival | undefined => {
  const text = TEXT_COLUMNS.map((name) => given[name]?.trim()).find((found) => found) ?? '';
  const subject = given['subject']?.trim() ?? '';
  if (text === '' && subject === '') return undefined;
  const id = given['id']?.trim() || createHash('sha256').update(`${subject}\n${text}`).digest('hex').slice(0, 16);
  const key = `file:${basename(file)}:${id}`;
  const author = given['author']?.trim() ?? '';
  return {
    deliveryId: key,
    threadId: key,
    how: 'file',
    author: { id: `file:${author || id}`, displayName: author },
    place: null,
    isPrivate: false,
    address: null,
    external: null,
    subject,
    text: text || subject,
    receivedAt: now,
    fields: Object.fromEntries(
      Object.entries(given).flatMap(([name, content]) => (OWN_COLUMNS.has(name) || content === null ? [] : [[name, content]])),
    ),
  };
};

const lineOf = (kind: ArriveOutcome['kind'], { id, team, category, reading, priority, subject, text }: Ticket): string => {
  const sure = category === null || category !== reading?.category.value ? '-' : reading.category.confidence.toFixed(2);
  const title = (subject || text).split('\n')[0]?.slice(0, 80);
  return [id, kind, team ?? '-', category ?? '-', sure, priority ?? '-', title].join('\t');
};

/** Exits 1 where a row could not be taken; the others are. */
export const takeFile = async (file: string, io: CommandIo): Promise<number> => {
  const rows = readRows(file, io.cwd);
  const config = await readConfig(io);
  const folder = openDataFolder(config.dataDir, io.cwd);
  const core = await openCore({ config, folder, vectorEngine: 'exact', clock: systemClock, logger: silentLogger });
  const { taxonomy } = config.triage;
  const reader = taxonomy === undefined ? undefined : await core.openReader(resolve(io.cwd, taxonomy));
  const readFile = (path: string): string => readFileSync(resolve(io.cwd, path), 'utf8');
  const triage = openTriage({
    config,
    store: core.tickets,
    reader,
    embedder: core.embedder,
    boards: [],
    readFile,
    clock: systemClock,
    logger: silentLogger,
  });
  const taken: { readonly kind: ArriveOutcome['kind']; readonly id: string }[] = [];
  let refused = 0;
  const refuse = (number: number, why: string): void => {
    refused += 1;
    io.stderr.write(`${file}: ${number}: ${why}\n`);
  };
  try {
    for (const [number, given] of rows) {
      const parsed = row.safeParse(given);
      const arrival = parsed.success ? arrivalOf(parsed.data, file, systemClock.now()) : undefined;
      if (arrival === undefined) {
        refuse(number, `expected an object or row with ${TEXT_COLUMNS.join(', ')} or subject, each a text; it was passed over`);
        continue;
      }
      const outcome = await triage.desk.arrive(arrival);
      if (outcome.kind === 'not_a_ticket') refuse(number, 'asks nothing (a greeting, a thank-you): no ticket was made');
      else taken.push({ kind: outcome.kind, id: outcome.ticket.id });
    }
    await triage.settle(new AbortController().signal);
    for (const { kind, id } of taken) {
      const ticket = await core.tickets.readTicket(id);
      if (ticket !== undefined) io.stdout.write(`${lineOf(kind, ticket)}\n`);
    }
    return refused === 0 ? 0 : 1;
  } finally {
    await triage.stop();
    await reader?.close();
    await core.close();
  }
};
