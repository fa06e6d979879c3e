/** The helpdesks and forms that send webhooks, as their documentation has them. */
import { createHmac } from 'node:crypto';
import type { JsonValue } from '../../agent/json.ts';
import type { WebhookSettings } from '../../bots/ticket-webhook.ts';
import type { WebhookSourceName } from '../../bots/ticket-webhook-sources.ts';

export const SECRET = 'a secret of sixteen and more';
export const webhookSettings = (from: WebhookSourceName, over: Partial<WebhookSettings> = {}): WebhookSettings => ({
  name: 'acme',
  from,
  secret: { reveal: () => SECRET },
  mapping: {},
  ...over,
});
const sign = (algorithm: 'sha256' | 'sha1', encoding: 'hex' | 'base64', ...parts: readonly string[]): string => {
  const made = createHmac(algorithm, SECRET);
  for (const part of parts) made.update(part);
  return made.digest(encoding);
};
/** Epoch seconds at which they were signed. */
export const SIGNED_AT_S = 1_700_000_000;

/** What each sender sends of one ticket and of a comment on it, and the headers that sign a body. */
export const SENDERS: Readonly<
  Record<
    WebhookSourceName,
    {
      readonly ticket: JsonValue;
      readonly comment: JsonValue;
      readonly other: JsonValue | undefined;
      readonly id: string;
      readonly headers: (body: string) => Readonly<Record<string, string>>;
    }
  >
> = {
  generic: {
    ticket: { id: 7, subject: 'Kettle', text: 'It leaks.', author: 'u1', author_name: 'Ada', url: 'https://a.example/7' },
    comment: { id: 7, message_id: 2, text: 'Still.', author: 'u1' },
    other: undefined,
    id: '7',
    headers: (body) => ({
      'x-timestamp': `${SIGNED_AT_S}`,
      'x-signature': `sha256=${sign('sha256', 'hex', `${SIGNED_AT_S}.`, body)}`,
    }),
  },
  github: {
    ticket: {
      action: 'opened',
      repository: { full_name: 'acme/shop' },
      issue: { number: 12, title: 'Kettle', body: 'It leaks.', user: { login: 'u1' }, html_url: 'https://a.example/12' },
    },
    comment: {
      action: 'created',
      repository: { full_name: 'acme/shop' },
      issue: { number: 12, title: 'Kettle', body: 'It leaks.', user: { login: 'u1' } },
      comment: { id: 99, body: 'Still.', user: { login: 'u1' } },
    },
    other: { action: 'labeled', repository: { full_name: 'acme/shop' }, issue: { number: 12 } },
    id: 'acme/shop#12',
    headers: (body) => ({ 'x-hub-signature-256': `sha256=${sign('sha256', 'hex', body)}` }),
  },
  zendesk: {
    ticket: {
      type: 'zen:event-type:ticket.created',
      detail: { id: '7', subject: 'Kettle', description: 'It leaks.', requester_id: '1' },
    },
    comment: {
      type: 'zen:event-type:ticket.comment_added',
      detail: { id: '7', requester_id: '1' },
      event: { comment: { id: '2', body: 'Still.', author: { id: '1', name: 'Ada' } } },
    },
    other: { type: 'zen:event-type:ticket.tags_changed', detail: { id: '7' } },
    id: '7',
    headers: (body) => {
      const at = new Date(SIGNED_AT_S * 1_000).toISOString();
      return {
        'x-zendesk-webhook-signature-timestamp': at,
        'x-zendesk-webhook-signature': sign('sha256', 'base64', at, body),
      };
    },
  },
  freshdesk: {
    ticket: { freshdesk_webhook: { ticket_id: 7, ticket_subject: 'Kettle', ticket_description: 'It leaks.' } },
    comment: { freshdesk_webhook: { ticket_id: 7, ticket_subject: 'Kettle', ticket_description: 'It leaks.' } },
    other: undefined,
    id: '7',
    headers: () => ({ 'x-threadwise-token': SECRET }),
  },
  zammad: {
    ticket: { ticket: { id: 7, title: 'Kettle' }, article: { id: 1, body: 'It leaks.', from: 'Ada' } },
    comment: { ticket: { id: 7, title: 'Kettle' }, article: { id: 2, body: 'Still.', from: 'Ada' } },
    other: undefined,
    id: '7',
    headers: (body) => ({ 'x-hub-signature': `sha1=${sign('sha1', 'hex', body)}` }),
  },
  chatwoot: {
    ticket: {
      event: 'message_created',
      message_type: 'incoming',
      id: 1,
      content: 'It leaks.',
      sender: { id: 1, name: 'Ada' },
      conversation: { id: 7 },
    },
    comment: {
      event: 'message_created',
      message_type: 'incoming',
      id: 2,
      content: 'Still.',
      sender: { id: 1, name: 'Ada' },
      conversation: { id: 7 },
    },
    other: { event: 'message_created', message_type: 'outgoing', id: 3, content: 'We look.', conversation: { id: 7 } },
    id: '7',
    headers: () => ({ 'x-threadwise-token': SECRET }),
  },
  jira: {
    ticket: {
      webhookEvent: 'jira:issue_created',
      issue: {
        key: 'SUP-7',
        fields: { summary: 'Kettle', description: 'It leaks.', reporter: { accountId: '1', displayName: 'Ada' } },
      },
    },
    comment: {
      webhookEvent: 'comment_created',
      issue: { key: 'SUP-7', fields: { summary: 'Kettle' } },
      comment: { id: '2', body: 'Still.', author: { accountId: '1', displayName: 'Ada' } },
    },
    other: { webhookEvent: 'jira:issue_deleted', issue: { key: 'SUP-7' } },
    id: 'SUP-7',
    headers: (body) => ({ 'x-hub-signature': `sha256=${sign('sha256', 'hex', body)}` }),
  },
  linear: {
    ticket: {
      action: 'create',
      type: 'Issue',
      data: { id: 'i7', title: 'Kettle', description: 'It leaks.' },
      actor: { id: '1', name: 'Ada' },
      webhookTimestamp: SIGNED_AT_S * 1_000,
    },
    comment: {
      action: 'create',
      type: 'Comment',
      data: { id: 'c2', issueId: 'i7', body: 'Still.' },
      actor: { id: '1', name: 'Ada' },
      webhookTimestamp: SIGNED_AT_S * 1_000,
    },
    other: { action: 'update', type: 'Issue', data: { id: 'i7' }, webhookTimestamp: SIGNED_AT_S * 1_000 },
    id: 'i7',
    headers: (body) => ({ 'linear-signature': sign('sha256', 'hex', body) }),
  },
};
