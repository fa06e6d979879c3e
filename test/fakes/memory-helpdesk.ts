/**
 * A helpdesk in memory: its people work on its tickets by the methods of `people`, the sync by the connector. What goes wrong is chosen
 * by the test, call by call.
 */
import { AppError } from '../../agent/errors.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Connector, OutsideComment, OutsideTicket, SyncStatus } from '../../triage/connectors/connector.ts';

/** `answer_lost`: done, and nobody hears of it. `late`: the same, some seconds after. `stale`: answered from an earlier state. `missing`: not there. `not_allowed`: not to this account. `too_late`:
 * after nobody reckons with it any more. `previous`: without the latest change. */
export type HelpdeskFault =
  | 'none'
  | 'rate_limited'
  | 'not_reached'
  | 'answer_lost'
  | 'late'
  | 'stale'
  | 'missing'
  | 'not_allowed'
  | 'too_late'
  | 'previous';
export type HelpdeskCall = 'read' | 'listChanged' | 'setStatus' | 'setAssignee' | 'addComment' | 'create' | 'find';

export interface MemoryHelpdeskOptions {
  readonly clock: Clock;
  readonly system?: string;
  readonly isPublic?: boolean;
  readonly hasNotes?: boolean;
  /** Those that it knows; default all. */
  readonly statuses?: readonly SyncStatus[];
  /** `id`: of the ticket; empty where the call is about none. */
  readonly faultOf?: (call: HelpdeskCall, id: string) => HelpdeskFault;
  /** Refused for good. */
  readonly rejects?: (call: HelpdeskCall, value: string | null) => boolean;
  /** Reorders and repeats what a page says. */
  readonly disturb?: <T>(page: readonly T[]) => readonly T[];
}

/** Its times have whole seconds, as most have. */
const GRAIN_MS = 1_000;
/** How late a change comes that nobody heard of, and how old what is stale is. */
export const LATE_MS = 15_000;
const TOO_LATE_MS = 45_000;
const STALE_MS = 10_000;
const PAGE = 3;

export const createMemoryHelpdesk = ({
  clock,
  system = 'memory:acme',
  isPublic = false,
  hasNotes = true,
  statuses = ['open', 'waiting', 'solved', 'closed'],
  faultOf = () => 'none',
  rejects = () => false,
  disturb = (page) => page,
}: MemoryHelpdeskOptions) => {
  /** Every state of each ticket with the time it began, the latest at the end. */
  const states = new Map<string, { readonly since: number; readonly ticket: OutsideTicket }[]>();
  /** Changes that the sync made, in order: `setStatus 1 solved`. */
  const pushes: string[] = [];
  let lastId = 0;

  const current = (id: string): OutsideTicket | undefined => states.get(id)?.at(-1)?.ticket;
  const earlier = (id: string): OutsideTicket | undefined =>
    states.get(id)?.findLast(({ since }) => since <= clock.now() - STALE_MS)?.ticket;
  const mustHave = (id: string): OutsideTicket => {
    const ticket = current(id);
    if (ticket === undefined) throw new AppError('helpdesk_rejected', `${id}: expected a ticket of ${system}, got none`);
    return ticket;
  };
  const versionNow = (): number => Math.floor(clock.now() / GRAIN_MS) * GRAIN_MS;
  const change = (id: string, over: Partial<OutsideTicket>): OutsideTicket => {
    const ticket = { ...mustHave(id), ...over, version: versionNow() };
    states.set(id, [...(states.get(id) ?? []), { since: clock.now(), ticket }]);
    return ticket;
  };
  const open = (ticket: Omit<OutsideTicket, 'id' | 'url' | 'version' | 'createdAt' | 'comments'>): string => {
    const id = String((lastId += 1));
    const whole = { ...ticket, id, url: `https://acme.test/${id}`, version: versionNow(), createdAt: clock.now(), comments: [] };
    states.set(id, [{ since: clock.now(), ticket: whole }]);
    return id;
  };
  const comment = (id: string, one: Omit<OutsideComment, 'id' | 'at'>): string => {
    const commentId = `c${(lastId += 1)}`;
    change(id, { comments: [...mustHave(id).comments, { ...one, id: commentId, at: clock.now() }] });
    return commentId;
  };

  const unavailable = (call: HelpdeskCall): AppError => new AppError('helpdesk_unavailable', `${call}: no answer from ${system}`);

  /** One call, with what goes wrong with it. */
  const call = async <T>(name: HelpdeskCall, fault: HelpdeskFault, work: () => T, value: string | null = null): Promise<T> => {
    await Promise.resolve();
    if (fault === 'rate_limited')
      throw new AppError('helpdesk_rate_limited', `${name}: too many calls to ${system}`, { retryAfterMs: 7_000 });
    if (fault === 'not_allowed') throw new AppError('helpdesk_auth', `${name}: ${system} answered HTTP 403`);
    if (fault === 'not_reached') throw unavailable(name);
    if (rejects(name, value)) throw new AppError('helpdesk_rejected', `${name}: ${system} does not take ${value}`);
    if (fault === 'late' || fault === 'too_late') {
      clock.after(fault === 'late' ? LATE_MS : TOO_LATE_MS, () => {
        try {
          work();
        } catch {
          // It was refused by then; nobody is there to hear it.
        }
      });
      throw unavailable(name);
    }
    const result = work();
    if (fault === 'answer_lost') throw unavailable(name);
    return result;
  };

  const changeField = (name: 'setStatus' | 'setAssignee', id: string, value: string | null, version: number) =>
    call(
      name,
      faultOf(name, id),
      () => {
        const ticket = mustHave(id);
        if (ticket.version > version)
          throw new AppError('helpdesk_moved', `${id}: expected version ${version}, got ${ticket.version}`);
        pushes.push(`${name} ${id} ${value}`);
        const field = name === 'setStatus' ? 'status' : 'assignee';
        return ticket[field] === value ? ticket.version : change(id, { [field]: value }).version;
      },
      value,
    );

  const connector: Connector = {
    system,
    isPublic,
    hasNotes,
    projectStatus: (status) => {
      const wanted = status === 'snoozed' ? 'waiting' : status;
      if (statuses.includes(wanted)) return wanted;
      return wanted === 'waiting' ? 'open' : wanted === 'solved' ? 'closed' : 'solved';
    },
    isAgent: async (account) => /^\d+$/.test(account),
    read: async (id) => {
      const fault = faultOf('read', id);
      const seen = { missing: () => undefined, stale: () => earlier(id), previous: () => states.get(id)?.at(-2)?.ticket };
      return call('read', fault, () => (fault in seen ? seen[fault as keyof typeof seen]() : current(id)));
    },
    listChanged: async (sinceMs, page) => {
      const fault = faultOf('listChanged', '');
      const isStale = fault === 'stale';
      return call('listChanged', fault, () => {
        const changed = [...states.keys()]
          .map((id) => ({ id, changedAt: (isStale ? earlier(id) : current(id))?.version ?? 0 }))
          .filter(({ changedAt }) => changedAt >= sinceMs)
          .sort((a, b) => a.changedAt - b.changedAt);
        return { changed: disturb(changed.slice((page - 1) * PAGE, page * PAGE)), isLast: changed.length <= page * PAGE };
      });
    },
    setStatus: (id, status, version) => changeField('setStatus', id, status, version),
    setAssignee: (id, assignee, version) => changeField('setAssignee', id, assignee, version),
    addComment: (id, { text, isPublic: isSeen, marker }) =>
      call(
        'addComment',
        faultOf('addComment', id),
        () => {
          pushes.push(`addComment ${id} ${text}`);
          const author = { id: `${system}:user:bot`, displayName: 'Bot' };
          const commentId = comment(id, { by: 'agent', author, isPublic: isSeen, text, marker });
          return { id: commentId, version: mustHave(id).version };
        },
        text,
      ),
    create: ({ subject, text, requester, marker }) =>
      call(
        'create',
        faultOf('create', ''),
        () => {
          pushes.push(`create ${subject || text}`);
          const id = open({ status: 'open', assignee: null, requester, subject, text, isPrivate: false, marker });
          return { system, id, url: mustHave(id).url };
        },
        text,
      ),
    find: (marker) =>
      call('find', faultOf('find', ''), () => {
        const id = [...states.keys()].find((one) => current(one)?.marker === marker);
        return id === undefined ? undefined : { system, id, url: mustHave(id).url };
      }),
  };

  return {
    connector,
    pushes: pushes as readonly string[],
    ticket: (id: string): OutsideTicket => mustHave(id),
    ids: (): readonly string[] => [...states.keys()],
    /** What people do over there. */
    people: {
      open: (
        subject: string,
        text: string,
        over: Partial<Pick<OutsideTicket, 'isPrivate' | 'requester' | 'marker'>> = {},
      ): string => {
        const requester = { id: `${system}:user:asker`, displayName: 'Ada' };
        return open({ status: 'open', assignee: null, requester, subject, text, isPrivate: false, marker: null, ...over });
      },
      set: (id: string, over: Partial<Pick<OutsideTicket, 'status' | 'assignee' | 'isPrivate'>>): void => {
        change(id, over);
      },
      say: (id: string, text: string, { by = 'agent', isSeen = true }: { by?: OutsideComment['by']; isSeen?: boolean } = {}) => {
        const author = { id: `${system}:user:${by}`, displayName: by };
        return comment(id, { by, author, isPublic: isSeen, text, marker: null });
      },
      /** Somebody edits all of its comments, and their markers are gone. */
      edit: (id: string): void => {
        change(id, { comments: mustHave(id).comments.map((one) => ({ ...one, marker: null })) });
      },
      remove: (id: string): void => {
        states.delete(id);
      },
    },
  };
};
