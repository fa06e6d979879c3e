/** Triage from the configuration. */
import { readFileSync } from 'node:fs';
import { AppError } from '../agent/errors.ts';
import type { ArticleShelf } from '../agent/ports/article-shelf.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Embedder } from '../agent/ports/embedder.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { Store } from '../agent/ports/store.ts';
import type { TicketBoard } from '../agent/ports/ticket-board.ts';
import type { LabelledExample, TicketReader } from '../agent/ports/ticket-reader.ts';
import type { TicketStore } from '../agent/ports/ticket-store.ts';
import type { Agent } from '../agent/run.ts';
import type { AskSide } from '../agent/side-model.ts';
import { languageOf } from '../agent/texts.ts';
import type { Ticket } from '../agent/ticket.ts';
import { scrubSecrets } from '../memory/secrets.ts';
import { type Config, EVERYONE } from '../ops/config.ts';
import { createArticleWriter } from '../triage/article-write.ts';
import { type Calendar, type CalendarSpec, createCalendar } from '../triage/calendar.ts';
import { createDraftPolicy, createDraftWriter, type DraftAnswer, type DraftThresholds } from '../triage/draft.ts';
import { parseRules, type RoutingRule } from '../triage/routing.ts';
import type { Taxonomy } from '../triage/taxonomy.ts';
import type { Team } from '../triage/team.ts';
import { createTriage, exampleOf, type Triage, type TriageOptions } from '../triage/triage.ts';
import type { WriteDraft } from '../triage/upkeep.ts';

export interface TriageParts {
  readonly config: Config;
  readonly store: TicketStore;
  readonly reader: TicketReader | undefined;
  /** Undefined compares tickets by their words alone. */
  readonly embedder: Embedder | undefined;
  readonly boards: readonly TicketBoard[];
  /** Answers from the documents; undefined where nothing is drafted. */
  readonly writeDraft?: WriteDraft | undefined;
  /** Undefined: tickets teach nothing. */
  readonly articles?: TriageOptions['articles'];
  /** Where the week of the last report is kept; undefined posts none. */
  readonly settings?: Pick<Store, 'readSetting' | 'writeSetting'>;
  readonly onChange?: () => void;
  /** What it throws is told with the key that names the file. */
  readonly readFile: (path: string) => string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Below the limit of a question. */
const MAX_DRAFT_QUESTION = 2_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const at = <T>(key: string, make: () => T): T => {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError('config_invalid', `${key}: ${error.message}`, { cause: error });
  }
};

const CORRECTIONS_AT_ONCE = 500;

/** What people said of earlier tickets, the latest word on each. */
const readCorrections = async (tickets: TicketStore): Promise<readonly LabelledExample[]> => {
  const categories = new Map<string, string | null>();
  for (let position = 0, more = true; more; ) {
    const events = await tickets.eventsAfter(position, CORRECTIONS_AT_ONCE, ['category_set']);
    for (const { ticketId, event } of events) {
      if (event.change.kind === 'category_set' && event.actor.kind === 'person') categories.set(ticketId, event.change.category);
    }
    position = events.at(-1)?.position ?? position;
    more = events.length === CORRECTIONS_AT_ONCE;
  }
  const examples: LabelledExample[] = [];
  for (const [ticketId, category] of categories) {
    const ticket = category === null ? undefined : await tickets.readTicket(ticketId);
    if (ticket !== undefined && category !== null) examples.push(exampleOf(ticket, category));
  }
  return examples;
};

export interface ReaderParts {
  readonly taxonomyFile: string;
  /** Where the trained classifier is kept; undefined keeps it nowhere. */
  readonly file: string | undefined;
  readonly tickets: TicketStore;
  readonly embedder: Embedder | undefined;
  /** The language model, where there is one. */
  readonly ask: () => Promise<AskSide | undefined>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const TAXONOMY_KEY = 'triage.taxonomy (THREADWISE_TRIAGE_TAXONOMY)';
const RULES_KEY = 'triage.rules (THREADWISE_TRIAGE_RULES)';

const readNamed = (path: string, readFile: TriageParts['readFile']): string => {
  try {
    return readFile(path);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('config_invalid', `expected a file that can be read, got ${path}`, { cause });
  }
};

/** Throws `AppError('config_invalid')`. */
export const taxonomyOf = async (path: string): Promise<Taxonomy> => {
  const { readTaxonomy } = await import('../triage/taxonomy.ts');
  return at(TAXONOMY_KEY, () =>
    readTaxonomy(
      readNamed(path, (file) => readFileSync(file, 'utf8')),
      path,
    ),
  );
};

/** Throws `AppError('config_invalid')`. */
export const openTicketReader = async ({ taxonomyFile, file, tickets, embedder, ask, clock, logger }: ReaderParts) => {
  const { createTicketReader } = await import('../triage/read-ticket.ts');
  const side = await ask();
  return createTicketReader({
    taxonomy: await taxonomyOf(taxonomyFile),
    corrections: await readCorrections(tickets),
    clock,
    logger,
    ...(embedder === undefined ? {} : { embedder }),
    ...(side === undefined ? {} : { ask: side }),
    ...(file === undefined ? {} : { file }),
  });
};

/** Somebody has said how tickets are read, or who they go to. */
export const hasTriage = ({ triage }: Config): boolean => triage.taxonomy !== undefined || Object.keys(triage.teams).length > 0;

/** Throws `AppError('config_invalid')`. */
export const teamsOf = ({ triage }: Config): ReadonlyMap<string, Team> => {
  const calendarOf = (key: string, spec: unknown): Calendar => at(key, () => createCalendar(spec as CalendarSpec));
  const common = calendarOf('triage.calendar', triage.calendar);
  const teams = new Map(
    Object.entries(triage.teams).map(([name, { channel, privateChannel, members, calendar, autoAssign }]): [string, Team] => [
      name,
      {
        name,
        channel: channel ?? null,
        privateChannel: privateChannel ?? null,
        members,
        autoAssign,
        calendar: calendar === undefined ? common : calendarOf(`triage.teams.${name}.calendar`, calendar),
      },
    ]),
  );
  const { defaultTeam } = triage;
  if (defaultTeam !== undefined && !teams.has(defaultTeam)) {
    throw new AppError(
      'config_invalid',
      `triage.defaultTeam (THREADWISE_TRIAGE_DEFAULT_TEAM): expected a team of ${[...teams.keys()].join(', ') || 'triage.teams, which has none'}, got ${JSON.stringify(defaultTeam)}`,
    );
  }
  return teams;
};

/** Throws `AppError('config_invalid')`. */
export const configuredRules = (
  { triage }: Config,
  teams: ReadonlyMap<string, Team>,
  readFile: TriageParts['readFile'],
): readonly RoutingRule[] => {
  const { rules } = triage;
  return rules === undefined ? [] : at(RULES_KEY, () => rulesOf(rules, teams, readFile));
};

/** Throws `AppError('config_invalid')`. */
export const rulesOf = (
  path: string,
  teams: ReadonlyMap<string, Team>,
  readFile: TriageParts['readFile'],
): readonly RoutingRule[] => {
  const text = readNamed(path, readFile);
  return at(path, () => parseRules(text, teams));
};

/** What the assistant would answer to the ticket's text, from what everyone may read: the asker, the thread and the team see it. */
const answerWith =
  (agent: Agent) =>
  async (ticket: Ticket, text: string, signal: AbortSignal): Promise<DraftAnswer> => {
    const question = text.slice(0, MAX_DRAFT_QUESTION);
    const { answer } = await agent.run({
      turnId: `draft:${ticket.id}:${ticket.version}`,
      scope: { tenantId: 'local', channel: 'terminal', conversationId: `draft:${ticket.id}`, userId: 'triage' },
      labels: [EVERYONE],
      question,
      speaker: '',
      history: [],
      language: languageOf(question),
      journal: { read: async () => [], write: async () => {} },
      signal,
    });
    return answer;
  };

export const draftWith = (agent: Agent): WriteDraft => createDraftWriter(answerWith(agent));

export interface ArticleParts {
  readonly config: Config;
  readonly agent: Agent;
  readonly shelf: ArticleShelf;
  /** Undefined without a language model. */
  readonly ask: AskSide | undefined;
  readonly onShelved: () => void;
}

/** The label that fewest people and places hold, of those that the readers of the ticket's place hold. */
const narrowestLabel = ({ audiences }: Config, { place, author }: Pick<Ticket, 'place' | 'author'>): string => {
  const held = Object.entries(audiences).filter(([, { people, places }]) =>
    place?.kind === 'direct' ? people.includes(author.id) : place !== null && places.includes(place.id),
  );
  const sizeOf = ([, { people, places }]: (typeof held)[number]): number => people.length + places.length;
  return held.toSorted((a, b) => sizeOf(a) - sizeOf(b))[0]?.[0] ?? EVERYONE;
};

/** How tickets become articles. */
export const articlesWith = ({ config, agent, shelf, ask, onShelved }: ArticleParts): NonNullable<TriageOptions['articles']> => ({
  shelf,
  write: createArticleWriter({ answer: answerWith(agent), ask, scrubSecrets }),
  labels: [EVERYONE, ...Object.keys(config.audiences)],
  labelOf: (ticket) => narrowestLabel(config, ticket),
  onShelved,
});

/** What is said of the category, else of all, else of the categories that are sent alone. */
const thresholdsOf = ({ triage }: Config, category: string | null): DraftThresholds => {
  const numberOf = (said: number | 'never' | undefined): number | null | undefined => (said === 'never' ? null : said);
  const [own, all] = [category === null ? undefined : triage.draftPolicy[category], triage.draftPolicy['*']];
  const isAlone = category !== null && triage.sendAlone.includes(category);
  const suggest = numberOf(own?.suggest ?? all?.suggest);
  const send = numberOf(own?.send ?? (isAlone ? triage.sendConfidence : all?.send));
  return { suggest: suggest === undefined ? 0 : suggest, send: send === undefined ? null : send };
};

const reportOf = (
  { triage: { report } }: Config,
  settings: Pick<Store, 'readSetting' | 'writeSetting'>,
): TriageOptions['report'] =>
  report === undefined
    ? undefined
    : { settings, schedule: { placeId: report.channel, weekday: report.weekday, hour: report.hour } };

/** Throws `AppError('config_invalid')`. */
export const openTriage = ({
  config,
  store,
  reader,
  embedder,
  boards,
  writeDraft,
  articles,
  settings,
  onChange,
  readFile,
  clock,
  logger,
}: TriageParts): Triage => {
  const { triage, people } = config;
  const teams = teamsOf(config);
  const admins = new Set([...people.owners, ...people.admins]);
  const hoursOf = (hours: number): number | null => (hours === 0 ? null : hours * HOUR_MS);
  return createTriage({
    store,
    reader,
    ...(embedder === undefined ? {} : { embedder }),
    teams,
    defaultTeam: triage.defaultTeam ?? null,
    rules: configuredRules(config, teams, readFile),
    people: { isAdmin: (userId) => admins.has(userId) },
    calendar: triage.calendar as CalendarSpec,
    levels: Object.fromEntries(Object.entries(triage.serviceLevels).filter(([, level]) => level !== undefined)),
    burstMs: (triage.burstSeconds * MINUTE_MS) / 60,
    followUpMs: hoursOf(triage.followUpHours),
    closeMs: hoursOf(triage.closeHours),
    boards,
    onChange,
    writeDraft,
    articles,
    report: settings === undefined ? undefined : reportOf(config, settings),
    ...createDraftPolicy((category) => thresholdsOf(config, category), reader),
    clock,
    logger,
    random: Math.random,
  });
};
