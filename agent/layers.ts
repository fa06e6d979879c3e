/** The loop's protections, each with its own switch: all are on in the product, and a measurement takes them away one by one. */
export interface LoopLayers {
  /** Further tries of a failed model call or tool call. */
  readonly retry: boolean;
  /** Notices a run that turns in circles and ends it with an answer. */
  readonly repeatGuard: boolean;
  /** Cuts the history to whole turns within the token budget. Off, the model sees all of it. */
  readonly window: boolean;
  /** What follows when tools keep failing: advice, another way, the end. */
  readonly degradation: boolean;
  /** Reads of a step run together. Off, one after another. */
  readonly parallel: boolean;
  /** Long tool results are cut, and can be read on. */
  readonly resultCap: boolean;
  /** Offers the tools that fit the question when there are many. */
  readonly router: boolean;
  /** Limits of calls, tokens and money. */
  readonly budgets: boolean;
}

export const ALL_LAYERS: LoopLayers = {
  retry: true,
  repeatGuard: true,
  window: true,
  degradation: true,
  parallel: true,
  resultCap: true,
  router: true,
  budgets: true,
};
