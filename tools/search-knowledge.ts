/** The tool that finds passages of the knowledge base, under the labels that the answer's readers hold. */
import { z } from 'zod';
import type { Evidence } from '../agent/conversation.ts';
import type { JsonObject } from '../agent/json.ts';
import type { KnowledgeSearch } from '../agent/ports/knowledge.ts';
import type { Tool } from '../agent/ports/tool.ts';
import { cutMiddle } from '../agent/unicode.ts';

const MAX_QUERY_CHARS = 2_000;
const MAX_PASSAGES = 8;
/** So that all passages of a search stay well within a tool result. */
const MAX_PASSAGE_CHARS = 2_400;

const parameters = z.object({
  query: z
    .string()
    .trim()
    .min(1)
    .max(MAX_QUERY_CHARS)
    .describe('What to look for: the question in full, or its key words, in the language of the documents.'),
});

const shown = (item: Evidence): JsonObject => ({
  n: item.n,
  title: item.title,
  heading: item.headingPath.join(' > '),
  source: item.source,
  location: item.location,
  date: item.date,
  text: cutMiddle(item.text, MAX_PASSAGE_CHARS),
});

export const createSearchKnowledge = (deps: {
  readonly knowledge: KnowledgeSearch;
  /** Some documents are not for everyone. */
  readonly readsSensitive?: boolean;
}): Tool<z.infer<typeof parameters>> => ({
  name: 'search_knowledge',
  description:
    "Finds passages of the team's documents. Use it before answering any question about facts, products, rules or people. Each passage has a number n to cite as [n].",
  parameters,
  effect: 'read',
  readsUntrusted: true,
  readsSensitive: deps.readsSensitive ?? false,
  timeoutMs: 10_000,
  run: async ({ query }, { labels, signal, cite }) => {
    const outcome = await deps.knowledge.search({ query, labels, limit: MAX_PASSAGES, signal });
    return { documents: outcome.documents, passages: cite(outcome.passages).map(shown) };
  },
});
