/**
 * A burst of alike tickets becomes one incident: a ticket of its own, with a card in the team's channel, whose members are told in
 * their threads. Private tickets make private incidents, and no others know of them.
 */
import type { SeenTicket } from '../agent/ports/ticket-index.ts';
import type { PlannedPost, TicketAppend, TicketStore } from '../agent/ports/ticket-store.ts';
import {
  type NewTicketEvent,
  SYSTEM,
  type Ticket,
  type TicketActor,
  type TicketChange,
  type TicketPerson,
} from '../agent/ticket.ts';
import { decideIncident, INCIDENT_RULE, type IncidentRule, type OpenIncident } from './incident-rule.ts';
import { sayInThread } from './say.ts';
import { textsOf } from './texts.ts';

export interface Incidents {
  /** What the ticket's incident adds to it and to others, in one transaction with what else is new of it; empty where it has none. */
  plan(ticket: Ticket, seen: SeenTicket, embedderId: string | null): Promise<readonly TicketAppend[]>;
}

/** Of the tickets that are incidents. */
export const INCIDENT_AUTHOR: TicketPerson = { id: 'incident', displayName: '' };
/** Before the window, so many tickets tell how often such ones come. */
const KNOWN_TICKETS = 2_000;
const OPEN_INCIDENTS = 50;
const COMPARED_MEMBERS = 50;

export const isLive = ({ status }: Ticket): boolean => status === 'open' || status === 'waiting' || status === 'snoozed';

/** A member is told what is known so far. Once for each incident: the slot is the same however often it joins. */
export const joinPosts = (member: Ticket, incidentId: string, statusText: string | null): readonly PlannedPost[] =>
  sayInThread(member, `incident:${incidentId}:joined`, { kind: 'note', text: textsOf(member).incidentJoined(statusText) });

export const createIncidents = (store: TicketStore, now: () => number, rule: IncidentRule = INCIDENT_RULE): Incidents => {
  const eventOf = (change: TicketChange, actor: TicketActor = SYSTEM): NewTicketEvent => ({
    at: now(),
    actor,
    source: 'triage',
    change,
  });

  const joinAppend = (member: Ticket, incident: Ticket): TicketAppend => ({
    ticketId: member.id,
    expectedVersion: member.version,
    events: [eventOf({ kind: 'incident_joined', incidentId: incident.id })],
    posts: joinPosts(member, incident.id, incident.incident?.statusText ?? null),
  });

  const openIncidents = async (ticket: Ticket, embedderId: string | null): Promise<readonly OpenIncident[]> => {
    const live = await store.listTickets({
      statuses: ['open', 'waiting', 'snoozed'],
      authorId: INCIDENT_AUTHOR.id,
      limit: OPEN_INCIDENTS,
    });
    const fitting = live.filter(({ id, isPrivate }) => isPrivate === ticket.isPrivate && !ticket.leftIncidents.includes(id));
    return Promise.all(
      fitting.map(async ({ id }) => ({
        incidentId: id,
        members: await store.listSeen({
          isPrivate: ticket.isPrivate,
          until: Number.MAX_SAFE_INTEGER,
          incidentId: id,
          embedderId,
          limit: COMPARED_MEMBERS,
        }),
      })),
    );
  };

  const openIncident = async (ticket: Ticket, members: readonly Ticket[]): Promise<Ticket> => {
    const id = `incident:${ticket.id}`;
    const [first] = members;
    // Who may know of the incident need not know of each private ticket.
    const subject = ticket.isPrivate
      ? 'private tickets'
      : first?.subject.trim() || first?.text.trim().split('\n')[0] || ticket.id;
    // Once, also when a crash comes before its members are in it.
    const { ticket: incident } = await store.openTicket(
      {
        deliveryId: id,
        threadId: id,
        how: 'incident',
        author: INCIDENT_AUTHOR,
        place: null,
        isPrivate: ticket.isPrivate,
        address: null,
        external: null,
        subject: `Incident: ${subject}`.slice(0, 200),
        text: '',
        receivedAt: now(),
        fields: {},
      },
      { burstMs: 0, source: 'triage' },
    );
    return incident;
  };

  return {
    plan: async (ticket, seen, embedderId) => {
      if (ticket.incidentId !== null || ticket.incident !== null || !isLive(ticket)) return [];
      const earlier = await store.listSeen({
        isPrivate: ticket.isPrivate,
        until: ticket.openedAt,
        incidentId: null,
        embedderId,
        limit: KNOWN_TICKETS,
      });
      const decision = decideIncident(
        seen,
        { open: await openIncidents(ticket, embedderId), earlier, since: earlier[0]?.at ?? seen.at },
        rule,
      );
      if (decision.kind === 'none') return [];
      if (decision.kind === 'joins') {
        const incident = await store.readTicket(decision.incidentId);
        if (incident?.incident == null || !isLive(incident)) return [];
        return [
          joinAppend(ticket, incident),
          {
            ticketId: incident.id,
            expectedVersion: incident.version,
            events: [eventOf({ kind: 'incident_member_added', ticketId: ticket.id })],
          },
        ];
      }
      const read = await Promise.all(decision.members.map(({ ticketId }) => store.readTicket(ticketId)));
      const members = read.filter((member) => member !== undefined);
      const incident = await openIncident(ticket, members);
      if (!isLive(incident) || incident.incident?.members.length !== 0) return [];
      const category = seen.categories[0]?.category ?? null;
      const isUrgent = members.some(({ priority }) => priority === 'urgent');
      return [
        ...members.map((member) => joinAppend(member, incident)),
        {
          ticketId: incident.id,
          expectedVersion: incident.version,
          events: [
            ...(category === null ? [] : [eventOf({ kind: 'category_set', category })]),
            eventOf({ kind: 'priority_set', priority: isUrgent ? 'urgent' : 'high' }),
            ...members.map(({ id }) => eventOf({ kind: 'incident_member_added', ticketId: id })),
          ],
        },
      ];
    },
  };
};
