import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { isValidSlackRequest } from '@slack/bolt';
import type { JsonObject } from '../../agent/json.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import { buildRequest } from '../../simulator/slack/http-events.ts';
import { createFakeClock } from '../fake-clock.ts';
import { closing, startBoltOverHttp, startSlack } from './slack-bench.ts';

/** An endpoint that answers as the test says and keeps what it got. */
const startEndpoint = async (answer: (count: number) => { status: number; headers?: Record<string, string> } | 'never') => {
  const got: { readonly headers: Record<string, unknown>; readonly body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += String(chunk);
    });
    request.on('end', () => {
      got.push({ headers: request.headers, body });
      const reply = answer(got.length);
      if (reply === 'never') return;
      response.writeHead(reply.status, reply.headers);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    got,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

const eventOf = (body: JsonObject): JsonObject => body['event'] as JsonObject;

/** The workspace's events as they were sent, without an app. */
const watch = async (options: Parameters<typeof startSlack>[0] = {}) => {
  const endpoint = await startEndpoint(() => ({ status: 200 }));
  const slack = await startSlack(options);
  slack.useHttp(endpoint.url);
  const person = slack.addUser().id;
  const room = slack.addChannel({ members: [slack.botUserId, person] }).id;
  return {
    slack,
    person,
    room,
    events: () => slack.deliveries.map(({ body }) => eventOf(body)),
    kinds: () => slack.deliveries.map(({ body }) => [eventOf(body)['type'], eventOf(body)['subtype']]),
    [Symbol.asyncDispose]: async () => {
      await slack.close();
      await endpoint[Symbol.asyncDispose]();
    },
  };
};

describe('events of the simulated slack', () => {
  test('a mention is announced as a message and as a mention, with one ts, in an envelope that names the workspace', async () => {
    await using w = await watch();
    const ts = w.slack.mention(w.room, w.person, 'hi');
    assert.deepEqual(w.kinds(), [
      ['message', undefined],
      ['app_mention', undefined],
    ]);
    for (const event of w.events()) assert.deepEqual([event['ts'], event['channel'], event['user']], [ts, w.room, w.person]);
    const { event: _event, authorizations, ...envelope } = w.slack.deliveries[0]?.body ?? assert.fail();
    assert.deepEqual(Object.keys(envelope).sort(), [
      'api_app_id',
      'event_id',
      'event_time',
      'is_ext_shared_channel',
      'team_id',
      'token',
      'type',
    ]);
    assert.deepEqual((authorizations as JsonObject[])[0]?.['user_id'], w.slack.botUserId);
    assert.notEqual(w.slack.deliveries[0]?.body['event_id'], w.slack.deliveries[1]?.body['event_id']);
  });

  test('channel types are told apart, and a direct message has no app_mention', async () => {
    await using w = await watch();
    for (const kind of ['channel', 'group', 'mpim'] as const) {
      w.slack.mention(w.slack.addChannel({ kind, members: [w.slack.botUserId] }).id, w.person, 'hi');
    }
    w.slack.mention(w.slack.openDirect(w.person).id, w.person, 'hi');
    assert.deepEqual(
      w.events().map((event) => [event['type'], event['channel_type'], String(event['channel'])[0]]),
      [
        ['message', 'channel', 'C'],
        ['app_mention', undefined, 'C'],
        ['message', 'group', 'G'],
        ['app_mention', undefined, 'G'],
        ['message', 'mpim', 'G'],
        ['app_mention', undefined, 'G'],
        ['message', 'im', 'D'],
      ],
    );
  });

  test('only what is subscribed to, in places where the app is, is announced', async () => {
    await using w = await watch({ events: ['app_mention', 'message.im'] });
    w.slack.mention(w.room, w.person, 'hi');
    w.slack.mention(w.slack.addChannel({ members: [] }).id, w.person, 'hi');
    w.slack.say(w.slack.openDirect(w.person).id, w.person, 'hi');
    assert.deepEqual(
      w.events().map(({ type }) => type),
      ['app_mention', 'message'],
    );
  });

  test('an edit is a hidden message_changed with both texts, and repeats a mention marked as edited; a preview repeats none', async () => {
    await using w = await watch();
    const ts = w.slack.mention(w.room, w.person, 'one');
    w.slack.unfurl(w.room, ts);
    w.slack.edit(w.room, ts, `<@${w.slack.botUserId}> two`);
    const [, , preview, edit, again] = w.events();
    assert.deepEqual(w.kinds().slice(2), [
      ['message', 'message_changed'],
      ['message', 'message_changed'],
      ['app_mention', undefined],
    ]);
    const texts = (event: JsonObject | undefined) =>
      [event?.['previous_message'], event?.['message']].map((message) => (message as JsonObject)['text']);
    assert.deepEqual(texts(preview), [`<@${w.slack.botUserId}> one`, `<@${w.slack.botUserId}> one`]);
    assert.deepEqual(texts(edit), [`<@${w.slack.botUserId}> one`, `<@${w.slack.botUserId}> two`]);
    assert.equal(edit?.['hidden'], true);
    assert.notEqual(again?.['edited'], undefined);
    assert.equal(again?.['ts'], ts);
  });

  test('a deletion is message_deleted; of a message with replies it is a tombstone', async () => {
    await using w = await watch();
    const alone = w.slack.say(w.room, w.person, 'alone');
    const root = w.slack.say(w.room, w.person, 'root');
    w.slack.say(w.room, w.person, 'reply', { threadTs: root });
    w.slack.delete(w.room, alone);
    w.slack.delete(w.room, root);
    const [deleted, tombstone] = w.events().slice(3);
    assert.deepEqual([deleted?.['subtype'], deleted?.['deleted_ts']], ['message_deleted', alone]);
    assert.equal(tombstone?.['subtype'], 'message_changed');
    assert.equal((tombstone?.['message'] as JsonObject)['subtype'], 'tombstone');
    assert.deepEqual(
      w.slack.messages(w.room).map(({ text }) => text),
      ['This message was deleted.', 'reply'],
    );
  });

  test('files, joins, broadcasts and other apps have their subtypes', async () => {
    await using w = await watch();
    w.slack.say(w.room, w.person, 'look', { files: [{ id: 'F1' }] });
    w.slack.say(w.room, w.person, 'joined', { subtype: 'channel_join' });
    w.slack.say(w.room, w.person, 'me', { subtype: 'me_message' });
    w.slack.sayAsBot(w.room, 'beep');
    assert.deepEqual(w.kinds(), [
      ['message', 'file_share'],
      ['message', 'channel_join'],
      ['message', 'me_message'],
      ['message', 'bot_message'],
    ]);
    assert.equal(w.events()[3]?.['user'], undefined);
    assert.equal(w.events()[3]?.['bot_id'], 'B0OTHERBOT');
  });

  test('the app’s own messages come back to it with its bot id', async () => {
    await using w = await watch();
    w.slack.workspace.post({ channelId: w.room, userId: w.slack.botUserId, botId: w.slack.workspace.botId, text: 'mine' });
    assert.deepEqual(
      w.events().map((event) => [event['bot_id'], event['user'], event['text']]),
      [[w.slack.workspace.botId, w.slack.botUserId, 'mine']],
    );
  });

  test('the assistant’s pane opens a thread and announces it with its context', async () => {
    await using w = await watch({ events: ['assistant_thread_started', 'message.im'] });
    const { channelId, threadTs } = w.slack.openAssistant(w.person, w.room);
    w.slack.say(channelId, w.person, 'hi', { threadTs });
    const [, started, message] = w.events();
    assert.deepEqual(started?.['assistant_thread'], {
      user_id: w.person,
      channel_id: channelId,
      thread_ts: threadTs,
      context: { channel_id: w.room, team_id: w.slack.teamId, enterprise_id: null },
    });
    assert.deepEqual([message?.['channel_type'], message?.['thread_ts']], ['im', threadTs]);
  });

  test('above the hourly number of events the app is told once a minute instead', async () => {
    const clock = createFakeClock();
    await using w = await watch({ clock, eventsPerHour: 2 });
    for (let index = 0; index < 5; index += 1) w.slack.say(w.room, w.person, 'x');
    const types = () => w.slack.deliveries.map(({ body }) => body['type']);
    assert.deepEqual(types(), ['event_callback', 'event_callback', 'app_rate_limited']);
    assert.equal(w.slack.deliveries[2]?.body['minute_rate_limited'], clock.now() / 1000);
    await clock.advance(60_000);
    w.slack.say(w.room, w.person, 'x');
    assert.equal(types().length, 4);
    await clock.advance(3_600_000);
    w.slack.say(w.room, w.person, 'x');
    assert.equal(types().at(-1), 'event_callback');
  });

  test('any event can be sent in any order, doubled, or out of nowhere', async () => {
    await using w = await watch();
    const event = { type: 'message', subtype: 'message_replied', channel: 'C0NOWHERE', ts: '1.1', event_ts: '1.1' };
    const first = w.slack.pushEvent(event);
    await first.done;
    assert.equal((await w.slack.resend(first, { num: 1, reason: 'ssl_error' })).acked, true);
    assert.deepEqual(w.kinds(), [['message', 'message_replied']]);
  });
});

/** Moves a fake clock while real requests are under way. */
const drive = async (clock: Clock & { advance(ms: number): Promise<void> }, stepMs: number, isDone: () => boolean) => {
  for (let step = 0; step < 2000 && !isDone(); step += 1) {
    await clock.advance(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  assert.ok(isDone(), 'never done');
};

describe('deliveries over http', () => {
  test('requests are signed over their exact bytes, for every kind', async () => {
    await using endpoint = await startEndpoint(() => ({ status: 200 }));
    const slack = await startSlack();
    await using _ = closing(slack);
    slack.useHttp(endpoint.url);
    const person = slack.addUser().id;
    const room = slack.addChannel().id;
    slack.mention(room, person, 'ünïcödé & <b>');
    await slack.slash(room, person, '/ask', 'a=b&c=d + 保');
    await slack.settle();
    assert.equal(endpoint.got.length, 3);
    for (const { headers, body } of endpoint.got) {
      const signed = {
        'x-slack-signature': String(headers['x-slack-signature']),
        'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
      };
      assert.ok(isValidSlackRequest({ signingSecret: slack.signingSecret, body, headers: signed }));
      assert.ok(!isValidSlackRequest({ signingSecret: slack.signingSecret, body: `${body} `, headers: signed }));
    }
    const form = new URLSearchParams(endpoint.got.find(({ headers }) => String(headers['content-type']).includes('form'))?.body);
    assert.deepEqual(
      [form.get('command'), form.get('text'), form.get('channel_id'), form.get('user_id')],
      ['/ask', 'a=b&c=d + 保', room, person],
    );
    assert.ok(form.get('response_url')?.startsWith('http://127.0.0.1:') && form.get('trigger_id'));
  });

  test('without an answer in three seconds an event comes again at once, after one minute and after five, with its number and reason', async () => {
    const clock = createFakeClock();
    await using endpoint = await startEndpoint((count) => (count < 3 ? 'never' : { status: count === 3 ? 500 : 200 }));
    const slack = await startSlack({ clock });
    await using _ = closing(slack);
    slack.useHttp(endpoint.url);
    const startedAt = clock.now();
    const delivery = slack.pushEvent({ type: 'app_mention' });
    let isDone = false;
    void delivery.done.then(() => {
      isDone = true;
    });
    await drive(clock, 500, () => isDone);
    assert.deepEqual(
      endpoint.got.map(({ headers }) => [headers['x-slack-retry-num'], headers['x-slack-retry-reason']]),
      [
        [undefined, undefined],
        ['1', 'http_timeout'],
        ['2', 'http_timeout'],
        ['3', 'http_error'],
      ],
    );
    assert.equal(new Set(endpoint.got.map(({ body }) => (JSON.parse(body) as { event_id: string }).event_id)).size, 1);
    const offsets = delivery.attempts.map(({ at }) => Math.round((at - startedAt) / 1000));
    assert.deepEqual(offsets.slice(0, 2), [0, 3]);
    assert.ok(
      (offsets[2] ?? 0) >= 66 && (offsets[2] ?? 0) <= 70 && (offsets[3] ?? 0) >= 366 && (offsets[3] ?? 0) <= 380,
      String(offsets),
    );
  });

  test('x-slack-no-retry stops the retries of a failed delivery; commands are never sent again', async () => {
    await using endpoint = await startEndpoint(() => ({ status: 500, headers: { 'x-slack-no-retry': '1' } }));
    const slack = await startSlack({ retryDelaysMs: [0, 0, 0] });
    await using _ = closing(slack);
    slack.useHttp(endpoint.url);
    await slack.pushEvent({ type: 'app_mention' }).done;
    assert.equal(endpoint.got.length, 1);
    const outcome = await slack.slash(slack.addChannel().id, slack.addUser().id, '/ask', 'x');
    assert.deepEqual([outcome.delivery.acked, endpoint.got.length], [false, 2]);
  });

  test('nobody listening is connection_failed; redirects are followed twice', async () => {
    const slack = await startSlack({ retryDelaysMs: [0] });
    await using _ = closing(slack);
    slack.useHttp('http://127.0.0.1:1/');
    const lost = slack.pushEvent({ type: 'app_mention' });
    await lost.done;
    assert.equal(lost.attempts[1]?.retry?.reason, 'connection_failed');
    await using endpoint = await startEndpoint((count) =>
      count <= 2 ? { status: 302, headers: { location: '/' } } : { status: 200 },
    );
    slack.useHttp(endpoint.url);
    assert.equal((await slack.pushEvent({ type: 'app_mention' }).done).acked, true);
    await using loop = await startEndpoint(() => ({ status: 302, headers: { location: '/' } }));
    slack.useHttp(loop.url);
    const looping = slack.pushEvent({ type: 'app_mention' });
    await looping.done;
    assert.equal(looping.attempts[1]?.retry?.reason, 'too_many_redirects');
  });

  test('a trigger lives three seconds and works once; a response_url thirty minutes and five times', async () => {
    const clock = createFakeClock();
    await using endpoint = await startEndpoint(() => ({ status: 200 }));
    const slack = await startSlack({ clock });
    await using _ = closing(slack);
    slack.useHttp(endpoint.url);
    const person = slack.addUser().id;
    const room = slack.addChannel({ members: [slack.botUserId, person] }).id;
    const slash = async () => {
      await slack.slash(room, person, '/ask', 'x');
      const form = new URLSearchParams(endpoint.got.at(-1)?.body);
      return { trigger: form.get('trigger_id') ?? '', url: form.get('response_url') ?? '' };
    };
    const open = async (trigger: string) => {
      const response = await fetch(`${slack.apiUrl}views.open`, {
        method: 'POST',
        headers: { authorization: `Bearer ${slack.botToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          trigger_id: trigger,
          view: { type: 'modal', title: { type: 'plain_text', text: 'T' }, blocks: [] },
        }),
      });
      const body = (await response.json()) as { ok: boolean; error?: string };
      return body.error ?? 'ok';
    };
    const first = await slash();
    assert.deepEqual([await open(first.trigger), await open(first.trigger)], ['ok', 'expired_trigger_id']);
    const second = await slash();
    await clock.advance(3001);
    assert.equal(await open(second.trigger), 'expired_trigger_id');
    const respond = async (url: string, body: object) => {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
      return `${response.status} ${await response.text()}`;
    };
    const uses = [];
    for (let use = 0; use < 6; use += 1)
      uses.push(await respond(first.url, { text: `note ${use}`, response_type: use === 0 ? 'in_channel' : 'ephemeral' }));
    assert.deepEqual(uses, ['200 ok', '200 ok', '200 ok', '200 ok', '200 ok', '404 used_url']);
    assert.deepEqual(
      slack.messages(room).map(({ text }) => text),
      ['note 0'],
    );
    assert.equal(slack.visible(room, person).length, 5);
    await clock.advance(30 * 60_000 + 1);
    assert.equal(await respond(second.url, { text: 'late' }), '404 expired_url');
  });
});

describe('what bolt does over http', () => {
  test('it answers url_verification, refuses what is not signed, and refuses the past but not the future', async () => {
    const slack = await startSlack();
    await using _ = closing(slack);
    await using bolt = await startBoltOverHttp(slack);
    const send = async (offsetS: number, secret: string, body: JsonObject = { type: 'url_verification', challenge: 'abc' }) => {
      const timestampS = Math.floor(Date.now() / 1000) + offsetS;
      const response = await fetch(bolt.eventsUrl, {
        method: 'POST',
        ...buildRequest('events_api', body, { signingSecret: secret, timestampS }),
      });
      return response.status;
    };
    assert.equal(await send(0, 'wrong'), 401);
    const { signingSecret } = slack;
    assert.deepEqual(
      [
        await send(-298, signingSecret),
        await send(-302, signingSecret),
        await send(302, signingSecret),
        await send(100_000, signingSecret),
      ],
      [200, 401, 200, 200],
    );
    const timestampS = Math.floor(Date.now() / 1000);
    const { headers } = buildRequest('events_api', {}, { signingSecret, timestampS });
    const { createHmac } = await import('node:crypto');
    const garbage = {
      ...headers,
      'x-slack-signature': `v0=${createHmac('sha256', signingSecret).update(`v0:${timestampS}:{`).digest('hex')}`,
    };
    assert.equal((await fetch(bolt.eventsUrl, { method: 'POST', headers: garbage, body: '{' })).status, 400);
    const check = await fetch(bolt.eventsUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'ssl_check=1',
    });
    assert.equal(check.status, 200);
  });

  test('it acknowledges before its listeners have run, even when they fail, and drops no repeats', async () => {
    const slack = await startSlack();
    await using _ = closing(slack);
    const retries: unknown[] = [];
    let finished = 0;
    await using _bolt = await startBoltOverHttp(slack, (app) => {
      app.event('app_mention', async ({ context }) => {
        retries.push(context.retryNum);
        await new Promise((resolve) => setTimeout(resolve, 300));
        finished += 1;
        throw new Error('too late');
      });
      app.error(() => Promise.resolve());
    });
    const event = { type: 'app_mention', user: 'U1', text: 'x', ts: '1.1', channel: 'C1', event_ts: '1.1' };
    const delivery = slack.pushEvent(event);
    assert.equal((await delivery.done).acked, true);
    assert.equal(finished, 0);
    await slack.resend(delivery, { num: 1, reason: 'http_timeout' });
    assert.deepEqual(retries, [undefined, 1]);
    await new Promise((resolve) => setTimeout(resolve, 350));
  });

  test('a command that is never acknowledged and app_rate_limited both end in 404 after three seconds', async () => {
    const slack = await startSlack({ ackTimeoutMs: 5000, retryDelaysMs: [] });
    await using _ = closing(slack);
    await using _bolt = await startBoltOverHttp(slack);
    const startedAt = performance.now();
    const [command, limited] = await Promise.all([
      slack.slash(slack.addChannel().id, slack.addUser().id, '/unknown', 'x'),
      slack.pushRateLimited().done,
    ]);
    assert.ok(performance.now() - startedAt > 2900);
    assert.deepEqual(
      [command.delivery, limited],
      [
        { acked: false, reason: 'http_error', isFinal: false },
        { acked: false, reason: 'http_error', isFinal: false },
      ],
    );
  });

  test('a command’s acknowledgement is shown to its sender; respond posts to the response_url; calls carry the team', async () => {
    const slack = await startSlack();
    await using _ = closing(slack);
    const person = slack.addUser().id;
    const room = slack.addChannel({ members: [slack.botUserId, person] }).id;
    await using _bolt = await startBoltOverHttp(slack, (app) => {
      app.command('/ask', async ({ ack, respond, client, command }) => {
        await ack({ response_type: 'ephemeral', text: `asked ${command.text}` });
        await respond({ response_type: 'ephemeral', text: 'later' });
        await client.chat.postMessage({ channel: command.channel_id, text: 'posted' });
      });
    });
    assert.equal((await slack.slash(room, person, '/ask', 'x')).text, 'asked x');
    for (let tries = 0; tries < 200 && slack.visible(room, person).length < 3; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(
      slack
        .visible(room, person)
        .map(({ text }) => text)
        .sort(),
      ['asked x', 'later', 'posted'],
    );
    assert.equal(slack.calls.find(({ method }) => method === 'chat.postMessage')?.args['team_id'], slack.teamId);
  });
});
