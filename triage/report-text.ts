/** The report as a person reads it in a channel: tables, this week beside the one before. */
import type { Spread, TicketReport } from './report.ts';

const MAX_CATEGORIES = 10;

const duration = (ms: number | null): string => {
  if (ms === null) return '–';
  const minutes = Math.round(ms / 60_000);
  return minutes < 120
    ? `${minutes} min`
    : minutes < 2_880
      ? `${Math.round(minutes / 60)} h`
      : `${Math.round(minutes / 1_440)} days`;
};

const percent = (share: number): string => `${Math.round(100 * share)} %`;
const shareOf = (right: number, n: number): string => (n === 0 ? '–' : `${percent(right / n)} of ${n}`);

/** The first column to the left, the others to the right. */
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, n) => (n === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s+/gu, ' ')).join(' | ')} |`)
    .join('\n');

const spreadRows = (name: string, now: Spread, before: Spread): readonly (readonly string[])[] => [
  [`${name}, median`, duration(now.median), duration(before.median)],
  [`${name}, nine of ten within`, duration(now.p90), duration(before.p90)],
];

const categoryRows = (now: TicketReport, before: TicketReport, nameOf: (category: string) => string): string[][] => {
  const sorted = Object.entries(now.byCategory).toSorted(([, a], [, b]) => b - a);
  const rest = sorted.slice(MAX_CATEGORIES).reduce((sum, [, count]) => sum + count, 0);
  return [
    ...sorted
      .slice(0, MAX_CATEGORIES)
      .map(([category, count]) => [nameOf(category), String(count), String(before.byCategory[category] ?? 0)]),
    ...(rest === 0 ? [] : [['all others', String(rest), '']]),
  ];
};

export interface ReportTextInput {
  readonly now: TicketReport;
  readonly before: TicketReport;
  /** Of the days it tells of: `24 Nov – 30 Nov 2026`. */
  readonly days: string;
  readonly nameOf: (category: string) => string;
}

/** Markdown. Every share says of how many. */
export const reportText = ({ now, before, days, nameOf }: ReportTextInput): string => {
  const checked = Object.entries(now.accuracy).map(([field, { n, right }]) => [field, shareOf(right, n)]);
  const bins = now.calibration.map(({ from, n, said, right }) => [
    from === 0 ? 'below 50 %' : `from ${percent(from)}`,
    percent(said),
    percent(right),
    String(n),
  ]);
  return [
    `**Tickets, ${days}**`,
    table(
      ['', 'this week', 'week before'],
      [
        ['Came in', String(now.opened), String(before.opened)],
        ...spreadRows('First answer', now.firstAnswer, before.firstAnswer),
        ['Solved', String(now.solved.n), String(before.solved.n)],
        ...spreadRows('Solution', now.solved, before.solved),
        ['Solved without a word of the team', shareOf(now.deflected, now.solved.n), shareOf(before.deflected, before.solved.n)],
        ['Opened again', String(now.reopened), String(before.reopened)],
      ],
    ),
    ...(now.opened === 0 ? [] : [table(['Category', 'this week', 'week before'], categoryRows(now, before, nameOf))]),
    ...(now.solved.n === 0 ? [] : ['Of what was solved, decided rightly:', table(['Field', 'right'], checked)]),
    ...(bins.length === 0
      ? []
      : [
          `How sure the category was, and how often it was right${now.ece === null ? '' : ` (mean distance ${percent(now.ece)})`}:`,
          table(['Sure', 'said', 'right', 'tickets'], bins),
        ]),
    '_Private tickets are not counted._',
  ].join('\n\n');
};
