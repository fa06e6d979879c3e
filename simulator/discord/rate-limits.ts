import type { Clock } from '../../agent/ports/clock.ts';

/** topics/rate-limits: buckets by route and top-level id, 50 requests a second in all, 10,000 invalid ones in 10 minutes. */

const GLOBAL_LIMIT = 50;
const GLOBAL_WINDOW_MS = 1_000;
const INVALID_LIMIT = 10_000;
const INVALID_WINDOW_MS = 600_000;

/** Observed sizes; Discord does not publish them and a client must read the headers. */
const BUCKETS: Readonly<Record<string, { readonly limit: number; readonly windowMs: number }>> = {
  'POST /channels/:/messages': { limit: 5, windowMs: 5_000 },
  'PATCH /channels/:/messages/:': { limit: 5, windowMs: 5_000 },
  'POST /channels/:/messages/:/threads': { limit: 10, windowMs: 10_000 },
  'PATCH /webhooks/:/:/messages/:': { limit: 5, windowMs: 5_000 },
  'POST /webhooks/:/:': { limit: 5, windowMs: 5_000 },
};
const DEFAULT_BUCKET = { limit: 30, windowMs: 5_000 };

export interface RateVerdict {
  readonly headers: Readonly<Record<string, string>>;
  /** Set when the request is refused. */
  readonly limited?: { readonly retryAfterMs: number; readonly global: boolean; readonly scope: 'user' | 'global' | 'shared' };
}

export interface RateLimits {
  take(route: string, majorId: string, isInteraction: boolean): RateVerdict;
  /** Counts a 401, 403 or 429 (not a shared one). */
  countInvalid(): void;
  /** True once too many invalid requests came: everything is refused, without JSON. */
  isBanned(): boolean;
  readonly refusals: number;
}

const hashOf = (text: string): string => {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
};

export const createRateLimits = (clock: Clock, isEnabled: boolean, invalidLimit = INVALID_LIMIT): RateLimits => {
  const windows = new Map<string, { count: number; endsAt: number }>();
  let invalid = { count: 0, endsAt: 0 };
  let refusals = 0;

  const windowOf = (key: string, windowMs: number): { count: number; endsAt: number } => {
    const now = clock.monotonic();
    const current = windows.get(key);
    if (current !== undefined && current.endsAt > now) return current;
    const fresh = { count: 0, endsAt: now + windowMs };
    windows.set(key, fresh);
    return fresh;
  };

  return {
    get refusals() {
      return refusals;
    },
    take(route, majorId, isInteraction) {
      if (!isEnabled) return { headers: {} };
      const now = clock.monotonic();
      if (!isInteraction) {
        const global = windowOf('global', GLOBAL_WINDOW_MS);
        global.count += 1;
        if (global.count > GLOBAL_LIMIT) {
          refusals += 1;
          const retryAfterMs = global.endsAt - now;
          return {
            headers: { 'x-ratelimit-global': 'true', 'x-ratelimit-scope': 'global' },
            limited: { retryAfterMs, global: true, scope: 'global' },
          };
        }
      }
      const size = BUCKETS[route] ?? DEFAULT_BUCKET;
      const bucket = windowOf(`${route} ${majorId}`, size.windowMs);
      bucket.count += 1;
      const resetAfterMs = bucket.endsAt - now;
      const headers = {
        'x-ratelimit-limit': String(size.limit),
        'x-ratelimit-remaining': String(Math.max(0, size.limit - bucket.count)),
        'x-ratelimit-reset': ((clock.now() + resetAfterMs) / 1000).toFixed(3),
        'x-ratelimit-reset-after': (resetAfterMs / 1000).toFixed(3),
        'x-ratelimit-bucket': hashOf(route),
      };
      if (bucket.count <= size.limit) return { headers };
      refusals += 1;
      return {
        headers: { ...headers, 'x-ratelimit-scope': 'user' },
        limited: { retryAfterMs: resetAfterMs, global: false, scope: 'user' },
      };
    },
    countInvalid() {
      if (clock.monotonic() >= invalid.endsAt) invalid = { count: 0, endsAt: clock.monotonic() + INVALID_WINDOW_MS };
      invalid.count += 1;
    },
    isBanned: () => isEnabled && invalid.count >= invalidLimit && clock.monotonic() < invalid.endsAt,
  };
};
