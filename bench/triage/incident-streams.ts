/** Two days of tickets with bursts planted in it, made of labelled requests; and what became of it, decided ticket by ticket. */
import type { SeenTicket } from '../../agent/ports/ticket-index.ts';
import { decideIncident, INCIDENT_RULE, type IncidentRule } from '../../triage/incident-rule.ts';

/** A request as triage sees it, with what it really asks. */
export interface Request {
  readonly label: string;
  readonly categories: SeenTicket['categories'];
  readonly vector: Float32Array;
}

export interface StreamShape {
  readonly hours: number;
  /** Of tickets of no burst. */
  readonly perHour: number;
  readonly bursts: number;
  readonly burstTickets: number;
  readonly burstMinutes: number;
}

export const SHAPE: StreamShape = { hours: 48, perHour: 12, bursts: 4, burstTickets: 12, burstMinutes: 40 };

interface Arrived {
  readonly seen: SeenTicket;
  readonly label: string;
  /** Which burst it was planted for. */
  readonly burst: number | null;
}

export interface Outcome {
  readonly tickets: number;
  /** Tickets of incidents, and those of them that ask what most of their incident asks. */
  readonly members: number;
  readonly pure: number;
  /** Tickets of no burst that were put into an incident of another thing. */
  readonly falselyMerged: number;
  readonly background: number;
  readonly incidents: number;
  /** Incidents that hold no ticket of a burst. */
  readonly unplanted: number;
  /** For each burst, how many of its tickets had come when its incident stood; null where none did. */
  readonly foundAfter: readonly (number | null)[];
  /** Tickets of bursts, and those that are in their incident. */
  readonly planted: number;
  readonly gathered: number;
}

const HOUR_MS = 3_600_000;

/** Every label has its requests in an order of their own; a burst takes requests that nothing else in the stream uses. */
const makeStream = (requests: readonly Request[], below: (count: number) => number, shape: StreamShape): readonly Arrived[] => {
  const left = new Map<string, Request[]>();
  for (const request of requests) left.set(request.label, [...(left.get(request.label) ?? []), request]);
  const labels = [...left.keys()].sort();
  const random = (): number => below(2 ** 20) / 2 ** 20;
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const take = (label: string): Request => {
    const list = left.get(label) ?? [];
    return list.splice(below(list.length), 1)[0] as Request;
  };
  const arrived: Omit<Arrived, 'seen'>[] = [];
  const seen: Omit<SeenTicket, 'ticketId' | 'authorId'>[] = [];
  const add = (request: Request, at: number, burst: number | null): void => {
    arrived.push({ label: request.label, burst });
    seen.push({ at, categories: request.categories, vector: request.vector, codes: [] });
  };
  const lengthMs = shape.hours * HOUR_MS;
  const burstMs = shape.burstMinutes * 60_000;
  // Each in a part of its own of the stream's later half, when the usual rate is known.
  const partMs = lengthMs / 2 / shape.bursts;
  for (let burst = 0; burst < shape.bursts; burst += 1) {
    const label = pick(labels.filter((name) => (left.get(name)?.length ?? 0) >= shape.burstTickets));
    const from = lengthMs / 2 + burst * partMs + random() * Math.max(0, partMs - burstMs);
    for (let n = 0; n < shape.burstTickets; n += 1) add(take(label), from + random() * burstMs, burst);
  }
  for (let n = 0; n < shape.hours * shape.perHour; n += 1) {
    const label = pick(labels.filter((name) => (left.get(name)?.length ?? 0) > 0));
    add(take(label), random() * lengthMs, null);
  }
  return arrived
    .map((one, n) => ({ ...one, seen: { ...(seen[n] as (typeof seen)[number]), ticketId: `T${n}`, authorId: `person ${n}` } }))
    .sort((a, b) => a.seen.at - b.seen.at);
};

const modeOf = (values: readonly string[]): string | undefined => {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
};

/** An incident is over when no ticket has come to it for this long. */
const QUIET_MS = 2 * HOUR_MS;

export const runStream = (
  requests: readonly Request[],
  below: (count: number) => number,
  shape: StreamShape = SHAPE,
  rule: IncidentRule = INCIDENT_RULE,
): Outcome => {
  const stream = makeStream(requests, below, shape);
  const incidents: Arrived[][] = [];
  const incidentOf = new Map<string, Arrived[]>();
  const come = new Map<number, number>();
  const foundAfter: (number | null)[] = Array.from({ length: shape.bursts }, () => null);
  const byId = new Map(stream.map((one) => [one.seen.ticketId, one]));
  const earlier: Arrived[] = [];
  for (const one of stream) {
    if (one.burst !== null) come.set(one.burst, (come.get(one.burst) ?? 0) + 1);
    const open = incidents
      .map((members, at) => ({ incidentId: String(at), members: members.map(({ seen }) => seen) }))
      .filter(({ members }) => one.seen.at - (members.at(-1)?.at ?? 0) < QUIET_MS);
    const free = earlier.filter(({ seen }) => !incidentOf.has(seen.ticketId)).map(({ seen }) => seen);
    const decision = decideIncident(one.seen, { open, earlier: free, since: 0 }, rule);
    earlier.push(one);
    if (decision.kind === 'none') continue;
    const members = decision.kind === 'joins' ? (incidents[Number(decision.incidentId)] ?? []) : [];
    if (decision.kind === 'joins') members.push(one);
    else {
      members.push(...decision.members.flatMap(({ ticketId }) => byId.get(ticketId) ?? []));
      incidents.push(members);
    }
    for (const member of members) incidentOf.set(member.seen.ticketId, members);
    if (decision.kind === 'opens') {
      const label = modeOf(members.map((member) => member.label));
      const burst = members.find((member) => member.burst !== null && member.label === label)?.burst;
      if (burst != null) foundAfter[burst] ??= come.get(burst) ?? null;
    }
  }
  const labelled = incidents.map((members) => ({ members, label: modeOf(members.map(({ label }) => label)) }));
  const all = labelled.flatMap(({ members, label }) => members.map((member) => ({ member, isPure: member.label === label })));
  return {
    tickets: stream.length,
    members: all.length,
    pure: all.filter(({ isPure }) => isPure).length,
    falselyMerged: all.filter(({ member, isPure }) => member.burst === null && !isPure).length,
    background: stream.filter(({ burst }) => burst === null).length,
    incidents: incidents.length,
    unplanted: incidents.filter((members) => members.every(({ burst }) => burst === null)).length,
    foundAfter,
    planted: stream.filter(({ burst }) => burst !== null).length,
    gathered: all.filter(({ member, isPure }) => member.burst !== null && isPure).length,
  };
};
