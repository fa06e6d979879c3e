/** A server over streamable HTTP: what it sends is bounded, and how often it makes us connect again. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { AppError } from '../agent/errors.ts';
import type { Clock } from '../agent/ports/clock.ts';
import { MAX_MESSAGE_BYTES } from './mcp-stdio.ts';

export interface HttpPlace {
  readonly url: string;
  /** The keys of the service are among them. */
  readonly headers: Readonly<Record<string, { reveal(): string }>>;
}

/** A stream that the server closes is opened again, and it may say at once: so often in the time, then no more. */
const MAX_STREAMS = 20;
const STREAMS_PER_MS = 60_000;
const LINE_FEED = 10;

/** Ends the stream when one message, or one line of an event stream, has more bytes than any message may have. */
const boundBody = (body: ReadableStream<Uint8Array>, isEventStream: boolean): ReadableStream<Uint8Array> => {
  let bytes = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        const lastLine = isEventStream ? chunk.lastIndexOf(LINE_FEED) : -1;
        bytes = lastLine === -1 ? bytes + chunk.byteLength : chunk.byteLength - lastLine;
        if (bytes > MAX_MESSAGE_BYTES)
          controller.error(
            new AppError('tool_too_large', `The server sent more than ${MAX_MESSAGE_BYTES} bytes in one message.`),
          );
        else controller.enqueue(chunk);
      },
    }),
  );
};

export const createHttpTransport = ({ url, headers }: HttpPlace, clock: Clock): Transport => {
  let streams = 0;
  let since = clock.monotonic();
  const mayStream = (): boolean => {
    const now = clock.monotonic();
    if (now - since > STREAMS_PER_MS) [streams, since] = [0, now];
    streams += 1;
    return streams <= MAX_STREAMS;
  };
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()])) },
    fetch: async (address, init) => {
      // 405 is how a server says that it has no such stream.
      if (init?.method === 'GET' && !mayStream()) return new Response(null, { status: 405 });
      const response = await fetch(address, init);
      if (response.body === null) return response;
      const isEventStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      const { status, statusText, headers: answered } = response;
      return new Response(boundBody(response.body, isEventStream), { status, statusText, headers: answered });
    },
  });
  // Its `sessionId` may be undefined as a value, which the interface does not say.
  return transport as Transport;
};
