/** A tool that asks one operation of a service. What comes back is data, with the request that it answers. */
import { AppError } from '../agent/errors.ts';
import type { JsonObject } from '../agent/json.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Tool } from '../agent/ports/tool.ts';
import type { HttpClient } from './http-client.ts';
import { effectOf, type HttpOperation } from './http-operation.ts';
import { project } from './http-project.ts';
import { requestOf } from './http-request.ts';
import { parametersOfJsonSchema } from './json-schema.ts';

export interface ServiceSettings {
  readonly name: string;
  readonly baseUrl: string;
  /** Who may be answered from it. */
  readonly label: string;
  readonly timeoutMs: number;
  readonly readsSensitive: boolean;
}

interface Deps {
  readonly service: ServiceSettings;
  readonly operation: HttpOperation;
  readonly client: HttpClient;
  readonly clock: Clock;
}

/** Throws `AppError('config_invalid')` for a description that cannot be used. */
export const createHttpTool = ({ service, operation, client, clock }: Deps): Tool<JsonObject> => {
  const { schema, root, place, at, settings, method, description } = operation;
  const { host, pathname } = new URL(service.baseUrl);
  const basePath = pathname.replace(/\/+$/, '');
  const effect = effectOf(operation);
  return {
    name: operation.name,
    description,
    parameters: parametersOfJsonSchema(schema, { place, at, root }),
    effect,
    timeoutMs: settings.timeoutMs ?? service.timeoutMs,
    readsUntrusted: true,
    readsSensitive: service.readsSensitive,
    triggers: [description, ...(settings.examples ?? [])],
    describeCall: (args) => {
      const { path, body } = requestOf(operation, args, basePath);
      const what = description.split('\n', 1)[0] ?? '';
      return `${what} (${method} ${decodeURI(path)} at ${host}${body === undefined ? '' : ` with ${body}`})`;
    },
    run: async (args, { labels, signal }) => {
      if (!labels.includes(service.label))
        throw new AppError('tool_not_found', 'There is no such service for the readers of this answer.');
      const asked = requestOf(operation, args, basePath);
      const { status, data, note } = await client.send(asked, effect, signal);
      const origin = { service: service.name, request: `${method} ${asked.path}`, read_at: new Date(clock.now()).toISOString() };
      // The service's own word on what was asked, in its own form.
      if (status >= 400) return { ...origin, ok: false, status, said: data };
      return { ...origin, data: project(data, settings.project), ...(note === undefined ? {} : { note }) };
    },
  };
};
