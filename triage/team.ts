/** The teams that tickets go to, and who may see a ticket and act on it. Platform ids only; names prove nothing. */
import type { TicketAction, Viewer } from '../agent/ports/ticket-desk.ts';
import type { Ticket, TicketActor } from '../agent/ticket.ts';
import type { Calendar } from './calendar.ts';

export interface Team {
  readonly name: string;
  /** Place ids as in `Place.id`; null for none. */
  readonly channel: string | null;
  /** Read by the team alone: private tickets are shown there, and nowhere where there is none. */
  readonly privateChannel: string | null;
  /** Person ids. Where no team has any, whoever clicks in the team's channel may act, private tickets excepted. */
  readonly members: readonly string[];
  readonly calendar: Calendar;
  /** The member with the fewest live tickets gets it, in the team's hours. */
  readonly autoAssign: boolean;
}

export interface People {
  /** Whoever may act on and see all tickets. */
  isAdmin(userId: string): boolean;
}

export interface Rights {
  isTeam(userId: string, ticket: Ticket): boolean;
  maySee(ticket: Ticket, viewer: Viewer): boolean;
  /** Undefined where they may; else who may, in words. `placeId`: where they clicked. */
  refusal(ticket: Ticket, action: TicketAction, actor: TicketActor, placeId: string | undefined): string | undefined;
}

const ASKERS_OWN: ReadonlySet<TicketAction['kind']> = new Set(['close', 'solve', 'reopen', 'hand_off', 'set_privacy']);

/** What is done without a person. A helpdesk keeps its double in step; it neither speaks for the team nor shows what is private. */
const ALONE: Readonly<Record<Exclude<TicketActor['kind'], 'person'>, ReadonlySet<TicketAction['kind']>>> = {
  assistant: new Set(['draft_send']),
  system: new Set(['comment', 'undelivered']),
  outside: new Set([
    'assign',
    'set_team',
    'set_priority',
    'set_category',
    'wait',
    'resume',
    'snooze',
    'solve',
    'close',
    'reopen',
    'comment',
    'undelivered',
  ]),
};

export const createRights = (teams: ReadonlyMap<string, Team>, { isAdmin }: People): Rights => {
  const everyMember = new Set([...teams.values()].flatMap(({ members }) => members));
  const isOpenToAll = everyMember.size === 0;

  const isInside = (ticket: Ticket, userId: string): boolean =>
    isAdmin(userId) ||
    userId === ticket.author.id ||
    userId === ticket.assignee ||
    (ticket.team === null ? everyMember.has(userId) : teams.get(ticket.team)?.members.includes(userId) === true);

  const isPlaceInside = (ticket: Ticket, place: Viewer['place']): boolean => {
    if (place === null || place.kind !== 'channel') return true;
    const team = ticket.team === null ? undefined : teams.get(ticket.team);
    if (place.id === team?.privateChannel) return true;
    // Its own channel, where that is private as a whole, or a private thread of it.
    const isOwn = ticket.isThreadPrivate && place.id === ticket.place?.id;
    return isOwn && (place.isPrivateThread === true || ticket.place?.isPrivateThread !== true);
  };

  /** Of the ticket's team, or of any for a ticket without one. */
  const channelsOf = ({ team: name }: Ticket): readonly string[] => {
    const own = name === null ? [...teams.values()] : [...teams.values()].filter((team) => team.name === name);
    return own.flatMap(({ channel, privateChannel }) => [channel, privateChannel]).filter((id) => id !== null);
  };

  /** Nobody is named: whoever is let into the team's channel is of the team. Without one, all but the asker are. */
  const isOpenTo = (ticket: Ticket, userId: string, placeId: string | undefined): boolean => {
    if (!isOpenToAll || userId === ticket.author.id) return false;
    const channels = channelsOf(ticket);
    return channels.length === 0 || (placeId !== undefined && channels.includes(placeId));
  };

  return {
    isTeam: (userId, ticket) =>
      userId !== ticket.author.id && (isOpenToAll || everyMember.has(userId) || userId === ticket.assignee || isAdmin(userId)),
    maySee: (ticket, { userId, place }) => !ticket.isPrivate || (isInside(ticket, userId) && isPlaceInside(ticket, place)),
    refusal: (ticket, action, actor, placeId) => {
      const { kind } = action;
      // What is private over there is so here; what is so here stays so.
      const isHiding = actor.kind === 'outside' && action.kind === 'set_privacy' && action.isPrivate;
      if (actor.kind !== 'person') return isHiding || ALONE[actor.kind].has(kind) ? undefined : 'a person';
      if (isAdmin(actor.id)) return undefined;
      const isAskers = ASKERS_OWN.has(kind);
      if (isAskers && actor.id === ticket.author.id) return undefined;
      if (everyMember.has(actor.id) || actor.id === ticket.assignee) return undefined;
      if (isOpenTo(ticket, actor.id, placeId)) return undefined;
      // Whoever reads along may say that a person is needed, not which one.
      if (action.kind === 'hand_off' && action.to === null && !ticket.isPrivate) return undefined;
      const team = ticket.team ?? 'the teams';
      const members = isOpenToAll ? `whoever clicks in the channel of ${team}` : `the members of ${team}`;
      return `${isAskers ? 'who asked, ' : ''}${members} and administrators`;
    },
  };
};
