/** Whether somebody may agree to what the configured tools change: where nobody can be asked, each of their calls is refused. */
import { createRegistry } from '../agent/registry.ts';
import { systemClock } from '../ops/clock.ts';
import type { Config } from '../ops/config.ts';
import { type Finding, ok, warn } from '../ops/doctor.ts';
import { toolName } from '../tools/mcp-tool.ts';
import { openServices } from './core-parts.ts';

const NAME = 'approvals';

/** Tools of modules say what they do only when they are loaded, so they are not among them. */
const writingTools = async (config: Config): Promise<readonly string[]> => {
  const registry = createRegistry();
  const services = await openServices(config, systemClock).catch(() => undefined);
  services?.registerTools(registry);
  await services?.close();
  return [
    ...(config.tools.mail === undefined || config.tools.mail.allow.length === 0 ? [] : ['send_email']),
    ...config.tools.mcp.flatMap(({ name, tools }) =>
      Object.entries(tools).flatMap(([tool, { effect }]) => (effect === 'write' ? [toolName(name, tool)] : [])),
    ),
    ...registry.tools.filter(({ effect }) => effect === 'write').map(({ name }) => name),
  ];
};

/** Nothing where no tool changes anything. */
export const findApprovers = async (config: Config): Promise<readonly Finding[]> => {
  const { people, approvals, slack, discord } = config;
  const writing = (await writingTools(config)).filter((name) => !approvals.free.includes(name));
  if (writing.length === 0) return [];
  const hasAdmins = people.admins.length + people.owners.length > 0;
  const hasNobody = (names: readonly string[]): boolean => names.every((name) => name === 'admins' && !hasAdmins);
  const inChannels = slack !== undefined || discord !== undefined;
  const stuck = writing.filter((name) => {
    const own = Object.hasOwn(approvals.tools, name) ? approvals.tools[name] : undefined;
    return own === undefined ? hasNobody(approvals.direct) || (inChannels && hasNobody(approvals.channels)) : hasNobody(own);
  });
  if (stuck.length === 0) return [ok(NAME, `somebody may agree to ${writing.join(', ')}`)];
  const mend = 'name administrators in people.admins (THREADWISE_ADMINS), or people in approvals.channels and approvals.tools';
  return [warn(NAME, `nobody may agree to ${stuck.join(', ')} ${inChannels ? 'in channels' : ''}`.trim(), mend)];
};
