/** A platform in memory and the channel to it: what stands in which thread, and every way in which a send can go wrong. */

import { AppError } from '../../agent/errors.ts';
import type { Channel, MessageRef, OutboundPart } from '../../agent/ports/channel.ts';

export interface StandingMessage {
  readonly id: string;
  readonly thread: string;
  readonly key: string;
  text: string;
  withFeedback: boolean;
  /** The file's name and bytes. */
  readonly file?: readonly [string, Uint8Array];
}

type Operation = 'post' | 'update' | 'find';

/** What the next calls of an operation meet, in order; when it is used up they pass. */
export type Fault =
  | 'pass'
  /** The platform refused and says so. */
  | 'rejected'
  /** It takes no files from the bot. */
  | 'no_files'
  /** The platform refused for now and named a time. */
  | { readonly retryAfterMs: number }
  /** Nothing arrived. */
  | 'lost'
  /** It was applied, the reply was lost. */
  | 'reply_lost'
  /** A defect in the channel. */
  | 'bug';

export interface FakeChannel extends Channel {
  readonly messages: StandingMessage[];
  /** Every call, in order: `post t1:0 text`. */
  readonly calls: string[];
  readonly faults: Record<Operation, Fault[]>;
  /** Awaited by every post before it is applied. */
  beforePost: () => Promise<void>;
  /** The texts that stand in a thread, in order. */
  textsIn(thread: string): readonly string[];
}

export const createFakeChannel = ({ maxPartUnits = 1_000 }: { maxPartUnits?: number } = {}): FakeChannel => {
  const messages: StandingMessage[] = [];
  const calls: string[] = [];
  const faults: Record<Operation, Fault[]> = { post: [], update: [], find: [] };

  const meet = async <T>(operation: Operation, apply: () => T): Promise<T> => {
    const fault = faults[operation].shift() ?? 'pass';
    if (fault === 'bug') throw new TypeError('a defect in the channel');
    if (fault === 'rejected') throw new AppError('channel_rejected', 'refused for good');
    if (fault === 'no_files') throw new AppError('channel_no_files', 'no files');
    if (fault === 'lost') throw new AppError('channel_unavailable', 'no reply');
    if (typeof fault === 'object') throw new AppError('channel_unavailable', 'too many', fault);
    const result = apply();
    if (fault === 'reply_lost') throw new AppError('channel_unavailable', 'no reply');
    return result;
  };

  const channel: FakeChannel = {
    name: 'slack',
    messages,
    calls,
    faults,
    beforePost: () => Promise.resolve(),
    textsIn: (thread) => messages.filter((message) => message.thread === thread).map(({ text }) => text),
    start: () => Promise.resolve(),
    stopIntake: () => Promise.resolve(),
    close: () => Promise.resolve(),
    status: () => ({ connected: true, detail: 'in memory' }),
    render: (answer) => {
      const parts: OutboundPart[] = [];
      for (let at = 0; at < answer.text.length; at += maxPartUnits) {
        const isLast = at + maxPartUnits >= answer.text.length;
        parts.push({ text: answer.text.slice(at, at + maxPartUnits), withFeedback: isLast && answer.answered });
      }
      return parts;
    },
    post: async ({ thread = '' }, part, key, bytes) => {
      calls.push(`post ${key} ${part.text}`);
      await channel.beforePost();
      return meet('post', (): MessageRef => {
        const id = String(messages.length + 1);
        const file = part.file !== undefined && bytes !== undefined ? { file: [part.file.name, bytes] as const } : {};
        messages.push({ id, thread, key, text: part.text, withFeedback: part.withFeedback, ...file });
        return { id };
      });
    },
    find: async ({ thread = '' }, key) => {
      calls.push(`find ${key}`);
      return meet('find', () => {
        const found = messages.find((message) => message.thread === thread && message.key === key);
        return found === undefined ? undefined : { id: found.id };
      });
    },
    update: async (_address, ref, part, key) => {
      calls.push(`update ${key} ${part.text}`);
      return meet('update', () => {
        const message = messages.find(({ id }) => id === ref.id);
        if (message === undefined) throw new AppError('channel_rejected', 'no such message');
        message.text = part.text;
        message.withFeedback = part.withFeedback;
      });
    },
    progress: (_address, ref, text, key) => {
      calls.push(`progress ${key} ${text}`);
      const message = messages.find(({ id }) => id === ref.id);
      if (message !== undefined) message.text = text;
    },
  };
  return channel;
};
