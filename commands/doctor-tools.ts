/** What the doctor asks of the tools that are other programs and services. */
import { hasCode } from '../agent/errors.ts';
import { systemClock } from '../ops/clock.ts';
import type { Config } from '../ops/config.ts';
import { type Finding, fail, ok, type Probe, warn } from '../ops/doctor.ts';
import { serviceProbe } from '../ops/doctor-http.ts';
import { silentLogger } from '../ops/silent-log.ts';
import type { McpReport } from '../tools/mcp-connection.ts';
import { openServices } from './core-parts.ts';

const MCP_WAIT_MS = 25_000;

const findingsOf = (
  { server, failure, offered, withheld }: McpReport,
  rules: Config['tools']['mcp'][number],
): readonly Finding[] => {
  const name = `MCP ${server}`;
  if (failure !== undefined) return [fail(name, failure, `correct tools.mcp.${server}, or start the server by hand to see more`)];
  const tools = [...offered].map(([tool, hash]) => `${tool} (${rules.tools[tool]?.effect}, ${hash})`);
  return [
    offered.size === 0
      ? warn(name, 'none of its tools can be used', `name some of them under tools.mcp.${server}.tools`)
      : ok(name, tools.join(', ')),
    ...[...withheld].map(([tool, reason]) =>
      fail(
        name,
        `${tool} is withheld: ${reason}`,
        `read what the server says of it, then correct tools.mcp.${server}.tools.${tool}`,
      ),
    ),
  ];
};

/** Connects and logs in. Nothing is sent. */
export const mailProbe = (mail: NonNullable<Config['tools']['mail']>): Probe => ({
  name: 'mail',
  mend: 'correct tools.mail: host, port, security, user and password',
  run: async () => {
    const { checkSmtp } = await import('../tools/mail-smtp.ts');
    await checkSmtp(mail, systemClock, new AbortController().signal);
    const login = mail.login === undefined ? 'without a login' : `as ${mail.login.user}`;
    return [
      ok(
        'mail',
        `${mail.host}:${mail.port} takes mails of ${mail.from} ${login}, to ${mail.allow.join(', ') || 'who wrote tickets'}`,
      ),
    ];
  },
});

/** Connects, logs in and opens the folders. Nothing is read, nothing is marked. */
export const mailInProbe = (mail: NonNullable<Config['triage']['mail']>): Probe => ({
  name: 'mailbox',
  mend: 'correct triage.mail: host, port, security, user, password, folder and sent',
  run: async () => {
    const { openMailbox } = await import('../bots/mail/mailbox.ts');
    const opened = await openMailbox(mail);
    opened.close();
    const by = opened.canIdle ? 'is told of new ones' : `asks for new ones every ${mail.pollSeconds} s`;
    const detail = `${mail.host}:${mail.port} has ${opened.count} mails in ${mail.folder} of ${mail.user} and ${by}`;
    if (mail.sent === undefined) {
      const mend = 'name the folder in which the mail server keeps what is sent, as triage.mail.sent';
      return [ok('mailbox', detail), warn('mailbox', 'an answer whose sending broke off cannot be looked for', mend)];
    }
    (await openMailbox({ ...mail, folder: mail.sent })).close();
    return [ok('mailbox', `${detail}; copies of answers are in ${mail.sent}`)];
  },
});

/** Starts each server, and ends it again. */
export const mcpProbe = ({ tools }: Config): Probe => ({
  name: 'MCP',
  mend: 'correct tools.mcp',
  run: async () => {
    const { openMcp } = await import('../tools/mcp.ts');
    const servers = await openMcp(tools.mcp, { clock: systemClock, logger: silentLogger, waitMs: MCP_WAIT_MS });
    try {
      const reports = servers.reports();
      return tools.mcp.flatMap((rules, index) => findingsOf(reports[index] as McpReport, rules));
    } finally {
      await servers.close();
    }
  },
});

/** A document that cannot be used is a finding of its own. */
export const serviceProbes = async (config: Config, timeoutMs: number): Promise<readonly Probe[]> => {
  try {
    const services = await openServices(config, systemClock);
    return services?.probes.map((service) => serviceProbe(service, AbortSignal.timeout(timeoutMs))) ?? [];
  } catch (error) {
    if (!hasCode(error, 'config_invalid')) throw error;
    const finding = fail('tools.http', error.message, 'correct the document, or the file of the service; see docs/http-tools.md');
    return [{ name: finding.name, mend: finding.mend, run: async () => [finding] }];
  }
};
