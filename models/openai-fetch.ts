/**
 * The fetch that the OpenAI client uses: only the configured endpoint (redirects are not followed), a cap on the bytes of an
 * answer before anything parses them, and short error bodies.
 */
import { AppError } from '../agent/errors.ts';

const MAX_ERROR_CHARS = 16_384;

export type FetchInput = string | URL | Request;

const capped = async function* (body: ReadableStream<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  let left = maxBytes;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      left -= value.byteLength;
      if (left < 0) throw new AppError('model_too_large', `The model's answer is larger than ${maxBytes} bytes.`);
      yield value;
    }
  } finally {
    // Ends the connection when the reader stops early; nothing when the body was read to its end.
    void reader.cancel().catch(() => undefined);
  }
};

const readCapped = async (body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<string> => {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of capped(body, maxBytes)) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length >= MAX_ERROR_CHARS) break;
  }
  return text.slice(0, MAX_ERROR_CHARS);
};

/** A server that cannot stream answers with one JSON object; it is handed on as a stream of one chunk. */
const asStream = (json: string): string => {
  const completion = JSON.parse(json) as { choices?: { message?: unknown }[] };
  const choices = completion.choices?.map(({ message, ...choice }) => ({ ...choice, delta: message }));
  return `data: ${JSON.stringify({ ...completion, choices })}\n\ndata: [DONE]\n\n`;
};

export const createGuardedFetch =
  (maxBytes: number) =>
  async (input: FetchInput, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    const { status, headers, body } = response;
    if (!response.ok)
      return new Response(await readCapped(body, MAX_ERROR_CHARS * 4), { status: Math.max(status, 400), headers });
    const type = headers.get('content-type') ?? '';
    if (type.includes('text/html')) {
      void body?.cancel().catch(() => undefined);
      throw new AppError(
        'model_rejected',
        'The model endpoint answered with a web page. Check the base URL: it usually ends in /v1.',
      );
    }
    if (body === null) return response;
    if (type.includes('application/json')) {
      const decoder = new TextDecoder();
      let json = '';
      for await (const bytes of capped(body, maxBytes)) json += decoder.decode(bytes, { stream: true });
      return new Response(asStream(json), { status, headers: { 'content-type': 'text/event-stream' } });
    }
    // The client reads the body as an async iterable; a new Response around it would cost a second stream.
    Object.defineProperty(response, 'body', { value: capped(body, maxBytes) });
    return response;
  };
