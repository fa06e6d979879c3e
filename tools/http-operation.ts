/** One operation of a service, wherever it was described: what the model is shown of it, and how its arguments become a request. */
import type { JsonObject, JsonValue } from '../agent/json.ts';
import type { ToolEffect } from '../agent/ports/tool.ts';
import type { Projection } from './http-project.ts';

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type HttpMethod = (typeof METHODS)[number];

export interface HttpParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'body';
  /** How a list or an object stands in the query. Default: a list once for each value, an object as JSON. */
  readonly style?: 'comma' | 'deep';
}

/** What the configuration says of an operation. */
export interface OperationSettings {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Default: GET and HEAD read, all others write. */
  readonly effect?: ToolEffect | undefined;
  readonly timeoutMs?: number | undefined;
  readonly project?: Projection | undefined;
  /** Questions that it answers. */
  readonly examples?: readonly string[] | undefined;
}

export interface HttpOperation {
  readonly name: string;
  readonly description: string;
  readonly method: HttpMethod;
  /** With `{name}` for each parameter in it. */
  readonly path: string;
  readonly parameters: readonly HttpParameter[];
  /** The argument `body` is sent as it is. */
  readonly hasBody: boolean;
  /** JSON Schema of all arguments together, which are one object. */
  readonly schema: JsonObject;
  /** What references of the schema point into. */
  readonly root: JsonValue;
  /** For errors: the document, and the part of it. */
  readonly place: string;
  readonly at: string;
  readonly settings: OperationSettings;
}

export const effectOf = ({ method, settings }: Pick<HttpOperation, 'method' | 'settings'>): ToolEffect =>
  settings.effect ?? (method === 'GET' || method === 'HEAD' ? 'read' : 'write');

/** The names of the parameters in a path. */
export const namesIn = (path: string): readonly string[] => [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
