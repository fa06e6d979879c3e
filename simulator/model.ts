/**
 * A scripted OpenAI-compatible server on loopback: chat completions streamed or whole, embeddings, models. It checks every
 * request as a strict endpoint would, and can fail in each of the ways that real ones do.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../agent/ports/clock.ts';
import { lintRequest } from './model-linter.ts';
import { answerFromPassages, type ModelPolicy, type ModelRequestBody } from './model-policy.ts';
import { type ScriptedReply, toChunks, toWire, type WireFault } from './model-script.ts';

const DEFAULT_MODEL = 'scripted-model';
const DEFAULT_DIMENSIONS = 64;

export interface RecordedModelRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** On the clock's monotonic scale. */
  readonly receivedAt: number;
}

export interface ModelSimulatorOptions {
  readonly clock: Clock;
  /** 0 takes a free one. */
  readonly port?: number;
  /** Requests without this key are answered 401; any key passes when it is left out. */
  readonly apiKey?: string;
  /** What to say when the script is at its end; by default an answer from the passages of a search. */
  readonly policy?: ModelPolicy;
  readonly embeddingDimensions?: number;
}

export interface ModelSimulator {
  /** The base URL, `http://127.0.0.1:…/v1`. */
  readonly url: string;
  readonly requests: readonly RecordedModelRequest[];
  /** What a strict endpoint would have refused, over all requests. */
  readonly violations: readonly string[];
  /** Replies for the next completions, in order; the policy speaks when they are used up. */
  push(...replies: ScriptedReply[]): void;
  setPolicy(policy: ModelPolicy): void;
  close(): Promise<void>;
}

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
};

const sendJson = (
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
};

/** Deterministic, so that equal texts have equal vectors; texts that share words are near. */
const embedText = (text: string, dimensions: number): number[] => {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    let hash = 2166136261;
    for (const char of word) hash = Math.imul(hash ^ (char.codePointAt(0) as number), 16777619);
    vector[Math.abs(hash) % dimensions] = (vector[Math.abs(hash) % dimensions] as number) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
};

/** True when the fault was the whole response. */
const failAtOnce = (fault: WireFault | undefined, response: ServerResponse): boolean => {
  switch (fault?.kind) {
    case 'status':
      sendJson(
        response,
        fault.status,
        { error: fault.error ?? { message: `status ${fault.status}`, type: 'server_error' } },
        fault.headers,
      );
      return true;
    case 'no_answer':
      return true;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Welcome</body></html>');
      return true;
    case 'empty':
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end();
      return true;
    case 'done_only':
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: [DONE]\n\n');
      return true;
    case 'huge_line':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"index":0,"delta":{"content":"');
      for (let sent = 0; sent < fault.bytes; sent += 65_536) response.write('x'.repeat(65_536));
      response.end('"}}]}\n\n');
      return true;
    default:
      return false;
  }
};

const streamReply = (response: ServerResponse, chunks: readonly unknown[], fault: WireFault | undefined): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const strikesAfter = fault !== undefined && 'afterChunks' in fault ? fault.afterChunks : Infinity;
  for (const [sent, chunk] of chunks.entries()) {
    if (sent >= strikesAfter) {
      if (fault?.kind === 'stall') return;
      if (fault?.kind === 'end_early') return void response.end();
      if (fault?.kind === 'error_event') return void response.end(`data: ${JSON.stringify({ error: fault.error })}\n\n`);
      const line = fault?.kind === 'half_line' ? `data: ${JSON.stringify(chunk).slice(0, 20)}` : '';
      // What was written must reach the other side before the connection breaks.
      response.write(line, () => response.destroy());
      return;
    }
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  response.end('data: [DONE]\n\n');
};

export const createModelSimulator = async (options: ModelSimulatorOptions): Promise<ModelSimulator> => {
  const requests: RecordedModelRequest[] = [];
  const violations: string[] = [];
  const script: ScriptedReply[] = [];
  let policy = options.policy ?? answerFromPassages;
  let serial = 0;
  const newId = (): string => {
    serial += 1;
    return String(serial);
  };

  const complete = async (body: ModelRequestBody, response: ServerResponse): Promise<void> => {
    const found = lintRequest(body);
    if (found.length > 0) {
      violations.push(...found);
      return sendJson(response, 400, {
        error: { message: found[0], type: 'invalid_request_error', param: 'messages', code: null },
      });
    }
    const reply = script.shift() ?? policy(body);
    if (reply.delayMs !== undefined) await options.clock.sleep(reply.delayMs);
    if (failAtOnce(reply.fault, response)) return;
    const wire = toWire(reply, body.model ?? DEFAULT_MODEL, newId);
    if (body.stream === true && reply.fault?.kind !== 'whole') {
      const wantsUsage = (body as { stream_options?: { include_usage?: boolean } }).stream_options?.include_usage === true;
      return streamReply(response, toChunks(wire, reply.fault, wantsUsage), reply.fault);
    }
    const { id, model, message, finishReason, usage } = wire;
    const choices = [{ index: 0, message, finish_reason: finishReason, logprobs: null }];
    sendJson(response, 200, { id, object: 'chat.completion', created: 1, model, choices, usage });
  };

  const embed = (body: { input?: unknown; model?: string }, response: ServerResponse): void => {
    const texts = Array.isArray(body.input) ? body.input.map(String) : [String(body.input)];
    const dimensions = options.embeddingDimensions ?? DEFAULT_DIMENSIONS;
    const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: embedText(text, dimensions) }));
    sendJson(response, 200, {
      object: 'list',
      data,
      model: body.model ?? 'scripted-embedder',
      usage: { prompt_tokens: 1, total_tokens: 1 },
    });
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const { headers } = request;
    const body = await readBody(request);
    requests.push({ method: request.method ?? '', path, headers, body, receivedAt: options.clock.monotonic() });
    if (options.apiKey !== undefined && headers.authorization !== `Bearer ${options.apiKey}`) {
      return sendJson(response, 401, {
        error: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' },
      });
    }
    if (path === '/v1/chat/completions') return complete(body as ModelRequestBody, response);
    if (path === '/v1/embeddings') return embed(body as { input?: unknown }, response);
    if (path === '/v1/models') return sendJson(response, 200, { object: 'list', data: [{ id: DEFAULT_MODEL, object: 'model' }] });
    sendJson(response, 404, { error: { message: `Unknown path ${path}`, type: 'invalid_request_error' } });
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else sendJson(response, 400, { error: { message: 'The body is not JSON.', type: 'invalid_request_error' } });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    violations,
    push: (...replies) => void script.push(...replies),
    setPolicy: (next) => {
      policy = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
