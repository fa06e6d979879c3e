/**
 * Notices a run that turns in circles. Four detectors: the same call with the same result, two calls taking turns, names of no
 * tool, and results that hold nothing new whatever was asked. The first finding is told to the model; the second ends the tools.
 */
import type { RunLimits } from './limits.ts';

export type Detector = 'same_call' | 'alternation' | 'unknown_tool' | 'no_news';

export interface GuardedCall {
  /** Of the tool; the arguments do not matter to every detector. */
  readonly name: string;
  /** Name and canonical arguments. */
  readonly signature: string;
  readonly isKnown: boolean;
}

export interface CallResult {
  readonly content: string;
  /** It failed by itself; so the same call again is not yet turning in circles. */
  readonly hasFailed: boolean;
  /** Ids of what it retrieved: new ones are news, however it is worded. Empty: the content itself decides. */
  readonly found: readonly string[];
}

export interface RepeatGuard {
  /** Before a call runs: the detector that forbids it. Calls of one step are announced in order. */
  announce(call: GuardedCall): Detector | undefined;
  /** After a call that was not forbidden. */
  observe(call: GuardedCall, result: CallResult): void;
  /** What was found since the last question, each once; a second finding of the run says `final`. */
  verdict(): { readonly detectors: readonly Detector[]; readonly isFinal: boolean };
}

const STRIKES = 2;
/** The whole pattern A B A B must stand before a call that would go on with it is forbidden. */
const PATTERN = 4;
const MAX_UNKNOWN = 3;

interface Seen {
  content: string;
  same: number;
  /** Announced and not yet observed. */
  underWay: number;
  hasFailed: boolean;
}

export const createRepeatGuard = ({
  repeatedCalls,
  staleResults,
}: Pick<RunLimits, 'repeatedCalls' | 'staleResults'>): RepeatGuard => {
  const seen = new Map<string, Seen>();
  const news = new Set<string>();
  const recent: { readonly name: string; readonly content: string }[] = [];
  const fresh = new Set<Detector>();
  let strikes = 0;
  let stale = 0;
  let unknown = 0;

  const strike = (detector: Detector): Detector => {
    if (!fresh.has(detector)) {
      fresh.add(detector);
      strikes += 1;
    }
    return detector;
  };

  const alternates = (name: string): boolean => {
    if (recent.length < PATTERN) return false;
    const [a, b, c, d] = recent.slice(-PATTERN).map((item) => `${item.name}\n${item.content}`);
    return a === c && b === d && a !== b && recent.slice(-2).some((item) => item.name === name);
  };

  return {
    announce: ({ name, signature, isKnown }) => {
      if (!isKnown) {
        unknown += 1;
        return unknown >= MAX_UNKNOWN ? strike('unknown_tool') : undefined;
      }
      const known = seen.get(signature) ?? { content: '', same: 0, underWay: 0, hasFailed: false };
      // A failed call has one try more: repeating it may be right, and the degradation ladder watches it as well.
      if (known.same + known.underWay >= repeatedCalls - (known.hasFailed ? 0 : 1)) return strike('same_call');
      if (alternates(name)) return strike('alternation');
      known.underWay += 1;
      seen.set(signature, known);
      return undefined;
    },
    observe: ({ name, signature, isKnown }, { content, hasFailed, found }) => {
      if (!isKnown) return;
      const known = seen.get(signature);
      if (known !== undefined) {
        known.same = known.content === content ? known.same + 1 : 1;
        known.content = content;
        known.hasFailed = hasFailed;
        known.underWay -= 1;
      }
      recent.push({ name, content });
      const items = found.length > 0 ? found : [content];
      const isNews = items.some((item) => !news.has(item));
      for (const item of items) news.add(item);
      stale = isNews || hasFailed ? 0 : stale + 1;
      if (stale >= staleResults) {
        stale = 0;
        strike('no_news');
      }
    },
    verdict: () => {
      const detectors = [...fresh];
      fresh.clear();
      return { detectors, isFinal: strikes >= STRIKES };
    },
  };
};
