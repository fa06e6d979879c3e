/** Triage as a whole: the desk, and two loops beside it that bring tickets on and keep their cards in step. */
import type { ArticleShelf } from '../agent/ports/article-shelf.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Embedder } from '../agent/ports/embedder.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { TicketBoard } from '../agent/ports/ticket-board.ts';
import type { TicketDesk } from '../agent/ports/ticket-desk.ts';
import type { LabelledExample, TicketReader } from '../agent/ports/ticket-reader.ts';
import type { TicketStore } from '../agent/ports/ticket-store.ts';
import { ASSISTANT, type BoardName, type Ticket } from '../agent/ticket.ts';
import { articleCardOf } from './article-card.ts';
import type { WriteArticle } from './article-write.ts';
import { createArticles } from './articles.ts';
import { createBoardKeeper } from './board.ts';
import { type CalendarSpec, createCalendar } from './calendar.ts';
import type { CardContext } from './card.ts';
import { clocksOf, type ServiceLevels } from './clock.ts';
import { createDesk } from './desk.ts';
import { createIncidents } from './incidents.ts';
import { createLoop } from './loop.ts';
import { createReportPoster, type ReportPostOptions, type ReportSchedule } from './report-post.ts';
import { createRouter, type Router, type RoutingRule } from './routing.ts';
import { admittedBeside, createSimilarFinder, isAdmitted } from './similar.ts';
import { createRights, type People, type Team } from './team.ts';
import { createUpkeep, type WriteDraft } from './upkeep.ts';

export interface TriageOptions {
  readonly store: TicketStore;
  /** Compares tickets by meaning; by words alone without one. It is not closed here. */
  readonly embedder?: Embedder;
  /** Undefined without a taxonomy. */
  readonly reader: TicketReader | undefined;
  readonly teams: ReadonlyMap<string, Team>;
  readonly defaultTeam: string | null;
  readonly rules: readonly RoutingRule[];
  readonly people: People;
  /** Of tickets without a team. */
  readonly calendar: CalendarSpec;
  readonly levels: ServiceLevels;
  readonly burstMs: number;
  readonly followUpMs: number | null;
  readonly closeMs: number | null;
  /** Drafts answers. Undefined: nothing is drafted. */
  readonly writeDraft?: WriteDraft | undefined;
  /** Whether the assistant may send a draft without a person. Default: never. */
  readonly maySendAlone?: (ticket: Ticket) => boolean;
  /** Whether a draft is only shown until a person edits it. Default: never. */
  readonly isOnlyShown?: (ticket: Ticket) => boolean;
  /** What tickets teach. Undefined: nothing. */
  readonly articles?:
    | {
        readonly shelf: ArticleShelf;
        readonly write: WriteArticle;
        /** Audience labels that one may be published for. */
        readonly labels: readonly string[];
        /** The narrowest that the readers of the ticket's place hold. */
        readonly labelOf: (ticket: Ticket) => string;
        /** A document was put, without vectors. */
        readonly onShelved: () => void;
      }
    | undefined;
  /** Posted once a week. Undefined: never. */
  readonly report?: { readonly schedule: ReportSchedule; readonly settings: ReportPostOptions['settings'] } | undefined;
  readonly boards: readonly TicketBoard[];
  /** Called after a ticket changed, as far as that is known here. */
  readonly onChange?: (() => void) | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
}

export interface Triage {
  readonly desk: TicketDesk;
  readonly router: Router;
  start(): void;
  /** Does what is due now, in this call. Without `start`: for commands and tests. */
  settle(signal: AbortSignal): Promise<void>;
  /** Resolves when what is under way has ended. What is not done is done after the next start. */
  stop(): Promise<void>;
}

/** What a person's word on a ticket teaches. */
export const exampleOf = ({ id, subject, text }: Ticket, category: string): LabelledExample => ({
  id,
  text: `${subject}\n${text}`.trim(),
  category,
});

/** Throws `AppError('config_invalid')` for a calendar that is none. */
export const createTriage = (options: TriageOptions): Triage => {
  const { store, reader, teams, defaultTeam, rules, levels, clock, logger } = options;
  const calendar = createCalendar(options.calendar);
  const teamOf = ({ team }: Ticket): Team | undefined => (team === null ? undefined : teams.get(team));
  const calendarOf = (ticket: Ticket) => teamOf(ticket)?.calendar ?? calendar;
  const categories = new Map((reader?.categories ?? []).map((category) => [category.id, category]));
  const router = createRouter({
    rules,
    teams,
    defaultTeam,
    teamOf: (category) => categories.get(category)?.team ?? null,
    nameOf: (category) => categories.get(category)?.name,
  });

  const relatedOf = async (ticket: Ticket): Promise<ReadonlyMap<string, Ticket>> => {
    const ids = [...(ticket.similar ?? []).map(({ ticketId }) => ticketId), ...(ticket.incident?.members ?? [])];
    const others = await Promise.all(ids.map((id) => store.readTicket(id)));
    const admitted = admittedBeside(ticket);
    return new Map(
      others.flatMap((other) => {
        const isKnown =
          other !== undefined &&
          (isAdmitted(other, admitted) || (ticket.isPrivate && ticket.incident !== null && other.team === ticket.team));
        return isKnown ? [[other.id, other] as const] : [];
      }),
    );
  };

  const isOnlyShown = options.isOnlyShown ?? (() => false);

  const contextOf = async (ticket: Ticket): Promise<CardContext> => ({
    related: await relatedOf(ticket),
    clocks: clocksOf(ticket, levels, calendarOf(ticket), clock.now()),
    nameOf: (category) => categories.get(category)?.name,
    categories: [...categories.values()].map(({ id, name }) => ({ id, name })),
    questionsOf: ({ category, reading }) =>
      (category === null ? [] : (categories.get(category)?.required ?? []))
        .filter(({ id }) => reading?.missing.includes(id) === true)
        .map(({ question }) => question),
    isDraftOnlyShown: isOnlyShown(ticket),
    timeZone: calendarOf(ticket).timeZone,
  });

  const boards = new Map<BoardName, TicketBoard>(options.boards.map((board) => [board.channel, board]));
  const onChange = (): void => {
    keeping.wake();
    posting.wake();
    options.onChange?.();
  };
  const articles = options.articles === undefined ? undefined : createArticles({ ...options.articles, store, clock });
  const labels = options.articles?.labels ?? [];
  const rights = createRights(teams, options.people);
  const desk = createDesk({
    store,
    rights,
    burstMs: options.burstMs,
    maySendAlone: options.maySendAlone ?? (() => false),
    isOnlyShown,
    contextOf,
    isShownToTeam: (ticket) => {
      const places = [teamOf(ticket)?.channel, teamOf(ticket)?.privateChannel];
      return places.some((placeId) => placeId != null && [...boards.keys()].some((name) => placeId.startsWith(`${name}:`)));
    },
    labels,
    onChange,
    clock,
  });
  const upkeep = createUpkeep({
    store,
    reader,
    finder: createSimilarFinder(store, options.embedder, logger),
    incidents: createIncidents(store, () => clock.now()),
    embedderId: options.embedder?.id ?? null,
    router,
    writeDraft: options.writeDraft,
    articles,
    onDraft: async (ticket) => {
      const draftId = ticket.draft?.id;
      if (draftId === undefined || options.maySendAlone?.(ticket) !== true) return;
      await desk.act({
        ticketId: ticket.id,
        action: { kind: 'draft_send', draftId },
        actor: ASSISTANT,
        source: 'triage',
        key: `send_alone:${ticket.id}:${draftId}`,
      });
    },
    teams,
    calendarOf,
    levels,
    followUpMs: options.followUpMs,
    closeMs: options.closeMs,
    channels: new Set(boards.keys()),
    onChange: () => {
      posting.wake();
      options.onChange?.();
    },
    clock,
    logger,
  });
  const keeper = createBoardKeeper({
    store,
    boards,
    contextOf,
    articleOf: (ticket) => articleCardOf(ticket, labels),
    onChange: () => keeping.wake(),
    clock,
    logger,
    random: options.random,
  });
  const keeping = createLoop({ name: 'tickets', sweep: upkeep.sweep, clock, logger });
  const posting = createLoop({ name: 'ticket_posts', sweep: keeper.sweep, clock, logger });
  const shelving =
    articles === undefined ? undefined : createLoop({ name: 'ticket_articles', sweep: articles.sweep, clock, logger });
  const reportBoard = options.boards.find(({ channel }) => options.report?.schedule.placeId.startsWith(`${channel}:`) === true);
  const poster =
    options.report === undefined || reportBoard === undefined
      ? undefined
      : createReportPoster({
          ...options.report,
          store,
          calendar,
          board: reportBoard,
          nameOf: (category) => categories.get(category)?.name ?? category,
          clock,
          logger,
        });
  const reporting = poster === undefined ? undefined : createLoop({ name: 'ticket_report', sweep: poster.sweep, clock, logger });

  return {
    desk: {
      ...desk,
      act: async (request) => {
        const outcome = await desk.act(request);
        const { action, actor } = request;
        const isCorrection = action.kind === 'set_category' && action.category !== null && actor.kind === 'person';
        if (outcome.kind === 'done' && isCorrection) await reader?.learn([exampleOf(outcome.ticket, action.category)]);
        // Also for a click that came before a crash.
        if (action.kind === 'article_retract' && 'ticket' in outcome && outcome.ticket.article?.state === 'retracted')
          await articles?.withdraw(request.ticketId);
        return outcome;
      },
    },
    router,
    start: () => {
      keeping.start();
      posting.start();
      shelving?.start();
      reporting?.start();
    },
    settle: async (signal) => {
      await articles?.sweep(signal);
      await poster?.sweep(signal);
      await upkeep.sweep(signal);
      await keeper.sweep(signal);
      await upkeep.sweep(signal);
    },
    stop: async () => {
      await Promise.all([keeping.stop(), posting.stop(), shelving?.stop(), reporting?.stop()]);
    },
  };
};
