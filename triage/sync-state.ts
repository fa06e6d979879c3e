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
  readonly intent: { readonly seq: number; readonly marker: string } | null;
  /** The same of the ticket itself. */
  readonly creating: string | null;
  /** Their ids of comments that are ours. */
  readonly ownComments: readonly string[];
  /** Their version that was seen or made last, and when we made one last. */
  readonly version: number;
  readonly pushedAt: number;
  /** Not looked at before: what was sent may still be on its way. */
  readonly notBefore: number;
  /** It was refused or is gone over there: said once, and not tried again. */
  readonly isOver: boolean;
}

export interface SystemSync {
  /** In the events of all tickets. */
  readonly position: number;
  /** Their changes up to then were seen, epoch ms by their clock. */
  readonly since: number;
  readonly due: Readonly<Record<string, { readonly at: number; readonly failures: number }>>;
}

/** As every ticket begins, on both sides. */
export const NEW_TICKET_SYNC: TicketSync = {
  status: { ours: 'open', theirs: 'open', version: 0 },
  assignee: { ours: null, theirs: null, version: 0 },
  pushedSeq: 0,
  intent: null,
  creating: null,
  ownComments: [],
  version: 0,
  pushedAt: 0,
  notBefore: 0,
  isOver: false,
};

const SYSTEM_ROW = 'state';

export const createSyncMemory = (settings: SyncSettings, system: string) => {
  const owner = `sync:${system}`;
  return {
    readTicket: async (ticketId: string): Promise<TicketSync | undefined> =>
      (await settings.readSetting(owner, ticketId)) as TicketSync | undefined,
    writeTicket: (ticketId: string, state: TicketSync): Promise<void> =>
      settings.writeSetting(owner, ticketId, state as unknown as JsonObject),
    readSystem: async (): Promise<SystemSync | undefined> =>
      (await settings.readSetting(owner, SYSTEM_ROW)) as unknown as SystemSync | undefined,
    writeSystem: (state: SystemSync): Promise<void> => settings.writeSetting(owner, SYSTEM_ROW, state as unknown as JsonObject),
  };
};

export type SyncMemory = ReturnType<typeof createSyncMemory>;
