/**
 * One life of a process that is connected to a platform and takes tickets: the product's store, triage and channel, with a reader that
 * is played. It dies where it is told to, by `die`: in a process of its own by SIGKILL, in this one by never coming back.
 */
import type { Channel } from '../../agent/ports/channel.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { TicketBoard } from '../../agent/ports/ticket-board.ts';
import type { TicketDesk } from '../../agent/ports/ticket-desk.ts';
import type { TicketChangeKind } from '../../agent/ticket.ts';
import { createDiscordChannel } from '../../bots/discord/discord.ts';
import { createSlackChannel } from '../../bots/slack/slack.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createTriage } from '../../triage/triage.ts';
import { createFakeGateway } from '../bots/discord-kit.ts';
import { ALWAYS, createFakeReader, team } from '../fakes/triage-bench.ts';
import { type AtBoundary, mortalBoard, mortalStore } from './mortal-triage.ts';

export interface TicketLifeOptions {
  readonly platform: 'slack' | 'discord';
  readonly connection: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Place ids. */
  readonly teamChannel: string;
  readonly ticketChannels: readonly string[];
  readonly helperId: string;
  /** How far this life's clock is ahead, so that what the life before had under way is over without a wait. */
  readonly shiftMs: number;
}

/** What must have happened to the first ticket before a life has nothing more to do. */
export type Wanted = readonly TicketChangeKind[];

export interface TicketLife {
  /** Resolves when all that is wanted is there and nothing is left to do. */
  untilDone(wanted: Wanted): Promise<void>;
  close(): Promise<void>;
  /** Of one that died: its connection ends, as that of a process that is no more. */
  cut(): Promise<void>;
}

/** So many times as fast do waits of triage pass: one second lies between two messages in one place. */
const PACE = 40;
/** Who waits for what a dead life has under way waits for ever. */
const CUT_MS = 200;
const POLL_MS = 15;
const STILL = 3;
const MAX_POLLS = 2_000;

const paced = (clock: Clock, shiftMs: number): Clock => {
  const startedAt = clock.monotonic();
  const elapsed = (): number => (clock.monotonic() - startedAt) * PACE;
  return {
    now: () => Math.round(clock.now() + shiftMs + elapsed()),
    monotonic: elapsed,
    after: (ms, run) => clock.after(ms / PACE, run),
    sleep: (ms, signal) => clock.sleep(ms / PACE, signal),
  };
};

/** A clock whose timers go with the life that set them. */
const mortal = (clock: Clock): { readonly clock: Clock; readonly end: () => void } => {
  const stops = new Set<() => void>();
  let isOver = false;
  const after: Clock['after'] = (ms, run) => {
    if (isOver) return () => {};
    const cancel = clock.after(ms, () => {
      stops.delete(stop);
      run();
    });
    const stop = (): void => {
      stops.delete(stop);
      cancel();
    };
    stops.add(stop);
    return stop;
  };
  const sleep: Clock['sleep'] = (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = (): void => {
        stop();
        reject(signal?.reason as Error);
      };
      const stop = after(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  return {
    clock: { ...clock, after, sleep },
    end: () => {
      isOver = true;
      for (const stop of stops) stop();
    },
  };
};

type BoardedChannel = Channel & { readonly board: TicketBoard };

const openChannel = (
  { platform, connection, ticketChannels }: TicketLifeOptions,
  store: ReturnType<typeof openSqliteStore>['store'],
  desk: () => TicketDesk,
  at: AtBoundary,
  clock: Clock,
): BoardedChannel => {
  const tickets = { desk, emoji: 'ticket', channels: new Set(ticketChannels) };
  const shared = { clock, logger: silentLogger, editIntervalMs: 0, tickets };
  const { botToken = '', appToken, apiUrl = '', token = '' } = connection;
  if (platform === 'slack') return createSlackChannel({ ...shared, botToken, appToken, apiUrl, mode: 'socket' });
  return createDiscordChannel({
    ...shared,
    token,
    apiUrl,
    messageContent: true,
    cursor: {
      read: async () => ((await store.readSetting('discord', 'cursor')) ?? {}) as Readonly<Record<string, string>>,
      write: async (lastMessageIds) => {
        await at('before cursor');
        await store.writeSetting('discord', 'cursor', lastMessageIds);
        await at('after cursor');
      },
    },
  });
};

export const openTicketLife = async (options: TicketLifeOptions, at: AtBoundary, clock: Clock): Promise<TicketLife> => {
  const { folder, platform, teamChannel, helperId, shiftMs } = options;
  const [forTriage, forChannel] = [mortal(paced(clock, shiftMs)), mortal(clock)];
  const own = forTriage.clock;
  const opened = openSqliteStore({ folder, clock: own });
  const store = mortalStore(opened.tickets, at);
  const channel = openChannel(options, opened.store, () => triage.desk, at, forChannel.clock);
  const underWay = new Set<Promise<unknown>>();
  const triage = createTriage({
    store,
    reader: createFakeReader(),
    teams: new Map([['billing', team('billing', { channel: teamChannel, members: [helperId] })]]),
    defaultTeam: 'billing',
    rules: [],
    people: { isAdmin: () => false },
    calendar: ALWAYS,
    levels: {},
    burstMs: 120_000,
    followUpMs: null,
    closeMs: null,
    writeDraft: async () => ({ id: 'd1', text: 'It takes five days.', citations: [], confidence: 0.5, language: 'en' }),
    boards: [mortalBoard(channel.board, at, (call) => void underWay.add(call))],
    clock: own,
    logger: silentLogger,
    random: () => 0,
  });
  await channel.start(Object.assign(createFakeGateway(), { name: platform }));
  triage.start();

  /** In words; undefined for nothing. */
  const missing = async (wanted: Wanted): Promise<string | undefined> => {
    const kinds = (await opened.tickets.readEvents('T1')).map(({ change }) => change.kind);
    if (!wanted.every((kind) => kinds.includes(kind))) return `expected ${wanted.join(', ')} among ${kinds.join(', ')}`;
    const [post] = await opened.tickets.listStalePosts(Number.MAX_SAFE_INTEGER, 1);
    if (post !== undefined) return `${post.slot} is ${post.state}, shows ${post.shownVersion}, failed ${post.failures} times`;
    const [due] = await opened.tickets.listDue(own.now(), 1);
    return due === undefined ? undefined : `${due.id} is due`;
  };

  return {
    untilDone: async (wanted) => {
      let lack: string | undefined = 'nothing was looked at';
      for (let still = 0, tries = 0; still < STILL; still = lack === undefined ? still + 1 : 0, tries += 1) {
        if (tries > MAX_POLLS) throw new Error(`waited in vain: ${lack ?? 'it goes on and on'}`);
        await clock.sleep(POLL_MS);
        lack = await missing(wanted);
      }
    },
    close: async () => {
      await triage.stop();
      await channel.close();
      await opened.close();
    },
    cut: async () => {
      // What has left arrives; a real one is given ten seconds for that.
      await Promise.allSettled(underWay);
      await Promise.race([channel.close(), clock.sleep(CUT_MS)]);
      forTriage.end();
      forChannel.end();
    },
  };
};
