/** The sync with each helpdesk's own connector, over HTTP, while the helpdesk fails in the ways that real ones do. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Double, DoubleFault, HelpdeskPeople } from '../../simulator/helpdesk/double.ts';
import { createGithubDouble } from '../../simulator/helpdesk/github.ts';
import { createJiraDouble, JIRA } from '../../simulator/helpdesk/jira.ts';
import { createZammadDouble, ZAMMAD } from '../../simulator/helpdesk/zammad.ts';
import { createZendeskDouble } from '../../simulator/helpdesk/zendesk.ts';
import type { Connector, OutsideComment } from '../../triage/connectors/connector.ts';
import { createGithubConnector } from '../../triage/connectors/github.ts';
import { createJiraConnector } from '../../triage/connectors/jira.ts';
import { createZammadConnector } from '../../triage/connectors/zammad.ts';
import { createZendeskConnector } from '../../triage/connectors/zendesk.ts';
import { createRandom } from '../contracts/vector-index.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { openSyncBench } from '../fakes/sync-bench.ts';
import { ANNA, BEN } from '../fakes/tickets.ts';
import { scaled, seed } from '../scale.ts';
import { never } from './fixtures.ts';

interface Helpdesk {
  readonly double: Pick<Double<object>, 'fail' | 'clearFaults' | 'violations' | 'close'> & { readonly people: HelpdeskPeople };
  readonly connector: Connector;
}

const HELPDESKS: Readonly<Record<string, (clock: FakeClock) => Promise<Helpdesk>>> = {
  GitHub: async (clock) => {
    const double = await createGithubDouble({ clock, pageSize: 3 });
    const { owner, repo, url: baseUrl, token } = double;
    const system = 'github:acme/shop';
    const options = { system, owner, repo, token: { reveal: () => token }, isPublic: false, clock, baseUrl };
    return { double, connector: createGithubConnector(options) };
  },
  Zendesk: async (clock) => {
    const double = await createZendeskDouble({ clock, pageSize: 3 });
    const { email, url: baseUrl, token } = double;
    const connector = createZendeskConnector({ system: 'zendesk:acme', baseUrl, email, token: { reveal: () => token }, clock });
    return { double, connector };
  },
  Jira: async (clock) => {
    const double = await createJiraDouble({ clock, pageSize: 3 });
    const connector = createJiraConnector({
      system: 'jira:acme',
      baseUrl: double.url,
      ...JIRA,
      token: { reveal: () => JIRA.token },
      statuses: { open: ['To Do'], waiting: ['Waiting for customer'], solved: ['Done'], closed: ['Closed'] },
      isServiceDesk: true,
      isPublic: false,
      clock,
    });
    return { double, connector };
  },
  Zammad: async (clock) => {
    const double = await createZammadDouble({ clock, pageSize: 3 });
    const { token, group, customer } = ZAMMAD;
    const connector = createZammadConnector({
      system: 'zammad:acme',
      baseUrl: double.url,
      token: { reveal: () => token },
      group,
      customer,
      isPublic: false,
      clock,
      pageSize: 3,
    });
    return { double, connector };
  },
};

const MINUTE = 60_000;
const FAULTS: readonly DoubleFault[] = [
  { kind: 'status', status: 429, headers: { 'retry-after': '7' } },
  { kind: 'status', status: 503 },
  { kind: 'failed_after' },
  { kind: 'cut', when: 'before' },
  { kind: 'cut', when: 'after' },
  { kind: 'html' },
  { kind: 'disorder' },
];

const live = async (open: (clock: FakeClock) => Promise<Helpdesk>, lifeSeed: number): Promise<void> => {
  const random = createRandom(lifeSeed);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const clock = createFakeClock();
  const { double, connector } = await open(clock);
  const [agent, other] = double.people.agents;
  const rules = { people: new Map([[BEN.id, agent]]), wins: 'ours' as const, creates: () => true };
  const bench = openSyncBench({ real: { clock, connector }, sync: { rules } });
  await bench.run(1);
  await bench.arrive(1, { text: 'My refund is wrong' });
  await bench.run(MINUTE);
  const id = (await bench.read('T1')).external?.id ?? '';
  const said: { readonly token: string; readonly isNote: boolean }[] = [];
  const say = async (n: number): Promise<void> => {
    const token = `word${n}.`;
    const isNote = connector.hasNotes && random() < 0.3;
    said.push({ token, isNote });
    if (random() < 0.5) double.people.say(id, `there ${token}`, { by: 'agent', isSeen: !isNote });
    else if (isNote) await bench.act({ kind: 'comment', commentId: token, text: `here ${token}`, isPublic: false });
    else await bench.say(1, pick([ANNA.id, BEN.id]), `here ${token}`);
  };
  for (let n = 0; n < 12; n += 1) {
    for (let faults = Math.floor(random() * 3); faults > 0; faults -= 1)
      double.fail({ fault: pick(FAULTS), after: Math.floor(random() * 4), ...(random() < 0.5 ? { only: 'writes' } : {}) });
    const dice = random();
    if (dice < 0.5) await say(n);
    else if (dice < 0.65)
      await bench.act(
        pick([
          { kind: 'solve', resolution: '' },
          { kind: 'reopen', reason: '' },
        ]),
      );
    else if (dice < 0.75) await bench.act({ kind: 'assign', to: pick([BEN.id, null]) });
    else if (dice < 0.9) double.people.set(id, { status: pick(['open', 'solved']) });
    else double.people.set(id, { assignee: pick([agent, other, null]) });
    if (random() < 0.3) await bench.runMortal(1 + Math.floor(random() * 20));
    await bench.run(pick([1, 5_000, 3 * MINUTE]));
  }
  double.clearFaults();
  await bench.run(15 * MINUTE);

  const [here, there] = [await bench.read('T1'), await connector.read(id, never())];
  if (there === undefined || here.status === 'merged') throw new Error(`${id} is gone, or merged here`);
  assert.equal(connector.projectStatus(here.status), there.status);
  const texts = (await bench.events()).flatMap(({ change }) =>
    change.kind === 'commented'
      ? [change.text]
      : change.kind === 'message_added' && !change.message.deliveryId.startsWith('comment:')
        ? [change.message.text]
        : [],
  );
  for (const { token, isNote } of said) {
    const found: readonly OutsideComment[] = there.comments.filter(({ text }) => text.includes(token));
    assert.deepEqual(
      found.map(({ isPublic }) => isPublic),
      [!isNote],
      `${token} is there once`,
    );
    assert.equal(texts.filter((text) => text.includes(token)).length, 1, `${token} is here once`);
  }
  assert.equal((await bench.store.listTickets({})).length, 1);
  assert.equal((await connector.listChanged(0, 1, never())).changed.length, 1, 'one double');
  await bench.close();
  await double.close();
  assert.deepEqual(double.violations, []);
};

describe('a ticket and its double over HTTP', () => {
  for (const [name, open] of Object.entries(HELPDESKS))
    it(`come to agree in ${name}, each comment once, whatever fails (seed ${seed})`, async () => {
      for (let n = 0; n < scaled(20); n += 1) {
        const lifeSeed = seed * 1_000 + n;
        try {
          await live(open, lifeSeed);
        } catch (error) {
          throw new Error(`life ${lifeSeed}`, { cause: error });
        }
      }
    });
});
