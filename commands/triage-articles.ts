/** The articles of tickets from the command line: what waits, what is published; approve and retract. */
import { randomUUID } from 'node:crypto';
import { AppError } from '../agent/errors.ts';
import type { TicketAction } from '../agent/ports/ticket-desk.ts';
import type { TicketStore } from '../agent/ports/ticket-store.ts';
import type { Ticket } from '../agent/ticket.ts';
import { partsOfArticle } from '../agent/ticket-article.ts';
import { createArticleShelf } from '../knowledge/articles.ts';
import { createParser } from '../knowledge/parser.ts';
import { openDataFolder, readConfig } from '../main.ts';
import { systemClock } from '../ops/clock.ts';
import { EVERYONE } from '../ops/config.ts';
import { silentLogger } from '../ops/silent-log.ts';
import { openSqliteStore } from '../store/sqlite.ts';
import { createArticles } from '../triage/articles.ts';
import type { CommandIo } from './command.ts';
import { openTriage } from './triage-parts.ts';

const USAGE =
  'triage articles: expected nothing, show with a ticket such as T17, approve with a ticket and perhaps a label and --private, or retract with a ticket; see threadwise triage --help';
const PAGE = 500;
/** Whoever runs commands on the data folder owns it. */
const OWNER = 'terminal:local';

const lineOf = ({ id, article }: Ticket): string =>
  [id, article?.state, article?.label, partsOfArticle(article?.text ?? '').title].join('\t');

const listArticles = async (tickets: TicketStore): Promise<readonly Ticket[]> => {
  const found: Ticket[] = [];
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await tickets.listTickets({ below, limit: PAGE });
    found.push(...page.filter(({ article }) => article != null));
    if (page.length < PAGE) return found;
    below = page.at(-1)?.number ?? 0;
  }
};

export const runArticles = async (args: readonly string[], io: CommandIo): Promise<number> => {
  const despitePrivate = args.includes('--private');
  const [verb, ticketId, label, ...rest] = args.filter((arg) => arg !== '--private');
  const isWhole =
    verb === undefined ||
    (ticketId !== undefined && (verb === 'show' || verb === 'retract') && label === undefined && !despitePrivate) ||
    (verb === 'approve' && ticketId !== undefined && rest.length === 0);
  if (!isWhole) throw new AppError('usage', USAGE);

  const config = await readConfig(io);
  const opened = openSqliteStore({ folder: openDataFolder(config.dataDir, io.cwd), clock: systemClock });
  const { tickets, knowledge } = opened;
  const parser = createParser({ clock: systemClock, logger: silentLogger });
  const say = (line: string): void => void io.stdout.write(`${line}\n`);
  const parts = {
    shelf: createArticleShelf(knowledge, parser.parse),
    // Nothing is written here.
    write: () => Promise.resolve(undefined),
    labels: [EVERYONE, ...Object.keys(config.audiences)],
    labelOf: () => EVERYONE,
    onShelved: () => {},
  };
  const { desk } = openTriage({
    config: { ...config, people: { ...config.people, owners: [...config.people.owners, OWNER] } },
    store: tickets,
    reader: undefined,
    embedder: undefined,
    boards: [],
    articles: parts,
    readFile: () => '',
    clock: systemClock,
    logger: silentLogger,
  });

  const read = async (): Promise<Ticket & { readonly article: NonNullable<Ticket['article']> }> => {
    const ticket = await tickets.readTicket(ticketId ?? '');
    if (ticket?.article == null)
      throw new AppError('ticket_missing', `triage articles: expected a ticket with an article, got ${JSON.stringify(ticketId)}`);
    return { ...ticket, article: ticket.article };
  };

  const act = async (action: TicketAction): Promise<void> => {
    const outcome = await desk.act({
      ticketId: ticketId ?? '',
      action,
      actor: { kind: 'person', id: OWNER },
      source: 'cli',
      key: randomUUID(),
    });
    if (outcome.kind === 'not_possible') throw new AppError('ticket_refused', outcome.why);
  };

  try {
    if (verb === undefined) for (const ticket of await listArticles(tickets)) say(lineOf(ticket));
    if (verb === 'show') say((await read()).article.text);
    if (verb === 'retract') {
      await act({ kind: 'article_retract', articleId: (await read()).article.id });
      say(lineOf(await read()));
    }
    if (verb === 'approve') {
      const { isPrivate, article } = await read();
      if (isPrivate && !despitePrivate)
        throw new AppError(
          'ticket_refused',
          `${ticketId} is private. Whoever may read ${label ?? article.label} will read its article: read it by "articles show ${ticketId}", then approve it with --private.`,
        );
      if (label !== undefined && label !== article.label) await act({ kind: 'article_audience', articleId: article.id, label });
      await act({ kind: 'article_approve', articleId: (await read()).article.id, despitePrivate });
      const { keepUp } = createArticles({ ...parts, store: tickets, clock: systemClock });
      await keepUp(await read(), new AbortController().signal);
      say(lineOf(await read()));
    }
    return 0;
  } finally {
    await parser.close();
    await opened.close();
  }
};
