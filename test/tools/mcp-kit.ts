import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { LogFields, Logger } from '../../agent/ports/logger.ts';
import { createRegistry, type ToolRegistry } from '../../agent/registry.ts';
import { systemClock } from '../../ops/clock.ts';
import { openMcp } from '../../tools/mcp.ts';
import type { McpServerSettings } from '../../tools/mcp-connection.ts';
import type { McpToolRule } from '../../tools/mcp-tool.ts';
import { toolContext } from './context.ts';

const SERVER = join(import.meta.dirname, '../fixtures/mcp-server.ts');

export const READ: McpToolRule = { effect: 'read', readsSensitive: true };
export const WRITE: McpToolRule = { effect: 'write', readsSensitive: true };

export interface Logged {
  readonly event: string;
  readonly fields: LogFields;
}

export const createListLogger = (): Logger & { readonly lines: Logged[] } => {
  const lines: Logged[] = [];
  const loggerWith = (base: LogFields): Logger => {
    const log = (event: string, fields: LogFields = {}): void => void lines.push({ event, fields: { ...base, ...fields } });
    return { debug: log, info: log, warn: log, error: log, with: (fields) => loggerWith({ ...base, ...fields }) };
  };
  return { ...loggerWith({}), lines };
};

/** Of a process by its id: false when it has ended and was waited for. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

export const until = async (isSo: () => boolean, what: string): Promise<void> => {
  for (let tries = 0; !isSo(); tries += 1) {
    if (tries === 500) throw new Error(`not within 10 s: ${what}`);
    await systemClock.sleep(20);
  }
};

export const fixtureSettings = (
  tools: Readonly<Record<string, McpToolRule>>,
  { mode = 'normal', journal = '/dev/null', ...parts }: Partial<McpServerSettings> & { mode?: string; journal?: string } = {},
): McpServerSettings => ({
  name: 'issues',
  place: {
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', SERVER, mode, journal],
    env: { TOKEN: { reveal: () => 's3cret-token' } },
    cwd: '.',
  },
  tools,
  startTimeoutMs: 5_000,
  callTimeoutMs: 1_000,
  ...parts,
});

/** Servers opened as the product opens them, and closed after the test. */
export const openServers = async (
  t: { after(cleanUp: () => unknown): void },
  servers: readonly McpServerSettings[],
  { waitMs = 5_000 }: { waitMs?: number } = {},
) => {
  const logger = createListLogger();
  const mcp = await openMcp(servers, { clock: systemClock, logger, waitMs });
  t.after(() => mcp.close());
  const registry: ToolRegistry = createRegistry();
  mcp.registerTools(registry);
  const call = async (name: string, args: object = {}, signal = new AbortController().signal) => {
    const tool = registry.find(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool.run(tool.parameters.parse(args), toolContext({ signal }));
  };
  return { mcp, registry, call, lines: logger.lines };
};

export const temporaryJournal = (t: TestContext): { readonly path: string; readonly lines: () => readonly string[] } => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-mcp-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'journal');
  return {
    path,
    lines: () => {
      try {
        return readFileSync(path, 'utf8').trim().split('\n');
      } catch {
        return [];
      }
    },
  };
};
