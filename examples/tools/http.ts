/** One GET of a JSON service, as a tool makes it: its failure carries the status, so that the loop can tell a fault from an answer. */
import { AppError } from '../../agent/errors.ts';

export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;

  constructor(status: number) {
    super(`The service answered HTTP ${status}.`);
    this.status = status;
  }
}

/** Throws `AppError('tool_not_found')` with `missing` for 404, `HttpError` for another status, what `fetch` throws when no answer comes. */
export const getJson = async (url: URL, missing: string, signal: AbortSignal, method = 'GET'): Promise<unknown> => {
  const response = await fetch(url, { method, signal, redirect: 'error' });
  if (response.ok) return response.json();
  await response.body?.cancel();
  if (response.status === 404) throw new AppError('tool_not_found', missing);
  throw new HttpError(response.status);
};
