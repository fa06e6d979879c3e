/** What Zendesk answers, as far as it is read. https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/#json-format */
import { z } from 'zod';
import type { SyncStatus } from './connector.ts';

/** `new` and `hold` are finer than what is kept in step; what is closed there can never be opened again, so nothing here closes it. */
export const STATUSES = {
  new: 'open',
  open: 'open',
  pending: 'waiting',
  hold: 'waiting',
  solved: 'solved',
  closed: 'solved',
} as const satisfies Record<string, SyncStatus>;
/** What a status is set to there. */
export const THEIRS = { open: 'open', waiting: 'pending', solved: 'solved', closed: 'solved' } as const satisfies Record<
  SyncStatus,
  string
>;

const ticketForm = z.object({
  id: z.number(),
  status: z.enum(['new', 'open', 'pending', 'hold', 'solved', 'closed']),
  subject: z.string().nullish(),
  description: z.string().nullish(),
  requester_id: z.number(),
  assignee_id: z.number().nullish(),
  external_id: z.string().nullish(),
  is_public: z.boolean().nullish(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type ZendeskTicket = z.infer<typeof ticketForm>;
const userForm = z.object({ id: z.number(), name: z.string().nullish(), role: z.string().nullish() });
export type ZendeskUser = z.infer<typeof userForm>;
const auditForm = z.object({
  created_at: z.iso.datetime(),
  metadata: z.object({ custom: z.looseObject({ threadwise: z.string().optional() }).nullish() }).nullish(),
  events: z.array(z.looseObject({ id: z.number(), type: z.string() })),
});
export type ZendeskAudit = z.infer<typeof auditForm>;
export const commentForm = z.object({
  id: z.number(),
  type: z.literal('Comment'),
  body: z.string(),
  public: z.boolean(),
  author_id: z.number(),
});
/** https://developer.zendesk.com/documentation/ticketing/reference-guides/ticket-audit-events-reference */
export const privacyForm = z.object({ type: z.literal('CommentPrivacyChange'), comment_id: z.number(), public: z.boolean() });
export const shownForm = z.object({ ticket: ticketForm, users: z.array(userForm).optional() });
export type ZendeskShown = z.infer<typeof shownForm>;
export const changedForm = z.object({ ticket: ticketForm, audit: auditForm.nullish() });
export const auditsForm = z.object({
  audits: z.array(auditForm),
  users: z.array(userForm).optional(),
  meta: z.object({ has_more: z.boolean(), after_cursor: z.string().nullish() }),
});
export const exportForm = z.object({
  tickets: z.array(z.object({ id: z.number(), generated_timestamp: z.number() })),
  after_cursor: z.string().nullish(),
  end_of_stream: z.boolean(),
});

export const ticketsForm = z.object({ tickets: z.array(ticketForm) });
export const meForm = z.object({ user: z.object({ role: z.string() }) });

const refusalForm = z.looseObject({
  error: z.union([z.string(), z.object({ title: z.string(), message: z.string() })]).optional(),
  description: z.string().optional(),
  details: z.record(z.string(), z.array(z.looseObject({ description: z.string().optional() }))).optional(),
});
export const wordsOf = (data: unknown): string | undefined => {
  const { success, data: said } = refusalForm.safeParse(data);
  if (!success) return undefined;
  const details = Object.values(said.details ?? {}).flatMap((all) => all.map(({ description }) => description));
  const error = typeof said.error === 'object' ? said.error.message : said.error;
  return [...(details.length > 0 ? details : [said.description ?? error])].filter((word) => word !== undefined).join('; ');
};
