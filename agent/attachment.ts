/**
 * Files that go with an answer. What a call attached belongs to its result: a call that failed, timed out or was refused attached
 * nothing, and a run that is taken up again has what its journaled calls attached.
 */
import { AppError } from './errors.ts';

const ENDINGS = { 'text/csv': '.csv', 'image/png': '.png' } as const;
export const MEDIA_TYPES = ['text/csv', 'image/png'] as const satisfies readonly (keyof typeof ENDINGS)[];

/** A file that goes with an answer: the rows of a long table, the picture of a chart. */
export interface Attachment {
  /** Of the file, with its ending: letters, digits, `-`, `_` and one dot. */
  readonly name: string;
  readonly mediaType: (typeof MEDIA_TYPES)[number];
  /** For whoever cannot see it: what it holds, in a sentence or two. */
  readonly description: string;
  readonly bytes: Uint8Array;
}

/** Of one turn. */
export const MAX_FILES = 5;
export const MAX_FILE_BYTES = 1024 * 1024;
/** The shortest limit of the platforms is Slack's for `alt_txt`. */
export const MAX_DESCRIPTION_CHARS = 1_000;

const NAME = /^[\p{L}\p{M}\p{N}_-]{1,60}\.[a-z]{3}$/u;
/** https://www.w3.org/TR/png-3/#3PNGsignature */
const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

const problemOf = ({ name, mediaType, description, bytes }: Attachment): string | undefined => {
  if (!MEDIA_TYPES.includes(mediaType)) return `expected text/csv or image/png, got ${JSON.stringify(mediaType)}`;
  if (!NAME.test(name) || !name.endsWith(ENDINGS[mediaType])) {
    return `expected a name of 1 to 60 letters, digits, - and _ with the ending ${ENDINGS[mediaType]}, got ${JSON.stringify(name)}`;
  }
  if (description.trim() === '' || description.length > MAX_DESCRIPTION_CHARS) {
    return `expected a description of 1 to ${MAX_DESCRIPTION_CHARS} characters, got ${description.length}`;
  }
  if (mediaType === 'image/png' && PNG_SIGNATURE.some((byte, at) => bytes[at] !== byte)) {
    return 'expected a picture that begins as a PNG does, got something else';
  }
  return undefined;
};

/** What one try of a call attaches. */
export interface AttachmentDraft {
  /** Throws `AppError('tool_failed')` for a file of another shape, `AppError('tool_too_large')` beyond the limits, and when the try is over. */
  attach(file: Attachment): void;
  /** The call succeeded: what it attached. Nothing can be attached after it. */
  keep(): readonly Attachment[];
  /** The try failed: nothing was attached. Called again, it does nothing. */
  drop(): void;
}

/** The files of one run. */
export interface AttachmentRoom {
  /** Files of calls that were made in an earlier life of the run take their room. */
  restore(files: readonly Attachment[]): void;
  draft(): AttachmentDraft;
}

export const createAttachmentRoom = (): AttachmentRoom => {
  let taken = 0;
  return {
    restore: (files) => {
      taken += files.length;
    },
    draft: () => {
      const files: Attachment[] = [];
      let isOver = false;
      return {
        attach: (file) => {
          if (isOver) throw new AppError('tool_failed', 'Expected a file before the call ended, got it afterwards.');
          const problem = problemOf(file);
          if (problem !== undefined) throw new AppError('tool_failed', `A file of the answer: ${problem}.`);
          if (file.bytes.byteLength > MAX_FILE_BYTES) {
            throw new AppError(
              'tool_too_large',
              `A file may have ${MAX_FILE_BYTES} bytes, this one has ${file.bytes.byteLength}. Ask for less.`,
            );
          }
          if (taken >= MAX_FILES) {
            throw new AppError('tool_too_large', `An answer may have ${MAX_FILES} files, and has them. Answer with these.`);
          }
          taken += 1;
          // Whoever made it may use its memory for something else.
          files.push({ ...file, bytes: Uint8Array.from(file.bytes) });
        },
        keep: () => {
          isOver = true;
          return files;
        },
        drop: () => {
          if (isOver) return;
          isOver = true;
          taken -= files.length;
        },
      };
    },
  };
};
