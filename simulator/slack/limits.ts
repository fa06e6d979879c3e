/**
 * Slack's rate limits: a tier for each method, counted over a minute for the workspace, and one message a second in a channel.
 * https://docs.slack.dev/apis/web-api/rate-limits
 */
import type { Clock } from '../../agent/ports/clock.ts';

/** Calls a minute; Slack says "at least", a double holds to the least. */
const TIER_CALLS = { 1: 1, 2: 20, 3: 50, 4: 100 } as const;
type Tier = keyof typeof TIER_CALLS;

const METHOD_TIERS: Readonly<Record<string, Tier>> = {
  'chat.update': 3,
  'chat.delete': 3,
  'chat.postEphemeral': 4,
  'chat.startStream': 2,
  'chat.appendStream': 4,
  'chat.stopStream': 2,
  'conversations.replies': 3,
  'conversations.history': 3,
  'conversations.info': 3,
  'conversations.open': 3,
  'users.info': 4,
  'views.open': 4,
  'files.getUploadURLExternal': 4,
  'files.completeUploadExternal': 4,
  'reactions.add': 3,
  'reactions.remove': 2,
  'assistant.threads.setTitle': 3,
  'assistant.threads.setSuggestedPrompts': 3,
};

const MINUTE_MS = 60_000;

export interface RateLimits {
  /** Undefined when the call may pass; the seconds to wait otherwise. A refused call does not count. */
  take(method: string, channelId: string | undefined): number | undefined;
}

export interface RateLimitOptions {
  readonly clock: Clock;
  /** Messages that may come at once in one channel before it is one a second. */
  readonly channelBurst: number;
  /** The lower limits of apps that are sold outside the Marketplace: one call of history and replies a minute. */
  readonly isDistributed: boolean;
}

const HISTORY_METHODS = new Set(['conversations.history', 'conversations.replies']);

export const createRateLimits = ({ clock, channelBurst, isDistributed }: RateLimitOptions): RateLimits => {
  const calls = new Map<string, number[]>();
  const channels = new Map<string, { tokens: number; at: number }>();

  const takeFromWindow = (method: string, limit: number): number | undefined => {
    const now = clock.monotonic();
    const recent = (calls.get(method) ?? []).filter((at) => at > now - MINUTE_MS);
    calls.set(method, recent);
    if (recent.length >= limit) return Math.max(1, Math.ceil(((recent[0] ?? now) + MINUTE_MS - now) / 1000));
    recent.push(now);
    return undefined;
  };

  const takeFromChannel = (channelId: string): number | undefined => {
    const now = clock.monotonic();
    const bucket = channels.get(channelId) ?? { tokens: channelBurst, at: now };
    bucket.tokens = Math.min(channelBurst, bucket.tokens + (now - bucket.at) / 1000);
    bucket.at = now;
    channels.set(channelId, bucket);
    if (bucket.tokens < 1) return 1;
    bucket.tokens -= 1;
    return undefined;
  };

  return {
    take: (method, channelId) => {
      if (method === 'chat.postMessage') return channelId === undefined ? undefined : takeFromChannel(channelId);
      if (isDistributed && HISTORY_METHODS.has(method)) return takeFromWindow(method, TIER_CALLS[1]);
      const tier = METHOD_TIERS[method];
      return tier === undefined ? undefined : takeFromWindow(method, TIER_CALLS[tier]);
    },
  };
};
