import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import type { JsonValue } from '../../agent/json.ts';
import { createStreams } from '../../bots/web/streams.ts';
import { createFakeClock } from '../fake-clock.ts';

test('a reader whose state comes after the streams were closed is left alone', async () => {
  const clock = createFakeClock();
  const streams = createStreams({ clock, bootId: 'b' });
  const state = Promise.withResolvers<JsonValue>();
  const failures: unknown[] = [];
  const opened = Promise.withResolvers<{ readonly end: Promise<void> }>();
  const server = createServer((_request, response) => {
    response.on('error', (error) => failures.push(error));
    opened.resolve({ end: streams.open('t1', undefined, response, () => state.promise) });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const body = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`).then((response) => response.text());
  const { end } = await opened.promise;
  streams.closeAll();
  streams.publish('t1', { type: 'turn', subject: 'x', data: () => ({}) });
  state.resolve({ turns: [] });
  await end;
  assert.equal(await body, 'retry: 1000\n\n');
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(failures, []);
  assert.equal(clock.pending(), 0, 'a timer was left behind');
  server.close();
});
