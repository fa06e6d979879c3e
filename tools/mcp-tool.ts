/** A described tool of a server as one of ours: the caller's arguments checked, the answer marked as the server's. */
import type { JsonObject } from '../agent/json.ts';
import type { Tool, ToolEffect } from '../agent/ports/tool.ts';
import { parametersOfJsonSchema } from './json-schema.ts';
import { type McpDescription, shownDescription, shownSchema } from './mcp-description.ts';
import { readResult } from './mcp-result.ts';
import type { McpSession } from './mcp-session.ts';

/** What the configuration says of a tool: the server's own word on these is not taken. */
export interface McpToolRule {
  /** A person must agree to each call of a `write`. */
  readonly effect: ToolEffect;
  /** The description that an administrator has read. */
  readonly hash?: string | undefined;
  readonly readsSensitive: boolean;
}

const MAX_NAME_CHARS = 64;

/** As providers take names; two tools of a server may come to the same. */
export const toolName = (server: string, tool: string): string =>
  `${server}_${tool.replaceAll(/[^a-zA-Z0-9_-]/gu, '_')}`.slice(0, MAX_NAME_CHARS);

/** Throws when its parameters cannot be understood. `session` throws `AppError` when the tool cannot be called now. */
export const createMcpTool = (
  description: McpDescription,
  rule: McpToolRule,
  { server, timeoutMs, session }: { server: string; timeoutMs: number; session: () => McpSession },
): Tool<JsonObject> => {
  const { name } = description;
  return {
    name: toolName(server, name),
    description: shownDescription(description, server),
    parameters: parametersOfJsonSchema(shownSchema(description), { place: name }),
    effect: rule.effect,
    timeoutMs,
    readsUntrusted: true,
    readsSensitive: rule.readsSensitive,
    describeCall: () => `Calls ${name} of the MCP server ${server}`,
    run: async (args, { signal }) => readResult(await session().call(name, args, signal), server),
  };
};
