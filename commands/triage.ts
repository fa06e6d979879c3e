import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError } from '../agent/errors.ts';
import type { Ticket } from '../agent/ticket.ts';
import { openDataFolder, readConfig } from '../main.ts';
import { systemClock } from '../ops/clock.ts';
import { silentLogger } from '../ops/silent-log.ts';
import { openSqliteStore } from '../store/sqlite.ts';
import { readAllEvents, reportLines, reportOf } from '../triage/report.ts';
import { createRouter, dryRunRoutes } from '../triage/routing.ts';
import type { CommandIo } from './command.ts';
import { runArticles } from './triage-articles.ts';
import { takeFile } from './triage-file.ts';
import { openTicketReader, openTriage, rulesOf, teamsOf } from './triage-parts.ts';

export const summary = 'takes tickets from a file, lists and shows them, tries routing rules on them';

export const usage = `Usage: threadwise triage FILE
       threadwise triage list
       threadwise triage show T17
       threadwise triage rules FILE
       threadwise triage report [DAYS]
       threadwise triage articles [show T17 | approve T17 [LABEL] [--private] | retract T17]

  FILE        takes the tickets of a CSV, JSON or JSON Lines file in, reads and routes them, and prints a line for each: its number,
              what became of it, team, category, how sure that is, priority, subject. A file taken in twice makes no ticket twice
  list        the latest 500 tickets, newest first: number, status, priority, category, team, assignee, subject
  show T17    one ticket: its card and what happened to it
  report      the last 7 days, or as many as DAYS says: how many came, first answers, solutions, what was opened again, and how often
              category, priority and team were right
  articles    what solved tickets teach: ticket, state, readers, question; show one, publish it among the documents for the readers of
              a label, take it out again. --private: of a private ticket, whose article you have read
  rules FILE  what these routing rules would have done with the latest tickets; changes nothing

Private tickets are shown as well: whoever may read the data folder may read them.
`;

const BARE_WORDS: ReadonlySet<string> = new Set(['show', 'rules', 'report']);
const DAY_MS = 86_400_000;
const MAX_DAYS = 3_650;
const MAX_TICKETS = 500;
/** Whoever runs commands on the data folder owns it. */
const OWNER = { userId: 'terminal:local', place: { kind: 'local', id: 'terminal' } } as const;

const lineOf = ({ id, status, team, assignee, priority, category, subject, text }: Ticket): string =>
  [
    id,
    status,
    priority ?? '-',
    category ?? '-',
    team ?? '-',
    assignee ?? '-',
    (subject || text).split('\n')[0]?.slice(0, 80),
  ].join('\t');

export const run = async ([verb, argument, ...rest]: readonly string[], io: CommandIo): Promise<number> => {
  if (verb === 'articles')
    return runArticles(
      [argument, ...rest].filter((arg) => arg !== undefined),
      io,
    );
  if (verb !== undefined && argument === undefined && verb !== 'list' && !verb.startsWith('-') && !BARE_WORDS.has(verb))
    return takeFile(verb, io);
  const days = verb === 'report' ? Number(argument ?? 7) : 7;
  const isReport = verb === 'report' && rest.length === 0 && Number.isInteger(days) && days > 0 && days <= MAX_DAYS;
  const isWhole =
    isReport || verb === 'list' ? verb !== 'list' || argument === undefined : argument !== undefined && rest.length === 0;
  if (!isWhole || (verb !== 'list' && verb !== 'show' && verb !== 'rules' && !isReport))
    throw new AppError(
      'usage',
      'triage: expected a file, list, show with a ticket such as T17, rules with a file, report with a number of days, or articles; see threadwise triage --help',
    );
  const config = await readConfig(io);
  const readFile = (path: string): string => {
    try {
      return readFileSync(resolve(io.cwd, path), 'utf8');
    } catch (cause) {
      throw new AppError('usage', `expected a file that can be read, got ${path}`, { cause });
    }
  };
  const opened = openSqliteStore({ folder: openDataFolder(config.dataDir, io.cwd), clock: systemClock });
  const { tickets } = opened;
  const say = (line: string): void => void io.stdout.write(`${line}\n`);
  const { taxonomy } = config.triage;
  // For the names and teams of categories; nothing is read.
  const reader =
    taxonomy === undefined || (verb !== 'show' && verb !== 'rules')
      ? undefined
      : await openTicketReader({
          taxonomyFile: resolve(io.cwd, taxonomy),
          file: undefined,
          tickets,
          embedder: undefined,
          ask: () => Promise.resolve(undefined),
          clock: systemClock,
          logger: silentLogger,
        });
  try {
    if (verb === 'list') {
      for (const ticket of await tickets.listTickets({ limit: MAX_TICKETS })) say(lineOf(ticket));
      return 0;
    }
    if (verb === 'report') {
      const now = systemClock.now();
      for (const line of reportLines(reportOf(await readAllEvents(tickets), { from: now - days * DAY_MS, to: now + 1 })))
        say(line);
      return 0;
    }
    if (verb === 'rules') {
      const teams = teamsOf(config);
      const router = createRouter({
        rules: rulesOf(argument ?? '', teams, readFile),
        teams,
        teamOf: (category) => reader?.categories.find(({ id }) => id === category)?.team ?? null,
        nameOf: (category) => reader?.categories.find(({ id }) => id === category)?.name,
        defaultTeam: config.triage.defaultTeam ?? null,
      });
      const routes = dryRunRoutes(await tickets.listTickets({ limit: MAX_TICKETS }), router);
      for (const { ticketId, team, would } of routes)
        say(`${ticketId}\t${team ?? '-'} -> ${would.route.team ?? '-'}\t${would.route.why.join(' ')}`);
      say(`${routes.filter(({ team, would }) => team !== would.route.team).length} of ${routes.length} would go elsewhere`);
      return 0;
    }
    const triage = openTriage({
      config: { ...config, people: { ...config.people, owners: [...config.people.owners, OWNER.userId] } },
      store: tickets,
      reader,
      embedder: undefined,
      boards: [],
      readFile,
      clock: systemClock,
      logger: silentLogger,
    });
    const view = await triage.desk.view(argument ?? '', OWNER);
    if (view === undefined)
      throw new AppError('ticket_missing', `triage: expected a ticket such as T17, got ${JSON.stringify(argument)}`);
    say(view.card.title);
    for (const { name, value } of view.card.fields) say(`  ${name}: ${value}`);
    for (const line of view.card.lines) say(`  ${line}`);
    for (const { seq, at, actor, change } of view.events)
      say(`${seq}\t${new Date(at).toISOString()}\t${change.kind}\t${actor.kind} ${actor.id}`);
    return 0;
  } finally {
    await reader?.close();
    await opened.close();
  }
};
