/** What the server tells the page, and how it is asked. */

export interface Citation {
  readonly n: number;
  readonly title: string;
  readonly heading: readonly string[];
  readonly source: string;
  readonly url: string | null;
  readonly location: string;
  readonly date: string | null;
  readonly quote: string;
  readonly chunkId: string;
}

export interface Live {
  readonly kind: 'status' | 'partial';
  /** Made by the server's own serialiser. */
  readonly html: string;
}

/** A call that waits for a person's word, or what became of it. */
export interface Approval {
  readonly id: string;
  readonly title: string;
  readonly words: string;
  readonly details: string;
  readonly foot: string;
  readonly isOpen: boolean;
}

/** A file that goes with an answer. */
export interface FileView {
  readonly number: number;
  readonly name: string;
  readonly mediaType: 'text/csv' | 'image/png';
  readonly description: string;
}

export interface TurnView {
  readonly id: string;
  /** Empty until the server has it. */
  readonly turnId: string;
  readonly question: string;
  readonly state: 'open' | 'answered' | 'dropped';
  readonly live: Live | null;
  readonly html?: string;
  readonly answered?: boolean;
  readonly stopReason?: string;
  /** What must be said of the answer; empty mostly. */
  readonly note?: string;
  readonly citations?: readonly Citation[];
  readonly files?: readonly FileView[];
  readonly approvals?: readonly Approval[];
  readonly feedback: { readonly verdict: 'up' | 'down'; readonly reason: string } | null;
}

export interface Progress {
  readonly id: string;
  readonly turnId: string;
  readonly live: Live;
}

export interface ThreadEntry {
  readonly id: string;
  readonly title: string;
  readonly updatedAt: number;
}

export interface PassageView {
  readonly title: string;
  readonly heading: readonly string[];
  readonly source: string;
  readonly location: string;
  readonly date: string | null;
  readonly text: string;
}

/** The server said no; `message` is for the person. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const request = async <T>(path: string, body?: object): Promise<T> => {
  const response = await fetch(`/api${path}`, {
    ...(body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json().catch(() => ({}));
  if (response.ok) return answer as T;
  throw new Refused(response.status, (answer as { message?: string }).message ?? '');
};

const part = (text: string): string => encodeURIComponent(text);

export const enter = (token: string): Promise<unknown> => request('/enter', { token });
export const listThreads = (): Promise<{ threads: ThreadEntry[] }> => request('/threads');
export const ask = (thread: string, id: string, text: string): Promise<unknown> =>
  request(`/threads/${part(thread)}/questions`, { id, text });
export const stop = (thread: string): Promise<{ stopped: boolean }> => request(`/threads/${part(thread)}/stop`, {});
export const sendFeedback = (turnId: string, verdict: 'up' | 'down', reason: string): Promise<unknown> =>
  request(`/turns/${part(turnId)}/feedback`, { verdict, reason });
export const decide = (approvalId: string, decision: 'approved' | 'denied'): Promise<{ message: string }> =>
  request(`/approvals/${part(approvalId)}`, { decision });
export const readPassage = (chunkId: string): Promise<PassageView> => request(`/passages/${part(chunkId)}`);

export interface ThreadReader {
  readonly onSnapshot: (turns: readonly TurnView[]) => void;
  readonly onTurn: (turn: TurnView) => void;
  readonly onProgress: (progress: Progress) => void;
  readonly onConnection: (isConnected: boolean) => void;
}

/** Follows a thread until the returned function is called; the browser reconnects with the last event's id by itself. */
export const follow = (thread: string, reader: ThreadReader): (() => void) => {
  const source = new EventSource(`/api/threads/${part(thread)}/events`);
  const on = <T>(type: string, take: (data: T) => void): void =>
    source.addEventListener(type, (event) => take(JSON.parse((event as MessageEvent<string>).data) as T));
  on<{ turns: TurnView[] }>('snapshot', ({ turns }) => reader.onSnapshot(turns));
  on<TurnView>('turn', reader.onTurn);
  on<Progress>('progress', reader.onProgress);
  source.addEventListener('open', () => reader.onConnection(true));
  source.addEventListener('error', () => reader.onConnection(false));
  return () => source.close();
};

/** Unguessable, and fit for an address. */
export const newId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
};
