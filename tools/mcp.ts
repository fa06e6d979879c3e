/** The servers of the configuration (Model Context Protocol), all at once; each tool is there when its server is. */
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { Tool } from '../agent/ports/tool.ts';
import { createRegistry, type ToolRegistry } from '../agent/registry.ts';
import { connectMcp, type McpReport, type McpServerSettings } from './mcp-connection.ts';
import { toolName } from './mcp-tool.ts';

export interface McpServers {
  /** Of all tools that may come. */
  readonly names: readonly string[];
  /** Those that are there, and each other as soon as it is. Once. */
  registerTools(registry: ToolRegistry): void;
  reports(): readonly McpReport[];
  close(): Promise<void>;
}

const namesOf = (servers: readonly McpServerSettings[]): readonly string[] => {
  const names = servers.flatMap(({ name, tools }) => Object.keys(tools).map((tool) => toolName(name, tool)));
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined)
    throw new AppError('config_invalid', `tools.mcp: expected tools that differ in letters and digits, got two that are ${twin}`);
  return names;
};

/**
 * Resolves when each server has answered, or has had `waitMs` for it: slower ones come later. Throws `AppError('config_invalid')` for
 * two tools of one name.
 */
export const openMcp = async (
  servers: readonly McpServerSettings[],
  { clock, logger, waitMs }: { readonly clock: Clock; readonly logger: Logger; readonly waitMs: number },
): Promise<McpServers> => {
  const names = namesOf(servers);
  let registry = createRegistry();
  const onTool = <Arguments>(tool: Tool<Arguments>): void => registry.registerTool(tool);
  const connections = servers.map((settings) => connectMcp(settings, { clock, logger, onTool }));
  const waited = new AbortController();
  await Promise.race([Promise.all(connections.map(({ tried }) => tried)), clock.sleep(waitMs, waited.signal).catch(() => {})]);
  waited.abort();
  return {
    names,
    registerTools: (into) => {
      for (const tool of registry.tools) into.registerTool(tool);
      registry = into;
    },
    reports: () => connections.map((connection) => connection.report()),
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
};
