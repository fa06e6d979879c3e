/**
 * The processor time of a turn by its place in a conversation, with a window of six turns: `conversation.ts BASE_URL TURN...`
 * prints `{"10": ms, ...}`.
 */
import { createThreadwise } from './threadwise.ts';

const WINDOW_TURNS = 6;
const ROUNDS = 5;
const CONVERSATIONS = 4;
/** Asked in each conversation in each round: so few that their place is still the one named. */
const ASKED = 6;

const [baseUrl = '', ...places] = process.argv.slice(2);
const threadwise = await createThreadwise(baseUrl, { limits: { windowTurns: WINDOW_TURNS } });
const times = new Map(places.map((place): [string, number[]] => [place, []]));
let serial = 0;

/** The places take turns, so that a busy spell of the machine falls on all of them. */
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const place of places) {
    const conversations = Array.from({ length: CONVERSATIONS }, () => {
      serial += 1;
      return `terminal:bench:c${serial}`;
    });
    for (const id of conversations) await threadwise.fill(id, Number(place) - 1);
    const before = process.cpuUsage();
    for (const id of conversations) {
      for (let asked = 0; asked < ASKED; asked += 1) await threadwise.ask(id, `what is the refund window? ${asked}`);
    }
    const { user, system } = process.cpuUsage(before);
    // The first round warms up.
    if (round > 0) times.get(place)?.push((user + system) / 1_000 / (CONVERSATIONS * ASKED));
  }
}
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
process.stdout.write(`${JSON.stringify(Object.fromEntries([...times].map(([place, values]) => [place, median(values)])))}\n`);
await threadwise.close();
process.exit(0);
