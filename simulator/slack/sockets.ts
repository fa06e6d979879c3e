/**
 * Socket Mode: single-use tickets, hello, pings both ways, up to ten sockets of which each envelope goes to exactly one.
 * https://docs.slack.dev/apis/events-api/using-socket-mode
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { JsonObject, JsonValue } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { AttemptOutcome, Transport } from './delivery.ts';

export const SOCKET_PATH = '/link/';
const MAX_SOCKETS = 10;
const PING_EVERY_MS = 10_000;

export interface SentEnvelope {
  readonly envelope: JsonObject;
  readonly socketId: number;
}

export interface Sockets {
  /** Makes an address that opens one socket, once. */
  openTicket(): string;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  readonly transport: Transport;
  readonly sent: readonly SentEnvelope[];
  /** Everything the clients sent that was no acknowledgement of something open. */
  readonly strayFrames: readonly string[];
  count(): number;
  /** How many sockets were opened since the start. */
  opened(): number;
  /** Says `disconnect` to every socket, or to the oldest alone. */
  disconnect(reason: 'warning' | 'refresh_requested' | 'link_disabled', which?: 'all' | 'oldest'): void;
  /** Cuts every connection, or the oldest alone, without a word. */
  drop(which?: 'all' | 'oldest'): void;
  /** Raw text to every socket. */
  sendRaw(text: string): void;
  answerPings(does: boolean): void;
  /** Whether a new socket is greeted. */
  greet(does: boolean): void;
  close(): void;
}

export interface SocketOptions {
  readonly clock: Clock;
  readonly baseUrl: () => string;
  readonly appId: string;
  /** How long the app may take to acknowledge an envelope. */
  readonly ackTimeoutMs: number;
}

export const createSockets = ({ clock, baseUrl, appId, ackTimeoutMs }: SocketOptions): Sockets => {
  const server = new WebSocketServer({ noServer: true, autoPong: false });
  const tickets = new Set<string>();
  const ready = new Map<number, WebSocket>();
  const all = new Set<WebSocket>();
  const sent: SentEnvelope[] = [];
  const strayFrames: string[] = [];
  const waiting = new Map<string, (outcome: AttemptOutcome) => void>();
  const waitingFor = new Map<string, number>();
  const joinWaiters = new Set<() => void>();
  let opened = 0;
  let turn = 0;
  let pongs = true;
  let greets = true;

  const sendJson = (socket: WebSocket, frame: JsonObject): void => socket.send(JSON.stringify(frame));

  const onFrame = (text: string): void => {
    const frame = JSON.parse(text) as { envelope_id?: string; payload?: JsonValue };
    const settle = frame.envelope_id === undefined ? undefined : waiting.get(frame.envelope_id);
    if (settle === undefined) strayFrames.push(text);
    else settle({ acked: true, response: frame.payload });
  };

  const join = (socket: WebSocket): void => {
    const id = ++opened;
    all.add(socket);
    if (all.size > MAX_SOCKETS) {
      sendJson(socket, { type: 'disconnect', reason: 'too_many_websockets', debug_info: { host: 'simulated' } });
      socket.close();
      all.delete(socket);
      return;
    }
    const ping = (): void => {
      if (socket.readyState !== socket.OPEN) return;
      socket.ping();
      stopPing = clock.after(PING_EVERY_MS, ping);
    };
    let stopPing = clock.after(PING_EVERY_MS, ping);
    socket.on('ping', (data) => {
      if (pongs) socket.pong(data);
    });
    socket.on('message', (data) => onFrame(String(data)));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      stopPing();
      all.delete(socket);
      ready.delete(id);
      for (const [envelopeId, socketId] of waitingFor) {
        if (socketId === id) waiting.get(envelopeId)?.({ acked: false, reason: 'timeout' });
      }
    });
    if (!greets) return;
    sendJson(socket, {
      type: 'hello',
      num_connections: all.size,
      connection_info: { app_id: appId },
      debug_info: { host: 'simulated', build_number: 1, approximate_connection_time: 18_060 },
    });
    ready.set(id, socket);
    for (const wake of joinWaiters) wake();
  };

  const openSockets = () => [...ready].filter(([, socket]) => socket.readyState === socket.OPEN);

  const nextSocket = (): readonly [number, WebSocket] | undefined => {
    const open = openSockets();
    return open.length === 0 ? undefined : open[turn++ % open.length];
  };

  const waitForSocket = (): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        stop();
        joinWaiters.delete(wake);
        resolve();
      };
      const stop = clock.after(ackTimeoutMs, wake);
      joinWaiters.add(wake);
    });

  const transport: Transport = async (kind, body, retry) => {
    if (openSockets().length === 0) await waitForSocket();
    const target = nextSocket();
    if (target === undefined) return { acked: false, reason: 'timeout' };
    const [socketId, socket] = target;
    const envelopeId = randomUUID();
    const envelope: JsonObject = {
      envelope_id: envelopeId,
      type: kind,
      accepts_response_payload: kind !== 'events_api',
      payload: body,
      ...(retry === undefined ? {} : { retry_attempt: retry.num, retry_reason: retry.reason }),
    };
    return await new Promise<AttemptOutcome>((resolve) => {
      const settle = (outcome: AttemptOutcome): void => {
        stop();
        waiting.delete(envelopeId);
        waitingFor.delete(envelopeId);
        resolve(outcome);
      };
      const stop = clock.after(ackTimeoutMs, () => settle({ acked: false, reason: 'timeout' }));
      waiting.set(envelopeId, settle);
      waitingFor.set(envelopeId, socketId);
      sent.push({ envelope, socketId });
      sendJson(socket, envelope);
    });
  };

  const chosen = (which: 'all' | 'oldest'): readonly WebSocket[] => (which === 'all' ? [...all] : [...all].slice(0, 1));

  return {
    openTicket: () => {
      const ticket = randomUUID();
      tickets.add(ticket);
      return `${baseUrl().replace('http:', 'ws:')}${SOCKET_PATH}?ticket=${ticket}&app_id=${appId}`;
    },
    upgrade: (request, socket, head) => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      if (url.pathname !== SOCKET_PATH || !tickets.delete(url.searchParams.get('ticket') ?? '')) {
        socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
        return;
      }
      server.handleUpgrade(request, socket, head, join);
    },
    transport,
    sent,
    strayFrames,
    count: () => ready.size,
    opened: () => opened,
    disconnect: (reason, which = 'all') => {
      for (const socket of chosen(which)) {
        for (const [id, other] of ready) if (other === socket) ready.delete(id);
        sendJson(socket, { type: 'disconnect', reason, debug_info: { host: 'simulated' } });
      }
    },
    drop: (which = 'all') => {
      for (const socket of chosen(which)) socket.terminate();
    },
    sendRaw: (text) => {
      for (const socket of all) socket.send(text);
    },
    answerPings: (does) => {
      pongs = does;
    },
    greet: (does) => {
      greets = does;
    },
    close: () => {
      for (const socket of all) socket.terminate();
      server.close();
    },
  };
};
