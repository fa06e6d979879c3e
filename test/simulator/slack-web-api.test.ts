import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WebClient } from '@slack/web-api';
import { createFakeClock } from '../fake-clock.ts';
import { clientOf, closing, startSlack } from './slack-bench.ts';

/** Slack's error code of a call, or `ok`. */
const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'ok';
  } catch (error) {
    const { data, statusCode, code } = error as { data?: { error?: string }; statusCode?: number; code?: string };
    return data?.error ?? (statusCode === undefined ? String(code) : `http_${statusCode}`);
  }
};

const setUp = async (options: Parameters<typeof startSlack>[0] = {}) => {
  const slack = await startSlack(options);
  const person = slack.addUser({ displayName: 'Ada' }).id;
  const room = slack.addChannel({ members: [slack.botUserId, person] }).id;
  return { slack, person, room, client: clientOf(slack), ...closing(slack) };
};

/** A call that the typed client would not make. */
const call = (client: WebClient, method: string, args: Record<string, unknown>) => client.apiCall(method, args);

describe('the web api of the simulated slack', () => {
  test('auth.test says who the app is; tokens are told apart', async () => {
    await using s = await setUp();
    const who = await s.client.auth.test();
    assert.deepEqual(
      [who.ok, who.user_id, who.bot_id, who.team_id, who.is_enterprise_install],
      [true, s.slack.botUserId, s.slack.workspace.botId, s.slack.teamId, false],
    );
    assert.equal(await codeOf(clientOf(s.slack, {}, 'xoxb-wrong').auth.test()), 'invalid_auth');
    assert.equal(await codeOf(clientOf(s.slack, {}, '').auth.test()), 'not_authed');
    assert.equal(await codeOf(clientOf(s.slack, {}, s.slack.appToken).auth.test()), 'not_allowed_token_type');
    assert.equal(await codeOf(s.client.apps.connections.open()), 'not_allowed_token_type');
    const open = await clientOf(s.slack, {}, s.slack.appToken).apps.connections.open();
    assert.match(open.url ?? '', /^ws:\/\/127\.0\.0\.1:\d+\/link\/\?ticket=/);
  });

  test('an unknown method, an unknown or missing argument and one of the wrong kind are errors', async () => {
    await using s = await setUp();
    assert.equal(await codeOf(call(s.client, 'chat.psotMessage', {})), 'unknown_method');
    assert.equal(
      await codeOf(call(s.client, 'chat.postMessage', { channel: s.room, text: 'x', thred_ts: '1' })),
      'invalid_arguments',
    );
    assert.equal(await codeOf(call(s.client, 'chat.postMessage', { text: 'x' })), 'invalid_arguments');
    assert.equal(
      await codeOf(call(s.client, 'chat.postMessage', { channel: s.room, text: 'x', blocks: '{' })),
      'invalid_arguments',
    );
    assert.equal(await codeOf(call(s.client, 'conversations.history', { channel: s.room, limit: 'many' })), 'invalid_arguments');
  });

  test('a call without its scope says what it needs', async () => {
    await using s = await setUp({ scopes: ['chat:write'] });
    const error = await s.client.users.info({ user: s.person }).catch((caught: unknown) => caught);
    assert.deepEqual(
      (error as { data: unknown }).data && (error as { data: { needed: string; provided: string } }).data.needed,
      'users:read',
    );
    assert.equal(await codeOf(s.client.conversations.replies({ channel: s.room, ts: '1' })), 'missing_scope');
  });

  test('places answer with their own errors', async () => {
    await using s = await setUp();
    const foreign = s.slack.addChannel({ members: [s.person] }).id;
    const hidden = s.slack.addChannel({ kind: 'group', members: [s.person] }).id;
    const archived = s.slack.addChannel();
    archived.isArchived = true;
    const post = (channel: string) => codeOf(s.client.chat.postMessage({ channel, text: 'x' }));
    assert.deepEqual(
      [
        await post('C0NONE'),
        await post(foreign),
        await post(hidden),
        await post(archived.id),
        await post(s.room),
        await post(s.person),
      ],
      ['channel_not_found', 'not_in_channel', 'channel_not_found', 'is_archived', 'ok', 'ok'],
    );
    assert.equal(s.slack.messages(s.slack.openDirect(s.person).id).length, 1);
  });

  test('sizes and forms of messages are checked', async () => {
    await using s = await setUp();
    const section = (length: number) => ({ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(length) } });
    const post = (fields: Record<string, unknown>) => codeOf(call(s.client, 'chat.postMessage', { channel: s.room, ...fields }));
    assert.equal(await post({}), 'no_text');
    assert.equal(await post({ text: 'x'.repeat(40_000) }), 'ok');
    assert.equal(await post({ text: 'x'.repeat(40_001) }), 'msg_too_long');
    assert.equal(await post({ blocks: [section(3000)] }), 'ok');
    assert.equal(await post({ blocks: [section(3001)] }), 'invalid_blocks');
    assert.equal(await post({ blocks: [section(0)] }), 'invalid_blocks');
    assert.equal(await post({ blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) }), 'invalid_blocks');
    assert.equal(await post({ blocks: Array.from({ length: 4 }, () => section(3000)) }), 'ok');
    assert.equal(await post({ blocks: Array.from({ length: 5 }, () => section(3000)) }), 'msg_blocks_too_long');
    assert.equal(
      await post({ blocks: [{ type: 'header', text: { type: 'plain_text', text: 'x'.repeat(151) } }] }),
      'invalid_blocks',
    );
    assert.equal(await post({ blocks: [{ type: 'header', text: { type: 'plain_text', text: 'x'.repeat(150) } }] }), 'ok');
    assert.equal(await post({ markdown_text: 'x'.repeat(12_001) }), 'msg_too_long');
    assert.equal(await post({ blocks: [{ type: 'sektion' }] }), 'invalid_blocks');
    assert.equal(await post({ blocks: { type: 'section' } }), 'invalid_blocks_format');
    const button = { type: 'button', action_id: 'a', text: { type: 'plain_text', text: 'x' }, value: 'v'.repeat(2001) };
    assert.equal(await post({ blocks: [{ type: 'actions', elements: [button] }] }), 'invalid_blocks');
    assert.equal(await post({ text: 'x', metadata: { event_type: 'x' } }), 'invalid_metadata_format');
    const { ts = '' } = await s.client.chat.postMessage({ channel: s.room, text: 'x' });
    assert.equal(await codeOf(s.client.chat.update({ channel: s.room, ts, text: 'x'.repeat(4001) })), 'msg_too_long');
    assert.equal(await codeOf(s.client.chat.update({ channel: s.room, ts, text: 'x'.repeat(4000) })), 'ok');
  });

  test('only the app’s own messages can be changed or deleted, and only while they stand', async () => {
    await using s = await setUp();
    const theirs = s.slack.say(s.room, s.person, 'mine');
    const { ts = '' } = await s.client.chat.postMessage({ channel: s.room, text: 'first' });
    assert.equal(await codeOf(s.client.chat.update({ channel: s.room, ts: theirs, text: 'x' })), 'cant_update_message');
    assert.equal(await codeOf(s.client.chat.delete({ channel: s.room, ts: theirs })), 'cant_delete_message');
    assert.equal(await codeOf(s.client.chat.update({ channel: s.room, ts, text: 'second' })), 'ok');
    assert.equal(s.slack.messages(s.room)[1]?.text, 'second');
    assert.equal(await codeOf(s.client.chat.delete({ channel: s.room, ts })), 'ok');
    assert.equal(await codeOf(s.client.chat.update({ channel: s.room, ts, text: 'x' })), 'message_not_found');
    assert.equal(await codeOf(s.client.chat.postMessage({ channel: s.room, thread_ts: '1.1', text: 'x' })), 'thread_not_found');
  });

  test('replies come oldest first in pages with the root in each window, history newest first without replies', async () => {
    await using s = await setUp({ pageSize: 3 });
    const root = s.slack.say(s.room, s.person, 'root');
    const replies = Array.from({ length: 5 }, (_, index) => s.slack.say(s.room, s.person, `reply ${index}`, { threadTs: root }));
    const later = s.slack.say(s.room, s.person, 'later');
    const first = await s.client.conversations.replies({ channel: s.room, ts: root });
    assert.deepEqual(
      first.messages?.map(({ ts }) => ts),
      [root, replies[0], replies[1]],
    );
    assert.deepEqual([first.messages?.[0]?.reply_count, first.messages?.[0]?.latest_reply], [5, replies[4]]);
    const cursor = first.response_metadata?.next_cursor ?? '';
    const second = await s.client.conversations.replies({ channel: s.room, ts: root, cursor });
    assert.deepEqual([second.messages?.map(({ ts }) => ts), second.has_more], [replies.slice(2), false]);
    const newer = await s.client.conversations.replies({ channel: s.room, ts: root, oldest: replies[3] ?? '' });
    assert.deepEqual(
      newer.messages?.map(({ ts }) => ts),
      [root, replies[4]],
    );
    const history = await s.client.conversations.history({ channel: s.room });
    assert.deepEqual(
      history.messages?.map(({ ts }) => ts),
      [later, root],
    );
  });

  test('metadata comes only when it is asked for', async () => {
    await using s = await setUp();
    const metadata = { event_type: 'x', event_payload: { key: 'k' } };
    await s.client.chat.postMessage({ channel: s.room, text: 'x', metadata });
    const read = async (include: boolean) =>
      (await s.client.conversations.history({ channel: s.room, include_all_metadata: include })).messages?.[0]?.metadata;
    assert.deepEqual([await read(false), await read(true)], [undefined, metadata]);
  });

  test('a link gets a preview unless previews are off; pings are counted', async () => {
    await using s = await setUp();
    await s.client.chat.postMessage({ channel: s.room, text: 'see https://a.example <!channel> <@U1> <!subteam^S1>' });
    await s.client.chat.postMessage({
      channel: s.room,
      text: 'see https://a.example &lt;!channel&gt; @here',
      unfurl_links: false,
    });
    assert.deepEqual(
      s.slack.messages(s.room).map(({ hasPreview, pings }) => [hasPreview, pings]),
      [
        [true, ['<!channel>', '<@U1>', '<!subteam^S1>']],
        [false, []],
      ],
    );
  });

  test('people: members, guests, strangers, bots; a direct message is opened once', async () => {
    await using s = await setUp();
    const read = async (user: Parameters<typeof s.slack.addUser>[0]) => {
      const { user: shown } = await s.client.users.info({ user: s.slack.addUser(user).id });
      return [
        shown?.is_bot,
        shown?.is_restricted,
        shown?.is_ultra_restricted,
        shown?.is_stranger === true,
        shown?.team_id === s.slack.teamId,
      ];
    };
    assert.deepEqual(await read({}), [false, false, false, false, true]);
    assert.deepEqual(await read({ isRestricted: true }), [false, true, false, false, true]);
    assert.deepEqual(await read({ isUltraRestricted: true }), [false, true, true, false, true]);
    assert.deepEqual(await read({ isStranger: true, teamId: 'T2' }), [false, false, false, true, false]);
    assert.deepEqual(await read({ isBot: true }), [true, false, false, false, true]);
    assert.equal(await codeOf(s.client.users.info({ user: 'U0NONE' })), 'user_not_found');
    const one = await s.client.conversations.open({ users: s.person });
    const two = await s.client.conversations.open({ users: s.person });
    assert.equal(one.channel?.id, two.channel?.id);
  });

  test('ephemerals are seen by one person alone and are in no history', async () => {
    await using s = await setUp();
    const other = s.slack.addUser().id;
    await s.client.chat.postEphemeral({ channel: s.room, user: s.person, text: 'psst' });
    assert.equal(await codeOf(s.client.chat.postEphemeral({ channel: s.room, user: other, text: 'x' })), 'user_not_in_channel');
    assert.deepEqual(
      s.slack.visible(s.room, s.person).map(({ text, onlyFor }) => [text, onlyFor]),
      [['psst', s.person]],
    );
    assert.deepEqual([s.slack.visible(s.room, other), s.slack.messages(s.room)], [[], []]);
    assert.deepEqual((await s.client.conversations.history({ channel: s.room })).messages, []);
  });

  test('streaming: a thread and its recipient are needed, chunks add up, nothing follows the end or a long silence', async () => {
    const clock = createFakeClock();
    await using s = await setUp({ clock });
    const root = s.slack.say(s.room, s.person, 'root');
    const start = (fields: Record<string, unknown>) => call(s.client, 'chat.startStream', { channel: s.room, ...fields });
    assert.equal(await codeOf(start({})), 'invalid_arguments');
    assert.equal(await codeOf(start({ thread_ts: root })), 'missing_recipient_team_id');
    assert.equal(await codeOf(start({ thread_ts: root, recipient_team_id: s.slack.teamId })), 'missing_recipient_user_id');
    const recipient = { recipient_team_id: s.slack.teamId, recipient_user_id: s.person };
    const streamer = s.client.chatStream({ channel: s.room, thread_ts: root, ...recipient, buffer_size: 4 });
    await streamer.append({ markdown_text: 'hello ' });
    await streamer.append({ markdown_text: 'world' });
    await streamer.stop();
    assert.equal(s.slack.messages(s.room, root)[1]?.text, 'hello world');
    const begun = s.slack.calls.find(({ method, outcome }) => method === 'chat.startStream' && outcome === 'ok');
    assert.equal(begun?.args['markdown_text'], undefined, 'the library sends chunks');
    assert.deepEqual(JSON.parse(String(begun?.args['chunks'])), [{ type: 'markdown_text', text: 'hello ' }]);
    const { ts } = (await start({ thread_ts: root, ...recipient })) as { ts?: string };
    assert.equal(await codeOf(call(s.client, 'chat.update', { channel: s.room, ts, text: 'x' })), 'streaming_state_conflict');
    assert.equal(
      await codeOf(call(s.client, 'chat.appendStream', { channel: s.room, ts, markdown_text: 'x'.repeat(12_001) })),
      'msg_too_long',
    );
    await clock.advance(300_001);
    assert.equal(
      await codeOf(call(s.client, 'chat.appendStream', { channel: s.room, ts, markdown_text: 'x' })),
      'message_not_in_streaming_state',
    );
    const stopped = s.slack.messages(s.room, root)[1]?.ts;
    assert.equal(
      await codeOf(call(s.client, 'chat.stopStream', { channel: s.room, ts: stopped })),
      'message_not_in_streaming_state',
    );
  });

  test('reactions are added once; an assistant thread has a status', async () => {
    await using s = await setUp();
    const timestamp = s.slack.say(s.room, s.person, 'x');
    const add = () => codeOf(s.client.reactions.add({ channel: s.room, timestamp, name: 'eyes' }));
    assert.deepEqual([await add(), await add()], ['ok', 'already_reacted']);
    assert.equal(await codeOf(s.client.reactions.remove({ channel: s.room, timestamp, name: 'eyes' })), 'ok');
    const { channelId, threadTs } = s.slack.openAssistant(s.person);
    await s.client.assistant.threads.setStatus({ channel_id: channelId, thread_ts: threadTs, status: 'is thinking' });
    assert.deepEqual(s.slack.statuses, [{ channelId, threadTs, status: 'is thinking' }]);
  });
});

describe('limits and faults of the simulated slack', () => {
  test('a channel takes one message a second', async () => {
    const clock = createFakeClock();
    await using s = await setUp({ clock, limits: true });
    const other = s.slack.addChannel().id;
    const client = clientOf(s.slack, { rejectRateLimitedCalls: true });
    const post = (channel: string) => codeOf(client.chat.postMessage({ channel, text: 'x' }));
    assert.deepEqual(
      [await post(s.room), await post(s.room), await post(other)],
      ['ok', 'slack_webapi_rate_limited_error', 'ok'],
    );
    await clock.advance(1000);
    assert.equal(await post(s.room), 'ok');
  });

  test('methods have their tiers, each counted by itself, with the wait until the oldest call is a minute old', async () => {
    const clock = createFakeClock();
    await using s = await setUp({ clock, limits: true });
    const { ts = '' } = await s.client.chat.postMessage({ channel: s.room, text: 'x' });
    const client = clientOf(s.slack, { rejectRateLimitedCalls: true });
    const update = () => client.chat.update({ channel: s.room, ts, text: 'y' });
    for (let index = 0; index < 50; index += 1) {
      await update();
      if (index === 0) await clock.advance(10_000);
    }
    const error = await update().catch((caught: unknown) => caught);
    assert.equal((error as { retryAfter?: number }).retryAfter, 50);
    assert.equal(await codeOf(client.users.info({ user: s.person })), 'ok');
    await clock.advance(50_001);
    assert.equal(await codeOf(update()), 'ok');
  });

  test('an app sold outside the Marketplace reads history once a minute, fifteen messages at a time', async () => {
    const clock = createFakeClock();
    await using s = await setUp({ clock, limits: true, isDistributed: true });
    for (let index = 0; index < 20; index += 1) s.slack.say(s.room, s.person, 'x');
    const client = clientOf(s.slack, { rejectRateLimitedCalls: true });
    const page = await client.conversations.history({ channel: s.room, limit: 100 });
    assert.equal(page.messages?.length, 15);
    assert.equal(await codeOf(client.conversations.history({ channel: s.room })), 'slack_webapi_rate_limited_error');
  });

  test('faults hit the calls they were planned for, before or after the work was done', async () => {
    await using s = await setUp();
    const post = () => codeOf(s.client.chat.postMessage({ channel: s.room, text: 'x' }));
    s.slack.faults.add({ method: 'chat.postMessage', fault: { kind: 'status', status: 500 }, skip: 1 });
    assert.deepEqual([await post(), await post(), await post()], ['ok', 'http_500', 'ok']);
    s.slack.faults.add({ method: '*', fault: { kind: 'drop', applied: true } });
    assert.equal(await post(), 'slack_webapi_request_error');
    s.slack.faults.add({ method: 'chat.postMessage', fault: { kind: 'status', status: 502, applied: true } });
    assert.equal(await post(), 'http_502');
    s.slack.faults.add({ method: 'chat.postMessage', fault: { kind: 'error', error: 'ratelimited' } });
    assert.equal(await post(), 'ratelimited');
    assert.equal(s.slack.messages(s.room).length, 4);
    assert.deepEqual(
      s.slack.calls.map(({ outcome }) => outcome),
      ['ok', 'http_500', 'ok', 'dropped', 'http_502', 'ratelimited'],
    );
  });

  test('by default the library retries a failed post, and after a 429 sends the later message first', async () => {
    await using s = await setUp();
    const patient = clientOf(s.slack, { retryConfig: { retries: 3, minTimeout: 100, factor: 1 } });
    s.slack.faults.add({ method: 'chat.postMessage', fault: { kind: 'drop', applied: true } });
    await patient.chat.postMessage({ channel: s.room, text: 'twice' });
    assert.deepEqual(
      s.slack.messages(s.room).map(({ text }) => text),
      ['twice', 'twice'],
    );
    const other = s.slack.addChannel().id;
    s.slack.faults.add({ method: 'chat.postMessage', fault: { kind: 'status', status: 429, retryAfterS: 1 } });
    await Promise.all([
      patient.chat.postMessage({ channel: other, text: 'one' }),
      new Promise((resolve) => setTimeout(resolve, 50)).then(() => patient.chat.postMessage({ channel: other, text: 'two' })),
    ]);
    assert.deepEqual(
      s.slack.messages(other).map(({ text }) => text),
      ['two', 'one'],
    );
    const before = s.slack.calls.length;
    assert.equal(await codeOf(patient.chat.postMessage({ channel: s.room, text: 'x'.repeat(40_001) })), 'msg_too_long');
    assert.equal(s.slack.calls.length, before + 1, 'what Slack refuses is not retried');
  });
});
