/** Threads as the page shows them: what the store holds, with what a running turn has so far. */

import type { JsonObject } from '../../agent/json.ts';
import type { Store, TurnSummary } from '../../agent/ports/store.ts';
import { languageOf, textsFor } from '../../agent/texts.ts';
import { cardFoot, cardOf, utcTime } from '../approvals-card.ts';
import { safeLine, sanitiseAnswer } from '../egress.ts';
import { escapeHtml, toHtml } from '../markdown-html.ts';

/** What a run has shown so far. `html` comes from our own serialiser, made when it is asked for. */
export interface LiveState {
  readonly kind: 'status' | 'partial';
  html(): string;
}

export const threadPrefix = (session: string): string => `web:${session}:`;
export const conversationOf = (session: string, thread: string): string => `${threadPrefix(session)}${thread}`;
export const userOf = (session: string): string => `web:${session}`;

/** Plain text as HTML, its line ends kept. */
export const plainHtml = (text: string): string =>
  `<p>${escapeHtml(text)
    .replace(/\n{2,}/gu, '</p><p>')
    .replace(/\n/gu, '<br>')}</p>`;

/** Rights may have changed since the answer was written: what it quotes is checked each time it is shown. */
const viewAnswer = (summary: TurnSummary, labels: readonly string[]): JsonObject => {
  const answer = summary.turn?.answer;
  if (answer === undefined) return {};
  const language = languageOf(summary.message.text);
  if (answer.citations.some(({ label }) => label !== undefined && !labels.includes(label))) {
    const html = plainHtml(textsFor(language).notAllowed);
    return { html, answered: false, stopReason: 'not_allowed', note: '', citations: [] };
  }
  const safe = sanitiseAnswer(answer);
  return {
    html: toHtml(safe.tree),
    answered: safe.answered,
    stopReason: safe.stopReason,
    note: safe.fallback ? textsFor(language).fallbackNote : '',
    citations: safe.citations.map((citation) => ({
      n: citation.n,
      title: citation.title,
      heading: citation.heading,
      source: citation.source,
      url: citation.url ?? null,
      location: citation.location,
      date: citation.date,
      quote: citation.quote,
      chunkId: citation.chunkId,
    })),
  };
};

/** A file reads what its run read: whoever may no longer read all of that does not see it. */
export const mayReadFiles = ({ turn }: TurnSummary, labels: readonly string[]): boolean =>
  turn !== null &&
  [...(turn.labels ?? []), ...turn.answer.citations.map(({ label }) => label)].every(
    (label) => label === undefined || labels.includes(label),
  );

/** Cards as the page shows them: whoever sees them there is their asker. */
const viewCards = async (store: Store, { turnId, message }: TurnSummary): Promise<JsonObject[]> => {
  const language = languageOf(message.text);
  const { title, you } = textsFor(language).approval;
  return (await store.listApprovals(turnId)).map((record) => {
    const card = cardOf(record, language);
    return {
      id: card.id,
      title: title(card.tool),
      words: card.words,
      details: card.details,
      foot: cardFoot(card, { person: () => you, time: utcTime }),
      isOpen: card.outcome === null,
    };
  });
};

export interface Threads {
  list(session: string): Promise<JsonObject[]>;
  read(session: string, thread: string): Promise<JsonObject[]>;
  view(summary: TurnSummary): Promise<JsonObject>;
}

export const createThreads = (
  store: Store,
  live: ReadonlyMap<string, LiveState>,
  labelsFor: (userId: string) => readonly string[],
): Threads => {
  const view: Threads['view'] = async (summary) => {
    const texts = textsFor(languageOf(summary.message.text));
    const isOpen = summary.turn === null && summary.state !== 'done';
    const state = live.get(summary.turnId);
    const labels = labelsFor(summary.message.scope.userId);
    const files = mayReadFiles(summary, labels) ? await store.listFiles(summary.turnId) : [];
    const feedback = summary.turn === null ? [] : await store.listFeedback(summary.turnId);
    const mine = feedback.filter(({ userId }) => userId === summary.message.scope.userId).at(-1);
    return {
      id: summary.message.address['question'] ?? summary.turnId,
      turnId: summary.turnId,
      question: summary.message.text,
      askedAt: summary.message.receivedAt,
      state: isOpen ? 'open' : summary.turn === null ? 'dropped' : 'answered',
      live: isOpen ? { kind: state?.kind ?? 'status', html: state?.html() ?? plainHtml(texts.placeholder) } : null,
      approvals: await viewCards(store, summary),
      feedback: mine === undefined ? null : { verdict: mine.verdict, reason: mine.reason },
      files: files.map(({ number, name, mediaType, description }) => ({
        number,
        name,
        mediaType,
        description: safeLine(description),
      })),
      ...viewAnswer(summary, labels),
    };
  };
  return {
    view,
    list: async (session) => {
      const prefix = threadPrefix(session);
      const conversations = await store.listConversations(userOf(session), 200);
      return conversations
        .filter(({ conversationId }) => conversationId.startsWith(prefix))
        .map(({ conversationId, title, updatedAt }) => ({
          id: conversationId.slice(prefix.length),
          title: safeLine(title),
          updatedAt,
        }));
    },
    read: async (session, thread) => Promise.all((await store.listTurns(conversationOf(session, thread))).map(view)),
  };
};
