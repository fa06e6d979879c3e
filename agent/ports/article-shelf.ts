/** An article as the documents hold it. */
export interface ShelvedArticle {
  /** Of the ticket: one has at most one article among the documents. */
  readonly ticketId: string;
  /** Markdown whose first heading is the question; no citation markers. */
  readonly text: string;
  /** The audience label that whoever reads it must hold. */
  readonly label: string;
  /** Epoch ms of its approval: the date of the document. */
  readonly approvedAt: number;
}

/**
 * Approved articles among the documents. Each call is durable when it resolves, may be repeated, and changes what the next search finds.
 * Throws `AppError('store_*')`.
 */
export interface ArticleShelf {
  /** Replaces the ticket's article. Throws `AppError('document_unreadable')` for a text without words. */
  put(article: ShelvedArticle): Promise<void>;
  remove(ticketId: string): Promise<void>;
  /** The tickets that have one. */
  list(): Promise<readonly string[]>;
  /** Grows with each change of any document. */
  readRevision(): Promise<number>;
  /** Those of the sources that no document has. */
  findGone(sources: readonly string[]): Promise<readonly string[]>;
}
