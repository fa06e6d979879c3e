/** The outside helpdesks of the configuration. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../agent/ports/clock.ts';
import type { Logger } from '../agent/ports/logger.ts';
import type { TicketDesk } from '../agent/ports/ticket-desk.ts';
import type { TicketStore } from '../agent/ports/ticket-store.ts';
import { type HelpdeskConfig, systemOf } from '../ops/config-helpdesks.ts';
import type { Connector, SyncStatus } from '../triage/connectors/connector.ts';
import { createHelpdeskSync } from '../triage/sync.ts';
import type { SyncSettings } from '../triage/sync-state.ts';

const namedIn = (statuses: Readonly<Partial<Record<SyncStatus, readonly string[] | undefined>>>) =>
  Object.fromEntries(Object.entries(statuses).filter(([, names]) => names !== undefined));

/** What talks to it. Nothing is asked yet. */
export const openConnector = async (config: HelpdeskConfig, clock: Clock): Promise<Connector> => {
  const system = systemOf(config);
  const { token } = config;
  switch (config.kind) {
    case 'github': {
      const { createGithubConnector } = await import('../triage/connectors/github.ts');
      const [owner = '', repo = ''] = config.repo.split('/');
      return createGithubConnector({ system, owner, repo, token, isPublic: config.public, baseUrl: config.url, clock });
    }
    case 'zendesk': {
      const { createZendeskConnector } = await import('../triage/connectors/zendesk.ts');
      return createZendeskConnector({ system, baseUrl: config.url, email: config.email, token, clock });
    }
    case 'jira': {
      const { createJiraConnector } = await import('../triage/connectors/jira.ts');
      const { url: baseUrl, email, project, issueType, serviceDesk: isServiceDesk, public: isPublic } = config;
      const statuses = namedIn(config.statuses);
      return createJiraConnector({ system, baseUrl, email, token, project, issueType, statuses, isServiceDesk, isPublic, clock });
    }
    case 'zammad': {
      const { createZammadConnector } = await import('../triage/connectors/zammad.ts');
      const { url: baseUrl, group, customer, public: isPublic } = config;
      const statuses = namedIn(config.statuses);
      return createZammadConnector({ system, baseUrl, token, group, customer, isPublic, clock, statuses });
    }
  }
};

/** The id by which the connector knows the ticket that a webhook speaks of; undefined where it is of another place. */
const noticedId = (config: HelpdeskConfig, id: string): string | undefined => {
  if (config.kind !== 'github') return id;
  const [repo = '', number] = id.split('#');
  return repo.toLowerCase() === config.repo.toLowerCase() ? number : undefined;
};

export interface HelpdeskParts {
  readonly configs: readonly HelpdeskConfig[];
  readonly desk: TicketDesk;
  readonly tickets: TicketStore;
  readonly settings: SyncSettings;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Helpdesks {
  start(): void;
  /** A ticket of ours changed. */
  wake(): void;
  /** Undefined where no helpdesk is kept in step under that name. */
  noticeOf(
    from: string,
    name: string,
  ): ((ticketId: string, fields: Readonly<Record<string, string>>) => Promise<void>) | undefined;
  stop(): Promise<void>;
}

export const openHelpdesks = async ({ configs, desk, tickets, settings, clock, logger }: HelpdeskParts): Promise<Helpdesks> => {
  const opened = await Promise.all(
    configs.map(async (config) => {
      const { people, wins, create, import: imports, pollSeconds } = config;
      const connector = await openConnector(config, clock);
      const sync = createHelpdeskSync({
        connector,
        rules: {
          people: new Map(Object.entries(people).map(([here, there]) => [here, connector.accountOf?.(there) ?? there])),
          wins,
          creates: ({ team }) => (typeof create === 'string' ? create === 'all' : team !== null && create.includes(team)),
        },
        imports,
        pollMs: pollSeconds * 1_000,
        desk,
        store: tickets,
        settings,
        newMarker: randomUUID,
        clock,
        logger,
      });
      return { config, sync };
    }),
  );
  return {
    start: () => {
      for (const { sync } of opened) sync.start();
    },
    wake: () => {
      for (const { sync } of opened) sync.wake();
    },
    noticeOf: (from, name) => {
      const found = opened.find(({ config }) => systemOf(config) === `${from}:${name}`);
      if (found === undefined) return undefined;
      return async (ticketId, fields) => {
        const id = noticedId(found.config, ticketId);
        if (id !== undefined) await found.sync.notice(id, fields);
      };
    },
    stop: async () => {
      await Promise.all(opened.map(({ sync }) => sync.stop()));
    },
  };
};
