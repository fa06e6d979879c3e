/** The files that triage is told by: missing, broken, and changed since there were tickets. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { CommandIo } from '../../commands/command.ts';
import { findTriage } from '../../commands/doctor-triage.ts';
import { configuredRules, teamsOf } from '../../commands/triage-parts.ts';
import { readConfig, runCommand } from '../../main.ts';
import { systemClock } from '../../ops/clock.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { event } from '../fakes/tickets.ts';

const TAXONOMY = `
categories:
  refund: { name: Refund, description: money back for an order, team: billing, examples: [I want my money back, refund my order] }
  login: { name: Login, description: signing in, team: billing, examples: [I cannot sign in, my password is wrong] }
`;

describe('the files of triage', () => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-triage-files-'));
  after(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return name;
  };
  const config = (triage: string) => {
    write('threadwise.yaml', `knowledge: { embedder: none }\ntriage: { ${triage} }\n`);
    return readConfig({ env: {}, cwd: folder } as unknown as CommandIo);
  };
  const findings = async (triage: string): Promise<readonly string[]> =>
    (await findTriage(await config(triage), folder)).map(
      ({ level, detail }) => `${level}: ${detail.replaceAll(`${folder}/`, '')}`,
    );

  it('are looked at by the doctor, each mistake with its key and file', async () => {
    write('taxonomy.yaml', TAXONOMY);
    write('rules.yaml', 'rules: [{ name: refunds, when: { contains: refund }, team: billing }]\n');
    const teams = 'teams: { billing: {} }';
    assert.deepEqual(await findings(''), []);
    assert.deepEqual(await findings(`${teams}, taxonomy: taxonomy.yaml, rules: rules.yaml`), [
      'ok: 2 categories, 1 teams, 1 rules',
    ]);
    assert.deepEqual(await findings('teams: { support: {} }, taxonomy: taxonomy.yaml'), [
      'ok: 2 categories, 1 teams, 0 rules',
      'warn: the taxonomy names teams that triage.teams does not have: billing',
    ]);
    assert.deepEqual(await findings(`${teams}, taxonomy: none.yaml, rules: gone.yaml`), [
      'fail: triage.taxonomy (THREADWISE_TRIAGE_TAXONOMY): expected a file that can be read, got none.yaml',
      'fail: triage.rules (THREADWISE_TRIAGE_RULES): expected a file that can be read, got gone.yaml',
    ]);
    write('taxonomy.yaml', 'categories: [');
    write('rules.yaml', 'rules: [{ name: refunds, when: {}, team: bills }]\n');
    const broken = await findings(`${teams}, taxonomy: taxonomy.yaml, rules: rules.yaml`);
    assert.match(broken[0] ?? '', /^fail: triage\.taxonomy \(THREADWISE_TRIAGE_TAXONOMY\): taxonomy\.yaml: expected YAML, got /);
    assert.deepEqual(broken.slice(1), [
      'fail: triage.rules (THREADWISE_TRIAGE_RULES): rules.yaml: rule "refunds": expected a team of billing, got "bills"',
    ]);
    assert.deepEqual(await findings('teams: { billing: {} }, defaultTeam: bills'), [
      'fail: triage.defaultTeam (THREADWISE_TRIAGE_DEFAULT_TEAM): expected a team of billing, got "bills"',
    ]);
  });

  it('that cannot be read are a mistake of the configuration, whatever the reading throws', async () => {
    const wrong = await config('teams: { billing: {} }, rules: gone.yaml');
    const readFile = (): string => {
      throw new Error('ENOENT: no such file');
    };
    assert.throws(() => configuredRules(wrong, teamsOf(wrong), readFile), {
      code: 'config_invalid',
      message: 'triage.rules (THREADWISE_TRIAGE_RULES): expected a file that can be read, got gone.yaml',
    });
  });

  it('may change under tickets that have a category of before', async () => {
    const data = join(folder, 'data');
    const run = async (...args: readonly string[]) => {
      const [out, err]: [string[], string[]] = [[], []];
      const into = (lines: string[]) => ({ isTTY: false, write: (text: string) => lines.push(text) > 0 });
      const io = { stdin: {}, stdout: into(out), stderr: into(err), env: { THREADWISE_DATA_DIR: data }, cwd: folder };
      const code = await runCommand(['triage', ...args], io as unknown as CommandIo);
      return { code, out: out.join(''), err: err.join('') };
    };
    write('taxonomy.yaml', TAXONOMY);
    await config('teams: { billing: {} }, taxonomy: taxonomy.yaml');
    write('first.json', JSON.stringify([{ id: 1, text: 'I want my money back for the order' }]));
    assert.match((await run('first.json')).out, /^T1\topened\tbilling\trefund\t/);
    const { tickets, close } = openSqliteStore({ folder: data, clock: systemClock });
    const change = { kind: 'category_set', category: 'refund' } as const;
    const version = (await tickets.readTicket('T1'))?.version ?? 0;
    const actor = { kind: 'person', id: 'slack:U1' } as const;
    await tickets.append([{ ticketId: 'T1', expectedVersion: version, events: [{ ...event(change), actor }] }]);
    await close();

    write('taxonomy.yaml', TAXONOMY.replace('refund: {', 'returns: {'));
    assert.match((await run('show', 'T1')).out, /\n {2}Category: refund \(no longer in the taxonomy\)\n/);
    write('rules.yaml', 'rules: [{ name: returns, when: { category: returns }, team: billing }]\n');
    assert.match((await run('rules', 'rules.yaml')).out, /^T1\tbilling -> /);
    write('second.json', JSON.stringify([{ id: 2, text: 'please, I want my money back for an order' }]));
    const second = await run('second.json');
    assert.deepEqual([second.code, second.err], [0, '']);
    assert.match(second.out, /^T2\topened\tbilling\treturns\t/, 'what was said of a removed category teaches nothing');
    assert.match((await run('list')).out, /^T2\t.*\nT1\topen\t\S+\trefund\t/);
    assert.match((await run('report')).out, /^Tickets: 2\n/);
  });
});
