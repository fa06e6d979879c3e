/** A file that goes with an answer: the rows of a long table, the picture of a chart. */
export interface Attachment {
  /** Of the file, with its ending: letters, digits, `-`, `_` and one dot. */
  readonly name: string;
  readonly mediaType: 'text/csv' | 'image/png';
  /** For whoever cannot see it: what it holds, in a sentence or two. */
  readonly description: string;
  readonly bytes: Uint8Array;
}
