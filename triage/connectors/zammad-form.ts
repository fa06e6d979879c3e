/** What Zammad's answers hold, as far as it is used. https://docs.zammad.org/en/latest/api/ticket/index.html */
import { z } from 'zod';
import { textOfHtml } from './article-text.ts';
import type { HelpdeskAnswer } from './http.ts';

const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
/** Anything may stand in them. */
const marked = z.object({ threadwise: z.string().optional().catch(undefined) }).catch({});
export const ticketForm = z.object({
  id: z.number(),
  title: z.string(),
  state: z.string(),
  owner_id: z.number().nullable(),
  customer_id: z.number(),
  customer: z.string().nullish(),
  created_at: instant,
  updated_at: instant,
  preferences: marked,
});
export const articleForm = z.object({
  id: z.number(),
  body: z.string().nullish(),
  content_type: z.string().nullish(),
  type: z.string(),
  sender: z.string(),
  from: z.string().nullish(),
  reply_to: z.string().nullish(),
  message_id: z.string().nullish(),
  internal: z.boolean(),
  created_by_id: z.number(),
  origin_by_id: z.number().nullish(),
  created_at: instant,
  preferences: marked,
});
export type Ticket = z.infer<typeof ticketForm>;
export type Article = z.infer<typeof articleForm>;

export const wordsOf = (data: unknown): string | undefined => {
  const said = z.object({ error_human: z.string().optional(), error: z.string().optional() }).safeParse(data).data;
  return said?.error_human ?? said?.error;
};

/** Of the account or its token, not of this ticket alone: https://github.com/zammad/zammad/blob/develop/app/controllers/application_controller/authenticates.rb */
export const isOfAccount = ({ data }: HelpdeskAnswer): boolean => !/^not authorized$/i.test((wordsOf(data) ?? '').trim());
export const textOf = ({ body, content_type: type }: Article): string =>
  /^text\/html/i.test(type ?? '') ? textOfHtml(body ?? '') : (body ?? '').replaceAll('\r\n', '\n');
export const nameOf = (from: string | null | undefined): string => (from ?? '').replace(/\s*<[^>]*>\s*$/, '').replaceAll('"', '');
