/** Triage on a store in memory, with a board that keeps what is posted and a reader that is told what to find. */
import { askerLanguageOf } from '../../agent/asker-language.ts';
import type { ReplyAddress } from '../../agent/conversation.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { BoardMessage, TicketBoard } from '../../agent/ports/ticket-board.ts';
import type { TicketCategory, TicketReader } from '../../agent/ports/ticket-reader.ts';
import type { PostTarget, TicketStore } from '../../agent/ports/ticket-store.ts';
import type { TicketReading } from '../../agent/ticket-reading.ts';
import { systemClock } from '../../ops/clock.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createCalendar, WEEKDAYS } from '../../triage/calendar.ts';
import type { Team } from '../../triage/team.ts';
import { createTriage, type Triage, type TriageOptions } from '../../triage/triage.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { BEN } from './tickets.ts';

export const ALWAYS = { timeZone: 'UTC', hours: Object.fromEntries(WEEKDAYS.map((day) => [day, ['00:00-24:00']])), holidays: [] };
export const CARLA = 'slack:U3';
export const ADMIN = 'slack:U9';

export const team = (name: string, over: Partial<Team> = {}): Team => ({
  name,
  channel: `slack:C${name.toUpperCase()}`,
  privateChannel: null,
  members: [BEN.id],
  calendar: createCalendar(ALWAYS),
  autoAssign: false,
  ...over,
});

const judged = <T>(value: T | null, confidence = 0.9) => ({ value, confidence, source: 'classifier' as const });

export const readingOf = (category: string | null, over: Partial<TicketReading> = {}): TicketReading => ({
  taxonomyId: 'x1',
  readAt: 0,
  outOfScope: judged(false),
  category: judged(category),
  candidates: category === null ? [] : [{ category, confidence: 0.9 }],
  impact: judged(null),
  urgency: judged(null),
  priority: judged('normal'),
  language: judged('en'),
  sentiment: judged('neutral'),
  product: judged(null),
  entities: [],
  missing: [],
  nearest: [],
  notes: [],
  ...over,
});

const category = (id: string, teamName: string | null): TicketCategory => ({
  id,
  name: id[0]?.toUpperCase() + id.slice(1),
  description: id,
  team: teamName,
  sensitive: false,
  required: [{ id: 'order', question: 'Which order is it?' }],
});

/** The system's clock, with posts to one place following each other after a thousandth of the time. */
export const hurriedClock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() * 1_000 };

/** A word of the text that is a category's id is its category. */
export const createFakeReader = (): TicketReader & { readonly texts: string[] } => {
  const categories = [category('refund', 'billing'), category('login', 'support'), category('other', null)];
  const texts: string[] = [];
  return {
    texts,
    taxonomyId: 'x1',
    categories,
    teams: ['billing', 'support'],
    products: [],
    read: async ({ text }) => {
      texts.push(text);
      const category = categories.find(({ id }) => text.includes(id))?.id ?? null;
      return readingOf(category, { language: judged(askerLanguageOf(text)) });
    },
    learn: async () => {},
    categoryOf: () => ({ state: 'none' }),
    close: async () => {},
  };
};

export interface BoardPost {
  readonly target: PostTarget;
  readonly key: string;
  message: BoardMessage;
  edits: number;
}

export interface FakeBoard extends TicketBoard {
  readonly posts: BoardPost[];
  /** Called before each post and edit; what it throws is what the platform does. `after` it, the platform has taken it. */
  fault: ((call: 'post' | 'update' | 'find', when: 'before' | 'after') => void) | undefined;
}

export const createFakeBoard = (): FakeBoard => {
  const posts: BoardPost[] = [];
  const board: FakeBoard = {
    channel: 'slack',
    posts,
    fault: undefined,
    post: async (target, message, key) => {
      board.fault?.('post', 'before');
      posts.push({ target, key, message, edits: 0 });
      board.fault?.('post', 'after');
      return { n: String(posts.length - 1) };
    },
    find: async (_target, key) => {
      board.fault?.('find', 'before');
      const n = posts.findIndex((post) => post.key === key);
      return n < 0 ? undefined : { n: String(n) };
    },
    update: async (_target, ref, message) => {
      board.fault?.('update', 'before');
      const post = posts[Number(ref['n'])];
      if (post !== undefined) Object.assign(post, { message, edits: post.edits + 1 });
      board.fault?.('update', 'after');
    },
  };
  return board;
};

/** One line a post: where it stands and what it says. */
export const linesOf = ({ posts }: FakeBoard): readonly string[] =>
  posts.map(({ target, message }) => {
    const where =
      target.kind === 'thread'
        ? `thread ${(target.address as ReplyAddress)['thread']}`
        : target.kind === 'channel'
          ? target.placeId
          : target.userId;
    return `${where}: ${message.kind === 'card' ? `[${message.card.title}]` : message.text}`;
  });

export interface TriageBench {
  readonly triage: Triage;
  readonly store: TicketStore;
  readonly clock: FakeClock;
  readonly board: FakeBoard;
  readonly reader: ReturnType<typeof createFakeReader>;
  /** Lets time pass and everything that is due then be done. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

export const openTriageBench = (over: Partial<TriageOptions> = {}): TriageBench => {
  const clock = over.clock === undefined ? createFakeClock() : (over.clock as FakeClock);
  const opened = over.store === undefined ? openSqliteStore({ folder: ':memory:', clock }) : undefined;
  const store = over.store ?? opened?.tickets;
  if (store === undefined) throw new Error('no store');
  const [board, reader] = [createFakeBoard(), createFakeReader()];
  const teams = new Map([team('billing'), team('support', { members: [CARLA] })].map((one) => [one.name, one]));
  const triage = createTriage({
    reader,
    teams,
    defaultTeam: 'support',
    rules: [],
    people: { isAdmin: (userId) => userId === ADMIN },
    calendar: ALWAYS,
    levels: {},
    burstMs: 120_000,
    followUpMs: null,
    closeMs: null,
    boards: [board],
    clock,
    logger: silentLogger,
    random: () => 0.5,
    ...over,
    store,
  });
  const { signal } = new AbortController();
  return {
    triage,
    store,
    clock,
    board,
    reader,
    pass: async (ms) => {
      await clock.advance(ms);
      await triage.settle(signal);
      // Places are written to once a second.
      for (let n = 0; n < 10 && (await store.listStalePosts(clock.now(), 1)).length > 0; n += 1) {
        await clock.advance(1_000);
        await triage.settle(signal);
      }
    },
    close: async () => opened?.close(),
  };
};

/** One team, `billing`, with its channel and members, in front of a real platform's board. */
export const createTeamTriage = (
  {
    store,
    board,
    channelId,
    members,
  }: {
    readonly store: TicketStore;
    readonly board: TicketBoard;
    readonly channelId: string;
    readonly members: readonly string[];
  },
  over: Partial<TriageOptions> = {},
): Triage =>
  createTriage({
    store,
    reader: createFakeReader(),
    teams: new Map([['billing', team('billing', { channel: channelId, members })]]),
    defaultTeam: 'billing',
    rules: [],
    people: { isAdmin: () => false },
    calendar: ALWAYS,
    levels: {},
    burstMs: 0,
    followUpMs: null,
    closeMs: null,
    boards: [board],
    clock: hurriedClock,
    logger: silentLogger,
    random: () => 0,
    ...over,
  });
