/** What each event makes of a ticket, and which may not follow which. Pure: the same events are the same ticket everywhere. */
import { AppError } from './errors.ts';
import type {
  ConflictField,
  DraftState,
  NewTicketEvent,
  SetBy,
  Ticket,
  TicketActor,
  TicketArrival,
  TicketChange,
  TicketChangeKind,
  TicketEvent,
  TicketStatus,
} from './ticket.ts';
import { type ArticleChange, applyArticle, isArticleChange } from './ticket-article.ts';

/** The first makes the ticket; what is learnt from it has rules of its own. */
type RuledKind = Exclude<TicketChangeKind, 'opened' | ArticleChange['kind']>;
type ChangeOf<Kind extends TicketChangeKind> = Extract<TicketChange, { readonly kind: Kind }>;
type Rule<Kind extends TicketChangeKind> = (ticket: Ticket, change: ChangeOf<Kind>, event: NewTicketEvent) => Partial<Ticket>;

const refused = (ticket: Ticket, kind: TicketChangeKind, why: string): AppError =>
  new AppError('ticket_refused', `${ticket.id} (${ticket.status}): ${kind} was expected ${why}.`);

const setByOf = ({ kind }: TicketActor): SetBy => (kind === 'person' ? 'person' : kind === 'outside' ? 'outside' : 'rule');

/** Their word stands against readings and rules. */
export const isSetByPeople = (setBy: SetBy | null): boolean => setBy === 'person' || setBy === 'outside';

/** On the snapshot; the events have all of them. */
const MAX_UNDELIVERED = 5;

const LIVE: readonly TicketStatus[] = ['open', 'waiting', 'snoozed'];
const NOT_MERGED: readonly TicketStatus[] = [...LIVE, 'solved', 'closed'];

/** In which states an event may come. What is known of a ticket may be set right for as long as it stands alone. */
const WHEN: Readonly<Record<RuledKind, readonly TicketStatus[]>> = {
  message_added: NOT_MERGED,
  read: NOT_MERGED,
  routed: LIVE,
  team_set: LIVE,
  assigned: LIVE,
  priority_set: NOT_MERGED,
  category_set: NOT_MERGED,
  privacy_set: NOT_MERGED,
  waiting: ['open'],
  resumed: ['waiting'],
  snoozed: LIVE,
  woken: ['snoozed'],
  escalated: LIVE,
  handed_off: LIVE,
  hand_off_confirmed: NOT_MERGED,
  solved: LIVE,
  closed: [...LIVE, 'solved'],
  reopened: ['solved', 'closed'],
  merged_into: NOT_MERGED,
  merge_taken: NOT_MERGED,
  unmerged: ['merged'],
  merge_given_back: NOT_MERGED,
  incident_joined: NOT_MERGED,
  incident_left: [...NOT_MERGED, 'merged'],
  incident_member_added: LIVE,
  incident_member_removed: NOT_MERGED,
  incident_told: NOT_MERGED,
  similar_found: NOT_MERGED,
  draft_proposed: LIVE,
  draft_edited: LIVE,
  draft_approved: LIVE,
  draft_sent: LIVE,
  draft_dropped: NOT_MERGED,
  draft_not_found: LIVE,
  commented: [...NOT_MERGED, 'merged'],
  undelivered: [...NOT_MERGED, 'merged'],
  follow_up_asked: ['open', 'waiting'],
  clock_warned: LIVE,
  external_linked: [...NOT_MERGED, 'merged'],
  conflict_shown: NOT_MERGED,
  conflict_settled: NOT_MERGED,
};

const DECIDES: Readonly<Partial<Record<TicketChangeKind, ConflictField>>> = {
  assigned: 'assignee',
  team_set: 'team',
  priority_set: 'priority',
  category_set: 'category',
  waiting: 'status',
  resumed: 'status',
  solved: 'status',
  closed: 'status',
  reopened: 'status',
};

const withoutDecided = (ticket: Ticket, kind: TicketChangeKind): Partial<Ticket> =>
  ticket.conflicts.some(({ field }) => field === DECIDES[kind])
    ? { conflicts: ticket.conflicts.filter(({ field }) => field !== DECIDES[kind]) }
    : {};

/** Entering and leaving a status in which the clocks stand. */
const withStatus = (ticket: Ticket, status: TicketStatus, at: number): Partial<Ticket> => {
  const last = ticket.pauses.at(-1);
  const stands = last !== undefined && last.to === null;
  const shouldStand = status === 'waiting' || status === 'snoozed';
  const pauses =
    stands === shouldStand
      ? ticket.pauses
      : stands
        ? [...ticket.pauses.slice(0, -1), { from: last.from, to: Math.max(at, last.from) }]
        : [...ticket.pauses, { from: at, to: null }];
  return { status, pauses, snoozedUntil: status === 'snoozed' ? ticket.snoozedUntil : null };
};

const DRAFT_BEFORE: Readonly<Record<'draft_edited' | 'draft_approved' | 'draft_sent' | 'draft_dropped', readonly DraftState[]>> =
  {
    draft_edited: ['proposed', 'edited', 'approved'],
    draft_approved: ['proposed', 'edited'],
    draft_sent: ['approved'],
    draft_dropped: ['proposed', 'edited', 'approved'],
  };

const draftAs = (
  ticket: Ticket,
  { kind, draftId }: ChangeOf<keyof typeof DRAFT_BEFORE>,
  state: DraftState,
): Pick<Ticket, 'draft'> & { draft: NonNullable<Ticket['draft']> } => {
  const { draft } = ticket;
  if (draft?.id !== draftId || !DRAFT_BEFORE[kind].includes(draft.state)) {
    throw refused(ticket, kind, `for a draft that is ${DRAFT_BEFORE[kind].join(' or ')}; this one is ${draft?.state ?? 'gone'}`);
  }
  return { draft: { ...draft, state } };
};

const added: Rule<'message_added'> = (ticket, { message: { from, asksNothing } }, { at }) => {
  const common = { messageCount: ticket.messageCount + 1 };
  if (from === 'other' || (from === 'asker' && asksNothing)) return common;
  if (from === 'asker') {
    const goesOn = ticket.status === 'waiting' || ticket.status === 'snoozed';
    return {
      ...common,
      ...(goesOn ? withStatus(ticket, 'open', at) : {}),
      ...(ticket.draft === null ? {} : { draft: { ...ticket.draft, isBehind: true } }),
      lastAskerAt: at,
      followUpAskedAt: null,
    };
  }
  return {
    ...common,
    ...(ticket.status === 'open' ? withStatus(ticket, 'waiting', at) : {}),
    firstAnsweredAt: ticket.firstAnsweredAt ?? at,
    lastTeamAt: at,
  };
};

const RULES: { readonly [Kind in RuledKind]: Rule<Kind> } = {
  message_added: added,
  read: (ticket, { reading }) => ({
    reading,
    readCount: ticket.messageCount,
    ...(isSetByPeople(ticket.categorySetBy)
      ? {}
      : { category: reading.category.value, categorySetBy: reading.category.value === null ? null : 'reading' }),
    ...(ticket.prioritySetBy !== null && ticket.prioritySetBy !== 'reading'
      ? {}
      : { priority: reading.priority.value, prioritySetBy: reading.priority.value === null ? null : 'reading' }),
  }),
  routed: (_ticket, { route }) => ({ route, team: route.team, teamSetBy: 'rule', assignee: route.assignee }),
  team_set: (ticket, { team }, { actor }) => ({
    team,
    teamSetBy: setByOf(actor),
    assignee: team === ticket.team ? ticket.assignee : null,
  }),
  assigned: (_ticket, { assignee }) => ({ assignee }),
  priority_set: (_ticket, { priority }, { actor }) => ({ priority, prioritySetBy: setByOf(actor) }),
  category_set: (_ticket, { category }, { actor }) => ({ category, categorySetBy: setByOf(actor) }),
  privacy_set: (ticket, { isPrivate, isThreadPrivate = ticket.isThreadPrivate }) => ({ isPrivate, isThreadPrivate }),
  waiting: (ticket, _change, { at }) => withStatus(ticket, 'waiting', at),
  resumed: (ticket, _change, { at }) => withStatus(ticket, 'open', at),
  snoozed: (ticket, { kind, until }, { at }) => {
    if (until <= at) throw refused(ticket, kind, 'until a time to come');
    return { ...withStatus(ticket, 'snoozed', at), snoozedUntil: until };
  },
  woken: (ticket, _change, { at }) => withStatus(ticket, 'open', at),
  escalated: (_ticket, _change, { at }) => ({ escalatedAt: at }),
  handed_off: (_ticket, { to }, { at }) => ({ handOff: { to, askedAt: at, isConfirmed: false } }),
  hand_off_confirmed: (ticket, { kind }) => {
    if (ticket.handOff === null) throw refused(ticket, kind, 'after a hand-off');
    return { handOff: { ...ticket.handOff, isConfirmed: true } };
  },
  solved: (ticket, { resolution }, { at }) => ({
    ...withStatus(ticket, 'solved', at),
    solvedAt: at,
    resolution: resolution.trim() || null,
  }),
  closed: (ticket, _change, { at }) => ({ ...withStatus(ticket, 'closed', at), solvedAt: ticket.solvedAt ?? at, closedAt: at }),
  // A new episode. What somebody wished in an earlier one is over: who still wants it says so again.
  reopened: (ticket, _change, { at }) => ({
    article: ticket.article?.isShelved === true ? ticket.article : null,
    articleNeed: null,
    status: 'open',
    episode: ticket.episode + 1,
    episodeStartedAt: at,
    firstAnsweredAt: null,
    solvedAt: null,
    resolution: null,
    closedAt: null,
    snoozedUntil: null,
    escalatedAt: null,
    handOff: null,
    draft: null,
    followUpAskedAt: null,
    undelivered: [],
    pauses: [],
    warned: [],
    lastAskerAt: at,
  }),
  merged_into: (ticket, { kind, ticketId }, { at }) => {
    if (ticketId === ticket.id) throw refused(ticket, kind, 'to name another ticket');
    return { ...withStatus(ticket, 'merged', at), mergedInto: ticketId, statusBeforeMerge: ticket.status };
  },
  merge_taken: (ticket, { kind, ticketId }) => {
    if (ticket.mergedFrom.includes(ticketId)) throw refused(ticket, kind, 'once');
    return { mergedFrom: [...ticket.mergedFrom, ticketId] };
  },
  unmerged: (ticket, { kind, ticketId }, { at }) => {
    if (ticket.mergedInto !== ticketId) throw refused(ticket, kind, `for ${ticket.mergedInto}`);
    const { statusBeforeMerge: before } = ticket;
    const isOver = before === 'solved' || before === 'closed';
    return { ...withStatus(ticket, isOver ? before : 'open', at), mergedInto: null, statusBeforeMerge: null };
  },
  merge_given_back: (ticket, { kind, ticketId }) => {
    if (!ticket.mergedFrom.includes(ticketId)) throw refused(ticket, kind, 'for a ticket that was merged into it');
    return { mergedFrom: ticket.mergedFrom.filter((id) => id !== ticketId) };
  },
  incident_joined: (ticket, { kind, incidentId }) => {
    if (ticket.incidentId !== null) throw refused(ticket, kind, 'of a ticket without an incident');
    if (ticket.incident !== null) throw refused(ticket, kind, 'of a ticket that is no incident itself');
    return { incidentId };
  },
  incident_left: (ticket, { kind, incidentId }) => {
    if (ticket.incidentId !== incidentId) throw refused(ticket, kind, 'for the incident it belongs to');
    return { incidentId: null, leftIncidents: [...ticket.leftIncidents.filter((id) => id !== incidentId), incidentId] };
  },
  incident_member_added: (ticket, { kind, ticketId }) => {
    const { incident } = ticket;
    if (incident === null || incident.members.includes(ticketId)) throw refused(ticket, kind, 'once, of an incident');
    return { incident: { ...incident, members: [...incident.members, ticketId] } };
  },
  incident_member_removed: (ticket, { kind, ticketId }) => {
    const { incident } = ticket;
    if (incident?.members.includes(ticketId) !== true) throw refused(ticket, kind, 'for a member of an incident');
    return { incident: { ...incident, members: incident.members.filter((id) => id !== ticketId) } };
  },
  incident_told: (ticket, { kind, text }) => {
    if (ticket.incident === null) throw refused(ticket, kind, 'of an incident');
    return { incident: { ...ticket.incident, statusText: text } };
  },
  similar_found: (_ticket, { similar }) => ({ similar }),
  draft_proposed: (ticket, { draft }) => ({ draft: { ...draft, state: 'proposed' }, draftCount: ticket.readCount }),
  draft_edited: (ticket, change) => {
    const { isBehind: _before, ...draft } = draftAs(ticket, change, 'edited').draft;
    return { draft: { ...draft, text: change.text } };
  },
  draft_approved: (ticket, change) => draftAs(ticket, change, 'approved'),
  draft_sent: (ticket, change) => draftAs(ticket, change, 'sent'),
  draft_dropped: (ticket, change) => draftAs(ticket, change, 'dropped'),
  draft_not_found: (ticket) => ({ draftCount: ticket.readCount }),
  commented: () => ({}),
  undelivered: ({ undelivered = [] }, { why }) => ({ undelivered: [...undelivered, why].slice(-MAX_UNDELIVERED) }),
  follow_up_asked: (_ticket, _change, { at }) => ({ followUpAskedAt: at }),
  clock_warned: (ticket, { kind, target, level }) => {
    const warning = `${target}:${level}` as const;
    if (ticket.warned.includes(warning)) throw refused(ticket, kind, 'once');
    return { warned: [...ticket.warned, warning] };
  },
  external_linked: (_ticket, { external }) => ({ external }),
  conflict_shown: (ticket, { field, ours, theirs }) => ({
    conflicts: [...ticket.conflicts.filter((conflict) => conflict.field !== field), { field, ours, theirs }],
  }),
  conflict_settled: ({ conflicts }, { field }) => ({ conflicts: conflicts.filter((conflict) => conflict.field !== field) }),
};

const opened = (id: string, arrival: TicketArrival): Ticket => ({
  id,
  number: Number(id.slice(1)),
  version: 1,
  threadId: arrival.threadId,
  how: arrival.how,
  author: arrival.author,
  place: arrival.place,
  isPrivate: arrival.isPrivate,
  address: arrival.address,
  isThreadPrivate: arrival.isPrivate || arrival.place?.kind !== 'channel' || arrival.place.isPrivateThread === true,
  external: arrival.external,
  subject: arrival.subject,
  text: arrival.text,
  fields: arrival.fields,
  openedAt: arrival.receivedAt,
  updatedAt: arrival.receivedAt,
  status: 'open',
  reading: null,
  category: null,
  categorySetBy: null,
  priority: null,
  prioritySetBy: null,
  route: null,
  team: null,
  teamSetBy: null,
  assignee: null,
  episode: 1,
  episodeStartedAt: arrival.receivedAt,
  firstAnsweredAt: null,
  solvedAt: null,
  resolution: null,
  closedAt: null,
  snoozedUntil: null,
  escalatedAt: null,
  handOff: null,
  draft: null,
  followUpAskedAt: null,
  undelivered: [],
  pauses: [],
  warned: [],
  lastAskerAt: arrival.receivedAt,
  lastTeamAt: null,
  messageCount: 1,
  readCount: 0,
  draftCount: 0,
  mergedInto: null,
  mergedFrom: [],
  incidentId: null,
  leftIncidents: [],
  incident: arrival.how === 'incident' ? { members: [], statusText: null } : null,
  similar: null,
  article: null,
  articleNeed: null,
  conflicts: [],
});

/** The ticket that its first event, which is `opened`, makes. */
export const openFrom = (id: string, { change }: NewTicketEvent): Ticket => {
  if (change.kind !== 'opened') throw new AppError('internal', `${id}: expected to begin with opened, got ${change.kind}`);
  return opened(id, change.arrival);
};

/** Throws `AppError('ticket_refused')` for an event that may not come now; nothing has changed then. */
export const applyEvent = (ticket: Ticket, event: NewTicketEvent): Ticket => {
  const { change, at } = event;
  if (change.kind === 'opened') throw refused(ticket, change.kind, 'once');
  const moved = { version: ticket.version + 1, updatedAt: Math.max(ticket.updatedAt, at) };
  if (isArticleChange(change)) {
    const changed = applyArticle(ticket, change);
    if (typeof changed === 'string') throw refused(ticket, change.kind, changed);
    return { ...ticket, ...changed, ...moved };
  }
  const states = WHEN[change.kind];
  if (!states.includes(ticket.status)) throw refused(ticket, change.kind, `of a ticket that is ${states.join(', ')}`);
  const rule = RULES[change.kind] as Rule<TicketChangeKind>;
  return {
    ...ticket,
    ...withoutDecided(ticket, change.kind),
    ...rule(ticket, change, event),
    ...moved,
  };
};

/** The snapshot of all events, in their order. */
export const replayEvents = (id: string, [first, ...rest]: readonly TicketEvent[]): Ticket => {
  if (first === undefined) throw new AppError('internal', `${id}: expected an event, got none`);
  return rest.reduce(applyEvent, openFrom(id, first));
};
