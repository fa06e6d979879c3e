import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { guildJson, userJson } from './serialize.ts';
import type { World } from './world.ts';

/** The gateway, version 10: hello, identify, resume, heartbeats, replay, close codes. Uncompressed JSON. */

export const INTENT = {
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  guildPresences: 1 << 8,
  guildMessages: 1 << 9,
  guildMessageReactions: 1 << 10,
  guildMessageTyping: 1 << 11,
  directMessages: 1 << 12,
  directMessageReactions: 1 << 13,
  directMessageTyping: 1 << 14,
  messageContent: 1 << 15,
} as const;

const PRIVILEGED = INTENT.guildMembers | INTENT.guildPresences | INTENT.messageContent;
const KNOWN_INTENTS = (1 << 26) - 1;
const MAX_PAYLOAD_BYTES = 4096;
const MAX_SENDS = 120;
const SEND_WINDOW_MS = 60_000;
const IDENTIFY_WINDOW_MS = 5_000;
const REPLAY_LIMIT = 1_000;

const frame = z.object({ op: z.number().int(), d: z.unknown().optional() });
const identify = z.object({
  token: z.string(),
  properties: z.object({ os: z.string(), browser: z.string(), device: z.string() }),
  intents: z.number().int(),
  compress: z.boolean().optional(),
  shard: z.tuple([z.number().int(), z.number().int()]).optional(),
});
const resume = z.object({ token: z.string(), session_id: z.string(), seq: z.number().int() });

interface Session {
  readonly id: string;
  readonly intents: number;
  readonly events: { readonly s: number; readonly t: string; readonly d: unknown }[];
  seq: number;
  socket: WebSocket | null;
  resumable: boolean;
}

/** Which sessions get an event, and what of it. `undefined` leaves the session out. */
export type Audience = (intents: number) => unknown;

export interface GatewayOptions {
  readonly world: World;
  readonly token: string;
  readonly url: () => string;
  readonly heartbeatIntervalMs: number;
  /** Privileged intents switched on in the developer portal. */
  readonly allowedPrivileged: number;
  /** Something the real gateway would have closed the connection for, told to the tests. */
  readonly report: (problem: string) => void;
}

export interface SimGateway {
  readonly connections: number;
  /** Session starts left; `GET /gateway/bot` tells. */
  sessionStarts: { total: number; remaining: number; resetAfterMs: number };
  readonly identifies: number;
  readonly resumes: number;
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  dispatch(event: string, audience: Audience): void;
  /** Op 7. */
  requestReconnect(): void;
  /** Op 9. */
  invalidate(resumable: boolean): void;
  /** Op 1 from the server. */
  requestHeartbeat(): void;
  /** Closes every connection; sessions stay resumable unless the code forbids it. */
  closeAll(code: number): void;
  /** Cuts the TCP connections. */
  drop(): void;
  /** While true heartbeats get no answer. */
  mute(muted: boolean): void;
  /** The next op 6 is answered by op 9 `false`. */
  refuseNextResume(): void;
  /** While true no connection is taken. */
  refuseConnections(refused: boolean): void;
  close(): void;
}

/** Codes after which a session cannot be resumed: topics/opcodes-and-status-codes. */
const FINAL_CODES: ReadonlySet<number> = new Set([1000, 1001, 4003, 4004, 4007, 4009, 4010, 4011, 4012, 4013, 4014]);

export const createSimGateway = (options: GatewayOptions): SimGateway => {
  const { world } = options;
  const { clock } = world;
  const server = new WebSocketServer({ noServer: true });
  const sessions = new Map<string, Session>();
  const sockets = new Set<WebSocket>();
  const sessionStarts = { total: 1000, remaining: 1000, resetAfterMs: 86_400_000 };
  let lastIdentifyAt = Number.NEGATIVE_INFINITY;
  let muted = false;
  let refuseResume = false;
  let refused = false;
  let identifies = 0;
  let resumes = 0;

  const send = (socket: WebSocket, payload: object): void => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(payload));
  };
  const end = (socket: WebSocket, code: number): void => {
    for (const session of sessions.values()) {
      if (session.socket !== socket) continue;
      session.socket = null;
      if (FINAL_CODES.has(code)) session.resumable = false;
    }
    socket.close(code);
  };

  const push = (session: Session, t: string, d: unknown): void => {
    session.seq += 1;
    const event = { s: session.seq, t, d };
    session.events.push(event);
    if (session.events.length > REPLAY_LIMIT) session.events.shift();
    if (session.socket !== null) send(session.socket, { op: 0, ...event });
  };

  const onIdentify = (socket: WebSocket, data: unknown): void => {
    const parsed = identify.safeParse(data);
    if (!parsed.success) return end(socket, 4002);
    const { token, intents, shard } = parsed.data;
    if (token !== options.token) return end(socket, 4004);
    if (shard !== undefined && (shard[0] >= shard[1] || shard[0] < 0)) return end(socket, 4010);
    if (intents < 0 || intents > KNOWN_INTENTS) return end(socket, 4013);
    if ((intents & PRIVILEGED & ~options.allowedPrivileged) !== 0) return end(socket, 4014);
    if (sessionStarts.remaining <= 0) return end(socket, 4004);
    if (clock.monotonic() - lastIdentifyAt < IDENTIFY_WINDOW_MS * 0.9) {
      options.report('a second identify within 5 s at max_concurrency 1');
      return send(socket, { op: 9, d: false });
    }
    lastIdentifyAt = clock.monotonic();
    sessionStarts.remaining -= 1;
    identifies += 1;
    const session: Session = { id: randomUUID().replaceAll('-', ''), intents, events: [], seq: 0, socket, resumable: true };
    sessions.set(session.id, session);
    const guilds = [...world.guilds.values()].filter((guild) => guild.memberIds.has(world.botId));
    push(session, 'READY', {
      v: 10,
      user: { ...userJson(world.user(world.botId)), mfa_enabled: false, verified: true, email: null },
      guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: `${options.url()}/resume`,
      session_type: 'normal',
      private_channels: [],
      relationships: [],
      shard: shard ?? [0, 1],
      application: { id: world.applicationId, flags: 0 },
    });
    if ((intents & INTENT.guilds) !== 0) for (const guild of guilds) push(session, 'GUILD_CREATE', guildJson(world, guild));
  };

  const onResume = (socket: WebSocket, data: unknown): void => {
    const parsed = resume.safeParse(data);
    if (!parsed.success) return end(socket, 4002);
    if (parsed.data.token !== options.token) return end(socket, 4004);
    const session = sessions.get(parsed.data.session_id);
    const first = session?.events[0]?.s ?? 1;
    if (refuseResume || session === undefined || !session.resumable || parsed.data.seq + 1 < first) {
      refuseResume = false;
      return send(socket, { op: 9, d: false });
    }
    if (parsed.data.seq > session.seq) return end(socket, 4007);
    resumes += 1;
    session.socket?.terminate();
    session.socket = socket;
    for (const event of session.events) if (event.s > parsed.data.seq) send(socket, { op: 0, ...event });
    push(session, 'RESUMED', {});
  };

  server.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    const query = new URL(request.url ?? '/', 'http://localhost').searchParams;
    if (query.get('v') !== '10') return socket.close(4012);
    if (query.get('encoding') !== 'json') return socket.close(4002);
    sockets.add(socket);
    let known = false;
    const sentAt: number[] = [];
    let cancelTimeout = (): void => {};
    const expectHeartbeat = (): void => {
      cancelTimeout();
      // Discord gives a client some slack before it calls the connection dead.
      cancelTimeout = clock.after(options.heartbeatIntervalMs * 2, () => end(socket, 4009));
    };
    expectHeartbeat();
    send(socket, { op: 10, d: { heartbeat_interval: options.heartbeatIntervalMs, _trace: [] } });
    socket.on('message', (raw: Buffer) => {
      const now = clock.monotonic();
      while (sentAt[0] !== undefined && now - sentAt[0] > SEND_WINDOW_MS) sentAt.shift();
      if (sentAt.push(now) > MAX_SENDS) return end(socket, 4008);
      if (raw.length > MAX_PAYLOAD_BYTES) return end(socket, 4002);
      let data: unknown;
      try {
        data = JSON.parse(raw.toString('utf8'));
      } catch {
        return end(socket, 4002);
      }
      const parsed = frame.safeParse(data);
      if (!parsed.success) return end(socket, 4002);
      const { op, d } = parsed.data;
      if (op === 1) {
        expectHeartbeat();
        if (!muted) send(socket, { op: 11 });
        return;
      }
      if (op === 2) {
        if (known) return end(socket, 4005);
        known = true;
        return onIdentify(socket, d);
      }
      if (op === 6) {
        if (known) return end(socket, 4005);
        known = true;
        return onResume(socket, d);
      }
      if (!known) return end(socket, 4003);
      // Presence, voice state, member requests: allowed, and nothing for a chat assistant.
      if (op !== 3 && op !== 4 && op !== 8 && op !== 31) return end(socket, 4001);
    });
    socket.on('close', (code) => {
      cancelTimeout();
      sockets.delete(socket);
      for (const session of sessions.values()) {
        if (session.socket !== socket) continue;
        session.socket = null;
        if (code === 1000 || code === 1001) session.resumable = false;
      }
    });
  });

  const live = (): Session[] => [...sessions.values()].filter((session) => session.socket !== null);

  return {
    get connections() {
      return sockets.size;
    },
    sessionStarts,
    get identifies() {
      return identifies;
    },
    get resumes() {
      return resumes;
    },
    handleUpgrade(request, socket, head) {
      if (refused) {
        socket.destroy();
        return;
      }
      server.handleUpgrade(request, socket, head, (upgraded) => server.emit('connection', upgraded, request));
    },
    dispatch(event, audience) {
      for (const session of sessions.values()) {
        if (!session.resumable) continue;
        const d = audience(session.intents);
        if (d !== undefined) push(session, event, d);
      }
    },
    requestReconnect() {
      for (const { socket } of live()) if (socket !== null) send(socket, { op: 7, d: null });
    },
    invalidate(resumable) {
      for (const session of live()) {
        if (!resumable) session.resumable = false;
        if (session.socket !== null) send(session.socket, { op: 9, d: resumable });
      }
    },
    requestHeartbeat() {
      for (const { socket } of live()) if (socket !== null) send(socket, { op: 1, d: null });
    },
    closeAll(code) {
      for (const socket of sockets) end(socket, code);
    },
    drop() {
      for (const socket of sockets) socket.terminate();
    },
    mute(value) {
      muted = value;
    },
    refuseNextResume() {
      refuseResume = true;
    },
    refuseConnections(value) {
      refused = value;
    },
    close() {
      for (const socket of sockets) socket.terminate();
      server.close();
    },
  };
};
