import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hasCode } from '../../agent/errors.ts';
import { reconnectDelayMs } from '../../bots/retry.ts';
import { createSlackChannel } from '../../bots/slack/slack.ts';
import { systemClock } from '../../ops/clock.ts';
import { buildRequest } from '../../simulator/slack/http-events.ts';
import { createFakeClock } from '../fake-clock.ts';
import { createMemoryLogger, pause, startHarness, until } from './slack-harness.ts';

/** Fails the test when a promise is rejected with nobody there to see it. */
const watchRejections = (): { readonly seen: unknown[] } & Disposable => {
  const seen: unknown[] = [];
  const onRejection = (reason: unknown): void => void seen.push(reason);
  process.on('unhandledRejection', onRejection);
  return { seen, [Symbol.dispose]: () => process.off('unhandledRejection', onRejection) };
};

describe('slack over socket mode', () => {
  test('two connections are kept, and each event goes over one of them', async () => {
    await using h = await startHarness({ mode: 'socket' });
    await until(() => h.channel.status().detail === 'Socket Mode, 2 of 2 connections', 'two sockets');
    assert.equal(h.channel.status().connected, true);
    for (let index = 0; index < 6; index += 1) h.slack.mention(h.room, h.asker, `question ${index}`);
    await h.slack.settle();
    assert.equal(h.gateway.accepted.length, 6);
    assert.deepEqual(new Set(h.slack.sockets.sent.map(({ socketId }) => socketId)).size, 2);
    assert.deepEqual(h.slack.sockets.strayFrames, []);
  });

  for (const reason of ['warning', 'refresh_requested'] as const) {
    test(`when Slack renews a connection (${reason}) the other receives, and two stand again`, async () => {
      await using h = await startHarness({ mode: 'socket', slack: { retryDelaysMs: [] } });
      await until(() => h.slack.sockets.count() === 2, 'two sockets');
      h.slack.sockets.disconnect(reason, 'oldest');
      for (let index = 0; index < 10; index += 1) {
        h.slack.mention(h.room, h.asker, `question ${index}`);
        await pause(20);
      }
      await h.slack.settle();
      assert.equal(h.gateway.accepted.length, 10);
      assert.equal(h.channel.status().connected, true);
      await until(() => h.slack.sockets.count() === 2, 'two sockets again');
    });
  }

  test('after all connections are cut the channel is red, comes back, and what was missed is sent again', async () => {
    await using h = await startHarness({ mode: 'socket', slack: { ackTimeoutMs: 700, retryDelaysMs: [0, 1000, 1000] } });
    await until(() => h.slack.sockets.count() === 2, 'two sockets');
    h.slack.sockets.drop();
    await until(() => !h.channel.status().connected, 'a red status');
    assert.match(h.channel.status().detail, /not connected: reconnecting/);
    h.slack.mention(h.room, h.asker, 'anyone?');
    await until(() => h.channel.status().connected, 'a green status');
    await h.slack.settle();
    assert.deepEqual(
      h.gateway.accepted.map(({ text }) => text),
      ['anyone?'],
    );
  });

  test('an acknowledgement that finds its connection gone is no end: Slack sends again and nothing is doubled', async () => {
    using rejections = watchRejections();
    await using h = await startHarness({
      mode: 'socket',
      slack: { events: ['app_mention'], ackTimeoutMs: 700, retryDelaysMs: [100, 700, 700] },
    });
    await until(() => h.slack.sockets.count() === 2, 'two sockets');
    h.gateway.beforeAccept = async () => {
      h.gateway.beforeAccept = () => Promise.resolve();
      h.slack.sockets.drop();
      await pause(50);
    };
    h.slack.mention(h.room, h.asker, 'hello?');
    await h.slack.settle();
    assert.equal(h.slack.deliveries[0]?.attempts.at(-1)?.outcome.acked, true);
    assert.ok((h.slack.deliveries[0]?.attempts.length ?? 0) > 1);
    assert.equal(h.gateway.accepted.length, 1);
    assert.deepEqual(rejections.seen, []);
  });

  test('app_rate_limited is acknowledged and logged, and ends nothing', async () => {
    using rejections = watchRejections();
    await using h = await startHarness({ mode: 'socket' });
    assert.equal((await h.slack.pushRateLimited().done).acked, true);
    h.slack.mention(h.room, h.asker, 'still there?');
    await h.slack.settle();
    assert.equal(h.gateway.accepted.length, 1);
    assert.ok(h.log.some(({ event }) => event === 'slack_events_dropped'));
    assert.deepEqual(rejections.seen, []);
  });

  test('frames that make no sense end nothing', async () => {
    using rejections = watchRejections();
    await using h = await startHarness({ mode: 'socket' });
    for (const frame of [
      '',
      '{',
      'null',
      '[]',
      '{"type":"events_api"}',
      '{"type":"events_api","payload":{"type":"app_rate_limited"}}',
      '{"type":"x"}',
    ]) {
      h.slack.sockets.sendRaw(frame);
    }
    h.slack.mention(h.room, h.asker, 'still there?');
    await h.slack.settle();
    await pause(20);
    assert.equal(h.gateway.accepted.length, 1);
    assert.deepEqual(rejections.seen, []);
  });

  test('a token that Slack refuses on reconnecting turns the status red; the channel goes on trying and recovers', async () => {
    using rejections = watchRejections();
    await using h = await startHarness({ mode: 'socket' });
    await until(() => h.slack.sockets.count() === 2, 'two sockets');
    h.slack.faults.add({ method: 'apps.connections.open', fault: { kind: 'error', error: 'invalid_auth' }, times: 2 });
    h.slack.sockets.drop();
    await until(() => h.channel.status().detail.includes('invalid_auth'), 'the reason');
    assert.equal(h.channel.status().connected, false);
    await until(() => h.channel.status().connected, 'a green status');
    assert.deepEqual(rejections.seen, []);
  });

  for (const fault of [
    { kind: 'status', status: 500 },
    { kind: 'status', status: 429, retryAfterS: 1 },
    { kind: 'drop', applied: false },
    { kind: 'html' },
  ] as const) {
    test(`a failing apps.connections.open (${fault.kind} ${'status' in fault ? fault.status : ''}) is tried again`, async () => {
      using rejections = watchRejections();
      await using h = await startHarness({
        mode: 'socket',
        beforeStart: (slack) => slack.faults.add({ method: 'apps.connections.open', fault, times: 2 }),
      });
      await until(() => h.slack.sockets.count() === 2, 'two sockets');
      assert.deepEqual(rejections.seen, []);
    });
  }

  test('a connection that is never greeted is given up', async () => {
    const clock = createFakeClock();
    await using h = await startHarness({
      mode: 'socket',
      clock,
      isStarted: false,
      beforeStart: (slack) => slack.sockets.greet(false),
    });
    const starting = h.channel.start(h.gateway);
    await until(() => h.slack.sockets.opened() === 1, 'a connection');
    await clock.advance(15_000);
    await starting;
    assert.equal(h.channel.status().connected, false);
    h.slack.sockets.greet(true);
    await until(() => {
      void clock.advance(1000);
      return h.channel.status().connected;
    }, 'a greeted connection');
  });

  test('connections that break at once are made anew ever more slowly, at most forty in five minutes', () => {
    const connectsIn = (totalMs: number): number => {
      let connects = 0;
      for (let at = 0; at < totalMs; connects += 1) at += 100 + reconnectDelayMs(connects + 1, () => 0);
      return connects;
    };
    assert.ok(2 * connectsIn(300_000) <= 40, String(2 * connectsIn(300_000)));
    assert.equal(
      reconnectDelayMs(0, () => 0),
      250,
    );
    assert.equal(
      reconnectDelayMs(0, () => 1),
      500,
    );
    assert.equal(
      reconnectDelayMs(50, () => 1),
      60_000,
    );
  });

  test('a refused token at the start is said with its mend', async () => {
    for (const [method, expected] of [
      ['auth.test', /SLACK_BOT_TOKEN.*invalid_auth.*OAuth & Permissions/],
      ['apps.connections.open', /SLACK_APP_TOKEN.*invalid_auth.*App-Level Tokens/],
    ] as const) {
      using rejections = watchRejections();
      await using h = await startHarness({ mode: 'socket', isStarted: false });
      h.slack.faults.add({ method, fault: { kind: 'error', error: 'invalid_auth' } });
      await assert.rejects(h.channel.start(h.gateway), (error) => hasCode(error, 'channel_auth') && expected.test(error.message));
      await pause(20);
      assert.deepEqual(rejections.seen, []);
    }
  });

  test('a Slack that is out of reach at the start holds nothing up; the channel connects when it answers', async () => {
    await using h = await startHarness({
      mode: 'socket',
      beforeStart: (slack) => slack.faults.add({ method: 'auth.test', fault: { kind: 'status', status: 503 }, times: 2 }),
    });
    assert.equal(h.channel.status().connected, false);
    assert.match(h.channel.status().detail, /auth\.test: http_503/);
    await until(() => h.channel.status().connected, 'a green status');
    h.slack.mention(h.room, h.asker, 'hello?');
    await h.slack.settle();
    assert.equal(h.gateway.accepted.length, 1);
  });

  test('an app token that is refused when Slack is back is tried again, and the channel can be stopped', async () => {
    await using h = await startHarness({
      mode: 'socket',
      beforeStart: (slack) => {
        slack.faults.add({ method: 'auth.test', fault: { kind: 'status', status: 503 }, times: 1 });
        slack.faults.add({ method: 'apps.connections.open', fault: { kind: 'error', error: 'invalid_auth' }, times: 1 });
      },
    });
    await until(() => h.channel.status().detail.includes('SLACK_APP_TOKEN'), 'the reason');
    await until(() => h.channel.status().connected, 'a green status');
    h.slack.mention(h.room, h.asker, 'hello?');
    await h.slack.settle();
    assert.equal(h.gateway.accepted.length, 1);
    await h.channel.stopIntake();
    await until(() => h.slack.sockets.count() === 0, 'no sockets');
  });

  test('after intake stopped nothing is taken in, and answers are still delivered', async () => {
    await using h = await startHarness({ mode: 'socket' });
    const root = h.slack.mention(h.room, h.asker, 'first');
    await h.slack.settle();
    await h.channel.stopIntake();
    await until(() => h.slack.sockets.count() === 0, 'no sockets');
    h.slack.mention(h.room, h.asker, 'second');
    await pause(100);
    assert.equal(h.gateway.accepted.length, 1);
    await h.channel.post({ channel: h.room, thread: root }, { text: 'answer', withFeedback: false }, 'turn-1:0');
    assert.equal(h.slack.messages(h.room, root)[1]?.text, 'answer');
  });

  test('no text of a person and no token is logged', async () => {
    await using h = await startHarness({ mode: 'socket' });
    h.slack.mention(h.room, h.asker, 'very-secret-words');
    h.slack.faults.add({ method: 'chat.postMessage', fault: { kind: 'status', status: 500 } });
    await h.slack.slash(h.room, h.asker, '/ask', 'very-secret-words');
    await h.slack.settle();
    const text = JSON.stringify(h.log, (_key, value: unknown) => (value instanceof Error ? `${value.message}` : value));
    assert.ok(!text.includes('very-secret-words'));
    assert.ok(!text.includes(h.slack.botToken) && !text.includes(h.slack.appToken));
  });
});

describe('slack over http', () => {
  const send = async (url: string, request: { readonly body: string; readonly headers: Readonly<Record<string, string>> }) => {
    const response = await fetch(url, { method: 'POST', ...request });
    return { status: response.status, text: await response.text() };
  };

  test('url_verification is answered with its challenge, a forged one is not', async () => {
    await using h = await startHarness({ mode: 'http' });
    const body = { type: 'url_verification', token: 'x', challenge: 'abc' };
    const timestampS = Math.floor(Date.now() / 1000);
    const good = buildRequest('events_api', body, { signingSecret: h.slack.signingSecret, timestampS });
    assert.deepEqual(await send(h.eventsUrl, good), { status: 200, text: '{"challenge":"abc"}' });
    const bad = buildRequest('events_api', body, { signingSecret: 'another', timestampS });
    assert.equal((await send(h.eventsUrl, bad)).status, 401);
    assert.equal((await send(h.eventsUrl, { body: good.body, headers: { 'content-type': 'application/json' } })).status, 401);
  });

  test('requests that are too old or from the future are refused, and a clock that is off is named', async () => {
    await using h = await startHarness({ mode: 'http' });
    const at = async (offsetS: number) => {
      const timestampS = Math.floor(Date.now() / 1000) + offsetS;
      const body = { type: 'url_verification', token: 'x', challenge: 'abc' };
      return (await send(h.eventsUrl, buildRequest('events_api', body, { signingSecret: h.slack.signingSecret, timestampS })))
        .status;
    };
    assert.deepEqual(
      [await at(-298), await at(-302), await at(298), await at(302), await at(100_000)],
      [200, 401, 200, 401, 401],
    );
    assert.equal(h.log.filter(({ event }) => event === 'slack_clock_skew').length, 5);
  });

  test('app_rate_limited is acknowledged at once', async () => {
    await using h = await startHarness({ mode: 'http' });
    const startedAt = performance.now();
    assert.equal((await h.slack.pushRateLimited().done).acked, true);
    assert.ok(performance.now() - startedAt < 1000);
    assert.ok(h.log.some(({ event }) => event === 'slack_events_dropped'));
  });

  test('what is no request of Slack’s is refused without harm', async () => {
    await using h = await startHarness({ mode: 'http' });
    assert.equal((await fetch(h.eventsUrl)).status, 404);
    const timestampS = Math.floor(Date.now() / 1000);
    const { headers } = buildRequest('events_api', {}, { signingSecret: h.slack.signingSecret, timestampS });
    assert.equal((await send(h.eventsUrl, { headers, body: '{' })).status, 401);
    assert.equal(
      (await send(h.eventsUrl, { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'ssl_check=1' })).status,
      200,
    );
  });

  test('before the app is known and after intake stopped Slack is told to come again', async () => {
    await using h = await startHarness({
      mode: 'http',
      slack: { events: ['app_mention'], retryDelaysMs: [600, 600] },
      beforeStart: (slack) => slack.faults.add({ method: 'auth.test', fault: { kind: 'status', status: 503 } }),
    });
    h.slack.mention(h.room, h.asker, 'early');
    await h.slack.settle();
    assert.deepEqual(h.slack.deliveries[0]?.attempts.map(({ outcome }) => outcome.acked).slice(0, 1), [false]);
    assert.equal(h.slack.deliveries[0]?.attempts.at(-1)?.outcome.acked, true);
    await h.channel.stopIntake();
    assert.deepEqual(h.channel.status(), { connected: false, detail: 'stopped' });
    h.slack.mention(h.room, h.asker, 'late');
    await h.slack.settle();
    assert.equal(
      h.slack.deliveries[1]?.attempts.every(({ outcome }) => !outcome.acked),
      true,
    );
    assert.deepEqual(
      h.gateway.accepted.map(({ text }) => text),
      ['early'],
    );
  });

  test('a store that takes longer than three seconds gets the event once more', async () => {
    using rejections = watchRejections();
    await using h = await startHarness({
      mode: 'http',
      slack: { events: ['app_mention'], ackTimeoutMs: 3500, retryDelaysMs: [0] },
    });
    h.gateway.beforeAccept = async () => {
      h.gateway.beforeAccept = () => Promise.resolve();
      await pause(3200);
    };
    h.slack.mention(h.room, h.asker, 'slow');
    await h.slack.settle();
    assert.deepEqual(
      h.slack.deliveries[0]?.attempts.map(({ outcome }) => outcome.acked),
      [false, true],
    );
    assert.equal(h.gateway.accepted.length, 1);
    await pause(300);
    assert.deepEqual(rejections.seen, []);
  });

  test('a half-configured channel is refused with the key that is missing', () => {
    for (const [mode, key] of [
      ['socket', /SLACK_APP_TOKEN/],
      ['http', /SLACK_SIGNING_SECRET/],
    ] as const) {
      assert.throws(
        () => createSlackChannel({ mode, botToken: 'xoxb-1', clock: systemClock, logger: createMemoryLogger() }),
        (error) => hasCode(error, 'config_invalid') && key.test(error.message),
      );
    }
  });
});
