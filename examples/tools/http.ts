/** One GET of a JSON service, as a tool makes it: its failure carries what the loop decides by: the status, and when to come again. */
import { AppError } from '../../agent/errors.ts';

export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  /** How long the service asks to be left alone; 0 where it does not. */
  readonly retryAfterMs: number;

  constructor(status: number, retryAfterMs: number) {
    super(`The service answered HTTP ${status}.`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** `Retry-After` in seconds, or as a date, which counts from the answer's own. */
const retryAfterOf = (headers: Headers): number => {
  const text = headers.get('retry-after')?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.parse(headers.get('date') ?? '');
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
};

/** Throws `AppError('tool_not_found')` with `missing` for 404, `HttpError` for another status, what `fetch` throws when no answer comes. */
export const getJson = async (url: URL, missing: string, signal: AbortSignal, method = 'GET'): Promise<unknown> => {
  const response = await fetch(url, { method, signal, redirect: 'error' });
  if (response.ok) return response.json();
  await response.body?.cancel();
  if (response.status === 404) throw new AppError('tool_not_found', missing);
  throw new HttpError(response.status, retryAfterOf(response.headers));
};
