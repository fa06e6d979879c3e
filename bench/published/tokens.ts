/** What a conversation costs: 12,000 to 6,000 tokens a session (write-up 003), 3,820 to 1,530 a request (write-up 002). */
import type { CountTokens } from '../../agent/ports/window.ts';
import { createTokenCounter } from '../../memory/tokens.ts';
import type { BenchRow } from '../row.ts';
import { type OurSetting, playNaive, playOurs, type Session, type Setting, type Tally } from './arena.ts';
import { mean, rowOf, SEEDS } from './gate.ts';
import { createTask, type FaultPlan } from './plan.ts';

/**
 * Exact, with the bundled o200k ranks. The encoder never joins a word with the one before it, so a text's count is the sum over
 * its parts cut before a space, and each part is counted once.
 */
export const createExactCounter = async (): Promise<CountTokens> => {
  const counter = createTokenCounter();
  await counter.load();
  const known = new Map<string, number>();
  const countPart = (part: string): number => {
    const count = known.get(part) ?? counter.count(part);
    if (part.length < 200) known.set(part, count);
    return count;
  };
  return (text) => text.split(/(?= [A-Z])/u).reduce((sum, part) => sum + countPart(part), 0);
};

/** As in the account: the latest rounds. */
const WINDOW: OurSetting = { limits: { windowTurns: 6 } };

interface Talks {
  readonly name: string;
  readonly plan: FaultPlan;
  readonly talks: number;
  readonly turns: number;
  readonly needs: number;
  readonly documentChars: number;
}

/** Tickets: four questions with one search each, and the published share of runs that search the same again and again. */
const TICKETS: Talks = {
  name: 't',
  plan: { malformed: 0, transient: 0, permanent: 0, sticky: 0.115 / 4 },
  talks: 500,
  turns: 4,
  needs: 1,
  documentChars: 1_900,
};

/** Talks of five turns (write-up 004): the first one says something that the last one needs. */
const TALKS: Talks = {
  name: 'k',
  plan: { malformed: 0, transient: 0, permanent: 0, sticky: 0 },
  talks: 200,
  turns: 5,
  needs: 2,
  documentChars: 2_400,
};

const settingOf = (
  seed: number,
  { name, plan, talks, turns, needs, documentChars }: Talks,
  countTokens: CountTokens,
): Setting => {
  const sessions = Array.from({ length: talks }, (_value, talk): Session => {
    const fact = `contract C-${seed}-${talk}`;
    const tasks = Array.from({ length: turns }, (_turn, turn) =>
      createTask(seed, `${name}${seed}-${talk}-${turn}`, plan, {
        needs,
        ...(turn === 0 ? { says: `It is about ${fact}!` } : {}),
        ...(turn === turns - 1 ? { recalls: fact } : {}),
      }),
    );
    return { tasks };
  });
  return { seed, plan, sessions, documentChars, countTokens };
};

const perSession = ({ sessionTokens }: Tally): number => mean(sessionTokens);
const perRequest = ({ requests }: Tally): number => mean(requests.map(({ inputTokens }) => inputTokens));
const recalled = ({ solved }: Tally): number => mean(solved.map((isSolved) => (isSolved ? 1 : 0)));
const callsOf = (tallies: readonly Tally[]): number => tallies.reduce((sum, { calls }) => sum + calls, 0);
const requestsOf = (tallies: readonly Tally[]): number => tallies.reduce((sum, { requests }) => sum + requests.length, 0);

export async function* tokenCases(): AsyncGenerator<BenchRow> {
  const countTokens = await createExactCounter();
  const overSeeds = async (talks: Talks, playOne: (setting: Setting) => Promise<Tally>): Promise<readonly Tally[]> => {
    const tallies: Tally[] = [];
    for (const seed of SEEDS) tallies.push(await playOne(settingOf(seed, talks, countTokens)));
    return tallies;
  };

  const naiveTickets = await overSeeds(TICKETS, (setting) => playNaive(setting));
  const ourTickets = await overSeeds(TICKETS, (setting) => playOurs(setting, 0, WINDOW));
  const unguarded = await overSeeds(TICKETS, (setting) => playOurs(setting, 0, { ...WINDOW, layers: { repeatGuard: false } }));
  const session = { case: 'tokens a session', unit: 'tokens' };
  const before = naiveTickets.map(perSession);
  yield rowOf({ ...session, metric: 'naive', values: before, n: callsOf(naiveTickets), published: '12,000' });
  yield rowOf({
    ...session,
    metric: 'ours',
    values: ourTickets.map(perSession),
    n: callsOf(ourTickets),
    published: '6,000',
    within: [0, mean(before) / 2],
    against: { name: 'naive', values: before },
  });
  yield rowOf({ ...session, metric: 'ours_without_repeat_guard', values: unguarded.map(perSession), n: callsOf(unguarded) });

  const naiveTalks = await overSeeds(TALKS, (setting) => playNaive(setting));
  const ourTalks = await overSeeds(TALKS, (setting) => playOurs(setting, 0, WINDOW));
  const request = { case: 'input tokens a request', unit: 'tokens' };
  const sent = naiveTalks.map(perRequest);
  yield rowOf({ ...request, metric: 'naive', values: sent, n: requestsOf(naiveTalks), published: '3,820' });
  yield rowOf({
    ...request,
    metric: 'ours',
    values: ourTalks.map(perRequest),
    n: requestsOf(ourTalks),
    published: '1,530',
    within: [0, mean(sent) * 0.4],
    against: { name: 'naive', values: sent },
  });
  yield rowOf({
    case: 'facts of turn 1 named in turn 5',
    metric: 'ours',
    unit: 'share',
    values: ourTalks.map(recalled),
    n: ourTalks.reduce((sum, { solved }) => sum + solved.length, 0),
    published: '0.80 with three rounds',
    within: [1, 1],
  });
}
