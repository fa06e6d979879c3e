export interface IndexIdentity {
  readonly embedderId: string;
  readonly dimensions: number;
}

/** A row that waits for its vector. */
export interface Unembedded {
  readonly id: string;
  readonly text: string;
  readonly label: string;
}

/**
 * The vectors beside rows of text, which vector indexes are made from. All methods throw `AppError('store_*')` on failure. Writes
 * of one call are one transaction.
 */
export interface VectorStore {
  readIdentity(): Promise<IndexIdentity | undefined>;
  /** Sets the identity and drops all vectors made by another. */
  resetVectors(identity: IndexIdentity): Promise<void>;
  /** Rows that have no vector yet and are not marked unreadable, oldest first. */
  listUnembedded(limit: number): Promise<readonly Unembedded[]>;
  /** How many of them there are, by label. */
  countUnembedded(): Promise<ReadonlyMap<string, number>>;
  /**
   * Null marks a row that the embedder cannot read. Rows that vanished meanwhile are ignored, and those whose text is no longer
   * the one that the vector was made of.
   */
  putVectors(
    vectors: readonly { readonly id: string; readonly vector: Float32Array | null; readonly text?: string }[],
  ): Promise<void>;
  /** Every vector in pages of `limit`, ordered by id, after the given id. */
  listVectors(
    afterId: string,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly label: string; readonly vector: Float32Array }[]>;
  /** Grows with every change of rows or vectors, by whichever process. */
  readRevision(): Promise<number>;
}
