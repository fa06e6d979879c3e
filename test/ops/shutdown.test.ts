import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { createLogger } from '../../ops/log.ts';
import { installShutdown } from '../../ops/shutdown.ts';
import { createFakeClock } from '../fake-clock.ts';

const open = (drain: () => Promise<void>) => {
  const events = new EventEmitter();
  const clock = createFakeClock();
  const exits: number[] = [];
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', format: 'json', secrets: [], clock, write: (line) => lines.push(line) });
  const shutdown = installShutdown({ events, clock, logger, drain, drainTimeoutMs: 10_000, exit: (code) => exits.push(code) });
  return { events, clock, exits, shutdown, logged: () => lines.map((line) => (JSON.parse(line) as { event: string }).event) };
};

test('the first signal drains once and ends with 0', async () => {
  let drains = 0;
  const { events, clock, exits, shutdown, logged } = open(async () => {
    drains += 1;
  });
  events.emit('SIGTERM');
  shutdown.begin('again');
  await clock.advance(0);
  assert.equal(drains, 1);
  assert.deepEqual(exits, [0]);
  assert.equal(clock.pending(), 0);
  assert.deepEqual(logged(), ['shutdown_started', 'shutdown_finished']);
});

test('a second signal ends at once with its own code', async () => {
  const { events, exits, clock } = open(() => new Promise(() => {}));
  events.emit('SIGTERM');
  await clock.advance(100);
  assert.deepEqual(exits, []);
  events.emit('SIGINT');
  assert.deepEqual(exits, [130]);
});

test('a drain that takes too long or fails ends with 1', async () => {
  const slow = open(() => new Promise(() => {}));
  slow.events.emit('SIGINT');
  await slow.clock.advance(9_999);
  assert.deepEqual(slow.exits, []);
  await slow.clock.advance(1);
  assert.deepEqual(slow.exits, [1]);

  const failing = open(() => Promise.reject(new Error('store gone')));
  failing.events.emit('SIGTERM');
  await failing.clock.advance(0);
  assert.deepEqual(failing.exits, [1]);
});

test('an uncaught exception ends with 1 without draining', () => {
  let drains = 0;
  const { events, exits, logged } = open(async () => {
    drains += 1;
  });
  events.emit('uncaughtException', new Error('broken'));
  assert.deepEqual([exits, drains, logged()], [[1], 0, ['uncaught_exception']]);
});

test('an unhandled rejection is counted and the process goes on', () => {
  const { events, exits, shutdown, logged } = open(async () => {});
  events.emit('unhandledRejection', 'no error at all');
  events.emit('unhandledRejection', new Error('late'));
  assert.equal(shutdown.unhandledRejections(), 2);
  assert.deepEqual(exits, []);
  assert.deepEqual(logged(), ['unhandled_rejection', 'unhandled_rejection']);
});

test('after its end it leaves no listener', () => {
  const { events, shutdown } = open(async () => {});
  shutdown[Symbol.dispose]();
  assert.deepEqual(events.eventNames(), []);
});
