/** What a question that is not taken is answered with. */

import type { Answer, Refusal } from '../agent/conversation.ts';
import type { Texts } from '../agent/texts.ts';

export const refusalText = (refusal: Refusal, texts: Texts): string => {
  switch (refusal.reason) {
    case 'rate_limited':
      return texts.rateLimited(refusal.waitSeconds, refusal.questionsPerMinute);
    case 'too_long':
      return texts.questionTooLong(refusal.length, refusal.limit);
    case 'members_only':
      return texts.guestsRefused;
    case 'not_allowed':
      return texts.notAllowed;
  }
};

const STOP_REASONS = {
  rate_limited: 'rate_limited',
  too_long: 'question_too_long',
  members_only: 'not_allowed',
  not_allowed: 'not_allowed',
} as const satisfies Record<Refusal['reason'], Answer['stopReason']>;

export const stopReasonOf = (refusal: Refusal): Answer['stopReason'] => STOP_REASONS[refusal.reason];
