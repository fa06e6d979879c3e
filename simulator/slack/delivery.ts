/**
 * How the workspace hands something to the app: an attempt over one transport, and for events up to three more when the app
 * does not acknowledge in time. https://docs.slack.dev/apis/events-api/#retries
 */
import type { JsonObject, JsonValue } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';

export type DeliveryKind = 'events_api' | 'slash_commands' | 'interactive';

export interface Retry {
  readonly num: number;
  readonly reason: string;
}

export type AttemptOutcome =
  | { readonly acked: true; readonly response: JsonValue | undefined }
  /** `isFinal`: the app asked for no retry. */
  | { readonly acked: false; readonly reason: string; readonly isFinal?: boolean };

export interface Delivery {
  readonly kind: DeliveryKind;
  readonly body: JsonObject;
  readonly attempts: { readonly at: number; readonly retry: Retry | undefined; readonly outcome: AttemptOutcome }[];
  /** Resolves after the last attempt. */
  readonly done: Promise<AttemptOutcome>;
}

/** One attempt. Never throws. */
export type Transport = (kind: DeliveryKind, body: JsonObject, retry: Retry | undefined) => Promise<AttemptOutcome>;

export interface Dispatcher {
  readonly deliveries: readonly Delivery[];
  send(kind: DeliveryKind, body: JsonObject): Delivery;
  /** The same delivery once more, as a late or doubled retry. */
  resend(body: JsonObject, retry: Retry): Promise<AttemptOutcome>;
  /** Resolves when nothing is under way. */
  settle(): Promise<void>;
  /** Ends the waits before retries; nothing is sent again. */
  stop(): void;
}

export interface DispatcherOptions {
  readonly clock: Clock;
  readonly transport: () => Transport;
  /** Waits before each retry of an event. */
  readonly retryDelaysMs: readonly number[];
}

export const createDispatcher = ({ clock, transport, retryDelaysMs }: DispatcherOptions): Dispatcher => {
  const deliveries: Delivery[] = [];
  const open = new Set<Promise<unknown>>();
  const stopping = new AbortController();

  const track = <T>(work: Promise<T>): Promise<T> => {
    open.add(work);
    void work.finally(() => open.delete(work));
    return work;
  };

  return {
    deliveries,
    send: (kind, body) => {
      const attempts: Delivery['attempts'] = [];
      const attempt = async (retry: Retry | undefined): Promise<AttemptOutcome> => {
        const at = clock.now();
        const outcome = await transport()(kind, body, retry);
        attempts.push({ at, retry, outcome });
        return outcome;
      };
      const run = async (): Promise<AttemptOutcome> => {
        let outcome = await attempt(undefined);
        if (kind !== 'events_api') return outcome;
        for (const [index, delayMs] of retryDelaysMs.entries()) {
          if (outcome.acked || outcome.isFinal === true) break;
          if (delayMs > 0) await clock.sleep(delayMs, stopping.signal).catch(() => undefined);
          if (stopping.signal.aborted) break;
          outcome = await attempt({ num: index + 1, reason: outcome.reason });
        }
        return outcome;
      };
      const delivery: Delivery = { kind, body, attempts, done: track(run()) };
      deliveries.push(delivery);
      return delivery;
    },
    resend: (body, retry) => track(transport()('events_api', body, retry)),
    stop: () => stopping.abort(),
    settle: async () => {
      while (open.size > 0) await Promise.allSettled(open);
    },
  };
};
