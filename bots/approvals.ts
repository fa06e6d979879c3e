/**
 * Approvals of one turn. The question is in the store before its card is posted; the run then ends, its conversation is given back,
 * and whoever claims the turn next finds what was decided. Cards are closed where they stand.
 */
import { createHash } from 'node:crypto';
import type { InboundMessage } from '../agent/conversation.ts';
import { AppError, hasCode } from '../agent/errors.ts';
import type { ApprovalRecord } from '../agent/ports/approval-store.ts';
import type { DecideOutcome, Gateway } from '../agent/ports/channel.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { Claim, Store } from '../agent/ports/store.ts';
import type { ApprovalDecision, ApprovalRequest } from '../agent/run.ts';
import { languageOf } from '../agent/texts.ts';
import { cardOf, cardPart, FIRST_CARD } from './approvals-card.ts';
import type { ApprovalPolicy } from './approvals-policy.ts';
import type { Delivery } from './delivery.ts';

export interface TurnApprovals {
  /**
   * What was decided about the call. Throws `AppError('approval_pending')` while nothing is, with the time that is left in
   * `retryAfterMs`; the card is due then.
   */
  ask(request: ApprovalRequest): Promise<ApprovalDecision>;
  /** Posts the card of the call that waits, unless it stands. One that the platform refuses withdraws the question. */
  post(delivery: Delivery): Promise<void>;
  /** Shows on the cards that stand what became of their calls. What still waits is left alone, or withdrawn when the turn is over. */
  close(delivery: Delivery, isOver: boolean): Promise<void>;
}

export interface TurnApprovalsOptions {
  readonly claim: Pick<Claim, 'turnId' | 'lease' | 'message'>;
  readonly store: Store;
  readonly policy: ApprovalPolicy;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** To decide, and then for the call to begin. */
export const VALID_MS = 10 * 60_000;

const sha256 = (...parts: readonly string[]): string => createHash('sha256').update(parts.join('\n')).digest('hex');

/** What the agreement is bound to. */
const hashOf = ({ tool, arguments: rendered }: ApprovalRequest): string => sha256(tool, rendered);

/** 80 bits: the record of a call with other arguments is another one. */
const idOf = (request: ApprovalRequest): string => sha256(request.id, hashOf(request)).slice(0, 20);

const pending = (waitMs: number): AppError =>
  new AppError('approval_pending', 'A person is asked about a call; the run goes on when it is decided.', {
    retryAfterMs: waitMs,
  });

export const createTurnApprovals = ({ claim, store, policy, clock, logger }: TurnApprovalsOptions): TurnApprovals => {
  const { turnId, lease, message } = claim;
  const language = languageOf(message.text);
  let waiting: ApprovalRecord | undefined;

  const decisionOf = (record: ApprovalRecord): ApprovalDecision | undefined => {
    if (record.outcome === 'withdrawn') return 'unavailable';
    // An agreement of long ago is none: much may have changed while the process was down.
    if (record.outcome === 'approved' && clock.now() >= (record.decidedAt ?? 0) + VALID_MS) return 'expired';
    return record.outcome ?? undefined;
  };

  const settle = async (record: ApprovalRecord, outcome: 'expired' | 'withdrawn'): Promise<ApprovalRecord> =>
    (await store.decideApproval(record.id, { outcome, decidedBy: null, now: clock.now() }))?.record ?? record;

  return {
    ask: async (request) => {
      const approvers = policy.approversOf(request.tool, message);
      if (approvers.length === 0) return 'unavailable';
      const { id: _call, ...shown } = request;
      const askedAt = clock.now();
      const expiresAt = askedAt + VALID_MS;
      const question = { ...shown, id: idOf(request), hash: hashOf(request), turnId, approvers, askedAt, expiresAt };
      const asked = await store.askApproval(lease, question);
      const isLate = asked.outcome === null && clock.now() >= asked.expiresAt;
      const record = isLate ? await settle(asked, 'expired') : asked;
      const decision = decisionOf(record);
      if (decision !== undefined) return decision;
      waiting = record;
      if (record.askedAt === askedAt) logger.info('approval_asked', { approvalId: record.id, tool: record.tool });
      throw pending(record.expiresAt - askedAt);
    },

    post: async (delivery) => {
      const record = waiting;
      if (record === undefined) return;
      const index = (await store.listApprovals(turnId)).findIndex(({ id }) => id === record.id);
      try {
        await delivery.postCard(FIRST_CARD + index, cardPart(cardOf(record, language)));
      } catch (error) {
        if (!hasCode(error, 'channel_rejected')) throw error;
        logger.error('approval_card_rejected', { approvalId: record.id, error });
        await settle(record, 'withdrawn');
        throw pending(0);
      }
    },

    close: async (delivery, isOver) => {
      for (const [index, record] of (await store.listApprovals(turnId)).entries()) {
        const ended = record.outcome === null && isOver ? await settle(record, 'withdrawn') : record;
        if (ended.outcome !== null) await delivery.closeCard(FIRST_CARD + index, cardPart(cardOf(ended, language)));
      }
    },
  };
};

/** The two that a channel calls when somebody clicks. */
export const createDecisions = (options: {
  readonly store: Store;
  readonly policy: ApprovalPolicy;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A turn may have fallen due. */
  readonly wake: () => void;
}): Pick<Gateway, 'decideApproval' | 'readApproval'> => {
  const { store, policy, clock, logger, wake } = options;

  const outcomeOf = ({ outcome }: ApprovalRecord, isNew: boolean): DecideOutcome => {
    if (outcome !== 'approved' && outcome !== 'denied') return 'over';
    return isNew ? outcome : `already_${outcome}`;
  };

  const readMessage = async (turnId: string): Promise<InboundMessage | undefined> => (await store.readTurn(turnId))?.message;

  return {
    decideApproval: async (id, userId, decision) => {
      const asked = await store.readApproval(id);
      if (asked === undefined) return 'over';
      if (!policy.mayDecide(asked.approvers, userId)) return 'not_yours';
      const decided = await store.decideApproval(id, { outcome: decision, decidedBy: userId, now: clock.now() });
      if (decided === undefined) return 'over';
      wake();
      const { record, isNew } = decided;
      if (isNew) logger.info('approval_decided', { approvalId: id, tool: record.tool, outcome: record.outcome, by: userId });
      return outcomeOf(record, isNew);
    },
    readApproval: async (id) => {
      const record = await store.readApproval(id);
      const message = record && (await readMessage(record.turnId));
      return record && message && cardOf(record, languageOf(message.text));
    },
  };
};
