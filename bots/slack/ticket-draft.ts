/** The dialog in which a draft is edited, an answer is written, or what all members of an incident are told. */
import type { InputBlock, ModalView } from '@slack/types';
import { isArticleId, REPLY } from '../ticket-actions.ts';
import { joinDraft, splitDraft } from '../ticket-draft.ts';

export const DRAFT_VIEW = 'threadwise_ticket_draft';
const DRAFT_BLOCK = 'threadwise_ticket_draft_block';
const DRAFT_INPUT = 'threadwise_ticket_draft_input';
/** https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element */
const MAX_INPUT = 3_000;
/** Leaves room in each field for what is added. */
const MAX_PART = 2_400;
/** More than that is over the size of a view. */
const MAX_PARTS = 30;

/** What the dialog carries to its end. It comes back from outside, so it is read with care. */
export interface DraftDialog {
  readonly ticketId: string;
  /** As in `textAction`. */
  readonly draftId: string;
  /** Of the ticket, when its draft was put into the dialog. */
  readonly seenVersion: number;
  /** Where its button was. */
  readonly placeId: string;
}

const WORDS = {
  tell: { title: 'Incident', submit: 'Tell all', label: 'What all of them will read' },
  reply: { title: 'Answer to', submit: 'Send', label: 'The answer, as the asker will read it' },
  article: { title: 'Article of', submit: 'Keep', label: 'The question on the first line, then the answer' },
  draft: { title: 'Draft for', submit: 'Keep', label: 'The answer, as the asker will read it' },
};

const wordsOf = (draftId: string): keyof typeof WORDS => {
  if (draftId === '') return 'tell';
  if (draftId === REPLY) return 'reply';
  return isArticleId(draftId) ? 'article' : 'draft';
};

export type SubmittedValues = Readonly<Record<string, Readonly<Record<string, { value?: string | null }>>>>;

/** Undefined where the text is longer than a dialog holds. */
export const draftView = ({ ticketId, draftId, seenVersion, placeId }: DraftDialog, text: string): ModalView | undefined => {
  const { parts, glues } = splitDraft(text, MAX_PART);
  if (parts.length > MAX_PARTS) return undefined;
  const { title, submit, label } = WORDS[wordsOf(draftId)];
  return {
    type: 'modal',
    callback_id: DRAFT_VIEW,
    private_metadata: JSON.stringify([ticketId, draftId, seenVersion, placeId, glues]),
    title: { type: 'plain_text', text: `${title} ${ticketId}`.slice(0, 24) },
    submit: { type: 'plain_text', text: submit },
    blocks: parts.map(
      (part, n): InputBlock => ({
        type: 'input',
        block_id: `${DRAFT_BLOCK}:${n}`,
        // Of several fields any may be emptied.
        optional: parts.length > 1,
        label: { type: 'plain_text', text: parts.length === 1 ? label : `${label} (${n + 1} of ${parts.length})` },
        element: {
          type: 'plain_text_input',
          action_id: `${DRAFT_INPUT}${n === 0 ? '' : `_${n}`}`,
          multiline: true,
          max_length: MAX_INPUT,
          ...(part === '' ? {} : { initial_value: part }),
        },
      }),
    ),
  };
};

/** Undefined for what was not made here. */
export const readDraft = (metadata: string, values: SubmittedValues): (DraftDialog & { readonly text: string }) | undefined => {
  let read: unknown;
  try {
    read = JSON.parse(metadata);
  } catch {
    return undefined;
  }
  const [ticketId, draftId, seenVersion, placeId, glues]: unknown[] = Array.isArray(read) ? read : [];
  const isRead =
    typeof ticketId === 'string' &&
    typeof draftId === 'string' &&
    typeof seenVersion === 'number' &&
    typeof placeId === 'string' &&
    Array.isArray(glues) &&
    glues.every((glue) => typeof glue === 'string');
  if (!isRead) return undefined;
  const parts = Array.from({ length: glues.length + 1 }, (_, n) => {
    const [input] = Object.values(values[`${DRAFT_BLOCK}:${n}`] ?? {});
    return input?.value ?? '';
  });
  return { ticketId, draftId, seenVersion, placeId, text: joinDraft({ parts, glues }) };
};
