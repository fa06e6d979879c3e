/** What is significant, by the form of the words: what learning goes by unless a test gives it other rules. */
import type { Significance } from './learn.ts';
import { holdsSecret, scrubSecrets } from './secrets.ts';
import { findObservations } from './significance.ts';
import { contradicts } from './significance-contradiction.ts';
import { isSameObservation } from './significance-merge.ts';
import { isErrand, isOverride } from './significance-orders.ts';
import { detectStanding } from './standing.ts';

export const RULES: Significance = {
  findObservations,
  detectStanding,
  isSameObservation,
  contradicts,
  scrubSecrets,
  holdsSecret,
  isUnfit: (text) => isOverride(text) || isErrand(text),
};
