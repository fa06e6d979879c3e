/** A platform in a process of its own way: it applies what reached it although the sender has died, a little later. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../agent/errors.ts';
import type { Channel, MessageRef, OutboundPart } from '../../agent/ports/channel.ts';

export interface PlatformMessage {
  readonly id: string;
  readonly thread: string;
  readonly key: string;
  text: string;
}

/** What a life tells besides: which model calls it made, what it journaled. */
export interface Note {
  readonly trial: string;
  readonly note: 'asked' | 'journaled' | 'wrote';
  readonly key: string;
}

interface Call {
  readonly operation: 'post' | 'update' | 'find' | 'note';
  readonly thread: string;
  readonly key: string;
  readonly text: string;
  readonly id: string;
  readonly note: Note;
}

const FLIGHT_MS = 25;

export const startFakePlatform = async () => {
  const messages: PlatformMessage[] = [];
  const notes: Note[] = [];

  const apply = (call: Call): { id: string | null } => {
    const { operation, thread, key, text } = call;
    if (operation === 'note') {
      notes.push(call.note);
    } else if (operation === 'post') {
      const id = String(messages.length + 1);
      messages.push({ id, thread, key, text });
      return { id };
    } else if (operation === 'update') {
      const message = messages.find(({ id }) => id === call.id);
      if (message !== undefined) message.text = text;
    } else {
      return { id: messages.find((message) => message.thread === thread && message.key === key)?.id ?? null };
    }
    return { id: null };
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = JSON.parse(Buffer.concat(chunks).toString()) as Call;
      const reply = () => response.end(JSON.stringify(apply(call)));
      if (call.operation === 'post') setTimeout(reply, FLIGHT_MS);
      else reply();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    notes,
    /** Until what is under way has landed. */
    settle: () => delay(2 * FLIGHT_MS),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};

const callPlatform = async (url: string, call: Partial<Call>): Promise<string | null> => {
  try {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(call) });
    return ((await response.json()) as { id: string | null }).id;
  } catch (error) {
    throw new AppError('channel_unavailable', 'the platform did not reply', { cause: error });
  }
};

export const sendNote = async (url: string, note: Note): Promise<void> =>
  void (await callPlatform(url, { operation: 'note', note }));

/** The channel to it, answers cut into parts of 40 characters. */
export const createPlatformChannel = (url: string): Channel => ({
  name: 'slack',
  start: () => Promise.resolve(),
  stopIntake: () => Promise.resolve(),
  close: () => Promise.resolve(),
  status: () => ({ connected: true, detail: url }),
  render: (answer) =>
    (answer.text.match(/.{1,40}/gsu) ?? []).map(
      (text, index, all): OutboundPart => ({ text, withFeedback: index === all.length - 1 }),
    ),
  post: async ({ thread = '' }, { text }, key): Promise<MessageRef> => {
    const id = await callPlatform(url, { operation: 'post', thread, text, key });
    return { id: id ?? '' };
  },
  find: async ({ thread = '' }, key) => {
    const id = await callPlatform(url, { operation: 'find', thread, key });
    return id === null ? undefined : { id };
  },
  update: async (_address, { id = '' }, { text }, key) => {
    await callPlatform(url, { operation: 'update', id, text, key });
  },
  progress: (_address, { id = '' }, text, key) => {
    // One that fails is of no consequence.
    callPlatform(url, { operation: 'update', id, text, key }).catch(() => undefined);
  },
});
