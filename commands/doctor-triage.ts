/** The files that triage is told by: the taxonomy, the teams with their calendars, and the rules. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { hasCode } from '../agent/errors.ts';
import { systemClock } from '../ops/clock.ts';
import type { Config } from '../ops/config.ts';
import { type HelpdeskConfig, systemOf } from '../ops/config-helpdesks.ts';
import { type Finding, fail, ok, type Probe, warn } from '../ops/doctor.ts';
import type { Connector } from '../triage/connectors/connector.ts';
import type { Taxonomy } from '../triage/taxonomy.ts';
import { openConnector } from './helpdesks.ts';
import { configuredRules, hasTriage, taxonomyOf, teamsOf } from './triage-parts.ts';

const NAME = 'triage';

/** A mistake of the configuration is a finding with what it says; anything else is none of ours. */
const found = async <T>(make: () => T | Promise<T>): Promise<{ readonly value?: T; readonly findings: readonly Finding[] }> => {
  try {
    return { value: await make(), findings: [] };
  } catch (error) {
    if (!hasCode(error, 'config_invalid')) throw error;
    const mend = 'correct the file or the setting that it names (docs/triage.md)';
    return { findings: error.message.split('\n').map((line) => fail(NAME, line, mend)) };
  }
};

/** Its tickets go to the default team, which is seldom what was meant. */
const strayTeams = (taxonomy: Taxonomy | undefined, { triage }: Config): readonly Finding[] => {
  const named = Object.values(taxonomy?.categories ?? {}).flatMap(({ team }) => team ?? []);
  const unknown = [...new Set(named)].filter((team) => !Object.hasOwn(triage.teams, team));
  const mend = 'add them under triage.teams, or correct the taxonomy';
  return unknown.length === 0
    ? []
    : [warn(NAME, `the taxonomy names teams that triage.teams does not have: ${unknown.join(', ')}`, mend)];
};

/** Nothing where triage is not set up. */
export const findTriage = async (config: Config, cwd: string): Promise<readonly Finding[]> => {
  const { taxonomy: file, rules: rulesFile } = config.triage;
  if (!hasTriage(config) && rulesFile === undefined) return [];
  const taxonomy = await found(() => (file === undefined ? undefined : taxonomyOf(resolve(cwd, file))));
  const teams = await found(() => teamsOf(config));
  const rules = await found(() =>
    teams.value === undefined ? [] : configuredRules(config, teams.value, (path) => readFileSync(resolve(cwd, path), 'utf8')),
  );
  const failed = [taxonomy, teams, rules].flatMap(({ findings }) => findings);
  if (failed.length > 0) return failed;
  const counts = [
    `${Object.keys(taxonomy.value?.categories ?? {}).length} categories`,
    `${teams.value?.size ?? 0} teams`,
    `${rules.value?.length ?? 0} rules`,
  ];
  return [ok(NAME, counts.join(', ')), ...strayTeams(taxonomy.value, config)];
};

/** Accounts of `people` to which nothing can be assigned: a name in place of an id, a slip of the pen, somebody who left. */
export const strayPeople = async (
  { name, people }: Pick<HelpdeskConfig, 'name' | 'people'>,
  connector: Pick<Connector, 'isAgent'>,
  signal: AbortSignal,
): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  for (const [here, there] of Object.entries(people)) {
    if (await connector.isAgent(there, signal)) continue;
    const what = `expected an account that tickets can be assigned to for ${here}, got ${there}`;
    findings.push(warn(`helpdesk ${name}`, what, `correct triage.helpdesks.${name}.people (docs/triage.md)`));
  }
  return findings;
};

/** Asks each helpdesk what changed just now, and who is who. Nothing is changed there. */
export const helpdeskProbes = ({ triage }: Config): readonly Probe[] =>
  triage.helpdesks.map((helpdesk) => ({
    name: `helpdesk ${helpdesk.name}`,
    mend: `correct triage.helpdesks.${helpdesk.name}: its address, account and token`,
    run: async () => {
      const connector = await openConnector(helpdesk, systemClock);
      const { signal } = new AbortController();
      await connector.listChanged(systemClock.now(), 1, signal);
      const kept = connector.hasNotes ? 'status, assignee, comments and notes' : 'status, assignee and comments';
      return [
        ok(`helpdesk ${helpdesk.name}`, `${systemOf(helpdesk)} answers; ${kept} are kept in step`),
        ...(await strayPeople(helpdesk, connector, signal)),
      ];
    },
  }));
