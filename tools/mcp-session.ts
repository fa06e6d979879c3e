/** One connection to a server, from its start to its end. A server that hangs, floods or breaks the protocol ends the session alone. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, McpError, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { AppError } from '../agent/errors.ts';
import type { JsonObject } from '../agent/json.ts';
import type { Clock } from '../agent/ports/clock.ts';
import { untilAborted } from '../agent/until-aborted.ts';
import { listedTool } from './mcp-description.ts';
import { type CallResult, callResult } from './mcp-result.ts';

export type ListedTool = z.output<typeof listedTool>;

export interface McpSession {
  /** All pages. Throws when the server names too many, or does not answer in time. */
  listTools(): Promise<readonly ListedTool[]>;
  /** Rejects with the signal's reason, or as a tool may. */
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<CallResult>;
  /** When the connection is over, for whatever reason. */
  readonly ended: Promise<Error>;
  close(): Promise<void>;
}

export interface SessionOptions {
  readonly clock: Clock;
  /** For the greeting, and for each question for the tools. */
  readonly startTimeoutMs: number;
  /** Ends the session, at whatever stage. */
  readonly signal: AbortSignal;
  /** The server says that its tools are others now. */
  readonly onChanged: () => void;
}

const CLIENT = { name: 'threadwise', version: '0.1.0' };
const MAX_TOOLS = 500;
const MAX_PAGES = 20;
const MAX_ERROR_CHARS = 500;
/** Messages of a server beyond this in the time are a flood. */
const MAX_MESSAGES = 2_000;
const MESSAGES_PER_MS = 10_000;
/** The SDK's own timers are not of our clock: whoever asks ends the request by its signal. */
const NO_TIMEOUT = { timeout: 0x7fffffff };

const listResult = z.looseObject({ tools: z.array(listedTool), nextCursor: z.string().optional() });

/** Aborts after `ms`. Call the second when it is no longer needed. */
const deadline = (clock: Clock, ms: number, message: string): readonly [AbortSignal, () => void] => {
  const controller = new AbortController();
  return [controller.signal, clock.after(ms, () => controller.abort(new AppError('tool_timeout', message)))];
};

const floodGuard = (clock: Clock, onFlood: (error: AppError) => void): (() => void) => {
  let since = clock.monotonic();
  let count = 0;
  return () => {
    const now = clock.monotonic();
    if (now - since > MESSAGES_PER_MS) [count, since] = [0, now];
    count += 1;
    if (count === MAX_MESSAGES + 1)
      onFlood(new AppError('tool_unavailable', `It sent more than ${MAX_MESSAGES} messages in ${MESSAGES_PER_MS / 1_000} s.`));
  };
};

/** Throws `AppError`, or what the transport threw, when the server is not ready within `startTimeoutMs`; nothing is left of it then. */
export const openSession = async (
  transport: Transport,
  { clock, startTimeoutMs, signal: stopping, onChanged }: SessionOptions,
): Promise<McpSession> => {
  const ended = Promise.withResolvers<Error>();
  let failure: Error | undefined;
  let isEnded = false;
  const close = async (): Promise<void> => {
    await transport.close();
  };
  transport.onmessage = floodGuard(clock, (error) => {
    failure = error;
    void close();
  });
  transport.onerror = (error) => {
    failure ??= error;
  };
  const client = new Client(CLIENT, { capabilities: {} });
  const stop = (): void => void close();
  stopping.addEventListener('abort', stop, { once: true });
  client.onclose = () => {
    isEnded = true;
    stopping.removeEventListener('abort', stop);
    ended.resolve(failure ?? new AppError('tool_unavailable', 'It ended.'));
  };
  client.setNotificationHandler(ToolListChangedNotificationSchema, onChanged);

  const within = async <Value>(what: string, work: (signal: AbortSignal) => Promise<Value>): Promise<Value> => {
    const [late, stop] = deadline(clock, startTimeoutMs, `No answer to ${what} within ${startTimeoutMs / 1_000} s.`);
    const signal = AbortSignal.any([late, stopping]);
    try {
      return await untilAborted(work(signal), signal);
    } finally {
      stop();
    }
  };

  const listTools = (): Promise<readonly ListedTool[]> =>
    within('the question for its tools', async (signal) => {
      const tools: ListedTool[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const params = cursor === undefined ? {} : { cursor };
        const answer = await client.request({ method: 'tools/list', params }, listResult, { ...NO_TIMEOUT, signal });
        tools.push(...answer.tools);
        cursor = answer.nextCursor;
        if (tools.length > MAX_TOOLS) break;
        if (cursor === undefined) return tools;
      }
      throw new AppError('tool_too_large', `It names more than ${MAX_TOOLS} tools, or more than ${MAX_PAGES} pages of them.`);
    });

  const call = async (name: string, args: JsonObject, signal: AbortSignal): Promise<CallResult> => {
    if (isEnded) throw new AppError('tool_unavailable', 'The server is not running. Go on without it, or try once more later.');
    try {
      return await client.request({ method: 'tools/call', params: { name, arguments: args } }, callResult, {
        ...NO_TIMEOUT,
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof McpError && error.code !== ErrorCode.ConnectionClosed) {
        return { content: [{ type: 'text', text: error.message.slice(0, MAX_ERROR_CHARS) }], isError: true };
      }
      if (isEnded) throw new AppError('tool_network', 'The server ended while the call ran.', { cause: error });
      if (!(error instanceof StreamableHTTPError)) throw error;
      // The server has forgotten the session, and did not look at the call.
      if (error.code === 404) {
        void close();
        throw new AppError('tool_unavailable', 'The server was started anew. Try once more.', { cause: error });
      }
      throw Object.assign(error, { status: error.code });
    }
  };

  try {
    stopping.throwIfAborted();
    await within('the greeting', (signal) => client.connect(transport, { ...NO_TIMEOUT, signal }));
  } catch (error) {
    stopping.removeEventListener('abort', stop);
    await close();
    throw failure ?? error;
  }
  return { listTools, call, ended: ended.promise, close };
};
