/** The dialog in which a draft is edited, an article, or what is told to an asker or to all members of an incident. */
import { type APIModalInteractionResponseCallbackData, ComponentType, TextInputStyle } from 'discord.js';

import { cutText } from '../question.ts';
import { isArticleId, REPLY } from '../ticket-actions.ts';
import { joinDraft, splitDraft } from '../ticket-draft.ts';
import { controlId, type TicketControl } from './ticket-card.ts';

/** https://docs.discord.com/developers/components/reference#text-input */
const MAX_INPUT = 4_000;
const MAX_PARTS = 5;
/** Leaves room in each field for what is added. */
const MAX_PART = 3_500;
const MAX_MODAL_TITLE = 45;
const MAX_LABEL = 45;
const INPUT = 'draft';

const titleOf = (draftId: string): string => {
  if (draftId === '') return 'Incident';
  if (isArticleId(draftId)) return 'Article of';
  return draftId === REPLY ? 'Answer to' : 'Draft for';
};

const labelOf = (draftId: string): string => {
  if (draftId === '') return 'What all of them will read';
  return isArticleId(draftId) ? 'First line: the question; then the answer' : 'The answer, as the asker will read it';
};

/** Spaces and line breaks before a field, told again by its id. */
const glueName = (glue: string): string => [...glue].map((character) => (character === '\n' ? 'n' : 's')).join('');
const glueOf = (name: string): string => [...name].map((letter) => (letter === 'n' ? '\n' : ' ')).join('');

/** What the dialog is for, as in `textAction`, without the id of the click that opened it. */
export const dialogDetail = (detail: string): string => detail.replace(/~[^~]*$/u, '');

/** Undefined where the text is longer than a dialog holds. `detail`: as in `textAction`. `dialogId`: of this one alone. */
export const draftDialog = (
  { ticketId, detail, seenVersion, dialogId }: Omit<TicketControl, 'button'> & { readonly dialogId: string },
  text: string,
): APIModalInteractionResponseCallbackData | undefined => {
  const { parts, glues } = splitDraft(text, MAX_PART);
  if (parts.length > MAX_PARTS) return undefined;
  const button = detail === '' ? 'tell_members' : 'draft_edit';
  const label = labelOf(detail);
  return {
    custom_id: controlId(button, {
      ticketId,
      detail: `${detail}~${dialogId}`,
      ...(seenVersion === undefined ? {} : { seenVersion }),
    }),
    title: cutText(`${titleOf(detail)} ${ticketId}`, MAX_MODAL_TITLE),
    components: parts.map((part, n) => ({
      type: ComponentType.ActionRow,
      components: [
        {
          type: ComponentType.TextInput,
          custom_id: n === 0 ? INPUT : `${INPUT}:${n}:${glueName(glues[n - 1] ?? '')}`,
          label: n === 0 ? label : cutText(`… ${n + 1} of ${parts.length}`, MAX_LABEL),
          style: TextInputStyle.Paragraph,
          max_length: MAX_INPUT,
          ...(part === '' ? {} : { value: part }),
          // Of several fields any may be emptied.
          required: parts.length === 1,
        },
      ],
    })),
  };
};

/** The text of a submitted dialog, from its fields in the order they stand in. */
export const readDraft = (fields: readonly { readonly customId: string; readonly value: string }[]): string => {
  const inputs = fields.filter(({ customId }) => customId.split(':')[0] === INPUT);
  return joinDraft({
    parts: inputs.map(({ value }) => value),
    glues: inputs.slice(1).map(({ customId }) => glueOf(customId.split(':')[2] ?? '')),
  }).trim();
};
