/** What is looked at after a kill loop: the same for every platform. */

import assert from 'node:assert/strict';
import type { Note } from './fake-platform.ts';
import type { KillLoopResult } from './kill-loop.ts';

const MIN_BOUNDARIES = 14;

export interface Standing {
  /** The texts that stand where the trial's answer belongs, in order. */
  readonly textsOf: (trial: number) => readonly string[];
  readonly expectedTexts: (trial: number) => readonly string[];
  /** How many messages of the assistant stand anywhere. */
  readonly count: number;
  readonly notes: readonly Note[];
}

/** Model calls that were made although their result was journaled before. */
const askedAgain = (notes: readonly Note[]): readonly string[] => {
  const journaled = new Set<string>();
  const again: string[] = [];
  for (const { trial, note, key } of notes) {
    const call = `${trial} ${key}`;
    if (note === 'journaled') journaled.add(call);
    else if (journaled.has(call)) again.push(call);
  }
  return again;
};

export const assertOneAnswerEach = ({ boundaries, killedAt, trials }: KillLoopResult, standing: Standing): void => {
  assert.ok(new Set(boundaries).size >= MIN_BOUNDARIES, `only these boundaries: ${boundaries.join(', ')}`);
  let expected = 0;
  for (let trial = 1; trial <= trials; trial += 1) {
    const texts = standing.expectedTexts(trial);
    expected += texts.length;
    assert.deepEqual(standing.textsOf(trial), texts, `trial ${trial}, killed ${killedAt.get(trial) ?? 'nowhere'}`);
  }
  assert.equal(standing.count, expected, 'something was posted outside the threads that asked');
  assert.deepEqual(askedAgain(standing.notes), []);
  const asked = new Set(standing.notes.filter(({ note }) => note === 'asked').map(({ trial }) => trial));
  assert.equal(asked.size, trials);
};

/** That the loop met every boundary of the message to who waits. */
export const assertWaitingWasKilled = ({ killedAt }: KillLoopResult): void => {
  const met = new Set(killedAt.values());
  const missed = [
    'before markSending 0',
    'after markSending 0',
    'before post 0',
    'during post 0',
    'after post 0',
    'before markPosted 0',
    'after markPosted 0',
  ].filter((name) => !met.has(`${name} while it waits`));
  assert.deepEqual(missed, []);
};

/** That the loop met what folds a message in, and what its own message goes through. */
export const assertFoldWasKilled = ({ killedAt }: KillLoopResult): void => {
  const met = new Set(killedAt.values());
  for (const name of ['before foldWaiting', 'after foldWaiting', 'during post 0 while it waits', 'before markDelivered 0'])
    assert.ok(met.has(name), `not killed ${name}, but ${[...met].join(', ')}`);
};

/** That the loop went over every boundary, and how many it names. */
export const assertWhole = ({ killedAt }: KillLoopResult): void => {
  assert.ok(new Set(killedAt.values()).size >= MIN_BOUNDARIES, `killed only ${[...killedAt.values()].join(', ')}`);
};

export const summaryOf = ({ boundaries, killedAt }: KillLoopResult): string =>
  `${boundaries.length} boundaries, killed at ${killedAt.size}: ${[...killedAt.values()].join(', ')}`;
