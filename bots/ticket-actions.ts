/** What a button of a ticket's card does, with what was chosen for it; and how its click is answered. */

import type { TicketButton, TicketCard } from '../agent/ports/ticket-board.ts';
import type { ActOutcome, ArriveOutcome, TicketAction, TicketDesk } from '../agent/ports/ticket-desk.ts';
import type { Ticket } from '../agent/ticket.ts';

const APPROVALS: ReadonlySet<TicketButton> = new Set(['article_approve', 'article_approve_private']);

/** The card whose lines did not fit: what was not shown whole is approved by nobody who looks at it. */
export const cutShort = (card: TicketCard): { readonly buttons: TicketCard['buttons']; readonly why: string } => {
  const buttons = card.buttons.filter(({ id }) => !APPROVALS.has(id));
  const isHeld = buttons.length < card.buttons.length;
  return { buttons, why: isHeld ? '\nThis is longer than a card shows: make it shorter to publish it.' : '' };
};

export const NO_TICKETS = 'Tickets are not set up here. An administrator finds how in docs/triage.md.';

export interface ChosenAction {
  readonly button: TicketButton;
  /** The person who clicked: `slack:U1`. */
  readonly userId: string;
  /** A draft's or an article's id, another ticket's, a category, a priority, minutes, or a person's id; empty where the button needs nothing. */
  readonly value: string;
  readonly now: number;
}

/** In place of a draft's id where the text is an answer in the team's own words. */
export const REPLY = 'reply';

/** An article's id, of which no draft's is one. */
export const isArticleId = (id: string): boolean => /^a\d+$/u.test(id);

/** What a dialog's text is for: all members of an incident without a draft's id, the asker, an article, or the draft. `key`: of the dialog. */
export const textAction = (draftId: string, text: string, key: string): TicketAction => {
  if (draftId === '') return { kind: 'tell_members', text };
  if (draftId === REPLY) return { kind: 'comment', commentId: key, text, isPublic: true };
  return isArticleId(draftId) ? { kind: 'article_edit', articleId: draftId, text } : { kind: 'draft_edit', draftId, text };
};

export const OTHER_WORDS_TAKEN =
  'What you wrote first was taken, and what you changed since was not: open the dialog anew to say more.';

const wordsOf = (action: TicketAction): string | undefined => ('text' in action ? action.text.trim() : undefined);

/** Of a dialog that came again: whether what it says now is what was taken of it. */
export const areWordsTaken = async (
  desk: Pick<TicketDesk, 'view'>,
  ticketId: string,
  userId: string,
  action: TicketAction,
): Promise<boolean> => {
  const view = await desk.view(ticketId, { userId, place: null });
  const words = wordsOf(action);
  return (view?.events ?? []).some(({ change }) => {
    switch (change.kind) {
      case 'commented':
        return action.kind === 'comment' && change.commentId === action.commentId && change.text.trim() === words;
      case 'incident_told':
        return action.kind === 'tell_members' && change.text.trim() === words;
      case 'draft_edited':
        return action.kind === 'draft_edit' && change.draftId === action.draftId && change.text.trim() === words;
      case 'article_changed':
        return action.kind === 'article_edit' && change.to.text === words;
      default:
        return false;
    }
  });
};

const PRIORITIES = ['urgent', 'high', 'normal', 'low'] as const;
const MAX_SNOOZE_MINUTES = 60 * 24 * 90;

/** Undefined where what came with the click is none of what the card offers. */
export const actionOf = ({ button, userId, value, now }: ChosenAction): TicketAction | undefined => {
  switch (button) {
    case 'assign_me':
      return { kind: 'assign', to: userId };
    case 'assign':
      return value === '' ? undefined : { kind: 'assign', to: value };
    case 'snooze': {
      const minutes = Number(value);
      const isSane = Number.isInteger(minutes) && minutes > 0 && minutes <= MAX_SNOOZE_MINUTES;
      return isSane ? { kind: 'snooze', until: now + minutes * 60_000 } : undefined;
    }
    case 'escalate':
      return { kind: 'escalate', reason: '' };
    case 'solve':
      return { kind: 'solve', resolution: '' };
    case 'close':
      return { kind: 'close' };
    case 'reopen':
      return { kind: 'reopen', reason: '' };
    case 'merge':
      return value === '' ? undefined : { kind: 'merge', into: value };
    case 'leave_incident':
      return { kind: 'leave_incident' };
    case 'unmerge':
      return { kind: 'unmerge' };
    case 'set_category':
      return value === '' ? undefined : { kind: 'set_category', category: value };
    case 'set_priority': {
      const priority = PRIORITIES.find((one) => one === value);
      return priority === undefined ? undefined : { kind: 'set_priority', priority };
    }
    case 'draft_send':
      return value === '' ? undefined : { kind: 'draft_send', draftId: value };
    case 'draft_drop':
      return value === '' ? undefined : { kind: 'draft_drop', draftId: value };
    case 'article_write':
      return { kind: 'article_write' };
    case 'article_approve':
    case 'article_approve_private': {
      const despitePrivate = button === 'article_approve_private';
      return value === '' ? undefined : { kind: 'article_approve', articleId: value, despitePrivate };
    }
    case 'article_audience': {
      const [articleId = '', label = ''] = value.split(' ');
      return label === '' ? undefined : { kind: 'article_audience', articleId, label };
    }
    case 'article_discard':
      return value === '' ? undefined : { kind: 'article_discard', articleId: value };
    case 'article_retract':
      return value === '' ? undefined : { kind: 'article_retract', articleId: value };
    // They change nothing, or ask for a text first.
    case 'show':
    case 'reply':
    case 'tell_members':
    case 'draft_edit':
    case 'article_edit':
      return undefined;
  }
};

export const PERSONS_ONLY = 'Only what a person wrote can become a ticket.';
export const NOTHING_ASKED = 'Nothing in it asks for help: no ticket was made.';

/** What whoever made a message a ticket is told alone. */
export const arrivedText = (outcome: ArriveOutcome): string => {
  switch (outcome.kind) {
    case 'opened':
      return `🎫 ${outcome.ticket.id} is made of it.`;
    case 'joined':
    case 'duplicate':
      return `🎫 ${outcome.ticket.id} has it already.`;
    case 'reopened':
      return `🎫 ${outcome.ticket.id} is open again with it.`;
    case 'not_a_ticket':
      return NOTHING_ASKED;
  }
};

/** What the clicker alone is told; undefined where the card says it. */
export const outcomeText = (outcome: ActOutcome): string | undefined => {
  switch (outcome.kind) {
    case 'done':
      return undefined;
    case 'repeated':
      return 'That was done already.';
    case 'not_allowed':
      return `This may be done by ${outcome.who}.`;
    case 'not_possible':
      return `Not possible: ${outcome.why}`;
    case 'not_found':
      return 'There is no such ticket, or it is not for you to see.';
  }
};

export interface Editable {
  readonly id: string;
  readonly text: string;
}

/** What the dialog of a button edits; undefined where that is gone. */
export const editableOf = (button: TicketButton, { draft, article }: Pick<Ticket, 'draft' | 'article'>): Editable | undefined =>
  (button === 'article_edit' ? article : draft) ?? undefined;
