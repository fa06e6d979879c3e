/** The services of the configuration: their tools, and what can be said of them without a language model. Each is asked when a tool is. */
import type { JsonValue } from '../agent/json.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { ToolRegistry } from '../agent/registry.ts';
import { createHttpTool, type ServiceSettings } from './http.ts';
import type { AddressKind } from './http-address.ts';
import { cardOf, type OperationCard } from './http-cards.ts';
import { createHttpClient, type HttpClient, type Lookup } from './http-client.ts';
import { readOpenApi } from './http-openapi.ts';
import type { HttpOperation, OperationSettings } from './http-operation.ts';
import { readShortOperations, type ShortOperation } from './http-short.ts';
import { documentError } from './json-schema-refs.ts';

export interface ServiceDescription extends ServiceSettings {
  /** The file that describes it, for errors. */
  readonly file: string;
  readonly addresses: readonly AddressKind[];
  readonly headers: Readonly<Record<string, { reveal(): string }>>;
  readonly query: Readonly<Record<string, { reveal(): string }>>;
  readonly document?: { readonly path: string; readonly content: JsonValue } | undefined;
  readonly operations: Readonly<Record<string, OperationSettings>>;
  readonly tools: Readonly<Record<string, ShortOperation>>;
}

interface OpenService {
  readonly settings: ServiceDescription;
  readonly operations: readonly HttpOperation[];
  readonly client: HttpClient;
}

export interface HttpServices {
  registerTools(registry: ToolRegistry): void;
  /** For each service: its name, how many tools it gives, and whether it answers, as `HttpClient.reach`. */
  readonly probes: readonly { readonly name: string; readonly tools: number; reach(signal: AbortSignal): Promise<number> }[];
  /** What can be asked without a language model. */
  readonly cards: readonly OperationCard[];
  close(): Promise<void>;
}

/** A path that an address would not leave as it is names something else than it seems to. */
const checkPath = ({ path, place, at }: HttpOperation): void => {
  const filled = path.replace(/\{[^{}]*\}/g, 'x');
  const isWhole = path.startsWith('/') && !filled.startsWith('//') && !/[?#{}]/.test(filled);
  if (!isWhole || new URL(`http://host.invalid${filled}`).pathname !== filled || /%(?![0-9a-f]{2})/i.test(filled))
    throw documentError(place, at, `expected a path such as /orders/{number}, got ${JSON.stringify(path.slice(0, 100))}`);
};

export const operationsOf = ({
  file,
  document,
  operations,
  tools,
  headers,
  query,
}: ServiceDescription): readonly HttpOperation[] => {
  const configured = [...Object.keys(headers).map((name) => name.toLowerCase()), ...Object.keys(query).map((name) => `?${name}`)];
  const all = [
    ...(document === undefined ? [] : readOpenApi(document.content, document.path, operations, configured)),
    ...readShortOperations(tools, file),
  ];
  for (const operation of all) checkPath(operation);
  return all;
};

/** `redact` takes the secrets of the services out of a text. Throws `AppError('config_invalid')`. */
export const openHttpServices = (
  descriptions: readonly ServiceDescription[],
  deps: { readonly clock: Clock; readonly redact: (text: string) => string; readonly lookup?: Lookup },
): HttpServices => {
  const services: readonly OpenService[] = descriptions.map((settings) => ({
    settings,
    operations: operationsOf(settings),
    client: createHttpClient({ ...settings, service: settings.name }, deps),
  }));
  return {
    registerTools: (registry) => {
      for (const { settings: service, operations, client } of services) {
        for (const operation of operations)
          registry.registerTool(createHttpTool({ service, operation, client, clock: deps.clock }));
      }
    },
    probes: services.map(({ settings: { name }, operations, client }) => ({
      name,
      tools: operations.length,
      reach: client.reach,
    })),
    cards: services.flatMap(({ operations }) => operations.flatMap((operation) => cardOf(operation) ?? [])),
    close: async () => {
      await Promise.all(services.map(({ client }) => client.close()));
    },
  };
};
