/** A run's state as its reader sees it while it lasts: what is being done, then the answer as it is written. */

import type { AgentEvent } from '../agent/events.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Texts } from '../agent/texts.ts';

export interface LiveViewOptions {
  readonly texts: Texts;
  readonly show: (text: string) => void;
  /** At most one text per this time; the newest counts. */
  readonly intervalMs: number;
  readonly clock: Clock;
}

export interface LiveView {
  onEvent(event: AgentEvent): void;
  /** Shows the newest text again: the message it goes to stands now. */
  refresh(): void;
  /** Nothing is shown after it. */
  end(): void;
}

export const createLiveView = ({ texts, show, intervalMs, clock }: LiveViewOptions): LiveView => {
  let status: string | undefined;
  let partial = '';
  let shown: string | undefined;
  let cancelTimer: (() => void) | undefined;
  let lastShownAt = Number.NEGATIVE_INFINITY;
  let ended = false;

  const flush = (): void => {
    cancelTimer = undefined;
    if (ended) return;
    const text = partial.trim() === '' ? status : partial;
    if (text === undefined || text === shown) return;
    shown = text;
    lastShownAt = clock.monotonic();
    show(text);
  };

  const schedule = (): void => {
    if (ended || cancelTimer !== undefined) return;
    const waitMs = lastShownAt + intervalMs - clock.monotonic();
    if (waitMs <= 0) flush();
    else cancelTimer = clock.after(waitMs, flush);
  };

  return {
    onEvent: (event) => {
      if (event.type === 'text_delta') partial += event.delta;
      else if (event.type === 'text_reset') partial = '';
      else if (event.type === 'tool_started') status = event.name === 'calculator' ? texts.calculating : texts.searching;
      else if (event.type === 'step_started' && event.step > 1) status = texts.writing;
      else if (event.type === 'run_parked') status = texts.parked;
      else return;
      schedule();
    },
    refresh: () => {
      shown = undefined;
      flush();
    },
    end: () => {
      ended = true;
      cancelTimer?.();
    },
  };
};
