/** The buttons and menus of tickets' cards, and the dialog of a draft. Who may not, and what came too late, is told to whoever acted. */
import type { WebClient } from '@slack/web-api';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import type { TicketButton } from '../../agent/ports/ticket-board.ts';
import type { TicketDesk } from '../../agent/ports/ticket-desk.ts';
import { escapeSlack } from '../markdown-slack.ts';
import { actionOf, areWordsTaken, editableOf, OTHER_WORDS_TAKEN, outcomeText, REPLY, textAction } from '../ticket-actions.ts';
import { personId } from './address.ts';
import type { Click } from './feedback.ts';
import { readTicketClick, type TicketClick, ticketBlocks, withPeople } from './ticket-blocks.ts';
import { draftView, readDraft, type SubmittedValues } from './ticket-draft.ts';
import { callSlack } from './web-client.ts';
import type { Whisper } from './whisper.ts';

export interface TicketClicks {
  onClick(click: Click & { readonly blockId: string; readonly chosen: string }): Promise<void>;
  /** Why the dialog's text was not taken; undefined where it was. */
  onDraft(input: {
    readonly userId: string;
    readonly metadata: string;
    readonly values: SubmittedValues;
    readonly viewId: string;
  }): Promise<string | undefined>;
}

export interface TicketClickOptions {
  readonly desk: TicketDesk;
  readonly client: WebClient;
  readonly whisper: Whisper;
  readonly clock: Clock;
  readonly logger: Logger;
}

const ASKS_FOR_TEXT: ReadonlySet<TicketButton> = new Set(['tell_members', 'reply', 'draft_edit', 'article_edit']);
const NOT_UNDERSTOOD = 'That was not understood; choose again.';
const DRAFT_GONE = 'That draft is gone.';
const NOTHING_WRITTEN = 'Nothing is written here yet.';
const NOT_KEPT = 'That could not be kept just now. What you wrote stays here: try again in a minute.';

const placeIdOf = ({ channelId }: Click): string => `slack:${channelId}`;

export const createTicketClicks = ({ desk, client, whisper, clock, logger }: TicketClickOptions): TicketClicks => {
  const personOf = (userId: string) => ({ kind: 'person', id: personId(userId) }) as const;

  /** Nobody writes for nothing, and nobody reads a draft who may not edit it. Undefined where the dialog stands open. */
  const openDialog = async (click: Click & { readonly chosen: string }, { ticketId, button }: TicketClick) => {
    const actor = personOf(click.userId);
    const view = await desk.view(ticketId, { userId: actor.id, place: null });
    if (view === undefined) return outcomeText({ kind: 'not_found' });
    const isEdit = button === 'draft_edit' || button === 'article_edit';
    const { id, text } = isEdit
      ? (editableOf(button, view.ticket) ?? { id: '', text: '' })
      : { id: button === 'reply' ? REPLY : '', text: '' };
    if (isEdit && (id === '' || id !== click.chosen)) return DRAFT_GONE;
    const placeId = placeIdOf(click);
    const refusal = await desk.refusalOf({ ticketId, action: textAction(id, text, ''), actor, source: 'slack', placeId });
    if (refusal !== undefined) return outcomeText(refusal);
    const modal = draftView({ ticketId, draftId: id, seenVersion: view.ticket.version, placeId }, text);
    if (modal === undefined)
      return `The draft is longer than a dialog holds (${text.length} characters): send it, or drop it and answer in the thread.`;
    await callSlack('views.open', () => client.views.open({ trigger_id: click.triggerId, view: modal }));
    return undefined;
  };

  const act = async (click: Click & { readonly chosen: string }, { ticketId, button, seenVersion, seenEpisode }: TicketClick) => {
    const { id: userId } = personOf(click.userId);
    const value = button === 'assign' ? personId(click.chosen) : click.chosen;
    const action = actionOf({ button, userId, value, now: clock.now() });
    if (action === undefined) return NOT_UNDERSTOOD;
    const seen = {
      ...(seenVersion === undefined ? {} : { seenVersion }),
      ...(seenEpisode === undefined ? {} : { seenEpisode }),
    };
    const key = `slack:${click.triggerId}`;
    const actor = personOf(click.userId);
    return outcomeText(await desk.act({ ticketId, action, actor, source: 'slack', key, placeId: placeIdOf(click), ...seen }));
  };

  /** The whole card with its buttons, to the clicker alone. */
  const show = async (click: Click, ticketId: string): Promise<void> => {
    const view = await desk.view(ticketId, { userId: personId(click.userId), place: null });
    if (view === undefined) await whisper(click, outcomeText({ kind: 'not_found' }) ?? '');
    else await whisper(click, escapeSlack(view.card.title), ticketBlocks(view.card));
  };

  return {
    onClick: async (click) => {
      const read = readTicketClick(click.actionId, click.blockId);
      if (read === undefined) return;
      if (read.button === 'show') return show(click, read.ticketId);
      const asksForText = ASKS_FOR_TEXT.has(read.button);
      const text = await (asksForText ? openDialog(click, read) : act(click, read));
      if (text !== undefined) await whisper(click, withPeople(text));
    },
    onDraft: async ({ userId, metadata, values, viewId }) => {
      const read = readDraft(metadata, values);
      if (read === undefined) return NOT_UNDERSTOOD;
      const { ticketId, draftId, text, seenVersion, placeId } = read;
      if (text.trim() === '') return NOTHING_WRITTEN;
      // Of the dialog: whatever is put right in it, it is taken once. What was refused was not.
      const key = `slack:${viewId}`;
      const action = textAction(draftId, text, key);
      // What is said through the desk does not stand in the asker's thread yet.
      const source = draftId === REPLY ? 'desk' : 'slack';
      try {
        const outcome = await desk.act({ ticketId, action, actor: personOf(userId), source, key, placeId, seenVersion });
        if (outcome.kind !== 'repeated') return outcomeText(outcome);
        return (await areWordsTaken(desk, ticketId, personId(userId), action)) ? undefined : OTHER_WORDS_TAKEN;
      } catch (error) {
        logger.error('slack_ticket_failed', { error: error as Error });
        return NOT_KEPT;
      }
    },
  };
};
