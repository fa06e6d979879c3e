/**
 * GitHub's API by Octokit, one try a call, and what its refusals mean.
 *
 * - The version is named in each request: https://docs.github.com/en/rest/about-the-rest-api/api-versions
 * - A limit is told by 403 or 429, with a wait of a minute where none is named:
 *   https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 * - Too many new comments are answered by 422 `was submitted too quickly`: https://github.com/cli/cli/issues/4801
 */
import { Octokit } from '@octokit/core';
import { z } from 'zod';
import { AppError } from '../../agent/errors.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import { createHelpdeskFetch, type HelpdeskAnswer, type HelpdeskRefusal, retryAfterOf, type SendToHelpdesk } from './http.ts';

const API_VERSION = '2022-11-28';
const API_URL = 'https://api.github.com';
const LIMITED_MS = 60_000;

export interface GithubAddress {
  readonly system: string;
  readonly token: { reveal(): string };
  readonly clock: Clock;
  /** Of an own server: `https://github.acme.example/api/v3`. */
  readonly baseUrl?: string | undefined;
}

export const wordsOf = (data: unknown): string | undefined => {
  const { success, data: said } = z.object({ message: z.string(), errors: z.array(z.unknown()).optional() }).safeParse(data);
  if (!success) return undefined;
  const details = (said.errors ?? []).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  return [said.message, ...details].join(' ');
};

export const refusalOf = (answer: HelpdeskAnswer): HelpdeskRefusal | undefined => {
  const { status, headers } = answer;
  const words = wordsOf(answer.data) ?? '';
  const isSpent = headers.get('x-ratelimit-remaining') === '0';
  const isLimited = isSpent || retryAfterOf(headers) !== undefined || /rate limit|abuse detection/i.test(words);
  if ((status === 403 && isLimited) || status === 429 || (status === 422 && /submitted too quickly/i.test(words))) {
    const resetMs = Number(headers.get('x-ratelimit-reset')) * 1_000 - Date.parse(headers.get('date') ?? '');
    const retryAfterMs = retryAfterOf(headers) ?? (isSpent && resetMs > 0 ? resetMs : LIMITED_MS);
    return { code: 'helpdesk_rate_limited', retryAfterMs };
  }
  // Of this issue alone: the token may do it elsewhere.
  if (status === 403 && /is locked/i.test(words)) return { code: 'helpdesk_rejected' };
  return undefined;
};

/** By Octokit, which neither retries nor waits by itself. */
export const createOctokitSend = ({ system, token, baseUrl = API_URL, clock }: GithubAddress): SendToHelpdesk => {
  const silent = (): void => {};
  const octokit = new Octokit({
    auth: token.reveal(),
    baseUrl: baseUrl.replace(/\/+$/, ''),
    userAgent: 'threadwise',
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  const fetchWhole = createHelpdeskFetch({ system, clock });
  return async ({ method, path, query, body }, signal) => {
    const answerOf = (response: {
      readonly status: number;
      readonly headers: object;
      readonly data: unknown;
    }): HelpdeskAnswer => ({
      status: response.status,
      headers: new Headers(response.headers as Record<string, string>),
      data: response.data,
    });
    try {
      const response = await octokit.request(`${method} ${path}`, {
        ...query,
        ...(body as object | undefined),
        headers: { accept: 'application/vnd.github+json', 'x-github-api-version': API_VERSION },
        request: { signal, fetch: fetchWhole },
      });
      return answerOf(response);
    } catch (error) {
      signal.throwIfAborted();
      // Octokit throws for a status from 400 on, and for what `fetch` threw.
      const { response, cause } = error as { response?: Parameters<typeof answerOf>[0]; cause?: unknown };
      if (response === undefined) throw cause instanceof AppError ? cause : error;
      return answerOf(response);
    }
  };
};
