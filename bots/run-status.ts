/** Tells what a run says of itself from what its answer has so far. */

import { textsFor } from '../agent/texts.ts';

const STATUS_TEXTS: ReadonlySet<string> = new Set(
  (['en', 'zh'] as const).flatMap((language) => {
    const { placeholder, queued, searching, calculating, writing, parked, approval } = textsFor(language);
    return [placeholder, queued, searching, calculating, writing, parked, approval.waiting];
  }),
);

export const isRunStatus = (text: string): boolean => STATUS_TEXTS.has(text);
