/** What the local embedder and its process say to each other: one request at a time. Vectors stand one after the other. */
export interface ToEmbedder {
  readonly texts: readonly string[];
}

export type FromEmbedder =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'vectors'; readonly vectors: Float32Array };
