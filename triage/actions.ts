/** What each action adds to its ticket, to another one, and to what is posted. Whether the ticket's state allows it, the events say. */

import type { TicketAction } from '../agent/ports/ticket-desk.ts';
import type { PlannedPost, TicketAppend } from '../agent/ports/ticket-store.ts';
import type { NewTicketEvent, Ticket, TicketActor, TicketChange } from '../agent/ticket.ts';
import { checkedArticle } from './article-text.ts';
import { isLive, joinPosts } from './incidents.ts';
import { sayInThread } from './say.ts';
import { textsOf } from './texts.ts';

export interface ActionInput {
  readonly ticket: Ticket;
  /** The other ticket of a merge, or the incident, as far as the actor may know of it. */
  readonly other: Ticket | undefined;
  /** Of an incident, for whatever is told to all. */
  readonly members: readonly Ticket[];
  readonly action: TicketAction;
  readonly actor: TicketActor;
  readonly source: string;
  readonly at: number;
}

export type Plan = { readonly appends: readonly TicketAppend[] } | { readonly why: string };

/** Said when its team is known. */
export const HAND_OFF_SLOT = 'hand_off:';

export const OTHERS_READ = 'the ticket is private, and others read its thread as well';

/** Asked whether it is solved, the asker says no while nobody had closed it: it goes on, and is not closed for silence. */
const saysUnsolved = (ticket: Ticket): TicketChange => ({
  kind: 'message_added',
  message: {
    deliveryId: `unsolved:${ticket.id}:${ticket.version}`,
    from: 'asker',
    author: ticket.author,
    text: textsOf(ticket).unsolved,
  },
});

/** The changes of the ticket itself; what concerns two tickets is below. */
const changesOf = ({ ticket, action, actor }: ActionInput): readonly TicketChange[] => {
  switch (action.kind) {
    case 'assign':
      return [{ kind: 'assigned', assignee: action.to }];
    case 'set_team':
      return [{ kind: 'team_set', team: action.team }];
    case 'set_priority':
      return [{ kind: 'priority_set', priority: action.priority }];
    case 'set_category':
      return [{ kind: 'category_set', category: action.category }];
    case 'set_privacy':
      return [{ kind: 'privacy_set', isPrivate: action.isPrivate }];
    case 'wait':
      return [{ kind: 'waiting' }];
    case 'resume':
      return [{ kind: ticket.status === 'snoozed' ? 'woken' : 'resumed' }];
    case 'snooze':
      return [{ kind: 'snoozed', until: action.until }];
    case 'escalate':
      return [{ kind: 'escalated', reason: action.reason }];
    case 'hand_off':
      return [
        { kind: 'handed_off', to: action.to, reason: action.reason },
        ...(action.to === null ? [] : [{ kind: 'assigned', assignee: action.to } as const]),
      ];
    case 'solve':
      return [{ kind: 'solved', resolution: action.resolution }];
    case 'close':
      return [
        {
          kind: 'closed',
          reason: actor.kind === 'outside' ? 'outside' : actor.id === ticket.author.id ? 'asker' : 'team',
        },
      ];
    case 'reopen':
      return isLive(ticket) && actor.id === ticket.author.id
        ? [saysUnsolved(ticket)]
        : [{ kind: 'reopened', reason: action.reason }];
    case 'comment':
      return [
        { kind: 'commented', commentId: action.commentId, text: action.text, isPublic: action.isPublic },
        ...(action.isPublic
          ? [
              {
                kind: 'message_added',
                message: {
                  deliveryId: `comment:${action.commentId}`,
                  from: actor.id === ticket.author.id ? 'asker' : 'team',
                  author: { id: actor.id, displayName: '' },
                  text: action.text,
                },
              } as const,
            ]
          : []),
      ];
    case 'tell_members':
      return [{ kind: 'incident_told', text: action.text }];
    case 'undelivered':
      return [{ kind: 'undelivered', slot: action.slot, why: action.why }];
    case 'draft_edit':
      return [{ kind: 'draft_edited', draftId: action.draftId, text: action.text }];
    case 'draft_send':
      return [
        ...(ticket.draft?.state === 'approved' ? [] : [{ kind: 'draft_approved', draftId: action.draftId } as const]),
        { kind: 'draft_sent', draftId: action.draftId },
        {
          kind: 'message_added',
          message: {
            deliveryId: `draft:${ticket.id}:${action.draftId}`,
            from: 'assistant',
            author: { id: 'assistant', displayName: '' },
            text: ticket.draft?.text ?? '',
          },
        },
      ];
    case 'draft_drop':
      return [{ kind: 'draft_dropped', draftId: action.draftId }];
    case 'article_write':
      return [{ kind: 'article_wanted' }];
    case 'article_approve':
      return [{ kind: 'article_approved', articleId: action.articleId, despitePrivate: action.despitePrivate }];
    case 'article_edit':
    case 'article_audience': {
      const { text = '', label = '' } = { ...ticket.article, ...action };
      const to = { id: `a${ticket.version + 1}`, text: checkedArticle(text), label };
      return [{ kind: 'article_changed', articleId: action.articleId, to }];
    }
    case 'article_discard':
      return [{ kind: 'article_discarded', articleId: action.articleId }];
    case 'article_retract':
      return [{ kind: 'article_retracted', articleId: action.articleId }];
    case 'merge':
    case 'unmerge':
    case 'join_incident':
    case 'leave_incident':
      return [];
  }
};

const postsOf = ({ ticket, action, actor, source }: ActionInput): readonly PlannedPost[] => {
  const texts = textsOf(ticket);
  const next = ticket.version + 1;
  const say = (slot: string, text: string) => sayInThread(ticket, slot, { kind: 'note', text });
  switch (action.kind) {
    case 'solve':
      return actor.id === ticket.author.id ? [] : say(`solved:${next}`, texts.solved);
    case 'reopen':
      return say(`reopened:${next}`, texts.reopened);
    case 'comment':
      // What was written in the thread stands there.
      return action.isPublic && !ticket.threadId.startsWith(`${source}:`)
        ? sayInThread(ticket, `comment:${action.commentId}`, { kind: 'note', text: action.text, byPerson: true })
        : [];
    case 'draft_send':
      return ticket.draft === null
        ? []
        : sayInThread(ticket, `draft:${action.draftId}`, {
            kind: 'answer',
            text: ticket.draft.text,
            citations: ticket.draft.citations,
          });
    default:
      return [];
  }
};

/** What the members of an incident are told of an action on it; undefined for nothing. */
const toldOf = ({ ticket, action }: ActionInput): ((member: Ticket) => readonly PlannedPost[]) | undefined => {
  if (ticket.incident === null) return undefined;
  const slot = `incident:${ticket.id}:${ticket.version + 1}`;
  if (action.kind === 'tell_members')
    return (member) => sayInThread(member, slot, { kind: 'note', text: textsOf(member).incidentTold(action.text) });
  const isEnd = action.kind === 'solve' || (action.kind === 'close' && ticket.status !== 'solved');
  if (!isEnd) return undefined;
  const resolution = action.kind === 'solve' ? action.resolution.trim() : '';
  return (member) =>
    sayInThread(member, slot, {
      kind: 'note',
      text: textsOf(member).incidentOver(resolution),
      asksSolved: true,
      episode: member.episode,
    });
};

/** Pure. `why` where the action makes no sense for these tickets. */
export const planAction = (input: ActionInput): Plan => {
  const { ticket, other, members, action, actor, source, at } = input;
  const append = (to: Ticket, changes: readonly TicketChange[], posts: readonly PlannedPost[] = []): TicketAppend => ({
    ticketId: to.id,
    expectedVersion: to.version,
    events: changes.map((change): NewTicketEvent => ({ at, actor, source, change })),
    posts,
  });
  if (action.kind === 'merge') {
    if (other === undefined) return { why: `${action.into} was expected to be another ticket, such as T17; there is none.` };
    if (other.id === ticket.id) return { why: `${ticket.id} and ${action.into} are one ticket already.` };
    if (ticket.isPrivate && !other.isPrivate)
      return { why: `${ticket.id} is private and ${other.id} is not: what is private stays so.` };
    return {
      appends: [
        append(ticket, [{ kind: 'merged_into', ticketId: other.id }]),
        append(other, [{ kind: 'merge_taken', ticketId: ticket.id }]),
      ],
    };
  }
  if (action.kind === 'unmerge') {
    // The events refuse what is not merged, unless the click was counted before.
    if (other === undefined) return { appends: [append(ticket, [{ kind: 'unmerged', ticketId: ticket.mergedInto ?? '' }])] };
    return {
      appends: [
        append(ticket, [{ kind: 'unmerged', ticketId: other.id }]),
        append(other, [{ kind: 'merge_given_back', ticketId: ticket.id }]),
      ],
    };
  }
  if (action.kind === 'join_incident') {
    if (other?.incident == null)
      return { why: `${action.incidentId} was expected to be an incident, such as T17; there is none.` };
    if (ticket.isPrivate !== other.isPrivate)
      return { why: `${ticket.id} and ${other.id} were expected to be both private or both public.` };
    return {
      appends: [
        {
          ...append(ticket, [{ kind: 'incident_joined', incidentId: other.id }]),
          posts: joinPosts(ticket, other.id, other.incident.statusText),
        },
        append(other, [{ kind: 'incident_member_added', ticketId: ticket.id }]),
      ],
    };
  }
  if (action.kind === 'leave_incident') {
    if (other === undefined) return { why: `${ticket.id} was expected to be in an incident; it is in none.` };
    return {
      appends: [
        append(ticket, [{ kind: 'incident_left', incidentId: other.id }]),
        ...(other.status === 'merged' ? [] : [append(other, [{ kind: 'incident_member_removed', ticketId: ticket.id }])]),
      ],
    };
  }
  const [told, posts] = [toldOf(input), postsOf(input)];
  const isAnswer = action.kind === 'draft_send' || action.kind === 'comment';
  // A helpdesk has said it already: the ticket tells that it did not reach the asker.
  if (isAnswer && actor.kind !== 'outside' && ticket.isPrivate && posts.some(({ target }) => !target.isPrivate))
    return { why: `${OTHERS_READ}: turn to the asker directly, or make it public again.` };
  return {
    appends: [
      append(ticket, changesOf(input), posts),
      ...(told === undefined ? [] : members.map((member) => append(member, [], told(member)))),
    ],
  };
};
