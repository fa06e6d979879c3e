/**
 * Which of many tools a question is offered: those whose name, description, arguments and trigger phrases share its rarer words.
 * No model is asked; every tool stays callable, so that a wrong choice costs a step and not the answer.
 */
import { termsOf } from './overlap.ts';
import type { ToolSpec } from './ports/model-provider.ts';
import type { Tool } from './ports/tool.ts';

export interface ToolRouter {
  /** At most `limit` specs beside those that are always offered, in the order of registration. */
  select(text: string, limit: number): readonly ToolSpec[];
}

/** What a term is worth by where it stands. */
const WEIGHTS = { name: 3, triggers: 3, description: 2, parameters: 1 } as const;
/** Words that share so many letters at their beginning count as one: calculate, calculator. */
const STEM_LETTERS = 5;
/** A long field says each thing once more, not more: as in BM25, with b = 0.5. */
const LENGTH_SHARE = 0.5;

const words = (text: string): string[] =>
  [...termsOf(text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll(/[_.]/gu, ' '))].map((term) =>
    [...term].slice(0, STEM_LETTERS).join(''),
  );

const fieldTerms = (tool: Tool, spec: ToolSpec): Readonly<Record<keyof typeof WEIGHTS, readonly string[]>> => ({
  name: words(tool.name),
  triggers: words((tool.triggers ?? []).join(' ')),
  description: words(tool.description),
  parameters: words(JSON.stringify(spec.parameters)),
});

export const createRouter = (tools: readonly Tool[], specs: readonly ToolSpec[]): ToolRouter => {
  const documents = tools.map((tool, i) => fieldTerms(tool, specs[i] as ToolSpec));
  const documentCounts = new Map<string, number>();
  for (const fields of documents) {
    for (const term of new Set(Object.values(fields).flat())) documentCounts.set(term, (documentCounts.get(term) ?? 0) + 1);
  }
  const rarity = (term: string): number => Math.log(1 + tools.length / (documentCounts.get(term) ?? tools.length));
  const lengths = documents.map(({ description, parameters }) => description.length + parameters.length);
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const scoreOf = (asked: ReadonlySet<string>, index: number): number => {
    const fields = documents[index] as (typeof documents)[number];
    let score = 0;
    for (const [field, weight] of Object.entries(WEIGHTS)) {
      for (const term of new Set(fields[field as keyof typeof WEIGHTS])) if (asked.has(term)) score += weight * rarity(term);
    }
    return score / (1 - LENGTH_SHARE + LENGTH_SHARE * ((lengths[index] as number) / meanLength));
  };
  return {
    select: (text, limit) => {
      const asked = new Set(words(text));
      const chosen = new Set(
        tools
          .map((tool, index) => ({ index, always: tool.always === true, score: scoreOf(asked, index) }))
          .filter(({ always }) => !always)
          .sort((a, b) => b.score - a.score || a.index - b.index)
          .slice(0, limit)
          .map(({ index }) => index),
      );
      return specs.filter((_spec, index) => chosen.has(index) || tools[index]?.always === true);
    },
  };
};
