/** What happened to tickets in a time, and how often the assistant was right about them. All of it is counted from their events. */
import type { PlacedEvent, TicketStore } from '../agent/ports/ticket-store.ts';
import type { Priority } from '../agent/ticket-reading.ts';

export interface Spread {
  /** Of how many. */
  readonly n: number;
  /** Milliseconds; null for none. */
  readonly median: number | null;
  /** Nine of ten took no longer. */
  readonly p90: number | null;
}

export interface Share {
  readonly n: number;
  readonly right: number;
}

export interface CalibrationBin {
  /** Confidences from here, below the next bin's. */
  readonly from: number;
  readonly n: number;
  /** Mean of what was said, and the share that was right. */
  readonly said: number;
  readonly right: number;
}

export interface TicketReport {
  readonly opened: number;
  readonly byCategory: Readonly<Record<string, number>>;
  /** From the opening, or the reopening, to the first word of the team or the assistant. */
  readonly firstAnswer: Spread;
  /** From there to the solution. */
  readonly solved: Spread;
  /** Solved without a word of the team. */
  readonly deflected: number;
  readonly reopened: number;
  /** Of tickets that were solved: whether what the assistant decided stood at the end. */
  readonly accuracy: Readonly<Record<'category' | 'priority' | 'team', Share>>;
  readonly calibration: readonly CalibrationBin[];
  /** Expected calibration error: the mean distance of what was said from what was right. https://arxiv.org/abs/1706.04599 */
  readonly ece: number | null;
}

const BINS = [0, 0.5, 0.7, 0.9] as const;
const NONE = '(none)';

interface Story {
  startedAt: number;
  isAnswered: boolean;
  hasTeam: boolean;
  isSolved: boolean;
  category: string | null;
  priority: Priority | null;
  team: string | null;
  readCategory: string | null;
  confidence: number;
  readPriority: Priority | null;
  routedTeam: string | null;
}

const spreadOf = (values: readonly number[]): Spread => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number | null => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
  return { n: sorted.length, median: at(0.5), p90: at(0.9) };
};

const calibrationOf = (checked: readonly { readonly said: number; readonly isRight: boolean }[]): readonly CalibrationBin[] =>
  BINS.flatMap((from, at) => {
    const to = BINS[at + 1] ?? Number.POSITIVE_INFINITY;
    const own = checked.filter(({ said }) => said >= from && said < to);
    if (own.length === 0) return [];
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / own.length;
    return [
      { from, n: own.length, said: mean(own.map(({ said }) => said)), right: mean(own.map(({ isRight }) => (isRight ? 1 : 0))) },
    ];
  });

const EVENTS_AT_ONCE = 1_000;

/** From the first of all. */
export const readAllEvents = async (store: Pick<TicketStore, 'eventsAfter'>): Promise<readonly PlacedEvent[]> => {
  const events: PlacedEvent[] = [];
  for (;;) {
    const more = await store.eventsAfter(events.at(-1)?.position ?? 0, EVENTS_AT_ONCE);
    events.push(...more);
    if (more.length < EVENTS_AT_ONCE) return events;
  }
};

/** Without those of tickets that are private or ever were. */
export const publicEvents = (events: readonly PlacedEvent[]): readonly PlacedEvent[] => {
  const hidden = new Set(
    events.flatMap(({ ticketId, event: { change } }) =>
      (change.kind === 'opened' && change.arrival.isPrivate) || (change.kind === 'privacy_set' && change.isPrivate)
        ? [ticketId]
        : [],
    ),
  );
  return events.filter(({ ticketId }) => !hidden.has(ticketId));
};

/** `events` from the first of all, in their order: what was said before `from` is needed to know what a solution ends. Epoch ms. */
export const reportOf = (
  events: readonly PlacedEvent[],
  { from, to }: { readonly from: number; readonly to: number },
): TicketReport => {
  const stories = new Map<string, Story>();
  const opened: string[] = [];
  const answers: number[] = [];
  const solutions: number[] = [];
  const checked: { readonly said: number; readonly isRight: boolean }[] = [];
  const accuracy = { category: { n: 0, right: 0 }, priority: { n: 0, right: 0 }, team: { n: 0, right: 0 } };
  let [deflected, reopened] = [0, 0];

  const check = (field: keyof typeof accuracy, isRight: boolean): void => {
    accuracy[field].n += 1;
    if (isRight) accuracy[field].right += 1;
  };
  const solve = (story: Story, at: number): void => {
    if (story.isSolved) return;
    story.isSolved = true;
    if (at < from || at >= to) return;
    solutions.push(at - story.startedAt);
    if (!story.hasTeam) deflected += 1;
    if (story.readCategory !== null) {
      const isRight = story.readCategory === story.category;
      check('category', isRight);
      checked.push({ said: story.confidence, isRight });
    }
    if (story.readPriority !== null) check('priority', story.readPriority === story.priority);
    if (story.routedTeam !== null) check('team', story.routedTeam === story.team);
  };

  for (const { ticketId, event } of events) {
    const { at, change, actor } = event;
    const isIn = at >= from && at < to;
    if (change.kind === 'opened') {
      // Nobody wrote it.
      if (change.arrival.how === 'incident') continue;
      if (isIn) opened.push(ticketId);
      stories.set(ticketId, {
        startedAt: at,
        isAnswered: false,
        hasTeam: false,
        isSolved: false,
        category: null,
        priority: null,
        team: null,
        readCategory: null,
        confidence: 0,
        readPriority: null,
        routedTeam: null,
      });
    }
    const story = stories.get(ticketId);
    if (story === undefined) continue;
    switch (change.kind) {
      case 'message_added': {
        const { from: who } = change.message;
        if (who === 'team') story.hasTeam = true;
        if ((who === 'team' || who === 'assistant') && !story.isAnswered) {
          story.isAnswered = true;
          if (isIn) answers.push(at - story.startedAt);
        }
        break;
      }
      case 'read':
        story.readCategory = change.reading.category.value;
        story.confidence = change.reading.category.confidence;
        story.readPriority = change.reading.priority.value;
        story.category = story.readCategory;
        story.priority = story.readPriority;
        break;
      case 'category_set':
        story.category = change.category;
        break;
      case 'priority_set':
        // A rule's word is the assistant's as well.
        if (actor.kind === 'system') story.readPriority = change.priority;
        story.priority = change.priority;
        break;
      case 'routed':
        story.routedTeam = change.route.team;
        story.team = change.route.team;
        break;
      case 'team_set':
        story.team = change.team;
        break;
      case 'solved':
      case 'closed':
        solve(story, at);
        break;
      case 'reopened':
        if (isIn) reopened += 1;
        Object.assign(story, { startedAt: at, isAnswered: false, hasTeam: false, isSolved: false });
        break;
      default:
    }
  }

  const byCategory: Record<string, number> = {};
  for (const id of opened) {
    const category = stories.get(id)?.category ?? NONE;
    byCategory[category] = (byCategory[category] ?? 0) + 1;
  }
  const calibration = calibrationOf(checked);
  const ece =
    checked.length === 0
      ? null
      : calibration.reduce((sum, { n, said, right }) => sum + (n * Math.abs(said - right)) / checked.length, 0);
  return {
    opened: opened.length,
    byCategory,
    firstAnswer: spreadOf(answers),
    solved: spreadOf(solutions),
    deflected,
    reopened,
    accuracy,
    calibration,
    ece,
  };
};

const minutes = (ms: number | null): string => (ms === null ? '-' : `${Math.round(ms / 60_000)} min`);
const percent = (right: number, n: number): string => (n === 0 ? '-' : `${Math.round((100 * right) / n)} %`);

/** One line a figure, each with how many it was counted from. */
export const reportLines = (report: TicketReport): readonly string[] => [
  `Tickets: ${report.opened}`,
  ...Object.entries(report.byCategory)
    .toSorted(([, a], [, b]) => b - a)
    .map(([category, count]) => `  ${category}: ${count}`),
  `First answer: median ${minutes(report.firstAnswer.median)}, nine of ten within ${minutes(report.firstAnswer.p90)} (n ${report.firstAnswer.n})`,
  `Solved: ${report.solved.n}, median ${minutes(report.solved.median)}, nine of ten within ${minutes(report.solved.p90)}`,
  `Without a word of the team: ${report.deflected} of ${report.solved.n}`,
  `Opened again: ${report.reopened}`,
  ...Object.entries(report.accuracy).map(([field, { n, right }]) => `Right ${field}: ${percent(right, n)} (n ${n})`),
  ...report.calibration.map(
    ({ from, n, said, right }) =>
      `  category from ${from.toFixed(1)} sure: said ${percent(said, 1)}, right ${percent(right, 1)} (n ${n})`,
  ),
];
