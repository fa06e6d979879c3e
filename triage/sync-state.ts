/** What the sync remembers: of each ticket, and of the helpdesk as a whole. Each is one row, replaced at once. */
import type { JsonObject } from '../agent/json.ts';
import type { Store } from '../agent/ports/store.ts';
import type { SyncStatus } from './connectors/connector.ts';
import type { FieldBase } from './sync-fields.ts';

export type SyncSettings = Pick<Store, 'readSetting' | 'writeSetting'>;

export interface TicketSync {
  readonly status: FieldBase<SyncStatus>;
  /** Both in our ids. */
  readonly assignee: FieldBase<string | null>;
  /** Events up to this one are over there, or are not to go there. */
  readonly pushedSeq: number;
  /** A comment that may be over there. Written before it is sent; nobody can guess the marker before. */
  readonly intent: { readonly of?: string; readonly seq: number; readonly marker: string } | null;
  /** Events of tickets that it went on in, up to which their answers are over there: by their ids. */
  readonly told: Readonly<Record<string, number>>;
  /** The same of the ticket itself. */
  readonly creating: string | null;
  /** Comments over there that are ours: their ids and their markers. */
  readonly own: readonly string[];
  /** Their version that was seen or made last, and since when it is known here, by our clock. */
  readonly version: number;
  readonly versionAt: number;
  /** What fields were before changes of ours that made this version: `status:open`. */
  readonly before: readonly string[];
  /** Not looked at before: what was sent may still be on its way. */
  readonly notBefore: number;
  /** Since when it is not to be found over there; null while it is. */
  readonly missingSince: number | null;
  /** Over there, when it was last compared. */
  readonly isPrivate: boolean;
  /** It was refused over there: said once, and not tried again. */
  readonly isRefused: boolean;
}

export interface DueTicket {
  /** Epoch ms. */
  readonly at: number;
  readonly failures: number;
  /** And once more then: what they say of a change may be quicker than what they show of it. */
  readonly againAt?: number;
  /** That our account may not do something for it was said. */
  readonly isTold?: true;
}

/** A ticket of theirs that is not known here yet. */
export interface NotedTicket extends DueTicket {
  /** What a notice of theirs said besides. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface SystemSync {
  /** In the events of all tickets. */
  readonly position: number;
  /** Tickets from before are not made over there. */
  readonly begunAt: number;
  /** Their changes up to then were seen, epoch ms by their clock. */
  readonly since: number;
  /** By our ids. */
  readonly due: Readonly<Record<string, DueTicket>>;
  /** By their ids. */
  readonly noted: Readonly<Record<string, NotedTicket>>;
}

/** As every ticket begins, on both sides. */
const NEW_TICKET_SYNC: TicketSync = {
  status: { ours: 'open', theirs: 'open', version: 0 },
  assignee: { ours: null, theirs: null, version: 0 },
  pushedSeq: 0,
  intent: null,
  told: {},
  creating: null,
  own: [],
  version: 0,
  versionAt: 0,
  before: [],
  notBefore: 0,
  missingSince: null,
  isPrivate: false,
  isRefused: false,
};

const SYSTEM_ROW = 'state';

export const createSyncMemory = (settings: SyncSettings, system: string) => {
  const owner = `sync:${system}`;
  return {
    readTicket: async (ticketId: string): Promise<TicketSync> => ({
      ...NEW_TICKET_SYNC,
      ...((await settings.readSetting(owner, ticketId)) as Partial<TicketSync> | undefined),
    }),
    writeTicket: (ticketId: string, state: TicketSync): Promise<void> =>
      settings.writeSetting(owner, ticketId, state as unknown as JsonObject),
    readSystem: async (): Promise<SystemSync | undefined> =>
      (await settings.readSetting(owner, SYSTEM_ROW)) as unknown as SystemSync | undefined,
    writeSystem: (state: SystemSync): Promise<void> => settings.writeSetting(owner, SYSTEM_ROW, state as unknown as JsonObject),
  };
};

export type SyncMemory = ReturnType<typeof createSyncMemory>;
