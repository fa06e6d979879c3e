/**
 * Status and assignee are compared three ways: ours, theirs, and both as they were when they were last compared. What differs and was
 * not changed since stays as it is: a conflict that waits for a person, a change that the other side refused.
 */

export interface FieldBase<T> {
  readonly ours: T;
  readonly theirs: T;
  /** The ticket's version when they were compared. */
  readonly version: number;
}

export type FieldDecision = 'same' | 'stands' | 'push' | 'take' | 'conflict';

export interface FieldState<T> {
  readonly ours: T;
  readonly theirs: T;
  readonly base: FieldBase<T>;
  /** The event that made ours what it is; 0 where it is as the ticket began. */
  readonly changedAt: number;
  /** Ours is what it is because of something that came from them: that never goes back. */
  readonly isOursFromThem: boolean;
}

export const decideField = <T extends string | null>({
  ours,
  theirs,
  base,
  changedAt,
  isOursFromThem,
}: FieldState<T>): FieldDecision => {
  if (ours === theirs) return 'same';
  // Where they stood apart, saying the same again is a decision.
  const didOursChange = ours !== base.ours || (base.ours !== base.theirs && changedAt > base.version);
  const didTheirsChange = theirs !== base.theirs;
  if (didOursChange && isOursFromThem) return 'take';
  if (didOursChange) return didTheirsChange ? 'conflict' : 'push';
  return didTheirsChange ? 'take' : 'stands';
};
