import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { until } from '../bots/slack-harness.ts';
import { createFakeClock } from '../fake-clock.ts';
import { clientOf, closing, startBoltOverSocket, startSlack } from './slack-bench.ts';

/** A socket of our own that keeps its frames and acknowledges when it is told to. */
const openSocket = async (url: string, { doesAck = true } = {}) => {
  const socket = new WebSocket(url);
  const frames: {
    type?: string;
    envelope_id?: string;
    reason?: string;
    retry_attempt?: number;
    retry_reason?: string;
    payload?: unknown;
  }[] = [];
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data)) as (typeof frames)[number];
    frames.push(frame);
    if (doesAck && frame.envelope_id !== undefined) socket.send(JSON.stringify({ envelope_id: frame.envelope_id, payload: {} }));
  });
  await once(socket, 'message');
  return { socket, frames };
};

const mention = { type: 'app_mention', user: 'U1', text: 'x', ts: '1.1', channel: 'C1', event_ts: '1.1' };

describe('socket mode of the simulated slack', () => {
  test('a ticket opens one socket, once, which is greeted', async () => {
    const slack = await startSlack();
    await using _ = closing(slack);
    const { url = '' } = await clientOf(slack, {}, slack.appToken).apps.connections.open();
    const { frames } = await openSocket(url);
    assert.deepEqual([frames[0]?.type, slack.sockets.count()], ['hello', 1]);
    assert.deepEqual(Object.keys(frames[0] ?? {}).sort(), ['connection_info', 'debug_info', 'num_connections', 'type']);
    for (const again of [url, url.replace(/ticket=[^&]+/, 'ticket=made-up')]) {
      const [error] = (await once(new WebSocket(again), 'error')) as [Error];
      assert.match(error.message, /403/);
    }
  });

  test('each envelope goes to exactly one of the sockets', async () => {
    const slack = await startSlack();
    await using _ = closing(slack);
    const sockets = [
      await openSocket(slack.sockets.openTicket()),
      await openSocket(slack.sockets.openTicket()),
      await openSocket(slack.sockets.openTicket()),
    ];
    await Promise.all(Array.from({ length: 9 }, () => slack.pushEvent(mention).done));
    assert.deepEqual(
      sockets.map(({ frames }) => frames.filter(({ type }) => type === 'events_api').length),
      [3, 3, 3],
    );
  });

  test('an eleventh socket is told that there are too many', async () => {
    const slack = await startSlack();
    await using _ = closing(slack);
    for (let index = 0; index < 10; index += 1) await openSocket(slack.sockets.openTicket());
    const { frames } = await openSocket(slack.sockets.openTicket());
    assert.deepEqual([frames[0]?.type, frames[0]?.reason, slack.sockets.count()], ['disconnect', 'too_many_websockets', 10]);
  });

  test('what is not acknowledged in time is sent again with its number and reason', async () => {
    const clock = createFakeClock();
    const slack = await startSlack({ clock });
    await using _ = closing(slack);
    const { frames } = await openSocket(slack.sockets.openTicket(), { doesAck: false });
    const delivery = slack.pushEvent(mention);
    let isDone = false;
    void delivery.done.then(() => {
      isDone = true;
    });
    for (let step = 0; step < 1000 && !isDone; step += 1) {
      await clock.advance(1000);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.deepEqual(
      frames.filter(({ type }) => type === 'events_api').map(({ retry_attempt, retry_reason }) => [retry_attempt, retry_reason]),
      [
        [undefined, undefined],
        [1, 'timeout'],
        [2, 'timeout'],
        [3, 'timeout'],
      ],
    );
    assert.equal((await delivery.done).acked, false);
  });

  test('a socket that closes gives its open envelope to another', async () => {
    const slack = await startSlack({ retryDelaysMs: [0] });
    await using _ = closing(slack);
    const first = await openSocket(slack.sockets.openTicket(), { doesAck: false });
    const delivery = slack.pushEvent(mention);
    await until(() => first.frames.some(({ type }) => type === 'events_api'), 'the envelope');
    const second = await openSocket(slack.sockets.openTicket());
    first.socket.terminate();
    assert.equal((await delivery.done).acked, true);
    assert.deepEqual(
      second.frames.map(({ type, retry_attempt }) => [type, retry_attempt]),
      [
        ['hello', undefined],
        ['events_api', 1],
      ],
    );
  });

  test('an acknowledgement of nothing is kept as stray', async () => {
    const slack = await startSlack();
    await using _ = closing(slack);
    const { socket } = await openSocket(slack.sockets.openTicket());
    socket.send('{"envelope_id":"made-up"}');
    await until(() => slack.sockets.strayFrames.length === 1, 'the stray frame');
  });
});

describe('what bolt does over socket mode', () => {
  test('it acknowledges an event before its listener has run, and answers commands in the acknowledgement', async () => {
    const slack = await startSlack();
    await using _ = closing(slack);
    let finished = 0;
    await using _bolt = await startBoltOverSocket(slack, (app) => {
      app.event('app_mention', async () => {
        await new Promise((resolve) => setTimeout(resolve, 200));
        finished += 1;
      });
      app.command('/ask', async ({ ack }) => ack({ response_type: 'ephemeral', text: 'noted' }));
    });
    assert.equal((await slack.pushEvent(mention).done).acked, true);
    assert.equal(finished, 0);
    assert.equal((await slack.slash(slack.addChannel().id, slack.addUser().id, '/ask', 'x')).text, 'noted');
    assert.deepEqual(slack.sockets.strayFrames, []);
    await new Promise((resolve) => setTimeout(resolve, 220));
  });

  for (const reason of ['warning', 'refresh_requested', 'link_disabled'] as const) {
    test(`told to disconnect (${reason}) it is away for the length of its ping timeout`, async () => {
      const slack = await startSlack();
      await using _ = closing(slack);
      await using _bolt = await startBoltOverSocket(slack, undefined, { clientPingTimeout: 400 });
      const startedAt = performance.now();
      slack.sockets.disconnect(reason);
      await until(() => slack.sockets.opened() === 2, 'the second connection');
      assert.ok(performance.now() - startedAt >= 390);
      assert.equal((await slack.pushEvent(mention).done).acked, true);
    });
  }

  test('when pings are not answered it makes a new connection', async () => {
    const slack = await startSlack();
    await using _ = closing(slack);
    await using _bolt = await startBoltOverSocket(slack, undefined, { clientPingTimeout: 150 });
    slack.sockets.answerPings(false);
    await until(() => slack.sockets.count() === 0, 'the end of the first');
    slack.sockets.answerPings(true);
    await until(() => slack.sockets.opened() >= 2, 'a new connection');
    await until(() => slack.sockets.count() >= 1, 'a socket that holds');
    assert.equal((await slack.pushEvent(mention).done).acked, true);
  });

  test('a failing apps.connections.open is tried again with growing waits', async () => {
    const slack = await startSlack();
    await using _ = closing(slack);
    slack.faults.add({ method: 'apps.connections.open', fault: { kind: 'status', status: 500 }, times: 2 });
    await using _bolt = await startBoltOverSocket(slack);
    const [first, second, third] = slack.calls.filter(({ method }) => method === 'apps.connections.open').map(({ at }) => at);
    const waits = [(second ?? 0) - (first ?? 0), (third ?? 0) - (second ?? 0)];
    assert.ok((waits[0] ?? 0) > 900 && (waits[1] ?? 0) > 1200, String(waits));
  });

  /** How a process ends that runs Bolt alone, after something was done to it. */
  const runChild = async (slack: Awaited<ReturnType<typeof startSlack>>, then: () => void): Promise<number | null> => {
    const script = `
      const { App, SocketModeReceiver } = await import('@slack/bolt');
      const quiet = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, getLevel() { return 'error'; }, setName() {} };
      const clientOptions = { slackApiUrl: ${JSON.stringify(slack.apiUrl)} };
      const receiver = new SocketModeReceiver({ appToken: ${JSON.stringify(slack.appToken)}, logger: quiet, clientPingTimeout: 200, installerOptions: { clientOptions } });
      const app = new App({ token: ${JSON.stringify(slack.botToken)}, receiver, clientOptions, logger: quiet });
      await app.start();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
    const ended = once(child, 'exit') as Promise<[number | null]>;
    await until(() => slack.sockets.count() === 1, 'the child to connect', 10_000);
    then();
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
    const [code] = await ended;
    clearTimeout(timer);
    return code;
  };

  test('app_rate_limited ends its process', async () => {
    const slack = await startSlack({ retryDelaysMs: [] });
    await using _ = closing(slack);
    assert.equal(await runChild(slack, () => void slack.pushRateLimited()), 1);
  });

  test('invalid_auth at a reconnect ends its process', async () => {
    const slack = await startSlack();
    await using _ = closing(slack);
    const code = await runChild(slack, () => {
      slack.faults.add({ method: 'apps.connections.open', fault: { kind: 'error', error: 'invalid_auth' } });
      slack.sockets.disconnect('refresh_requested');
    });
    assert.equal(code, 1);
  });
});
