/** Tickets by signed webhooks: what is not signed, too old or too large is refused before it is read; the rest is taken in before it is acknowledged. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonValue } from '../agent/json.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { TicketDesk } from '../agent/ports/ticket-desk.ts';
import type { TicketArrival } from '../agent/ticket.ts';
import {
  valueAt,
  WEBHOOK_SOURCES,
  type WebhookMapping,
  type WebhookSource,
  type WebhookSourceName,
} from './ticket-webhook-sources.ts';

export interface WebhookSettings {
  /** The installation, as in `ExternalTicket.system` behind its colon. */
  readonly name: string;
  readonly from: WebhookSourceName;
  readonly secret: { reveal(): string };
  /** In place of those of the sender. */
  readonly mapping: { readonly [Part in keyof WebhookMapping]?: WebhookMapping[Part] | undefined };
}

export interface WebhookOptions {
  readonly settings: WebhookSettings;
  readonly desk: TicketDesk;
  /** Where the sender's tickets are kept in step: it is told which changed, and asks for the rest itself. */
  readonly notice?: ((ticketId: string, fields: TicketArrival['fields']) => Promise<void>) | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

const MAX_BYTES = 1024 * 1024;
/** https://docs.slack.dev/authentication/verifying-requests-from-slack takes the same for its own. */
const MAX_AGE_MS = 300_000;

const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
};

const textAt = (payload: JsonValue, pointers: readonly string[]): string => {
  for (const pointer of pointers) {
    const value = valueAt(payload, pointer);
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (typeof value === 'number') return String(value);
  }
  return '';
};

/** All that are there, unless the first one names the ticket by itself. */
const ticketIdOf = (payload: JsonValue, { ticket }: WebhookMapping, from: WebhookSourceName): string | undefined => {
  const parts = from === 'github' ? ticket.map((pointer) => textAt(payload, [pointer])) : [textAt(payload, ticket)];
  return parts.includes('') ? undefined : parts.join('#');
};

const mappingOf = ({ from, mapping }: WebhookSettings): WebhookMapping => {
  const given = Object.fromEntries(Object.entries(mapping).filter(([, part]) => part !== undefined));
  return { ...WEBHOOK_SOURCES[from].mapping, ...given };
};

const fieldsOf = (payload: JsonValue, { fields }: WebhookMapping): TicketArrival['fields'] =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([field, pointer]) => {
      const value = textAt(payload, [pointer]);
      return value === '' ? [] : [[field, value]];
    }),
  );

/** Undefined for what is of no concern; a text where something is missing. */
export const arrivalOf = (payload: JsonValue, settings: WebhookSettings, now: number): TicketArrival | string | undefined => {
  const { name, from } = settings;
  const mapping = mappingOf(settings);
  const isWanted = Object.entries(mapping.only).every(([pointer, values]) => values.includes(textAt(payload, [pointer])));
  const isNote = Object.entries(mapping.except).some(([pointer, values]) => values.includes(String(valueAt(payload, pointer))));
  if (!isWanted || isNote) return undefined;
  const id = ticketIdOf(payload, mapping, from);
  if (id === undefined) return `expected the ticket's id under ${mapping.ticket.join(' and ')}, got none`;
  const [subject, text] = [textAt(payload, mapping.subject), textAt(payload, mapping.text)];
  if (subject === '' && text === '')
    return `expected a text under ${[...mapping.text, ...mapping.subject].join(' or ')}, got none`;
  const system = `${from}:${name}`;
  const message = textAt(payload, mapping.message);
  const author = textAt(payload, mapping.author);
  const url = textAt(payload, mapping.url);
  return {
    deliveryId: `${system}:${id}${message === '' || message === id ? '' : `:${message}`}`,
    threadId: `${system}:${id}`,
    how: 'webhook',
    author: {
      id: `${system}:${author === '' ? `ticket:${id}` : author}`,
      displayName: textAt(payload, mapping.authorName) || author,
    },
    place: null,
    isPrivate: false,
    address: null,
    external: { system, id, url: /^https?:\/\//u.test(url) ? url : null },
    subject,
    text: text || subject,
    receivedAt: now,
    fields: fieldsOf(payload, mapping),
  };
};

export const createTicketWebhook = ({ settings, desk, notice, clock, logger: parent }: WebhookOptions) => {
  const logger = parent.with({ webhook: settings.name });
  const source: WebhookSource = WEBHOOK_SOURCES[settings.from];

  const handle = async (request: IncomingMessage): Promise<readonly [status: number, message: string]> => {
    if (request.method !== 'POST') return [405, 'expected POST'];
    const body = await readBody(request);
    if (body === undefined) return [413, `expected at most ${MAX_BYTES} bytes`];
    const signed = { headers: request.headers, body };
    if (!source.verify(signed, settings.secret.reveal())) {
      logger.warn('webhook_refused', { reason: 'signature' });
      return [401, 'expected a signature made with the secret of this webhook'];
    }
    let payload: JsonValue;
    try {
      payload = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as JsonValue;
    } catch {
      return [400, 'expected JSON in UTF-8'];
    }
    const sentAt = source.sentAt(signed, payload);
    if (sentAt !== undefined && Math.abs(clock.now() - sentAt) > MAX_AGE_MS) {
      logger.warn('webhook_refused', { reason: 'age', ageMs: clock.now() - sentAt });
      return [401, 'expected a request signed within five minutes; check the clocks'];
    }
    if (notice !== undefined) {
      const mapping = mappingOf(settings);
      const id = ticketIdOf(payload, mapping, settings.from);
      if (id === undefined) return [200, 'passed over'];
      await notice(id, fieldsOf(payload, mapping));
      return [200, 'noticed'];
    }
    const arrival = arrivalOf(payload, settings, clock.now());
    if (arrival === undefined) return [200, 'passed over'];
    if (typeof arrival === 'string') {
      logger.warn('webhook_unreadable', { reason: arrival });
      return [422, arrival];
    }
    const { kind } = await desk.arrive(arrival);
    logger.info('webhook_ticket', { outcome: kind });
    return [200, kind];
  };

  /** Under one path of the web server. What the store could not take is answered with 503, so that the sender sends it again. */
  return (request: IncomingMessage, response: ServerResponse): void => {
    handle(request)
      .catch((error: unknown) => {
        logger.error('webhook_failed', { error: error as Error });
        return [503, 'try again later'] as const;
      })
      .then(([status, message]) => {
        response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
        response.end(JSON.stringify({ message }));
        // A body that is too large is not read to its end.
        if (status === 413) request.destroy();
      })
      .catch(() => {});
  };
};
