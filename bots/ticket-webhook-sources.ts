/**
 * How the helpdesks that send webhooks sign them and where their payloads keep what a ticket needs: facts of their public documentation.
 * A pointer is a JSON pointer (RFC 6901); of several the first one that is there counts.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { JsonValue } from '../agent/json.ts';

export interface WebhookMapping {
  /** Of the ticket or issue; several are joined, so that numbers of two projects do not meet. */
  readonly ticket: readonly string[];
  /** Of the message in it, where the payload is about one. */
  readonly message: readonly string[];
  readonly subject: readonly string[];
  readonly text: readonly string[];
  readonly author: readonly string[];
  readonly authorName: readonly string[];
  readonly url: readonly string[];
  /** Fields that rules read, by name. */
  readonly fields: Readonly<Record<string, string>>;
  /** What must stand there: everything else is acknowledged and passed over. */
  readonly only: Readonly<Record<string, readonly string[]>>;
  /** What must not stand there, as text: notes for agents alone are passed over. */
  readonly except: Readonly<Record<string, readonly string[]>>;
}

/** Headers in lower case. */
export interface SignedBody {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

export interface WebhookSource {
  /** Whether the secret signed it. */
  verify(signed: SignedBody, secret: string): boolean;
  /** When it was signed, epoch ms; undefined where the sender signs no time. */
  sentAt(signed: SignedBody, payload: JsonValue): number | undefined;
  readonly mapping: WebhookMapping;
}

const headerOf = ({ headers }: SignedBody, name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

const isEqual = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

const hmac = (
  algorithm: 'sha256' | 'sha1',
  secret: string,
  encoding: 'hex' | 'base64',
  ...parts: readonly (string | Buffer)[]
): string => {
  const made = createHmac(algorithm, secret);
  for (const part of parts) made.update(part);
  return made.digest(encoding);
};

const NONE: WebhookMapping = {
  ticket: [],
  message: [],
  subject: [],
  text: [],
  author: [],
  authorName: [],
  url: [],
  fields: {},
  only: {},
  except: {},
};

/** The body alone is signed. */
const overBody = (header: string, prefix: string, algorithm: 'sha256' | 'sha1'): Pick<WebhookSource, 'verify' | 'sentAt'> => ({
  verify: (signed, secret) => isEqual(headerOf(signed, header), `${prefix}${hmac(algorithm, secret, 'hex', signed.body)}`),
  sentAt: () => undefined,
});

const secondsOf = (signed: SignedBody, header: string): number | undefined => {
  const value = headerOf(signed, header);
  const at = /^\d{9,11}$/u.test(value) ? Number(value) * 1_000 : Date.parse(value);
  return Number.isNaN(at) ? 0 : at;
};

/** The secret itself stands in a header: for senders that cannot sign. */
const byToken: Pick<WebhookSource, 'verify' | 'sentAt'> = {
  verify: (signed, secret) => isEqual(headerOf(signed, 'x-threadwise-token'), secret),
  sentAt: () => undefined,
};

export const WEBHOOK_SOURCES = {
  /** Ours: `X-Signature: sha256=HEX` over the time in `X-Timestamp` (epoch seconds), a dot and the body. */
  generic: {
    verify: (signed, secret) =>
      isEqual(
        headerOf(signed, 'x-signature'),
        `sha256=${hmac('sha256', secret, 'hex', `${headerOf(signed, 'x-timestamp')}.`, signed.body)}`,
      ),
    sentAt: (signed) => secondsOf(signed, 'x-timestamp'),
    mapping: {
      ...NONE,
      ticket: ['/id'],
      message: ['/message_id'],
      subject: ['/subject'],
      text: ['/text'],
      author: ['/author'],
      authorName: ['/author_name'],
      url: ['/url'],
    },
  },
  /** https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
  github: {
    ...overBody('x-hub-signature-256', 'sha256=', 'sha256'),
    mapping: {
      ...NONE,
      ticket: ['/repository/full_name', '/issue/number'],
      message: ['/comment/id'],
      subject: ['/issue/title'],
      text: ['/comment/body', '/issue/body'],
      author: ['/comment/user/login', '/issue/user/login'],
      url: ['/issue/html_url'],
      only: { '/action': ['opened', 'created'] },
    },
  },
  /** https://developer.zendesk.com/documentation/webhooks/verifying/ */
  zendesk: {
    verify: (signed, secret) =>
      isEqual(
        headerOf(signed, 'x-zendesk-webhook-signature'),
        hmac('sha256', secret, 'base64', headerOf(signed, 'x-zendesk-webhook-signature-timestamp'), signed.body),
      ),
    sentAt: (signed) => secondsOf(signed, 'x-zendesk-webhook-signature-timestamp'),
    mapping: {
      ...NONE,
      ticket: ['/detail/id'],
      message: ['/event/comment/id'],
      subject: ['/detail/subject'],
      text: ['/event/comment/body', '/detail/description'],
      author: ['/event/comment/author/id', '/detail/requester_id'],
      authorName: ['/event/comment/author/name'],
      only: { '/type': ['zen:event-type:ticket.created', 'zen:event-type:ticket.comment_added'] },
      except: { '/event/comment/is_public': ['false'] },
    },
  },
  /** Its automations send their standard content with headers of one's own. */
  freshdesk: {
    ...byToken,
    mapping: {
      ...NONE,
      ticket: ['/freshdesk_webhook/ticket_id'],
      subject: ['/freshdesk_webhook/ticket_subject'],
      text: ['/freshdesk_webhook/ticket_description'],
      author: ['/freshdesk_webhook/ticket_requester_email'],
      authorName: ['/freshdesk_webhook/ticket_requester_name'],
      url: ['/freshdesk_webhook/ticket_url'],
    },
  },
  /** https://docs.zammad.org/en/latest/system/integrations/webhooks.html */
  zammad: {
    ...overBody('x-hub-signature', 'sha1=', 'sha1'),
    mapping: {
      ...NONE,
      ticket: ['/ticket/id'],
      message: ['/article/id'],
      subject: ['/ticket/title'],
      text: ['/article/body'],
      author: ['/article/created_by/email', '/article/from'],
      authorName: ['/article/from'],
      except: { '/article/internal': ['true'] },
    },
  },
  chatwoot: {
    ...byToken,
    mapping: {
      ...NONE,
      ticket: ['/conversation/id'],
      message: ['/id'],
      text: ['/content'],
      author: ['/sender/id'],
      authorName: ['/sender/name'],
      only: { '/event': ['message_created'], '/message_type': ['incoming'] },
      except: { '/private': ['true'] },
    },
  },
  /** https://developer.atlassian.com/cloud/jira/platform/webhooks/ */
  jira: {
    ...overBody('x-hub-signature', 'sha256=', 'sha256'),
    mapping: {
      ...NONE,
      ticket: ['/issue/key'],
      message: ['/comment/id'],
      subject: ['/issue/fields/summary'],
      text: ['/comment/body', '/issue/fields/description'],
      author: ['/comment/author/accountId', '/issue/fields/reporter/accountId'],
      authorName: ['/comment/author/displayName', '/issue/fields/reporter/displayName'],
      url: ['/issue/self'],
      only: { '/webhookEvent': ['jira:issue_created', 'comment_created'] },
      except: { '/comment/jsdPublic': ['false'], '/comment/visibility/type': ['role', 'group'] },
    },
  },
  /** https://linear.app/developers/webhooks */
  linear: {
    ...overBody('linear-signature', '', 'sha256'),
    sentAt: (_signed, payload) => {
      const at = valueAt(payload, '/webhookTimestamp');
      return typeof at === 'number' ? at : 0;
    },
    mapping: {
      ...NONE,
      ticket: ['/data/issueId', '/data/id'],
      message: ['/data/id'],
      subject: ['/data/title'],
      text: ['/data/body', '/data/description'],
      author: ['/actor/id', '/data/userId', '/data/creatorId'],
      authorName: ['/actor/name'],
      url: ['/url'],
      only: { '/action': ['create'], '/type': ['Issue', 'Comment'] },
    },
  },
} as const satisfies Record<string, WebhookSource>;

export type WebhookSourceName = keyof typeof WEBHOOK_SOURCES;

/** RFC 6901. Undefined for what is not there, and for what only the prototype has. */
export function valueAt(payload: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = payload;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, JsonValue>)[name];
  }
  return value;
}
