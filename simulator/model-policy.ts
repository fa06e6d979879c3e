/** What the model says when no script tells it: it searches with the question, then answers from the passages, cited. */
import { overlapOf, termsOf } from '../agent/overlap.ts';
import { sentencesOf } from '../agent/sentences.ts';
import type { ScriptedReply } from './model-script.ts';

export interface ModelRequestBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly tools?: readonly { readonly function?: { readonly name?: string } }[];
}

export type ModelPolicy = (request: ModelRequestBody) => ScriptedReply;

interface ShownPassage {
  readonly n: number;
  readonly text: string;
}

const MAX_SENTENCES = 2;

const passagesIn = (content: unknown): ShownPassage[] => {
  if (typeof content !== 'string') return [];
  try {
    const { passages } = JSON.parse(content) as { passages?: unknown };
    if (!Array.isArray(passages)) return [];
    return passages.filter(
      (item: unknown): item is ShownPassage =>
        typeof (item as ShownPassage | null)?.n === 'number' && typeof (item as ShownPassage).text === 'string',
    );
  } catch {
    return [];
  }
};

export const answerFromPassages: ModelPolicy = ({ messages, tools }) => {
  const asked = messages.findLastIndex((message) => message.role === 'user');
  const question = String(messages[asked]?.content ?? '');
  const results = messages.slice(asked + 1).filter((message) => message.role === 'tool');
  const canSearch = tools?.some((tool) => tool.function?.name === 'search_knowledge') === true;
  if (results.length === 0 && canSearch) {
    return { calls: [{ name: 'search_knowledge', arguments: JSON.stringify({ query: question.slice(0, 1_000) }) }] };
  }
  const terms = termsOf(question);
  const best = results
    .flatMap((result) => passagesIn(result.content))
    .flatMap(({ n, text }) => sentencesOf(text).map((sentence) => ({ n, sentence, score: overlapOf(terms, termsOf(sentence)) })))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_SENTENCES);
  if (best.length === 0) return { text: '[unknown] The documents do not say.' };
  return { text: best.map(({ n, sentence }) => `${sentence} [${n}]`).join(' ') };
};
