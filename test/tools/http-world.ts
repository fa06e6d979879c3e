/** A service on loopback that does what services should not, and the tools that ask it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { JsonObject, JsonValue } from '../../agent/json.ts';
import type { Tool } from '../../agent/ports/tool.ts';
import { systemClock } from '../../ops/clock.ts';
import { createRedactor } from '../../ops/redact.ts';
import { Secret } from '../../ops/secret.ts';
import type { Lookup } from '../../tools/http-client.ts';
import { openHttpServices, type ServiceDescription } from '../../tools/http-open.ts';
import type { ShortOperation } from '../../tools/http-short.ts';
import { toolContext } from './context.ts';

export const SECRET = 'k3y-that-nobody-sees';
const JSON_TYPE = { 'content-type': 'application/json' };

type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void;

const json =
  (status: number, value: JsonValue, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    void response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(value));

const redirect =
  (location: string, status = 302): Answer =>
  (response) =>
    void response.writeHead(status, { location }).end();

const flood: Answer = (response) => {
  response.writeHead(200, JSON_TYPE).write('["');
  const more = (): void => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
};

const ANSWERS: Readonly<Record<string, Answer>> = {
  echo: (response, { method, url, headers }, body) =>
    json(200, { method: method ?? '', url: url ?? '', headers: headers as JsonObject, body })(response, undefined as never, ''),
  secrets: (response, { headers }) =>
    void response
      .writeHead(200, { ...JSON_TYPE, 'x-echo': headers.authorization ?? '' })
      .end(JSON.stringify({ got: headers.authorization, coded: Buffer.from(SECRET).toString('base64') })),
  slow: () => {},
  drip: (response) => void response.writeHead(200, JSON_TYPE).write('{"a":'),
  flood,
  announced: (response) => void response.writeHead(200, { ...JSON_TYPE, 'content-length': '999999999' }).write('{'),
  bomb: (response) =>
    void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5_000_000, '1'))),
  page: (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello</h1>'),
  picture: (response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('png'),
  text: (response) => void response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('two lines\nof text'),
  untyped: (response) => void response.writeHead(200).end('{}'),
  broken: (response) => void response.writeHead(200, JSON_TYPE).end('{"a":'),
  torn: (response) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': '100' }).write('{"a":', () => response.destroy());
  },
  long: (response) => void response.writeHead(200, JSON_TYPE).end('{"id":12345678901234567890,"share":0.1,"n":7}'),
  reset: (response) => void response.destroy(),
  empty: (response) => void response.writeHead(204).end(),
  limited: json(429, {}, { 'retry-after': '7' }),
  down: json(503, {}, { 'retry-after': '2' }),
  failed: json(500, { trace: 'at line 1' }),
  missing: json(404, {}),
  forbidden: json(403, {}),
  unfit: json(422, { error: 'city: unknown' }),
  metadata: redirect('http://169.254.169.254/latest/meta-data/'),
  elsewhere: redirect('http://example.com/', 307),
  nested: json(200, {
    order: {
      number: 'A-1',
      lines: [
        { name: 'cup', secret: 1 },
        { name: 'pot', secret: 2 },
      ],
    },
    'a/b': 1,
  }),
};

export interface HostileService extends AsyncDisposable {
  readonly url: string;
  /** `GET /echo/x`, in the order of arrival. */
  readonly requests: readonly string[];
}

/** Answers by the first part of the path. */
export const startService = async (): Promise<HostileService> => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const kind = /^\/(\w+)/.exec(request.url ?? '')?.[1] ?? '';
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => (ANSWERS[kind] ?? json(404, {}))(response, request, body));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

export const short = (path: string, parts: Partial<ShortOperation> = {}): ShortOperation => ({
  description: `Asks ${path}.`,
  method: 'GET',
  path,
  parameters: {},
  ...parts,
});

export const describe = (baseUrl: string, parts: Partial<ServiceDescription> = {}): ServiceDescription => ({
  file: 'desk.yaml',
  name: 'desk',
  baseUrl,
  addresses: ['loopback'],
  label: 'everyone',
  timeoutMs: 2_000,
  readsSensitive: true,
  headers: {},
  query: {},
  operations: {},
  tools: {},
  ...parts,
});

export const toolsOf = (description: ServiceDescription, lookup?: Lookup): ReadonlyMap<string, Tool> => {
  const tools = new Map<string, Tool>();
  const services = openHttpServices([description], {
    clock: systemClock,
    redact: createRedactor([new Secret(SECRET)]),
    ...(lookup === undefined ? {} : { lookup }),
  });
  const registerTool = <Arguments>(tool: Tool<Arguments>): void => void tools.set(tool.name, tool as Tool);
  services.registerTools({ registerTool, find: () => undefined, tools: [], specs: [] });
  return tools;
};

/** The tool's answer, or the code and words of its refusal. */
export const callOf = async (
  description: ServiceDescription,
  name: string,
  args: JsonObject = {},
  { lookup, signal, labels }: { lookup?: Lookup; signal?: AbortSignal; labels?: readonly string[] } = {},
): Promise<JsonObject> => {
  const tool = toolsOf(description, lookup).get(name);
  if (tool === undefined) throw new TypeError(`there is no tool ${name}`);
  const context = toolContext({ ...(signal === undefined ? {} : { signal }), ...(labels === undefined ? {} : { labels }) });
  return (await tool.run(tool.parameters.parse(args), context)) as JsonObject;
};
