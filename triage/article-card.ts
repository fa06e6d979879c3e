/** A ticket's article as a card: the whole text that would be published, for whom, and what it rests on. */
import type { TicketButton, TicketCard } from '../agent/ports/ticket-board.ts';
import type { Ticket } from '../agent/ticket.ts';
import { type ArticleOnTicket, type ArticleState, isArticleOpen, partsOfArticle } from '../agent/ticket-article.ts';
import { BUTTONS } from './card.ts';

const STATES: Readonly<Record<ArticleState, string>> = {
  proposed: 'waits for approval',
  approved: 'approved, about to be published',
  published: 'published',
  discarded: 'discarded',
  retracted: 'retracted: no answer knows it',
  stale: 'out of date: no answer knows it',
};

const warningsOf = ({ isPrivate, status }: Ticket, article: ArticleOnTicket): readonly string[] => [
  ...(isPrivate && isArticleOpen(article)
    ? [
        `⚠ The ticket is private. Whoever may read ${article.label} will read this. Names, addresses and numbers were taken out by rules that can miss some: read it whole before you publish it.`,
      ]
    : []),
  ...(article.gone.length > 0 ? [`No longer among the documents: ${article.gone.join(', ')}. Is it still true?`] : []),
  ...(article.state === 'published' && status !== 'solved' && status !== 'closed'
    ? ['The ticket was opened again since: is it still true?']
    : []),
];

const buttonsOf = (ticket: Ticket, article: ArticleOnTicket, labels: readonly string[]): readonly TicketButton[] => {
  if (article.state === 'approved' || article.state === 'published') return ['article_retract'];
  if (!isArticleOpen(article)) return [];
  const isComplete = partsOfArticle(article.text).body !== '';
  const isOver = ticket.status === 'solved' || ticket.status === 'closed';
  const approve = ticket.isPrivate ? ('article_approve_private' as const) : ('article_approve' as const);
  return [
    ...(isComplete && isOver ? [approve] : []),
    'article_edit',
    ...(labels.length > 1 ? (['article_audience'] as const) : []),
    'article_discard',
  ];
};

/** What stands behind a choice of readers: the choice is for this text alone. */
export const audienceValue = (articleId: string, label: string): string => `${articleId} ${label}`;

/** Null where the ticket has none. */
export const articleCardOf = (ticket: Ticket, labels: readonly string[]): TicketCard | null => {
  const article = ticket.article ?? null;
  if (article === null) return null;
  const { title, body } = partsOfArticle(article.text);
  return {
    ticketId: ticket.id,
    version: ticket.version,
    title: `Article of ${ticket.id} · ${title}`,
    mood: isArticleOpen(article) ? 'attention' : article.state === 'published' ? 'done' : 'calm',
    fields: [
      { name: 'State', value: STATES[article.state] },
      { name: 'Readers', value: article.label },
      { name: 'Words', value: article.by === 'model' ? 'of a language model' : 'of the thread' },
    ],
    lines: [
      ...warningsOf(ticket, article),
      ...(body === '' ? ['The team wrote no answer in the thread: edit this to write one.'] : body.split('\n')),
      ...article.citations.map(({ n, title: name, source }) => `[${n}] ${name} (${source})`),
    ],
    categories: labels.map((label) => ({ id: audienceValue(article.id, label), name: label })),
    buttons: buttonsOf(ticket, article, labels).map((id) => ({
      id,
      label: id === 'article_approve' ? `${BUTTONS[id]} for ${article.label}` : BUTTONS[id],
      draftId: article.id,
    })),
  };
};
