/**
 * One ticket brought in step with its double: both are read as they are now, what differs is decided, and what is done is written down
 * before it is sent. Called again after anything, it goes on from there; it is never called twice at once for one ticket.
 */
import { hasCode } from '../agent/errors.ts';
import type { TicketAction } from '../agent/ports/ticket-desk.ts';
import type { Ticket, TicketStatus } from '../agent/ticket.ts';
import type { OutsideTicket, SyncStatus } from './connectors/connector.ts';
import { pushComments, takeComments } from './sync-comments.ts';
import { decideField, type FieldBase } from './sync-fields.ts';
import { cameFrom, lastChangeOf, wasNeverHidden } from './sync-outgoing.ts';
import type { TicketSync } from './sync-state.ts';
import { openWork, type ReconcileOptions, SETTLE_MS, type SyncWork } from './sync-work.ts';

const FRESH_MS = 2_000;
const MISSED_MS = 60_000;
const MISSING_MS = 600_000;

const isLive = (status: TicketStatus): boolean => status === 'open' || status === 'waiting' || status === 'snoozed';

/** What goes on in another ticket is over in this one. */
const shownAs = ({ status, statusBeforeMerge }: Ticket): Exclude<TicketStatus, 'merged'> =>
  status !== 'merged' ? status : statusBeforeMerge === 'closed' ? 'closed' : 'solved';

/** What leads from a status here to one of theirs; nothing where a ticket is closed here and only solved there. */
const stepsTo = (status: TicketStatus, target: SyncStatus): readonly TicketAction[] => {
  const opened: readonly TicketAction[] =
    status === 'open'
      ? []
      : isLive(status)
        ? [{ kind: 'resume' }]
        : [{ kind: 'reopen', reason: 'it was opened again in the helpdesk' }];
  if (target === 'open') return opened;
  if (target === 'waiting') return [...opened, { kind: 'wait' }];
  if (target === 'closed') return [{ kind: 'close' }];
  return isLive(status) ? [{ kind: 'solve', resolution: '' }] : [];
};

/** Makes its double where it is wanted, or finds the one that an earlier try made. */
const link = async (work: SyncWork, isWanted: boolean): Promise<void> => {
  const { connector, state, keep, send, made, readHere, markerOf, signal } = work;
  const { subject, text, author } = await readHere();
  // Who asks is not for everyone to read.
  const requester = connector.isPublic ? { ...author, displayName: '' } : author;
  const tried = state().creating;
  const marker = tried ?? markerOf();
  const found = tried === null ? undefined : await connector.find(marker, signal);
  if (found === undefined && !isWanted) return;
  const create = () => connector.create({ subject, text, requester, marker }, signal);
  const external = found ?? (await send(create, { creating: marker, pushedSeq: 1 }));
  await keep(made(0));
  const ticket = await readHere();
  if (ticket.external === null) await work.append(ticket, { kind: 'external_linked', external });
};

interface Field<T extends string | null> {
  readonly name: 'status' | 'assignee';
  readonly valueOf: (ticket: Ticket) => T;
  readonly theirs: T;
  readonly base: FieldBase<T>;
  readonly steps: (ticket: Ticket) => readonly TicketAction[];
  /** It may not be told there now. */
  readonly isHidden: boolean;
  /** Undefined where it cannot be said over there. */
  readonly push: ((value: T) => Promise<number>) | undefined;
  readonly keepBase: (base: FieldBase<T>, over?: Partial<TicketSync>) => Promise<void>;
}

/** Resolves with whether it is to be looked at again. */
const bringFieldInStep = async <T extends string | null>(
  work: SyncWork,
  outside: OutsideTicket,
  field: Field<T>,
): Promise<boolean> => {
  const { system, ticketId, desk, rules, send, made, tell, readHere } = work;
  const { name, valueOf, theirs, base, push, keepBase } = field;
  const ticket = await readHere();
  const value = valueOf(ticket);
  const { version } = ticket;
  const changedBy = lastChangeOf(await work.readEvents(), ticketId, valueOf);
  const isOursFromThem = changedBy !== undefined && cameFrom(system, changedBy);
  let decision = decideField({ ours: value, theirs, base, changedAt: changedBy?.seq ?? 0, isOursFromThem });
  const isMerged = ticket.status === 'merged';
  // Nothing that is done there moves it before it is taken out again.
  if (isMerged && decision !== 'push' && (decision !== 'conflict' || rules.wins !== 'ours')) return false;
  if (isMerged) decision = 'push';
  if (decision === 'conflict') {
    const key = `${ticketId}:${system}:conflict:${name}:${outside.version}:${changedBy?.seq ?? 0}`;
    await work.append(ticket, { kind: 'conflict_shown', field: name, ours: value, theirs }, key);
    decision = rules.wins === 'ours' ? 'push' : rules.wins === 'theirs' ? 'take' : 'stands';
    if (decision === 'stands') await keepBase({ ours: value, theirs, version });
  }
  if (decision === 'stands') return false;
  if (decision === 'same') {
    if (ticket.conflicts.some((one) => one.field === name)) await work.append(ticket, { kind: 'conflict_settled', field: name });
    if (base.ours !== value || base.theirs !== theirs) await keepBase({ ours: value, theirs, version });
    return false;
  }
  if (decision === 'push') {
    if (field.isHidden) return false;
    if (push === undefined) {
      await keepBase({ ours: value, theirs, version });
      return false;
    }
    try {
      const pushed = await send(() => push(value));
      await keepBase({ ours: value, theirs: value, version }, made(pushed, `${name}:${theirs}`));
    } catch (error) {
      if (!hasCode(error, 'helpdesk_rejected')) throw error;
      await tell(`${name}:${changedBy?.seq ?? 0}`, `${system} did not take the ${name} ${value ?? 'nobody'}: ${error.message}`);
      await keepBase({ ours: value, theirs, version });
      return false;
    }
    return !isMerged && ticket.conflicts.some((one) => one.field === name);
  }
  const steps = field.steps(ticket);
  for (const action of steps) {
    const key = `${ticketId}:${system}:${name}:${outside.version}:${ticket.version}:${action.kind}`;
    const outcome = await desk.act({ ticketId, action, actor: { kind: 'outside', id: system }, source: system, key });
    // What the ticket's state does not allow now is looked at again when that changes.
    if (outcome.kind !== 'done' && outcome.kind !== 'repeated') return false;
  }
  const now = await readHere();
  const isTaken = steps.length > 0;
  await keepBase({ ours: isTaken ? theirs : valueOf(now), theirs, version: now.version });
  return isTaken && valueOf(now) !== theirs;
};

const bringFieldsInStep = async (work: SyncWork, outside: OutsideTicket): Promise<boolean> => {
  const { connector, system, ticketId, desk, state, keep, readHere, toOurs, toTheirs, signal } = work;
  const isHidden = async (): Promise<boolean> => connector.isPublic && (await readHere()).isPrivate;

  const bringStatus = async (): Promise<boolean> =>
    bringFieldInStep<SyncStatus>(work, outside, {
      name: 'status',
      valueOf: (ticket) => connector.projectStatus(shownAs(ticket)),
      theirs: outside.status,
      base: state().status,
      steps: ({ status }) => stepsTo(status, outside.status),
      isHidden: await isHidden(),
      push: (value) => connector.setStatus(outside.id, value, state().version, signal),
      keepBase: (status, over) => keep({ ...over, status }),
    });

  const bringAssignee = async (): Promise<boolean> => {
    const theirs = toOurs(outside.assignee);
    const wanted = toTheirs((await readHere()).assignee);
    return bringFieldInStep<string | null>(work, outside, {
      name: 'assignee',
      valueOf: ({ assignee }) => assignee,
      theirs,
      base: state().assignee,
      steps: () => [{ kind: 'assign', to: theirs }],
      isHidden: await isHidden(),
      push: wanted === undefined ? undefined : () => connector.setAssignee(outside.id, wanted, state().version, signal),
      keepBase: (assignee, over) => keep({ ...over, assignee }),
    });
  };

  // When it becomes so, and then no more: a person here may know better.
  if (outside.isPrivate !== state().isPrivate) {
    const key = `${ticketId}:${system}:private:${outside.version}`;
    const action = { kind: 'set_privacy', isPrivate: true } as const;
    if ((await readHere()).status === 'merged') return bringStatus();
    if (outside.isPrivate && !(await readHere()).isPrivate)
      await desk.act({ ticketId, action, actor: { kind: 'outside', id: system }, source: system, key });
    await keep({ isPrivate: outside.isPrivate });
  }
  // What is over takes no assignee, here as there.
  const isOver = outside.status === 'solved' || outside.status === 'closed';
  let isUnsteady = false;
  for (const step of isOver ? [bringAssignee, bringStatus] : [bringStatus, bringAssignee])
    isUnsteady = (await step()) || isUnsteady;
  return isUnsteady;
};

/** Deleted, moved away, or not shown to this account any more: what is not there for a moment may come back. */
const miss = async ({ system, state, keep, tell, clock }: SyncWork, id: string): Promise<number | null> => {
  const since = state().missingSince ?? clock.now();
  if (clock.now() < since + MISSING_MS) {
    await keep({ missingSince: since });
    return clock.now() + MISSED_MS;
  }
  await tell(`gone:${since}`, `${id} is no longer to be found in ${system}: nothing is kept in step with it.`);
  return null;
};

const run = async (work: SyncWork): Promise<number | null> => {
  const { connector, system, store, rules, state, keep, tell, readHere, toOurs, clock, signal, ticketId } = work;
  const first = await store.readTicket(ticketId);
  if (first === undefined || state().isRefused) return null;
  const { notBefore } = state();
  // At most the whole time, wherever the system clock has gone meanwhile.
  if (notBefore > clock.now() && notBefore <= clock.now() + SETTLE_MS) return notBefore;
  if (first.external === null) {
    const isWanted = isLive(first.status) && rules.creates(first) && wasNeverHidden(ticketId, await work.readEvents(), connector);
    // What was tried may exist, whatever became of the ticket since.
    if (!isWanted && state().creating === null) return null;
    try {
      await link(work, isWanted);
    } catch (error) {
      if (!hasCode(error, 'helpdesk_rejected')) throw error;
      await tell('create', `${system} did not take this ticket: ${error.message}`);
      await keep({ isRefused: true });
      return null;
    }
  }
  const { external } = await readHere();
  if (external?.system !== system) return null;

  const outside = await connector.read(external.id, signal);
  if (outside === undefined) return miss(work, external.id);
  const { version, versionAt, before, status, assignee } = state();
  const isSettling = clock.now() < versionAt + SETTLE_MS;
  // From before what is known of it. A helpdesk's clock may go wrong, so not for ever.
  if (isSettling && outside.version < version) return clock.now() + FRESH_MS;
  if (state().missingSince !== null) await keep({ missingSince: null });
  const wasBefore = (name: string, theirs: string | null, known: string | null): boolean =>
    theirs !== known && before.includes(`${name}:${theirs}`);
  const isFromBefore =
    wasBefore('status', outside.status, status.theirs) || wasBefore('assignee', toOurs(outside.assignee), assignee.theirs);
  // Of the same moment as a change of ours, without it: somebody took it back, or it is not shown yet. Time will tell.
  if (isSettling && outside.version === version && isFromBefore) return versionAt + SETTLE_MS;
  if (outside.version !== version) await keep({ version: outside.version, versionAt: clock.now(), before: [] });

  const events = await work.readEvents();
  if (state().pushedSeq === 0 && events[0]?.source !== system) {
    const linked = events.findLast(({ change }) => change.kind === 'external_linked');
    await keep({ pushedSeq: linked?.seq ?? 1 });
  }
  await takeComments(work, first, events, outside);
  await pushComments(work, external.id);
  return (await bringFieldsInStep(work, outside)) ? clock.now() + FRESH_MS : null;
};

/** Resolves with when to look again; null for not until something changes. Throws as `Connector` and `TicketStore`. */
export const createReconcile =
  (options: ReconcileOptions) =>
  async (ticketId: string, signal: AbortSignal): Promise<number | null> => {
    try {
      return await run(await openWork(options, ticketId, signal));
    } catch (error) {
      if (hasCode(error, 'helpdesk_moved') || hasCode(error, 'ticket_moved')) return options.clock.now() + FRESH_MS;
      throw error;
    }
  };
