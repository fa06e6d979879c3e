/**
 * The front desk: arrivals become tickets, what people do becomes events. It reads, decides and appends against the version it read;
 * who was slower reads again. Everything else (reading, routing, cards, clocks) follows from the tickets that fall due.
 */
import { asksNothing } from '../agent/asks-nothing.ts';
import { hasCode } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type {
  ActOutcome,
  ActRefusal,
  ActRequest,
  ArriveOutcome,
  HeardMessage,
  TicketDesk,
  Viewer,
} from '../agent/ports/ticket-desk.ts';
import type { TicketStore } from '../agent/ports/ticket-store.ts';
import {
  deliveryKey,
  MAX_SUBJECT_CHARS,
  MAX_TICKET_CHARS,
  type NewTicketEvent,
  SYSTEM,
  type Ticket,
  type TicketArrival,
  type TicketChange,
  type TicketMessage,
} from '../agent/ticket.ts';
import { applyEvent, replayEvents } from '../agent/ticket-events.ts';
import { graphemeBoundary, unpairedRemoved } from '../agent/unicode.ts';
import { type Plan, planAction } from './actions.ts';
import { articleCardOf } from './article-card.ts';
import { type CardContext, cardOf } from './card.ts';
import { isLive } from './incidents.ts';
import { movedOn } from './stale.ts';
import type { Rights } from './team.ts';

export interface DeskOptions {
  readonly store: TicketStore;
  readonly rights: Rights;
  readonly burstMs: number;
  /** Whether the assistant may send a draft without a person. */
  readonly maySendAlone: (ticket: Ticket) => boolean;
  /** Whether a person must edit a draft before it is sent. */
  readonly isOnlyShown: (ticket: Ticket) => boolean;
  readonly contextOf: (ticket: Ticket) => Promise<CardContext>;
  /** Whether its team is shown that it waits. */
  readonly isShownToTeam: (ticket: Ticket) => boolean;
  /** Audience labels that an article may be published for. */
  readonly labels: readonly string[];
  /** Something changed: whoever looks after tickets has work. */
  readonly onChange: () => void;
  readonly clock: Clock;
}

const MAX_TRIES = 20;
const MAX_MERGES = 20;
const MAX_FIELDS = 50;
const MAX_FIELD_CHARS = 500;

/** Posts of one author in one place one after the other; a mail, a form or a forum post stands for itself. */
const BURST_WAYS: ReadonlySet<TicketArrival['how']> = new Set(['channel', 'emoji', 'shortcut', 'command', 'escalation']);

const cleaned = (text: string, max: number): string => {
  // NUL ends a text in too many places.
  const whole = unpairedRemoved(text).replaceAll('\u0000', '');
  return whole.length <= max ? whole : `${whole.slice(0, graphemeBoundary(whole, max - 1))}…`;
};

const wholeOf = ({ whole }: { readonly whole?: string }): { readonly whole?: string } =>
  whole === undefined ? {} : { whole: cleaned(whole, MAX_TICKET_CHARS) };

const cleanedArrival = (arrival: TicketArrival): TicketArrival => ({
  ...arrival,
  subject: cleaned(arrival.subject, MAX_SUBJECT_CHARS),
  text: cleaned(arrival.text, MAX_TICKET_CHARS),
  ...wholeOf(arrival),
  author: { ...arrival.author, displayName: cleaned(arrival.author.displayName, 100) },
  fields: Object.fromEntries(
    Object.entries(arrival.fields)
      .slice(0, MAX_FIELDS)
      .map(([name, value]) => [cleaned(name, 100), cleaned(value, MAX_FIELD_CHARS)]),
  ),
});

/** The second ticket that an action concerns. */
const otherOf = (ticket: Ticket, action: ActRequest['action']): string | null => {
  switch (action.kind) {
    case 'merge':
      return action.into;
    case 'unmerge':
      return ticket.mergedInto;
    case 'join_incident':
      return action.incidentId;
    case 'leave_incident':
      return ticket.incidentId;
    default:
      return null;
  }
};

type Decision =
  | { readonly refusal: ActRefusal }
  | { readonly ticket: Ticket; readonly appends: Extract<Plan, { readonly appends: unknown }>['appends'] };

const notAllowed = (who: string): Decision => ({ refusal: { kind: 'not_allowed', who } });
const notPossible = (why: string): Decision => ({ refusal: { kind: 'not_possible', why } });

export const createDesk = ({
  store,
  rights,
  burstMs,
  maySendAlone,
  isOnlyShown,
  contextOf,
  isShownToTeam,
  labels,
  onChange,
  clock,
}: DeskOptions): TicketDesk => {
  /** Where the ticket goes on: itself, or the one it was merged into. */
  const followMerges = async (ticket: Ticket): Promise<Ticket> => {
    let current = ticket;
    for (let n = 0; n < MAX_MERGES && current.mergedInto !== null; n += 1)
      current = (await store.readTicket(current.mergedInto)) ?? current;
    return current;
  };

  /** Tries until nobody is quicker. */
  const untilAppended = async <T>(attempt: () => Promise<T>): Promise<T> => {
    for (let n = 1; ; n += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (!hasCode(error, 'ticket_moved') || n === MAX_TRIES) throw error;
      }
    }
  };

  const fromOf = (ticket: Ticket, { from, author }: Pick<HeardMessage, 'from' | 'author'>): TicketMessage['from'] =>
    from ?? (author.id === ticket.author.id ? 'asker' : rights.isTeam(author.id, ticket) ? 'team' : 'other');

  /** To the ticket, or to the one it goes on in. */
  const addMessage = (ticketId: string, heard: HeardMessage): Promise<ArriveOutcome> =>
    untilAppended(async () => {
      const own = await store.readTicket(ticketId);
      if (own === undefined) return { kind: 'not_a_ticket' };
      const ticket = await followMerges(own);
      const { deliveryId, author, at, source } = heard;
      const from = fromOf(own, heard);
      const actor = { kind: 'person', id: author.id } as const;
      const text = cleaned(heard.text, MAX_TICKET_CHARS);
      const isIdle = asksNothing(text);
      const message: TicketMessage = {
        deliveryId,
        from,
        author,
        text,
        ...wholeOf(heard),
        ...(isIdle ? { asksNothing: true } : {}),
      };
      // What is written where not everyone reads stays so, also in the ticket that its own goes on in.
      const isClosedOff = heard.isPrivate === true && !own.isThreadPrivate;
      const hides = isClosedOff || (own.isPrivate && !ticket.isPrivate);
      const thread = isClosedOff && own.id === ticket.id ? ({ isThreadPrivate: true } as const) : {};
      const privacy: TicketChange = { kind: 'privacy_set', isPrivate: true, ...thread };
      const isOver = ticket.status === 'solved' || ticket.status === 'closed';
      const reopens = isOver && from === 'asker' && !isIdle;
      const events: readonly NewTicketEvent[] = [
        ...(hides ? [{ at, actor: SYSTEM, source, change: privacy }] : []),
        ...(reopens ? [{ at, actor, source, change: { kind: 'reopened', reason: 'the asker wrote again' } as const }] : []),
        { at, actor, source, change: { kind: 'message_added', message } },
      ];
      const { outcome, tickets } = await store.append(
        [{ ticketId: ticket.id, expectedVersion: ticket.version, events }],
        deliveryKey(deliveryId),
      );
      onChange();
      return { kind: outcome === 'repeated' ? 'duplicate' : reopens ? 'reopened' : 'joined', ticket: tickets[0] ?? ticket };
    });

  const sourceOf = ({ threadId }: Pick<TicketArrival, 'threadId'>): string =>
    threadId.slice(0, Math.max(0, threadId.indexOf(':'))) || 'desk';

  const heardOf = (arrival: TicketArrival): HeardMessage => ({
    deliveryId: arrival.deliveryId,
    threadId: arrival.threadId,
    author: arrival.author,
    text: arrival.subject === '' ? arrival.text : `${arrival.subject}\n\n${arrival.text}`,
    ...wholeOf(arrival),
    isPrivate: arrival.isPrivate && arrival.place?.kind === 'channel',
    at: arrival.receivedAt,
    source: arrival.external?.system ?? sourceOf(arrival),
  });

  const visible = async (ticketId: string, viewer: Viewer): Promise<Ticket | undefined> => {
    const ticket = await store.readTicket(ticketId);
    return ticket !== undefined && rights.maySee(ticket, viewer) ? ticket : undefined;
  };

  /** The ticket as the card of that version showed it. */
  const seenAs = async (ticket: Ticket, version: number | undefined): Promise<Ticket> =>
    version === undefined || version >= ticket.version || version < 1
      ? ticket
      : replayEvents(ticket.id, (await store.readEvents(ticket.id)).slice(0, version));

  const decide = async ({
    ticketId,
    action,
    actor,
    source,
    placeId,
    seenVersion,
    seenEpisode,
  }: Omit<ActRequest, 'key'>): Promise<Decision> => {
    const viewer: Viewer = { userId: actor.id, place: null };
    const isSeen = (ticket: Ticket): boolean => actor.kind !== 'person' || rights.maySee(ticket, viewer);
    const ticket = await store.readTicket(ticketId);
    if (ticket === undefined || !isSeen(ticket)) return { refusal: { kind: 'not_found' } };
    const who = rights.refusal(ticket, action, actor, placeId);
    if (who !== undefined) return notAllowed(who);
    if (actor.kind === 'assistant' && action.kind === 'draft_send' && !maySendAlone(ticket))
      return notAllowed('a person: the policy lets no draft of this category be sent alone');
    if (action.kind === 'draft_send' && ticket.draft?.state === 'proposed' && isOnlyShown(ticket))
      return notPossible('this draft is only shown, since its category is not sure enough: edit it, then send it.');
    const held = ticket.incidentId === null ? undefined : await store.readTicket(ticket.incidentId);
    if (actor.kind === 'assistant' && action.kind === 'draft_send' && held !== undefined && isLive(held))
      return notAllowed(`a person: the incident ${held.id} is open, and what is known of it is told to all`);
    const why = movedOn(await seenAs(ticket, seenVersion), ticket, action);
    if (why !== undefined) return notPossible(why);
    if (seenEpisode !== undefined && seenEpisode !== ticket.episode)
      return notPossible(`${ticket.id} was opened again since this was asked. Write in the thread, or use its card.`);
    if (action.kind === 'article_audience' && !labels.includes(action.label))
      return notPossible(`the readers were expected to be one of ${labels.join(', ')}.`);
    const otherId = otherOf(ticket, action);
    const found = otherId === null ? undefined : await store.readTicket(otherId);
    const members = await Promise.all((ticket.incident?.members ?? []).map((id) => store.readTicket(id)));
    const other = found === undefined || !isSeen(found) ? undefined : action.kind === 'merge' ? await followMerges(found) : found;
    const plan: Plan = planAction({
      ticket,
      other,
      members: members.filter((member) => member !== undefined),
      action,
      actor,
      source,
      at: clock.now(),
    });
    if ('why' in plan) return notPossible(plan.why);
    return { ticket, appends: plan.appends };
  };

  /** A click that comes again finds the ticket moved on by itself. */
  const repeated = async (
    { ticketId, seenVersion, seenEpisode }: Omit<ActRequest, 'key'>,
    key: string,
  ): Promise<ActOutcome | undefined> => {
    const ticket = await store.readTicket(ticketId);
    if (ticket === undefined || (seenVersion === undefined && seenEpisode === undefined)) return undefined;
    try {
      // An earlier version is not that of now: nothing is added, whatever comes of it.
      await store.append([{ ticketId, expectedVersion: ticket.version - 1, events: [] }], key);
      return { kind: 'repeated', ticket };
    } catch (error) {
      if (hasCode(error, 'ticket_moved')) return undefined;
      throw error;
    }
  };

  const act = async ({ key, ...request }: ActRequest): Promise<ActOutcome> => {
    const decision = await decide(request);
    if ('refusal' in decision) return (await repeated(request, `act:${key}`)) ?? decision.refusal;
    const { ticket, appends } = decision;
    const { outcome, tickets } = await store.append(appends, `act:${key}`);
    onChange();
    return { kind: outcome === 'repeated' ? 'repeated' : 'done', ticket: tickets[0] ?? ticket };
  };

  return {
    arrive: async (raw) => {
      const arrival = cleanedArrival(raw);
      const heard = heardOf(arrival);
      const known = await store.readByThread(arrival.threadId);
      if (known === undefined) {
        if (asksNothing(heard.text)) return { kind: 'not_a_ticket' };
        const isBurst = BURST_WAYS.has(arrival.how) && arrival.external === null;
        const { outcome, ticket } = await store.openTicket(arrival, { burstMs: isBurst ? burstMs : 0, source: heard.source });
        if (outcome !== 'exists') {
          if (outcome === 'opened') onChange();
          return { kind: outcome, ticket };
        }
        return addMessage(ticket.id, heard);
      }
      return addMessage(known.id, heard);
    },

    hear: async (heard) => {
      const ticket = await store.readByThread(heard.threadId);
      return ticket === undefined ? { kind: 'no_ticket' } : addMessage(ticket.id, heard);
    },

    act: async (request) => {
      try {
        return await untilAppended(() => act(request));
      } catch (error) {
        if (hasCode(error, 'ticket_refused')) return { kind: 'not_possible', why: error.message };
        throw error;
      }
    },

    refusalOf: async (request) => {
      const decision = await decide(request);
      if ('refusal' in decision) return decision.refusal;
      try {
        const own = decision.appends.find(({ ticketId }) => ticketId === request.ticketId);
        (own?.events ?? []).reduce(applyEvent, decision.ticket);
        return undefined;
      } catch (error) {
        if (hasCode(error, 'ticket_refused')) return { kind: 'not_possible', why: error.message };
        throw error;
      }
    },

    view: async (ticketId, viewer) => {
      const ticket = await visible(ticketId, viewer);
      if (ticket === undefined) return undefined;
      const [events, context] = await Promise.all([store.readEvents(ticketId), contextOf(ticket)]);
      return {
        ticket,
        events,
        card: cardOf(ticket, context, viewer.userId === ticket.author.id ? 'asker' : 'team'),
        article: articleCardOf(ticket, labels),
      };
    },

    findByThread: (threadId) => store.readByThread(threadId),
    isWithPerson: async (threadId) => {
      const own = await store.readByThread(threadId);
      if (own === undefined) return false;
      const ticket = await followMerges(own);
      const isHandedOff = (own.handOff ?? ticket.handOff) !== null;
      // In a direct message nobody else would answer.
      return isHandedOff && isLive(ticket) && (own.place?.kind !== 'direct' || isShownToTeam(ticket));
    },
    list: async (filter, viewer) => (await store.listTickets(filter)).filter((ticket) => rights.maySee(ticket, viewer)),
  };
};
