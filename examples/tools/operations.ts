/** What an operations assistant looks at, and the one thing it may do. */
import { z } from 'zod';
import type { Tool } from '../../agent/ports/tool.ts';
import { getJson } from './http.ts';

const service = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,40}$/, 'expected the short name of a service, like checkout')
  .describe('Short name of the service, like checkout');
const metricsOf = z.object({ service, minutes: z.number().int().min(1).max(60).describe('How far back, 1 to 60') });
const logsOf = z.object({ service, lines: z.number().int().min(1).max(200).default(50) });
const restartOf = z.object({ service, reason: z.string().min(10).describe('What shows that a restart is needed') });

const metrics = z.object({ service: z.string(), errorRate: z.number(), p95Ms: z.number() });
const logs = z.object({ service: z.string(), lines: z.array(z.string()) });
const restarted = z.object({ service: z.string(), restarted: z.literal(true) });

interface Deps {
  /** Of a service with `GET /metrics/NAME`, `GET /logs/NAME` and `POST /restart/NAME`. */
  readonly baseUrl: string;
}

const missing = (name: string): string => `There is no service called ${name}.`;

export const createMetricsTool = ({ baseUrl }: Deps): Tool<z.infer<typeof metricsOf>> => ({
  name: 'query_metrics',
  description: 'Error rate and latency of a service over the last minutes. Use it first when an alert names a service.',
  parameters: metricsOf,
  effect: 'read',
  timeoutMs: 5_000,
  run: async (args, { signal }) => {
    const url = new URL(`/metrics/${args.service}`, baseUrl);
    url.searchParams.set('minutes', String(args.minutes));
    return metrics.parse(await getJson(url, missing(args.service), signal));
  },
});

export const createLogsTool = ({ baseUrl }: Deps): Tool<z.infer<typeof logsOf>> => ({
  name: 'fetch_logs',
  description: 'The latest log lines of a service. Use it when metrics do not explain an alert, or cannot be had.',
  parameters: logsOf,
  effect: 'read',
  timeoutMs: 5_000,
  run: async (args, { signal }) => {
    const url = new URL(`/logs/${args.service}`, baseUrl);
    url.searchParams.set('lines', String(args.lines));
    return logs.parse(await getJson(url, missing(args.service), signal));
  },
});

export const createRestartTool = ({ baseUrl }: Deps): Tool<z.infer<typeof restartOf>> => ({
  name: 'restart_service',
  description:
    'Restarts a service; people notice. Use it only when metrics or logs show that the service itself is broken, never because a tool gave no answer.',
  parameters: restartOf,
  effect: 'write',
  timeoutMs: 20_000,
  describeCall: ({ service: name, reason }) => `Restarts the service ${name}: ${reason}`,
  run: async (args, { signal }) =>
    restarted.parse(await getJson(new URL(`/restart/${args.service}`, baseUrl), missing(args.service), signal, 'POST')),
});
