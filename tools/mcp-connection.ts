/**
 * One server of the configuration: started, started again when it ends, and held to what it said first. A tool whose description or
 * parameters change while we run is withheld until the next start, which an administrator gives.
 */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { AppError } from '../agent/errors.ts';
import type { JsonObject } from '../agent/json.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { Tool } from '../agent/ports/tool.ts';
import { describe, differences, type McpDescription } from './mcp-description.ts';
import { createHttpTransport, type HttpPlace } from './mcp-http.ts';
import { type ListedTool, type McpSession, openSession } from './mcp-session.ts';
import { createStdioTransport, type StdioPlace } from './mcp-stdio.ts';
import { createMcpTool, type McpToolRule } from './mcp-tool.ts';

export interface McpServerSettings {
  readonly name: string;
  readonly place: StdioPlace | HttpPlace;
  /** By the names that the server gives them. No other is ever offered. */
  readonly tools: Readonly<Record<string, McpToolRule>>;
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
}

export interface McpReport {
  readonly server: string;
  /** Why it is not running, if so. */
  readonly failure: string | undefined;
  /** The hashes of what its tools were described with, by their names. */
  readonly offered: ReadonlyMap<string, string>;
  /** Why an allowed tool may not be called, by its name. */
  readonly withheld: ReadonlyMap<string, string>;
}

export interface McpConnection {
  /** When the first try to start it has come to an end, whichever. */
  readonly tried: Promise<void>;
  report(): McpReport;
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** The tools are asked for again at most so often, however many notices come. */
const RELIST_MS = 1_000;

const transportOf = ({ place }: McpServerSettings, clock: Clock): Transport =>
  'url' in place ? createHttpTransport(place, clock) : createStdioTransport(place, clock);

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** `onTool` gets each allowed tool once, when it is first seen. */
export const connectMcp = (
  settings: McpServerSettings,
  { clock, logger, onTool }: { clock: Clock; logger: Logger; onTool: (tool: Tool<JsonObject>) => void },
): McpConnection => {
  const log = logger.with({ server: settings.name });
  const offered = new Map<string, McpDescription>();
  const withheld = new Map<string, string>();
  const changed = new Set<string>();
  const closing = new AbortController();
  const tried = Promise.withResolvers<void>();
  let session: McpSession | undefined;
  let failure: string | undefined = 'it is being started';

  const sessionFor = (name: string) => (): McpSession => {
    const reason = withheld.get(name);
    if (reason !== undefined)
      throw new AppError('tool_refused', `The tool is withheld: ${reason}. An administrator has to look at it; tell the asker.`);
    if (session === undefined)
      throw new AppError('tool_unavailable', 'The server is not running. Go on without it, or try once more later.');
    return session;
  };

  const offer = (description: McpDescription, rule: McpToolRule): void => {
    const { name, hash } = description;
    const { name: server, callTimeoutMs: timeoutMs } = settings;
    onTool(createMcpTool(description, rule, { server, timeoutMs, session: sessionFor(name) }));
    offered.set(name, description);
    log.info('mcp_tool_offered', { tool: name, effect: rule.effect, hash });
  };

  /** Offers the tool when it is seen first. Why it is withheld, if so. */
  const reasonAgainst = (tools: readonly ListedTool[], name: string, rule: McpToolRule): string | undefined => {
    const [listed, twin] = tools.filter((tool) => tool.name === name);
    if (twin !== undefined) return 'the server names two tools so';
    if (listed === undefined) return 'the server does not name it';
    try {
      const description = describe(listed);
      const known = offered.get(name);
      if (known !== undefined && known.hash !== description.hash) {
        changed.add(name);
        return `${differences(known, description)} changed since the start (now ${description.hash})`;
      }
      if (rule.hash !== undefined && rule.hash !== description.hash)
        return `the configuration has ${rule.hash}, and it is ${description.hash}`;
      if (known === undefined) offer(description, rule);
      return undefined;
    } catch (error) {
      return reasonOf(error);
    }
  };

  const take = (tools: readonly ListedTool[]): void => {
    for (const [name, rule] of Object.entries(settings.tools)) {
      // What was changed once stays withheld, whatever the server says later.
      if (changed.has(name)) continue;
      const reason = reasonAgainst(tools, name, rule);
      if (reason === withheld.get(name)) continue;
      if (reason === undefined) withheld.delete(name);
      else {
        withheld.set(name, reason);
        log.warn('mcp_tool_withheld', { tool: name, reason });
      }
    }
  };

  let isRelisting = false;
  const relist = async (): Promise<void> => {
    if (isRelisting) return;
    isRelisting = true;
    try {
      await clock.sleep(RELIST_MS, closing.signal);
      isRelisting = false;
      if (session !== undefined) take(await session.listTools());
    } catch (error) {
      isRelisting = false;
      if (!closing.signal.aborted) log.warn('mcp_tools_not_read', { error: error as Error });
    }
  };

  /** Resolves with what ended it. */
  const serveOnce = async (): Promise<Error> => {
    const opened = await openSession(transportOf(settings, clock), {
      clock,
      startTimeoutMs: settings.startTimeoutMs,
      signal: closing.signal,
      onChanged: () => void relist(),
    });
    try {
      take(await opened.listTools());
      session = opened;
      failure = undefined;
      tried.resolve();
      return await opened.ended;
    } finally {
      session = undefined;
      await opened.close();
    }
  };

  const serve = async (): Promise<void> => {
    let pauseMs = FIRST_PAUSE_MS;
    while (!closing.signal.aborted) {
      const startedAt = clock.monotonic();
      const error = await serveOnce().catch((thrown: unknown) => thrown);
      failure = reasonOf(error);
      tried.resolve();
      if (closing.signal.aborted) return;
      // One that served for a while is started again at once, one that does not come up ever more seldom.
      if (clock.monotonic() - startedAt > LONGEST_PAUSE_MS) pauseMs = FIRST_PAUSE_MS;
      log.warn('mcp_server_ended', { error: error as Error, againInMs: pauseMs });
      await clock.sleep(pauseMs, closing.signal).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  };

  const serving = serve();
  return {
    tried: tried.promise,
    report: () => ({
      server: settings.name,
      failure,
      offered: new Map([...offered].map(([name, { hash }]) => [name, hash])),
      withheld,
    }),
    close: async () => {
      closing.abort(new AppError('internal', 'the process stops'));
      await serving;
    },
  };
};
