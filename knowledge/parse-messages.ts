/** What the process that reads files and its parent say to each other. */

import { z } from 'zod';

/** A file's bytes come in pieces before its `parse`, so that no single message holds the sender. */
export type ParseRequest =
  | { readonly type: 'piece'; readonly bytes: Uint8Array }
  | { readonly type: 'parse'; readonly fileName: string; readonly maxTextCharacters: number };

const chunkSchema = z.object({
  headingPath: z.array(z.string()),
  location: z.string(),
  text: z.string(),
  words: z.string(),
  bigrams: z.string(),
});

export const parseReplySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('chunks'), chunks: z.array(chunkSchema) }),
  z.object({ type: z.literal('done'), title: z.string(), date: z.string().nullable() }),
  z.object({ type: z.literal('failed'), reason: z.string() }),
]);

export type ParseReply = z.infer<typeof parseReplySchema>;
export type ParsedChunk = Readonly<z.infer<typeof chunkSchema>>;
