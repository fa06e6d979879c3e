/**
 * Where a ticket goes: written rules on its fields first, then the team of its category, then the team of the labelled examples that
 * are nearest, then the default; within the team to who has the least to do in its hours. Each step says why.
 */
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { AppError } from '../agent/errors.ts';
import type { Ticket, TicketRoute } from '../agent/ticket.ts';
import { ARRIVAL_WAYS } from '../agent/ticket.ts';
import { isSetByPeople } from '../agent/ticket-events.ts';
import { PRIORITIES, type Priority } from '../agent/ticket-reading.ts';
import type { Team } from './team.ts';

const oneOrMore = <T extends z.ZodType>(value: T) => z.union([value.transform((one) => [one]), z.array(value).min(1)]);
const word = z.string().min(1).max(200);

const rule = z.strictObject({
  name: word,
  /** All of them must hold; within a list, one. */
  when: z.strictObject({
    category: oneOrMore(word).optional(),
    priority: oneOrMore(z.enum(PRIORITIES)).optional(),
    language: oneOrMore(word).optional(),
    product: oneOrMore(word).optional(),
    place: oneOrMore(word).optional(),
    author: oneOrMore(word).optional(),
    how: oneOrMore(z.enum(ARRIVAL_WAYS)).optional(),
    /** Whatever the case. */
    contains: oneOrMore(word).optional(),
    fields: z.record(z.string(), oneOrMore(z.coerce.string())).optional(),
  }),
  /** Of several, the one that works now and has the least to do. */
  team: oneOrMore(word),
  assignee: word.optional(),
  priority: z.enum(PRIORITIES).optional(),
});

export type RoutingRule = z.output<typeof rule>;

const rulesFile = z.strictObject({ rules: z.array(rule).max(1_000) });

/** Reads rules from YAML. Throws `AppError('config_invalid')` with one line a problem. */
export const parseRules = (text: string, teams: ReadonlyMap<string, Team>): readonly RoutingRule[] => {
  const document = parseDocument(text);
  const [broken] = document.errors;
  if (broken !== undefined) throw new AppError('config_invalid', `rules: expected YAML, got ${broken.message.split('\n')[0]}`);
  const parsed = rulesFile.safeParse(document.toJS({ maxAliasCount: 100 }));
  if (!parsed.success) {
    const lines = parsed.error.issues.map(
      ({ path, message }) => `${path.map(String).join('.') || 'rules'}: ${message}; see docs/triage.md`,
    );
    throw new AppError('config_invalid', lines.join('\n'));
  }
  const { rules } = parsed.data;
  const unknown = rules.flatMap(({ name, team }) =>
    team
      .filter((one) => !teams.has(one))
      .map(
        (one) =>
          `rule ${JSON.stringify(name)}: expected a team of ${[...teams.keys()].join(', ') || 'triage.teams, which has none'}, got ${JSON.stringify(one)}`,
      ),
  );
  if (unknown.length > 0) throw new AppError('config_invalid', unknown.join('\n'));
  return rules;
};

export interface RouterOptions {
  readonly rules: readonly RoutingRule[];
  readonly teams: ReadonlyMap<string, Team>;
  readonly teamOf: (category: string) => string | null;
  /** As people call it; by default its id. */
  readonly nameOf?: (category: string) => string | undefined;
  readonly defaultTeam: string | null;
}

/** What is there now beside the ticket. */
export interface RoutingMoment {
  /** Live tickets of each person. */
  readonly loads: ReadonlyMap<string, number>;
  readonly now: number;
}

export interface RoutingDecision {
  readonly route: TicketRoute;
  /** Set by a rule. */
  readonly priority: Priority | undefined;
}

/** `members`: of an incident. */
export type Router = (ticket: Ticket, moment: RoutingMoment, members?: readonly Ticket[]) => RoutingDecision;

/** Less sure than that, a category says nothing about the team. */
const MIN_CATEGORY_CONFIDENCE = 0.5;
const MIN_SIMILARITY = 0.5;
const MIN_SHARE = 0.6;

const holds = ({ when }: RoutingRule, ticket: Ticket): boolean => {
  const { reading } = ticket;
  const within = (wanted: readonly string[] | undefined, got: string | null | undefined): boolean =>
    wanted === undefined || (got != null && wanted.includes(got));
  const text = `${ticket.subject}\n${ticket.text}`.toLowerCase();
  return (
    within(when.category, ticket.category) &&
    within(when.priority, ticket.priority) &&
    within(when.language, reading?.language.value) &&
    within(when.product, reading?.product.value) &&
    within(when.place, ticket.place?.id) &&
    within(when.author, ticket.author.id) &&
    within(when.how, ticket.how) &&
    (when.contains === undefined || when.contains.some((part) => text.includes(part.toLowerCase()))) &&
    Object.entries(when.fields ?? {}).every(([name, wanted]) =>
      within(wanted, Object.hasOwn(ticket.fields, name) ? ticket.fields[name] : null),
    )
  );
};

/** The commonest, the first of several; undefined without any. */
const commonest = <T>(values: readonly T[]): T | undefined => {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
};

/** Where most of its members were asked: an incident itself stands nowhere. */
const placeOf = (members: readonly Ticket[]): Ticket['place'] => {
  const places = members.flatMap(({ place }) => place ?? []);
  const id = commonest(places.map((place) => place.id));
  return places.find((place) => place.id === id) ?? null;
};

export const createRouter = ({ rules, teams, teamOf, nameOf, defaultTeam }: RouterOptions): Router => {
  const loadOf = (team: Team, loads: RoutingMoment['loads']): number =>
    team.members.reduce((sum, member) => sum + (loads.get(member) ?? 0), 0) / Math.max(1, team.members.length);

  const pickTeam = (names: readonly string[], { loads, now }: RoutingMoment, why: string[]): string | null => {
    const candidates = names.map((name) => teams.get(name)).filter((team) => team !== undefined);
    const [best] = candidates.toSorted(
      (a, b) => Number(b.calendar.isWorking(now)) - Number(a.calendar.isWorking(now)) || loadOf(a, loads) - loadOf(b, loads),
    );
    if (best !== undefined && candidates.length > 1)
      why.push(`Of ${names.join(', ')}, ${best.name} works now or has the least to do.`);
    return best?.name ?? null;
  };

  const pickMember = (teamName: string | null, { loads, now }: RoutingMoment, why: string[]): string | null => {
    const team = teamName === null ? undefined : teams.get(teamName);
    if (team === undefined || !team.autoAssign || team.members.length === 0) return null;
    if (!team.calendar.isWorking(now)) {
      why.push(`${team.name} is not at work now, so nobody is assigned.`);
      return null;
    }
    const [member] = team.members.toSorted((a, b) => (loads.get(a) ?? 0) - (loads.get(b) ?? 0));
    if (member !== undefined) why.push(`${member} has the fewest live tickets of ${team.name}: ${loads.get(member) ?? 0}.`);
    return member ?? null;
  };

  const byNeighbours = ({ reading }: Ticket): { readonly team: string; readonly share: number } | undefined => {
    const near = (reading?.nearest ?? []).filter(({ similarity }) => similarity >= MIN_SIMILARITY);
    const votes = new Map<string, number>();
    let all = 0;
    for (const { category, similarity } of near) {
      const team = teamOf(category);
      all += similarity;
      if (team !== null && teams.has(team)) votes.set(team, (votes.get(team) ?? 0) + similarity);
    }
    const [best] = [...votes].toSorted((a, b) => b[1] - a[1]);
    if (best === undefined || best[1] / all < MIN_SHARE) return undefined;
    return { team: best[0], share: best[1] / all };
  };

  const choose = (
    ticket: Ticket,
    moment: RoutingMoment,
    members: readonly Ticket[],
    why: string[],
  ): Pick<TicketRoute, 'team' | 'by' | 'confidence'> & { readonly rule?: RoutingRule } => {
    const judged = members.length === 0 ? ticket : { ...ticket, place: placeOf(members) };
    const matching = rules.find((candidate) => holds(candidate, judged));
    if (matching !== undefined) {
      why.push(`The rule “${matching.name}” holds.`);
      return { team: pickTeam(matching.team, moment, why), by: 'rule', confidence: 1, rule: matching };
    }
    const ofMembers = commonest(members.flatMap(({ team }) => (team !== null && teams.has(team) ? [team] : [])));
    if (ofMembers !== undefined) {
      why.push(`Most of its tickets are with ${ofMembers}.`);
      return { team: ofMembers, by: 'members', confidence: 1 };
    }
    const { category, reading } = ticket;
    const isCertain = isSetByPeople(ticket.categorySetBy);
    const confidence = isCertain ? 1 : (reading?.category.confidence ?? 0);
    if (category !== null && (isCertain || confidence >= MIN_CATEGORY_CONFIDENCE)) {
      const team = teamOf(category);
      if (team !== null && teams.has(team)) {
        why.push(`“${nameOf?.(category) ?? category}” belongs to ${team}.`);
        return { team, by: 'category', confidence };
      }
      why.push(
        team === null
          ? `“${nameOf?.(category) ?? category}” has no team of its own.`
          : `“${nameOf?.(category) ?? category}” belongs to ${team}, which is no team of the configuration.`,
      );
    } else if (reading?.outOfScope.value === true) why.push('No category fits.');
    const near = reading?.outOfScope.value === true || isCertain ? undefined : byNeighbours(ticket);
    if (near !== undefined) {
      why.push(`The nearest labelled examples belong to ${near.team}.`);
      return { team: near.team, by: 'neighbours', confidence: near.share };
    }
    why.push(
      defaultTeam === null ? 'No rule and no category names a team.' : `Nothing else names a team: ${defaultTeam} takes it.`,
    );
    return { team: defaultTeam, by: 'default', confidence: 0 };
  };

  return (ticket, moment, members = []) => {
    const why: string[] = [];
    const { team, by, confidence, rule: matching } = choose(ticket, moment, members, why);
    const assignee = matching?.assignee ?? pickMember(team, moment, why);
    return { route: { team, assignee, by, confidence, category: ticket.category, why }, priority: matching?.priority };
  };
};

export interface RouteDifference {
  readonly ticketId: string;
  /** Where it is. */
  readonly team: string | null;
  readonly would: RoutingDecision;
}

/** What a router would have done with tickets, at the time each came. Changes nothing. */
export const dryRunRoutes = (tickets: readonly Ticket[], router: Router): readonly RouteDifference[] =>
  tickets.map((ticket) => ({
    ticketId: ticket.id,
    team: ticket.team,
    would: router(
      ticket,
      { loads: new Map(), now: ticket.openedAt },
      tickets.filter(({ id }) => ticket.incident?.members.includes(id)),
    ),
  }));
