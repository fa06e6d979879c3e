/** A ticket as a card: what everyone who works on it wants to know at a glance, how sure it is, and what can be done. */
import type { TicketButton, TicketCard } from '../agent/ports/ticket-board.ts';
import type { SimilarReason, Ticket, TicketMessage, TicketStatus } from '../agent/ticket.ts';
import { partsOfArticle } from '../agent/ticket-article.ts';
import type { Judged } from '../agent/ticket-reading.ts';
import type { ServiceClock } from './clock.ts';

export interface CardContext {
  readonly clocks: readonly ServiceClock[];
  /** By a category's id; undefined where the taxonomy no longer has it. */
  readonly nameOf: (category: string) => string | undefined;
  /** Those of the taxonomy. */
  readonly categories: readonly { readonly id: string; readonly name: string }[];
  /** What a category's missing information asks for, by the reading's ids. */
  readonly questionsOf: (ticket: Ticket) => readonly string[];
  /** Tickets like it and members of its incident, by their ids, as far as everyone who sees the card may know of them. */
  readonly related: ReadonlyMap<string, Ticket>;
  /** Its draft is not sent before a person edited it. */
  readonly isDraftOnlyShown: boolean;
  /** Of the times that are shown. */
  readonly timeZone: string;
}

/** `asker`: it stands in the thread, where the asker reads it as well. */
export type CardReaders = 'team' | 'asker';

const MAX_TITLE = 140;
const MAX_WRITTEN = 1_200;
const STATUS: Readonly<Record<TicketStatus, string>> = {
  open: 'open',
  waiting: 'waiting for the asker',
  snoozed: 'snoozed',
  solved: 'solved',
  closed: 'closed',
  merged: 'merged',
};

export const BUTTONS: Readonly<Record<TicketButton, string>> = {
  assign_me: 'Take it',
  assign: 'Assign …',
  snooze: 'Snooze …',
  escalate: 'Escalate',
  solve: 'Solve',
  close: 'Close',
  reopen: 'Reopen',
  merge: 'Same as …',
  unmerge: 'Take out again',
  show: 'Show me',
  reply: 'Answer …',
  tell_members: 'Tell all …',
  leave_incident: 'Not this incident',
  set_category: 'Category …',
  set_priority: 'Priority …',
  draft_edit: 'Edit draft …',
  draft_send: 'Send draft',
  draft_drop: 'Drop draft',
  article_write: 'Write an article',
  article_approve: 'Publish',
  article_approve_private: 'Publish although it is private',
  article_edit: 'Edit article …',
  article_audience: 'Readers …',
  article_discard: 'Discard',
  article_retract: 'Retract',
};

const cut = (text: string, max: number): string => {
  const chars = [...text];
  return chars.length > max ? `${chars.slice(0, max - 1).join('')}…` : text;
};

/** Who wrote what, where the team has no thread to read it in. */
export const writtenBy = ({ author, text }: Pick<TicketMessage, 'author' | 'text'>): string => {
  const isMail = author.id.startsWith('mail:');
  // A platform's id tells people nothing.
  if (!isMail && author.displayName !== '') return `${author.displayName} wrote: ${cut(text, MAX_WRITTEN)}`;
  const id = author.id.replace(/^mail:/u, '');
  return `${author.displayName === '' || author.displayName === id ? id : `${author.displayName} (${id})`} wrote: ${cut(text, MAX_WRITTEN)}`;
};

/** The team reads no thread of it: what is written stands on the card, and is answered there. */
export const isOutOfReach = ({ how, place }: Ticket): boolean => how === 'mail' || place?.kind === 'direct';

const writtenLines = (ticket: Ticket, readers: CardReaders): readonly string[] => {
  const { how, fields } = ticket;
  if (!isOutOfReach(ticket) || readers === 'asker') return [];
  if (how !== 'mail') return [writtenBy(ticket)];
  const attachments = fields['attachments'];
  const to = ticket.address?.['to'];
  return [
    writtenBy(ticket),
    ...(fields['sender'] === 'verified' ? [] : ['The sender is only what the mail claims.']),
    ...(to === undefined || `mail:${to}` === ticket.author.id ? [] : [`Answers go to ${to}.`]),
    ...(attachments === undefined ? [] : [`Attached: ${attachments}`]),
  ];
};

const timeIn = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  });
  return (at: number): string => format.format(at).replace(',', '');
};

const percent = (confidence: number): string => `${Math.round(confidence * 100)} %`;

const sureness = (judged: Pick<Judged<unknown>, 'confidence'> | undefined, setBy: Ticket['categorySetBy']): string =>
  setBy === 'reading' && judged !== undefined ? ` (${percent(judged.confidence)} sure)` : '';

const CLOCK_NAMES = { first_answer: 'First answer', solved: 'Solution' } as const;

const clockText = ({ state, dueAt, usedMs }: ServiceClock, time: (at: number) => string): string => {
  if (state === 'running') return dueAt === null ? 'running' : `due ${time(dueAt)}`;
  if (state === 'standing') return 'the clock stands';
  return (
    { met: 'in time', missed: 'late', over: 'overdue' }[state] +
    (state === 'over' ? '' : `, after ${Math.round(usedMs / 60_000)} min`)
  );
};

/** The ticket that it is proposed to be merged into, if it still stands there. */
const duplicateOf = ({ similar, incident }: Ticket, related: CardContext['related']): string | undefined =>
  incident === null
    ? similar?.find(
        ({ ticketId, isDuplicate }) => isDuplicate && related.get(ticketId)?.status !== 'merged' && related.has(ticketId),
      )?.ticketId
    : undefined;

const reasonText = (reason: SimilarReason): string =>
  reason.kind === 'same_entity'
    ? `both name ${reason.text}`
    : { same_author: 'same author', same_words: 'same words', same_meaning: 'same meaning' }[reason.kind];

const similarLines = ({ similar }: Ticket, related: CardContext['related']): readonly string[] =>
  (similar ?? []).flatMap(({ ticketId, isDuplicate, reasons }) => {
    const other = related.get(ticketId);
    if (other === undefined) return [];
    const why = reasons.length === 0 ? '' : `: ${reasons.map(reasonText).join(', ')}`;
    const solved = other.resolution === null ? '' : ` Solved by: ${cut(other.resolution, 200)}`;
    return [`${isDuplicate ? 'Perhaps the same as' : 'Similar to'} ${ticketId} (${STATUS[other.status]})${why}.${solved}`];
  });

/** In the asker's thread: private ones that whoever reads along there knows as well. */
const relatedFor = (readers: CardReaders, { place }: Ticket, related: CardContext['related']): CardContext['related'] =>
  readers === 'team' || place?.kind === 'direct'
    ? related
    : new Map(
        [...related].filter(
          ([, other]) =>
            !other.isPrivate ||
            (other.place?.id === place?.id && place?.isPrivateThread !== true && other.place?.isPrivateThread !== true),
        ),
      );

/** A name that looks like an id would be shown as that person. */
const nameOf = ({ id, displayName }: Ticket['author']): string =>
  displayName.trim() === '' || /^(?:slack|discord):/iu.test(displayName.trim()) ? id : displayName;

const incidentLines = ({ incident }: Ticket, related: CardContext['related']): readonly string[] => {
  if (incident === null) return [];
  const known = incident.members.filter((id) => related.has(id));
  return [
    known.length === 0 ? 'No tickets are in it.' : `${known.length} tickets: ${known.join(', ')}.`,
    ...(incident.statusText === null ? [] : [`Told to all: ${cut(incident.statusText, 600)}`]),
  ];
};

const buttonsOf = (
  { status, draft, assignee, incident, incidentId, article }: Ticket,
  duplicate: string | undefined,
  isOnlyShown: boolean,
  canReply: boolean,
): readonly { id: TicketButton; draftId?: string; otherId?: string }[] => {
  if (status === 'merged') return [{ id: 'unmerge' }];
  const canLearn = incident === null && (article == null || (article.state === 'discarded' && !article.isShelved));
  const learn = canLearn ? [{ id: 'article_write' as const }] : [];
  if (status === 'solved') return [{ id: 'reopen' }, { id: 'close' }, ...learn];
  if (status === 'closed') return [{ id: 'reopen' }, ...learn];
  const isDrafted = draft !== null && draft.state !== 'sent' && draft.state !== 'dropped';
  return [
    ...(isDrafted
      ? (['draft_send', 'draft_edit', 'draft_drop'] as const)
          .filter((id) => id !== 'draft_send' || !isOnlyShown || draft.state !== 'proposed')
          .map((id) => ({ id, draftId: draft.id }))
      : []),
    ...(canReply ? [{ id: 'reply' as const }] : []),
    { id: assignee === null ? 'assign_me' : 'assign' },
    ...(duplicate === undefined ? [] : [{ id: 'merge' as const, otherId: duplicate }]),
    ...(incident === null ? [] : [{ id: 'tell_members' as const }]),
    ...(incidentId === null ? [] : [{ id: 'leave_incident' as const }]),
    { id: 'solve' },
    { id: 'snooze' },
    { id: 'escalate' },
    { id: 'set_category' },
    { id: 'set_priority' },
    { id: 'close' },
  ];
};

const categoryText = ({ category, reading, categorySetBy }: Ticket, nameOf: CardContext['nameOf']): string => {
  if (category !== null) {
    const name = nameOf(category);
    return name === undefined
      ? `${category} (no longer in the taxonomy)`
      : `${name}${sureness(reading?.category, categorySetBy)}`;
  }
  if (reading === null) return 'not read yet';
  if (reading.outOfScope.value === true) return `none fits${sureness(reading.outOfScope, 'reading')}`;
  const names = reading.candidates.map(
    (candidate) => `${nameOf(candidate.category) ?? candidate.category} ${percent(candidate.confidence)}`,
  );
  return names.length === 0 ? 'not sure' : `not sure: ${names.join(', ')}`;
};

const draftLines = ({ draft }: Ticket, isOnlyShown: boolean): readonly string[] => {
  if (draft === null || draft.state === 'dropped') return [];
  const state = isOnlyShown && draft.state === 'proposed' ? 'to be edited before it is sent' : draft.state;
  const isWaiting = draft.state !== 'sent';
  return [
    `Draft ${state}: ${cut(draft.text, 600)}`,
    ...(isWaiting && draft.isBehind === true ? ['The asker has added something since this draft was written.'] : []),
  ];
};

/** In the asker's thread, what is not sent yet is not said. */
const draftHint = ({ draft }: Ticket): readonly string[] =>
  draft === null || draft.state === 'dropped' || draft.state === 'sent'
    ? []
    : ['A drafted answer waits for the team; “Edit draft …” shows it to them.'];

/** For the team alone: the asker may not be among those who are to read it. */
const articleLines = ({ article, articleNeed }: Ticket): readonly string[] => [
  ...(articleNeed === 'wanted' ? ['An article is being written.'] : []),
  ...(article == null ? [] : [`Article ${article.state}: ${partsOfArticle(article.text).title}`]),
];

/** A direct message is its asker's alone. */
const originOf = ({ address, threadId, place, incident }: Ticket): Pick<TicketCard, 'origin'> =>
  address === null || incident !== null || place?.kind !== 'channel' ? {} : { origin: { threadId, address } };

/** Pure: the same ticket at the same moment is the same card. */
export const cardOf = (
  ticket: Ticket,
  { clocks, nameOf: categoryNameOf, categories, questionsOf, related: all, isDraftOnlyShown, timeZone }: CardContext,
  readers: CardReaders = 'team',
): TicketCard => {
  const related = relatedFor(readers, ticket, all);
  const time = timeIn(timeZone);
  // It is made of a member's words, which may have become private since.
  const isMasked = ticket.incident?.members.some((id) => !related.has(id)) === true && !ticket.isPrivate;
  const subject = isMasked ? 'Incident' : ticket.subject.trim() || ticket.text.trim().split('\n')[0] || 'no words';
  const isOver = ticket.status === 'solved' || ticket.status === 'closed' || ticket.status === 'merged';
  const isLate = clocks.some(({ state }) => state === 'over');
  const needsAttention =
    ticket.escalatedAt !== null ||
    ticket.conflicts.length > 0 ||
    (ticket.undelivered ?? []).length > 0 ||
    ticket.warned.length > 0;
  const fields = [
    {
      name: 'Status',
      value: STATUS[ticket.status] + (ticket.snoozedUntil === null ? '' : ` until ${time(ticket.snoozedUntil)}`),
    },
    { name: 'Category', value: categoryText(ticket, categoryNameOf) },
    { name: 'Priority', value: (ticket.priority ?? 'not set') + sureness(ticket.reading?.priority, ticket.prioritySetBy) },
    { name: 'Team', value: ticket.team ?? 'none' },
    { name: 'Assignee', value: ticket.assignee ?? 'nobody' },
    ...(ticket.incident === null ? [{ name: 'Asker', value: nameOf(ticket.author) }] : []),
    ...clocks.map((clock) => ({ name: CLOCK_NAMES[clock.target], value: clockText(clock, time) })),
  ];
  const lines = [
    ...writtenLines(ticket, readers),
    ...(ticket.undelivered ?? []),
    ...(ticket.episode > 1 ? [`Reopened: episode ${ticket.episode}.`] : []),
    ...(ticket.escalatedAt === null ? [] : [`Escalated ${time(ticket.escalatedAt)}.`]),
    ...(ticket.handOff === null
      ? []
      : [
          `Handed over to ${ticket.handOff.to ?? 'a person'}; the asker ${ticket.handOff.isConfirmed ? 'was told' : 'has not been told yet'}.`,
        ]),
    ...(ticket.route?.why ?? []),
    ...questionsOf(ticket).map((question) => `Missing: ${question}`),
    ...(ticket.reading?.notes.includes('instructions') === true
      ? ['The text speaks to software: it is data, nothing in it was followed.']
      : []),
    ...(ticket.mergedInto === null ? [] : [`Goes on in ${ticket.mergedInto}.`]),
    ...(ticket.mergedFrom.length === 0 ? [] : [`With ${ticket.mergedFrom.join(', ')}.`]),
    ...(ticket.incidentId === null ? [] : [`Part of incident ${ticket.incidentId}.`]),
    ...incidentLines(ticket, related),
    ...similarLines(ticket, related),
    ...ticket.conflicts.map(
      ({ field, ours, theirs }) =>
        `Conflict: ${field} is ${String(ours)} here and ${String(theirs)} in ${ticket.external?.system ?? 'the helpdesk'}.`,
    ),
    ...(ticket.external === null
      ? []
      : [`${ticket.external.system} ${ticket.external.id}${ticket.external.url === null ? '' : `: ${ticket.external.url}`}`]),
    ...(readers === 'team' ? draftLines(ticket, isDraftOnlyShown) : draftHint(ticket)),
    ...(readers === 'team' ? articleLines(ticket) : []),
  ];
  return {
    ticketId: ticket.id,
    version: ticket.version,
    title: cut(`${ticket.id} · ${subject}`, MAX_TITLE),
    ...(readers === 'team' ? originOf(ticket) : {}),
    mood: isOver ? 'done' : isLate ? 'late' : needsAttention ? 'attention' : 'calm',
    fields,
    lines,
    categories,
    buttons: buttonsOf(ticket, duplicateOf(ticket, related), isDraftOnlyShown, isOutOfReach(ticket) && readers === 'team').map(
      (button) => ({
        ...button,
        label: button.id === 'merge' ? `Same as ${button.otherId}` : BUTTONS[button.id],
      }),
    ),
  };
};

/**
 * In place of a card that stands where not everyone may know what the ticket says. In the channel of a team it is a notice: that
 * something private waits, and a button that shows it to who may see it.
 */
export const redactedCard = ({ id, version, status, assignee }: Ticket, readers: CardReaders): TicketCard => ({
  ticketId: id,
  version,
  title: `${id} · private`,
  mood: status === 'closed' || status === 'solved' ? 'done' : 'calm',
  fields:
    readers === 'asker'
      ? []
      : [
          { name: 'Status', value: STATUS[status] },
          { name: 'Assignee', value: assignee ?? 'nobody' },
        ],
  lines: [readers === 'asker' ? 'This ticket is private now.' : 'What it says is shown to those alone who may see it.'],
  categories: [],
  buttons: readers === 'asker' ? [] : [{ id: 'show', label: BUTTONS.show }],
});
