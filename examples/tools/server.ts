/** The services behind the example tools, on loopback, with a way to make them fail. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../agent/ports/clock.ts';

/** What a path does instead of answering: nothing at all, a status, a broken connection, or a slow answer. */
export type ServiceFault =
  | { readonly kind: 'hang' }
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: 'reset' }
  | { readonly kind: 'slow'; readonly ms: number };

export interface ExampleServer {
  readonly url: string;
  /** `GET /orders/A-1001`, in the order of arrival. */
  readonly requests: readonly string[];
  /** The most requests that were open at one time. */
  mostAtOnce(): number;
  /** Requests of paths that begin so fail from now on, `times` of them. */
  fail(begin: string, fault: ServiceFault, times?: number): void;
  /** Lets the process end while it listens. */
  unref(): void;
  close(): Promise<void>;
}

const WEATHER: Readonly<Record<string, { celsius: number; sky: string }>> = {
  Beijing: { celsius: 31, sky: 'clear' },
  Shanghai: { celsius: 27, sky: 'rain' },
  Lisbon: { celsius: 22, sky: 'clear' },
};
const ORDERS: Readonly<Record<string, object>> = {
  'A-1001': {
    number: 'A-1001',
    status: 'shipped',
    amount: 208,
    currency: 'EUR',
    items: [
      { name: 'Aster kettle', count: 1 },
      { name: 'Wren grinder', count: 1 },
    ],
  },
};
const LOGS: Readonly<Record<string, readonly string[]>> = {
  checkout: ['10:01 payment provider answered slowly (2.1 s)', '10:02 payment provider answered slowly (2.4 s)'],
};

const answerTo = (method: string, { pathname, searchParams }: URL): unknown => {
  const [, kind, name = ''] = pathname.split('/');
  switch (`${method} ${kind}`) {
    case 'GET weather': {
      const city = searchParams.get('city') ?? '';
      const found = Object.hasOwn(WEATHER, city) ? WEATHER[city] : undefined;
      return found === undefined ? undefined : { city, ...found };
    }
    case 'GET orders':
      return Object.hasOwn(ORDERS, name) ? ORDERS[name] : undefined;
    case 'GET metrics':
      return Object.hasOwn(LOGS, name) ? { service: name, errorRate: 0.002, p95Ms: 2_300 } : undefined;
    case 'GET logs':
      return Object.hasOwn(LOGS, name) ? { service: name, lines: LOGS[name] } : undefined;
    case 'POST restart':
      return Object.hasOwn(LOGS, name) ? { service: name, restarted: true } : undefined;
    default:
      return undefined;
  }
};

const send = (response: ServerResponse, status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): void => {
  response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(value));
};

/** `port`: on loopback; a free one by default. */
export const createExampleServer = async ({
  clock,
  port = 0,
}: {
  readonly clock: Clock;
  readonly port?: number;
}): Promise<ExampleServer> => {
  const requests: string[] = [];
  const faults: { readonly begin: string; readonly fault: ServiceFault; left: number }[] = [];
  let open = 0;
  let most = 0;

  const handle = async (method: string, url: URL, response: ServerResponse): Promise<void> => {
    const planned = faults.find(({ begin, left }) => left > 0 && url.pathname.startsWith(begin));
    if (planned !== undefined) {
      planned.left -= 1;
      const { fault } = planned;
      if (fault.kind === 'hang') return;
      if (fault.kind === 'reset') return void response.destroy();
      if (fault.kind === 'status') return send(response, fault.status, { error: 'failed on purpose' }, fault.headers);
      await clock.sleep(fault.ms);
    }
    const value = answerTo(method, url);
    if (value === undefined) send(response, 404, { error: 'not found' });
    else send(response, 200, value);
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    requests.push(`${request.method} ${decodeURI(url.pathname)}`);
    open += 1;
    most = Math.max(most, open);
    response.once('close', () => {
      open -= 1;
    });
    handle(request.method ?? '', url, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    mostAtOnce: () => most,
    fail: (begin, fault, times = Number.POSITIVE_INFINITY) => void faults.push({ begin, fault, left: times }),
    unref: () => void server.unref(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
