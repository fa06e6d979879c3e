/**
 * The model that needs no key: it asks for the search tool (or the calculator) and answers with the sentences of the
 * passages that support an answer best, word for word, or says that there is none. It speaks the same port as a language
 * model and goes through the same loop.
 */

import { z } from 'zod';
import { looksLikeArithmetic } from '../agent/arithmetic.ts';
import { withoutMarkers } from '../agent/citations.ts';
import type { JsonObject } from '../agent/json.ts';
import type { ChatMessage } from '../agent/messages.ts';
import type { ModelProvider, ModelRequest, ModelTurn } from '../agent/ports/model-provider.ts';
import { RECALL_TOOL } from '../agent/recalled.ts';
import { languageOf, type Texts, textsFor } from '../agent/texts.ts';
import type { FoundPassage } from './extractive-candidates.ts';
import { chartAskedIn } from './extractive-chart.ts';
import { contextOf, partsOf, wantedOf } from './extractive-follow-up.ts';
import { answerFromNotes, type Note, notesOf } from './extractive-notes.ts';
import type { QueryMatch } from './extractive-queries.ts';
import { queryAnswer, queryFailure } from './extractive-query-answer.ts';
import { createReader, type ReadText } from './extractive-reader.ts';
import { MAX_EXCERPTS, type Selection, selectExcerpts } from './extractive-select.ts';
import { serviceAnswer } from './extractive-service-answer.ts';
import { otherWordsOf } from './extractive-terms.ts';
import { readJson } from './read-json.ts';

const QUERY_TOOL = 'query_database';
const CHART_TOOL = 'chart';

const searchResult = z.object({
  documents: z.number(),
  passages: z.array(
    z.object({
      n: z.number(),
      title: z.string(),
      heading: z.string(),
      location: z.string(),
      date: z.string().nullable(),
      text: z.string(),
    }),
  ),
});
const solved = z.object({
  ok: z.literal(true),
  expression: z.string(),
  value: z.string(),
  rounded: z.string().optional(),
  unit: z.string().optional(),
  currency: z.string().optional(),
  weekday: z.string().optional(),
  angle: z.string().optional(),
  note: z.string().optional(),
});
const isDrawn = (content: unknown): boolean => z.object({ chart: z.string() }).safeParse(content).success;
const calculation = z.union([solved, z.object({ ok: z.literal(false), kind: z.string(), reason: z.string() })]);

/** Support above which other words are not searched for. */
const SURE = 0.85;
const MAX_QUERY_LENGTH = 1500;
const GREETING = /^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening)|你好|您好|嗨|早上好|下午好|晚上好)[\s!.,。！，~]*$/i;
const THANKS = /^\s*(?:thanks|thank you|thx|cheers|great|ok|okay|谢谢|多谢|好的|感谢)[\s!.,。！，~]*$/i;

interface Exchange {
  readonly question: string;
  /** Earlier questions, newest first. */
  readonly earlier: readonly string[];
  readonly isFirst: boolean;
  readonly searches: readonly string[];
  readonly results: readonly { readonly callId: string; readonly name: string; readonly content: string }[];
  /** What people here pinned, said earlier or had remembered. */
  readonly notes: readonly Note[];
  readonly read: ReadText;
}

const exchangeOf = (messages: readonly ChatMessage[], read: ReadText): Exchange => {
  const at = messages.findLastIndex((message) => message.role === 'user');
  const since = messages.slice(at + 1);
  const before = messages.slice(0, Math.max(at, 0));
  const results = since.flatMap((message) => (message.role === 'tool' ? [message] : []));
  return {
    question: messages[at]?.content ?? '',
    earlier: before.flatMap((message) => (message.role === 'user' ? [message.content] : [])).reverse(),
    isFirst: !before.some((message) => message.role === 'assistant'),
    searches: since.flatMap((message) =>
      message.role === 'assistant'
        ? message.toolCalls.filter(({ name }) => name !== RECALL_TOOL).map((call) => call.arguments)
        : [],
    ),
    results: results.filter(({ name }) => name !== RECALL_TOOL),
    notes: notesOf(messages),
    read,
  };
};

const queryOf = (exchange: Exchange, broadened: boolean): string => {
  const asked = [exchange.question, ...contextOf(exchange.question, exchange.earlier)].join(' ');
  const query = broadened ? `${asked} ${otherWordsOf(asked).join(' ')}` : asked;
  return query.slice(0, MAX_QUERY_LENGTH).toWellFormed();
};

const say = (text: string, answered: boolean): ModelTurn => ({
  text,
  toolCalls: [],
  finishReason: 'stop',
  usage: { inputTokens: 0, outputTokens: 0 },
  model: 'extractive',
  answered,
});

const call = (name: string, args: JsonObject): ModelTurn => ({
  text: '',
  toolCalls: [{ name, arguments: JSON.stringify(args) }],
  finishReason: 'tool_calls',
  usage: { inputTokens: 0, outputTokens: 0 },
  model: 'extractive',
});

const calculated = (content: string, texts: Texts): ModelTurn => {
  const result = calculation.safeParse(readJson(content));
  if (!result.success) return say(texts.failed, false);
  if (!result.data.ok) return say(texts.refusedCalculation(result.data.reason, result.data.kind), true);
  return say(shown(result.data, texts), true);
};

const shown = (result: z.infer<typeof solved>, texts: Texts): string => {
  const { expression, value, rounded, unit = '', currency = '', weekday, angle, note } = result;
  const figure = `${currency}${rounded ?? value}${unit === '' || unit === '%' || unit.startsWith('/') ? unit : ` ${unit}`}`;
  const told = weekday === undefined ? figure : `${figure} (${texts.weekday(weekday)})`;
  const read = expression === figure ? '' : `${expression} ${rounded === undefined ? '=' : '≈'} `;
  const notes = [angle, note].filter((text) => text !== undefined).join('; ');
  return `${read}**${told}**${notes === '' ? '' : `\n\n*${notes}*`}`;
};

/** The rows beside their picture: it may not reach everyone. */
const drawn = (exchange: Exchange, content: string, texts: Texts): ModelTurn => {
  const rows = exchange.results.findLast(({ name }) => name === QUERY_TOOL);
  const answer = queryAnswer(readJson(rows?.content ?? ''), texts) ?? texts.failed;
  return say(isDrawn(readJson(content)) ? answer : `${answer}\n\n*${texts.chartFailed}*`, true);
};

const passagesOf = (exchange: Exchange): { readonly passages: readonly FoundPassage[]; readonly documents: number } => {
  const found = new Map<number, FoundPassage>();
  let documents = 0;
  for (const result of exchange.results) {
    const parsed = searchResult.safeParse(readJson(result.content));
    if (!parsed.success) continue;
    documents = Math.max(documents, parsed.data.documents);
    for (const passage of parsed.data.passages) found.set(passage.n, passage);
  }
  return { passages: [...found.values()], documents };
};

/** A double question is answered part by part, as far as the parts are; each leans on the one before where it must. */
const selectFor = (exchange: Exchange, passages: readonly FoundPassage[]): Selection => {
  const parts = partsOf(exchange.question);
  const selections = parts.map((part, index) => {
    const earlier = [...parts.slice(0, index).reverse(), ...exchange.earlier];
    return selectExcerpts(wantedOf(part, contextOf(part, earlier)), passages, exchange.read);
  });
  const excerpts = selections
    .flatMap((selection) => (parts.length > 1 ? selection.excerpts.slice(0, 1) : selection.excerpts))
    .filter(({ n, text }, at, all) => all.findIndex((other) => other.n === n && other.text === text) === at);
  return { excerpts: excerpts.slice(0, MAX_EXCERPTS), support: Math.min(...selections.map((selection) => selection.support)) };
};

const sayNoted = ({ question, earlier, notes }: Exchange, texts: Texts): ModelTurn | undefined => {
  const text = answerFromNotes(wantedOf(question, contextOf(question, earlier)), notes, texts);
  return text === undefined ? undefined : say(text, true);
};

const answerFrom = (exchange: Exchange, texts: Texts, mayBroaden: boolean): ModelTurn => {
  const { passages, documents } = passagesOf(exchange);
  if (documents === 0) return sayNoted(exchange, texts) ?? say(texts.knowledgeEmpty, false);
  const context = contextOf(exchange.question, exchange.earlier);
  const { excerpts, support } = selectFor(exchange, passages);
  if (support < SURE && mayBroaden && otherWordsOf([exchange.question, ...context].join(' ')).length > 0)
    return call('search_knowledge', { query: queryOf(exchange, true) });
  if (excerpts.length > 0) {
    const quoted = excerpts.map(({ text, n }) => `${withoutMarkers(text)} [${n}]`).join('\n\n');
    return say(exchange.isFirst ? `${quoted}\n\n*${texts.connectModel}*` : quoted, true);
  }
  const noted = sayNoted(exchange, texts);
  if (noted !== undefined) return noted;
  const titles = [...new Set(passages.map((passage) => passage.title))].slice(0, 3);
  return say(
    [texts.notKnown(''), titles.length === 0 ? '' : texts.nearestDocuments(titles), texts.whatWouldHelp]
      .filter(Boolean)
      .join(' '),
    false,
  );
};

/** `findQuery` finds the named query, or the tool of a service, that a question asks for, where there are any. */
export const createExtractiveProvider = ({
  findQuery,
}: {
  readonly findQuery?: (question: string) => QueryMatch | undefined;
} = {}): ModelProvider => {
  const read = createReader();
  return {
    id: 'extractive',
    async ask(request: ModelRequest, { signal, onText }): Promise<ModelTurn> {
      signal.throwIfAborted();
      const exchange = exchangeOf(request.messages, read);
      const texts = textsFor(languageOf(exchange.question));
      const can = (name: string): boolean => request.tools.some((tool) => tool.name === name);
      const descriptionOf = (name: string): string => request.tools.find((tool) => tool.name === name)?.description ?? '';
      const turn = ((): ModelTurn => {
        const last = exchange.results.at(-1);
        const asked = chartAskedIn(exchange.question);
        const rows = last?.name === QUERY_TOOL ? queryAnswer(readJson(last.content), texts) : undefined;
        if (rows !== undefined && asked !== undefined && can(CHART_TOOL))
          return call(CHART_TOOL, {
            result: last?.callId ?? '',
            ...(asked.kind === undefined ? {} : { kind: asked.kind }),
          });
        if (rows !== undefined) return say(rows, true);
        if (last?.name === CHART_TOOL) return drawn(exchange, last.content, texts);
        const failed = last?.name === QUERY_TOOL ? queryFailure(readJson(last.content), texts) : undefined;
        if (failed !== undefined) return say(failed, false);
        if (last?.name === QUERY_TOOL && can('search_knowledge'))
          return call('search_knowledge', { query: queryOf(exchange, false) });
        if (last?.name === 'calculator') return calculated(last.content, texts);
        const service = last === undefined ? undefined : serviceAnswer(readJson(last.content), descriptionOf(last.name), texts);
        // Another tool's failure says nothing of where the answer is.
        if (service !== undefined && (service.answered || last?.name === findQuery?.(exchange.question)?.tool))
          return say(service.text, service.answered);
        if (last !== undefined) return answerFrom(exchange, texts, can('search_knowledge') && exchange.searches.length === 1);
        if (GREETING.test(exchange.question)) return say(texts.greeting, true);
        if (THANKS.test(exchange.question)) return say(texts.welcome, true);
        const expression = looksLikeArithmetic(exchange.question);
        if (expression !== undefined && can('calculator')) return call('calculator', { expression });
        const query = findQuery?.(asked?.rest ?? exchange.question);
        if (query?.tool !== undefined && can(query.tool)) return call(query.tool, query.parameters);
        if (query !== undefined && can(QUERY_TOOL)) return call(QUERY_TOOL, { query: query.query, parameters: query.parameters });
        if (can('search_knowledge')) return call('search_knowledge', { query: queryOf(exchange, false) });
        return say(`${texts.notKnown('')} ${texts.whatWouldHelp}`, false);
      })();
      if (turn.text !== '') onText?.(turn.text);
      return turn;
    },
  };
};
