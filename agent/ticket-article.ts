/**
 * What a solved ticket teaches: an article that a person approves and that then stands among the documents. Each change of its text or
 * its readers gives it another id, so that an approval is of what was seen and of nothing else.
 */
import type { Citation } from './conversation.ts';
import type { Ticket, TicketChange } from './ticket.ts';

/**
 * `stale`: what it stood on is gone, or its ticket became private after it was published; out of the knowledge base until a person
 * approves it anew. `retracted`: a person took it out.
 */
export type ArticleState = 'proposed' | 'approved' | 'published' | 'discarded' | 'retracted' | 'stale';

export interface TicketArticle {
  /** Of this text for these readers. */
  readonly id: string;
  /** Markdown: the question as its heading, then the answer. Personal data and secrets are taken out. */
  readonly text: string;
  /** Documents that say it as well, or that it leans on; markers in the text point into them. */
  readonly citations: readonly Citation[];
  /** The audience label of its readers. */
  readonly label: string;
  /** `model`: a language model wrote it from the thread. `extract`: the asker's question and the team's own words. */
  readonly by: 'model' | 'extract';
}

export interface ArticleOnTicket extends TicketArticle {
  readonly state: ArticleState;
  /** It may stand among the documents: from the approval until it is known to be taken out. */
  readonly isShelved: boolean;
  /** Sources that no document has any more. */
  readonly gone: readonly string[];
  /** Whoever approved it was warned that the ticket is private. */
  readonly despitePrivate: boolean;
}

export type ArticleChange =
  /** Somebody wishes one. */
  | { readonly kind: 'article_wanted' }
  /** The documents have the answer already. */
  | { readonly kind: 'article_needless' }
  | { readonly kind: 'article_proposed'; readonly article: TicketArticle }
  | { readonly kind: 'article_changed'; readonly articleId: string; readonly to: Pick<TicketArticle, 'id' | 'text' | 'label'> }
  /** `despitePrivate`: whoever approves was warned that the ticket is private. */
  | { readonly kind: 'article_approved'; readonly articleId: string; readonly despitePrivate: boolean }
  | { readonly kind: 'article_published'; readonly articleId: string }
  | { readonly kind: 'article_discarded'; readonly articleId: string }
  | { readonly kind: 'article_retracted'; readonly articleId: string }
  /** `gone`: sources; empty where the ticket became private. */
  | { readonly kind: 'article_stale'; readonly articleId: string; readonly gone: readonly string[] }
  /** It stands among the documents no more. */
  | { readonly kind: 'article_withdrawn'; readonly articleId: string };

export const isArticleChange = (change: TicketChange): change is ArticleChange => change.kind.startsWith('article_');

/** A card has room for it whole: nothing is approved that was not shown. */
export const MAX_ARTICLE_CHARS = 2_000;

/** The question, and what is said under it. */
export const partsOfArticle = (text: string): { readonly title: string; readonly body: string } => {
  const [first = '', ...rest] = text.trim().split('\n');
  return { title: first.replace(/^#+\s*/u, '').trim(), body: rest.join('\n').trim() };
};

/** It waits for a person to approve it. */
export const isArticleOpen = ({ state }: ArticleOnTicket): boolean =>
  state === 'proposed' || state === 'stale' || state === 'retracted';

type ArticleFields = Pick<Ticket, 'article' | 'articleNeed'>;

/** A string says why the change may not come now. */
export const applyArticle = (ticket: Ticket, change: ArticleChange): Partial<ArticleFields> | string => {
  const article = ticket.article ?? null;
  const isOver = ticket.status === 'solved' || ticket.status === 'closed';
  if (change.kind === 'article_wanted' || change.kind === 'article_needless' || change.kind === 'article_proposed') {
    if (!isOver) return 'of a ticket that is solved, closed';
    if (article !== null && (article.isShelved || article.state === 'proposed')) return 'of a ticket that has no other article';
    if (change.kind !== 'article_proposed') return { articleNeed: change.kind === 'article_wanted' ? 'wanted' : 'none' };
    return {
      article: { ...change.article, state: 'proposed', isShelved: false, gone: [], despitePrivate: false },
      articleNeed: 'none',
    };
  }
  if (article === null || article.id !== change.articleId) return 'for the article as it is now';
  const now = (state: ArticleState, over: Partial<ArticleOnTicket> = {}) => ({ article: { ...article, ...over, state } });
  switch (change.kind) {
    case 'article_changed':
      return isArticleOpen(article) ? now(article.state, change.to) : 'of one that waits for approval';
    case 'article_approved': {
      if (!isArticleOpen(article)) return 'once';
      if (!isOver) return 'of a ticket that is solved, closed';
      if (ticket.isPrivate && !change.despitePrivate) return 'of a private ticket only by somebody who was warned of that';
      if (partsOfArticle(article.text).body === '') return 'of an article that has an answer';
      const citations = article.citations.filter(({ source }) => !article.gone.includes(source));
      return now('approved', { isShelved: true, citations, gone: [], despitePrivate: change.despitePrivate });
    }
    case 'article_published':
      return article.state === 'approved' ? now('published') : 'after an approval';
    case 'article_discarded':
      return isArticleOpen(article) ? now('discarded') : 'of one that waits for approval';
    case 'article_retracted':
      return article.state === 'approved' || article.state === 'published' ? now('retracted') : 'of one that was approved';
    case 'article_stale':
      return article.state === 'approved' || article.state === 'published'
        ? now('stale', { gone: change.gone })
        : 'of one that was approved';
    case 'article_withdrawn':
      return article.state !== 'approved' && article.state !== 'published'
        ? now(article.state, { isShelved: false })
        : 'of one that is not to be read';
  }
};
