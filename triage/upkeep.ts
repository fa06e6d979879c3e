/**
 * What happens to tickets by themselves. A ticket that changed falls due; here it is read, routed, shown, woken, warned of, asked
 * after and closed, one step at a time, each an event: whoever comes after a crash finds the next step in the ticket itself.
 */
import { hasCode } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { TicketReader } from '../agent/ports/ticket-reader.ts';
import type { PlannedPost, PostTarget, TicketStore } from '../agent/ports/ticket-store.ts';
import {
  ASSISTANT,
  type BoardName,
  type NewTicketEvent,
  SYSTEM,
  type Ticket,
  type TicketActor,
  type TicketChange,
  type TicketDraft,
} from '../agent/ticket.ts';
import { isSetByPeople } from '../agent/ticket-events.ts';
import { HAND_OFF_SLOT } from './actions.ts';
import type { Articles } from './articles.ts';
import type { Calendar } from './calendar.ts';
import { isOutOfReach, writtenBy } from './card.ts';
import { clocksOf, type ServiceClock, type ServiceLevels, warningsDue } from './clock.ts';
import { type Incidents, isLive } from './incidents.ts';
import type { Router } from './routing.ts';
import { sayInThread, threadTargetOf } from './say.ts';
import type { SimilarFinder } from './similar.ts';
import type { Team } from './team.ts';
import { textsOf } from './texts.ts';

export interface UpkeepOptions {
  readonly store: TicketStore;
  /** Undefined without a taxonomy: rules alone route then. */
  readonly reader: TicketReader | undefined;
  readonly finder: SimilarFinder;
  readonly incidents: Incidents;
  readonly embedderId: string | null;
  readonly router: Router;
  /** Undefined: nothing is drafted. */
  readonly writeDraft: WriteDraft | undefined;
  /** Undefined: tickets teach nothing. */
  readonly articles: Pick<Articles, 'keepUp'> | undefined;
  /** A draft was proposed, and nothing has happened since: whether it is sent without a person is not decided here. May come twice. */
  readonly onDraft: (ticket: Ticket) => Promise<void>;
  readonly teams: ReadonlyMap<string, Team>;
  readonly calendarOf: (ticket: Ticket) => Calendar;
  readonly levels: ServiceLevels;
  /** After the last answer, the asker is asked whether it is solved; null for never. */
  readonly followUpMs: number | null;
  /** After that, and after a solution, a silent ticket is closed; null for never. */
  readonly closeMs: number | null;
  /** Where something can be posted. */
  readonly channels: ReadonlySet<BoardName>;
  /** Something is to be posted. */
  readonly onChange: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** An answer from the documents, or undefined where they hold none. A part that fails is no draft. */
export type WriteDraft = (ticket: Ticket, text: string, signal: AbortSignal) => Promise<TicketDraft | undefined>;

export interface Upkeep {
  /** Brings every ticket that is due as far as it goes now. Resolves with when the next one falls due; rejects with the signal's reason. */
  sweep(signal: AbortSignal): Promise<number | undefined>;
}

const BATCH = 8;
const MAX_STEPS = 20;
const MAX_READINGS_CHARS = 20_000;
const RETRY_MS = 60_000;
const EMPTY_INCIDENT_MS = 600_000;

/** All but how often it changed: the same again when a step did nothing. */
const stateOf = ({ version: _version, updatedAt: _updatedAt, ...rest }: Ticket): string => JSON.stringify(rest);

interface Step {
  readonly change: TicketChange;
  readonly actor?: TicketActor;
  readonly posts?: readonly PlannedPost[];
}

export const createUpkeep = (options: UpkeepOptions): Upkeep => {
  const {
    store,
    reader,
    finder,
    incidents,
    embedderId,
    router,
    writeDraft,
    articles,
    onDraft,
    teams,
    calendarOf,
    levels,
    followUpMs,
    closeMs,
    channels,
    onChange,
    clock,
    logger,
  } = options;

  /** What the asker wrote before the team answered: a burst is read as one text. */
  const textFor = async (ticket: Ticket): Promise<string> => {
    if (ticket.messageCount === 1) return ticket.text;
    const events = await store.readEvents(ticket.id);
    const added = events.flatMap(({ change }) =>
      change.kind === 'message_added' && change.message.from === 'asker' ? [change.message.text] : [],
    );
    return [ticket.text, ...added].join('\n\n').slice(0, MAX_READINGS_CHARS);
  };

  const needsReading = (ticket: Ticket): boolean =>
    isLive(ticket) &&
    ticket.incident === null &&
    (ticket.reading === null || (ticket.readCount < ticket.messageCount && ticket.firstAnsweredAt === null));

  /** With each reading: what the asker added may make another answer. */
  const needsDraft = (ticket: Ticket): boolean =>
    writeDraft !== undefined &&
    isLive(ticket) &&
    ticket.incident === null &&
    // What a person wrote stays.
    ticket.draft?.state !== 'edited' &&
    ticket.draft?.state !== 'approved' &&
    ticket.draftCount < ticket.readCount &&
    ticket.firstAnsweredAt === null &&
    ticket.reading?.outOfScope.value !== true;

  const readStep = async (ticket: Ticket, signal: AbortSignal): Promise<readonly Step[]> => {
    if (reader === undefined || !needsReading(ticket)) return [];
    const reading = await reader.read({ subject: ticket.subject, text: await textFor(ticket) }, signal);
    return [{ change: { kind: 'read', reading }, actor: ASSISTANT }];
  };

  const routeStep = async (ticket: Ticket): Promise<readonly Step[]> => {
    const isStale = ticket.route === null || (ticket.route.category !== ticket.category && ticket.teamSetBy === 'rule');
    if (!isLive(ticket) || !isStale || isSetByPeople(ticket.teamSetBy)) return [];
    // It is routed by its members: not before it has any.
    if (ticket.incident?.members.length === 0) return [];
    const members = await Promise.all((ticket.incident?.members ?? []).map((id) => store.readTicket(id)));
    const { route, priority } = router(
      ticket,
      { loads: await store.countAssigned(), now: clock.now() },
      members.filter((member) => member !== undefined),
    );
    const keepsAssignee = ticket.assignee !== null && route.team === ticket.team;
    const setsPriority = priority !== undefined && !isSetByPeople(ticket.prioritySetBy) && priority !== ticket.priority;
    return [
      { change: { kind: 'routed', route: keepsAssignee ? { ...route, assignee: ticket.assignee } : route } },
      ...(setsPriority ? [{ change: { kind: 'priority_set', priority } } as const] : []),
    ];
  };

  const targetOf = (ticket: Ticket, place: 'channel' | 'privateChannel'): (PostTarget & { kind: 'channel' }) | undefined => {
    const team = ticket.team === null ? undefined : teams.get(ticket.team);
    const placeId = team?.[place];
    const channel = [...channels].find((one) => placeId?.startsWith(`${one}:`) === true);
    if (placeId == null || channel === undefined) return undefined;
    return { channel, isPrivate: placeId === team?.privateChannel, kind: 'channel', placeId };
  };

  const teamTargetOf = (ticket: Ticket) => targetOf(ticket, ticket.isPrivate ? 'privateChannel' : 'channel');

  const postsFor = (ticket: Ticket, posts: readonly PlannedPost[]): readonly PlannedPost[] =>
    posts.filter(({ target }) => channels.has(target.channel) && (!ticket.isPrivate || target.isPrivate));

  /** Once it was routed, so that the first card says something. */
  const cardsOf = (ticket: Ticket): readonly PlannedPost[] => {
    if (ticket.route === null && ticket.teamSetBy === null) return [];
    const [thread, team] = [threadTargetOf(ticket), teamTargetOf(ticket)];
    // Of what has no private place the team is told that it waits: the board shows no more of it there.
    const notice = team === undefined ? targetOf(ticket, 'channel') : undefined;
    const cards = postsFor(ticket, [
      // Who writes mails reads answers.
      ...(thread === undefined || thread.channel === 'mail'
        ? []
        : [{ slot: 'thread', target: thread, body: { kind: 'card' } as const }]),
      ...(team?.kind === 'channel' ? [{ slot: `team:${team.placeId}`, target: team, body: { kind: 'card' } as const }] : []),
      ...(team?.kind === 'channel' && ticket.article != null
        ? [
            {
              slot: `article:${ticket.episode}:${team.placeId}`,
              target: team,
              body: { kind: 'card', shows: 'article' } as const,
            },
          ]
        : []),
    ]);
    return notice === undefined ? cards : [...cards, { slot: `team:${notice.placeId}`, target: notice, body: { kind: 'card' } }];
  };

  /** Once its team is known. Where the team is shown no more than that something waits, no more is promised. */
  const handOffOf = (ticket: Ticket): readonly PlannedPost[] => {
    const { handOff } = ticket;
    if (handOff === null || handOff.isConfirmed || (ticket.route === null && ticket.teamSetBy === null)) return [];
    const [texts, team] = [textsOf(ticket), teamTargetOf(ticket)];
    const to = ticket.team ?? texts.aPerson;
    const isSeen = !ticket.isPrivate || team !== undefined;
    const isNoticed = isSeen || targetOf(ticket, 'channel') !== undefined;
    const isDirect = ticket.place?.kind === 'direct' && isNoticed;
    const told = isSeen ? texts.handedOff(to) : isNoticed ? texts.noticed(to) : texts.unseen(ticket.id);
    const text = isDirect ? `${told} ${texts.quietHere}` : told;
    return postsFor(ticket, sayInThread(ticket, `${HAND_OFF_SLOT}${handOff.askedAt}`, { kind: 'note', text }));
  };

  /** A mail stands in no thread that the team could read: what follows the first is told under the ticket's card. */
  const mailsOf = async (ticket: Ticket): Promise<readonly PlannedPost[]> => {
    const target = isOutOfReach(ticket) && ticket.messageCount > 1 ? teamTargetOf(ticket) : undefined;
    if (target === undefined) return [];
    const events = await store.readEvents(ticket.id);
    const posts = events.flatMap(({ seq, change }): readonly PlannedPost[] => {
      if (change.kind !== 'message_added' || change.message.from === 'team' || change.message.from === 'assistant') return [];
      const text = `${ticket.id}, ${writtenBy(change.message)}`;
      return [{ slot: `mail:${seq}`, target, body: { kind: 'note', text } }];
    });
    return postsFor(ticket, posts);
  };

  const warnSteps = (ticket: Ticket, clocks: readonly ServiceClock[]): readonly Step[] =>
    warningsDue(ticket, clocks).map(({ target, level }) => {
      const team = teamTargetOf(ticket);
      const what = target === 'first_answer' ? 'the first answer' : 'the solution';
      const text = `${ticket.id}: ${what} ${level === 'breach' ? 'is overdue' : 'is soon due'}${ticket.assignee === null ? '; nobody has taken it' : ''}.`;
      const slot = `clock:${ticket.episode}:${target}:${level}`;
      return {
        change: { kind: 'clock_warned', target, level },
        posts: team === undefined ? [] : [{ slot, target: team, body: { kind: 'note', text } }],
      };
    });

  /** When the ticket's silence has lasted long enough for the next step; null where it has none. */
  const silenceEndsAt = (ticket: Ticket): { readonly at: number; readonly step: 'ask' | 'close' } | null => {
    const { status, lastTeamAt, followUpAskedAt, solvedAt } = ticket;
    if (status === 'solved') return closeMs === null || solvedAt === null ? null : { at: solvedAt + closeMs, step: 'close' };
    if (status !== 'waiting' || lastTeamAt === null || followUpMs === null) return null;
    if (followUpAskedAt === null) return { at: lastTeamAt + followUpMs, step: 'ask' };
    return closeMs === null ? null : { at: followUpAskedAt + closeMs, step: 'close' };
  };

  /** An incident whose members were all taken out is none. Not at once: the first may just be on their way into it. */
  const emptyEndsAt = (ticket: Ticket): number | null =>
    isLive(ticket) && ticket.incident?.members.length === 0 ? ticket.updatedAt + EMPTY_INCIDENT_MS : null;

  const timeSteps = (ticket: Ticket, now: number): readonly Step[] => {
    const emptyAt = emptyEndsAt(ticket);
    if (emptyAt !== null && emptyAt <= now) return [{ change: { kind: 'closed', reason: 'silence' } }];
    if (ticket.status === 'snoozed' && ticket.snoozedUntil !== null && ticket.snoozedUntil <= now)
      return [{ change: { kind: 'woken' } }];
    const silence = silenceEndsAt(ticket);
    if (silence === null || silence.at > now) return [];
    if (silence.step === 'close') return [{ change: { kind: 'closed', reason: 'silence' } }];
    const slot = `follow_up:${ticket.version + 1}`;
    const posts = sayInThread(ticket, slot, {
      kind: 'note',
      text: textsOf(ticket).followUp,
      asksSolved: true,
      episode: ticket.episode,
    });
    return [{ change: { kind: 'follow_up_asked' }, posts }];
  };

  const clocksNow = (ticket: Ticket, now: number): readonly ServiceClock[] =>
    ticket.incident === null ? clocksOf(ticket, levels, calendarOf(ticket), now) : [];

  const stepsOf = async (ticket: Ticket): Promise<readonly Step[]> => {
    const routed = await routeStep(ticket);
    if (routed.length > 0) return routed;
    const timed = timeSteps(ticket, clock.now());
    return timed.length > 0 ? timed : warnSteps(ticket, clocksNow(ticket, clock.now()));
  };

  const nextTimeOf = (ticket: Ticket, now: number): number | null => {
    const times = [
      ticket.status === 'snoozed' ? ticket.snoozedUntil : null,
      silenceEndsAt(ticket)?.at ?? null,
      emptyEndsAt(ticket),
      ...(isLive(ticket) ? clocksNow(ticket, now).flatMap(({ warnAt, dueAt }) => [warnAt, dueAt]) : []),
    ].filter((at) => at !== null && at > now);
    return times.length === 0 ? null : Math.min(...times.filter((at) => at !== null));
  };

  const append = async (ticket: Ticket, steps: readonly Step[]): Promise<Ticket> => {
    const at = clock.now();
    const events = steps.map(({ change, actor = SYSTEM }): NewTicketEvent => ({ at, actor, source: 'triage', change }));
    const posts = postsFor(
      ticket,
      steps.flatMap((step) => step.posts ?? []),
    );
    const { tickets } = await store.append([{ ticketId: ticket.id, expectedVersion: ticket.version, events, posts }]);
    return tickets[0] ?? ticket;
  };

  /** Once, after it was routed: whose it is decides who may see what beside it. In one transaction with the incident it opens or joins. */
  const compare = async (ticket: Ticket, signal: AbortSignal): Promise<Ticket> => {
    if (ticket.similar !== null || ticket.incident !== null || !isLive(ticket)) return ticket;
    const seen = await finder.index(ticket, signal);
    const similar = await finder.find(ticket, seen);
    const planned = await incidents.plan(ticket, seen, embedderId);
    const own = planned.find(({ ticketId }) => ticketId === ticket.id);
    const found: NewTicketEvent = {
      at: clock.now(),
      actor: SYSTEM,
      source: 'triage',
      change: { kind: 'similar_found', similar },
    };
    const { tickets } = await store.append([
      {
        ticketId: ticket.id,
        expectedVersion: ticket.version,
        events: [found, ...(own?.events ?? [])],
        posts: postsFor(ticket, own?.posts ?? []),
      },
      ...planned.filter(({ ticketId }) => ticketId !== ticket.id),
    ]);
    return tickets[0] ?? ticket;
  };

  /** As far as it goes now, all but the reading. */
  const advance = async (due: Ticket, signal: AbortSignal): Promise<Ticket> => {
    let ticket = due;
    for (let n = 0; n < MAX_STEPS; n += 1) {
      const steps = await stepsOf(ticket);
      if (steps.length === 0) break;
      const before = stateOf(ticket);
      ticket = await append(ticket, steps);
      if (stateOf(ticket) === before) break;
    }
    ticket = await compare(ticket, signal);
    const cards = [...handOffOf(ticket), ...cardsOf(ticket), ...(await mailsOf(ticket))];
    if (cards.length > 0) await store.planPosts(ticket.id, cards);
    if (ticket.draft?.state === 'proposed' && (await store.readEvents(ticket.id)).at(-1)?.change.kind === 'draft_proposed')
      await onDraft(ticket);
    // It stays due until it has its draft: a process that dies meanwhile leaves it to the next one.
    if (!needsDraft(ticket)) await store.setDue(ticket.id, ticket.version, nextTimeOf(ticket, clock.now()));
    onChange();
    return ticket;
  };

  /** Undefined where the ticket is to be looked at later. */
  const guarded = async <T>(ticketId: string, work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      // Somebody was quicker: it is due again.
      if (hasCode(error, 'ticket_moved')) return undefined;
      logger.error('ticket_not_kept_up', { ticketId, error: error as Error });
      const ticket = await store.readTicket(ticketId);
      if (ticket !== undefined) await store.setDue(ticketId, ticket.version, clock.now() + RETRY_MS);
      return undefined;
    }
  };

  /** Once it stands in its incident, which holds what would be sent. */
  const draft = async (ticket: Ticket, signal: AbortSignal): Promise<void> => {
    if (writeDraft === undefined || !needsDraft(ticket)) return;
    const written = await writeDraft(ticket, await textFor(ticket), signal);
    // It may have joined an incident meanwhile; what the asker added is read and answered anew.
    const current = await store.readTicket(ticket.id);
    if (current?.messageCount !== ticket.messageCount || !needsDraft(current)) return;
    const change =
      written === undefined ? ({ kind: 'draft_not_found' } as const) : ({ kind: 'draft_proposed', draft: written } as const);
    await append(current, [{ change, actor: ASSISTANT }]);
  };

  /** What may ask a model: one ticket does not wait for another here. */
  const read = async (due: Ticket, signal: AbortSignal): Promise<Ticket> => {
    const ticket = articles === undefined ? due : await articles.keepUp(due, signal);
    const steps = await readStep(ticket, signal);
    return steps.length === 0 ? ticket : append(ticket, steps);
  };

  return {
    sweep: async (signal) => {
      /** As they were after their last round. */
      const left = new Map<string, string>();
      for (;;) {
        const listed = await store.listDue(clock.now(), BATCH);
        if (listed.length === 0) return store.nextDueAt();
        const due = listed.filter((ticket) => left.get(ticket.id) !== stateOf(ticket));
        // What changed nothing would change nothing again.
        for (const ticket of listed)
          if (!due.includes(ticket)) await store.setDue(ticket.id, ticket.version, clock.now() + RETRY_MS);
        // A model reads and writes several at once; who gets them, and which are alike, depends on who came before.
        const current = await Promise.all(due.map((ticket) => guarded(ticket.id, () => read(ticket, signal), signal)));
        const advanced: Ticket[] = [];
        for (const one of current) {
          signal.throwIfAborted();
          const ticket = one === undefined ? undefined : await guarded(one.id, () => advance(one, signal), signal);
          if (ticket === undefined) continue;
          advanced.push(ticket);
          left.set(ticket.id, stateOf(ticket));
        }
        await Promise.all(advanced.map((ticket) => guarded(ticket.id, () => draft(ticket, signal), signal)));
      }
    },
  };
};
