import assert from 'node:assert/strict';
import test from 'node:test';
import type { OutboundPart } from '../../agent/ports/channel.ts';
import { ACTION_DOWN } from '../../bots/slack/blocks.ts';
import { createSlackManifest, type SlackManifestOptions } from '../../bots/slack/manifest.ts';
import type { EventSubscription } from '../../simulator/slack/events.ts';
import { openTriageBench } from '../fakes/triage-bench.ts';
import { answerOf, startHarness } from './slack-harness.ts';

interface Manifest {
  readonly features: { readonly slash_commands?: readonly { readonly command: string; readonly url?: string }[] };
  readonly oauth_config: { readonly scopes: { readonly bot: readonly string[] } };
  readonly settings: {
    readonly event_subscriptions: { readonly request_url?: string; readonly bot_events: readonly EventSubscription[] };
    readonly interactivity: { readonly is_enabled: boolean; readonly request_url?: string };
    readonly socket_mode_enabled: boolean;
  };
}

const manifestOf = (options: SlackManifestOptions): Manifest => createSlackManifest(options) as unknown as Manifest;

const FILE: OutboundPart = {
  text: 'Rows.',
  withFeedback: false,
  file: { number: 0, name: 'rows.csv', mediaType: 'text/csv', description: 'Rows.', language: 'en' },
};

/** Everything the channel does, against a workspace that grants no more than the scopes and events of the manifest. */
const useEverything = async (scopes: readonly string[], events: readonly EventSubscription[]) => {
  const bench = openTriageBench({ burstMs: 0, boards: [] });
  const tickets = { desk: () => bench.triage.desk, emoji: 'ticket', channels: new Set<string>() };
  await using h = await startHarness({ mode: 'socket', slack: { scopes, events }, channel: { tickets } });
  const part = h.channel.render(answerOf('An answer.'), 'turn-1', 'en')[0] ?? assert.fail();
  for (const kind of ['channel', 'group', 'mpim'] as const) {
    const place = h.slack.addChannel({ kind, members: [h.slack.botUserId, h.asker] }).id;
    const root = h.slack.mention(place, h.asker, `asked in ${kind}`);
    await h.slack.settle();
    h.slack.say(place, h.asker, `follow-up in ${kind}`, { threadTs: root });
    await h.slack.settle();
    h.slack.react(place, root, h.asker, 'ticket');
    await h.slack.settle();
    const address = { channel: place, thread: root, question: root, user: h.asker };
    const ref = await h.channel.post(address, part, 'turn-1:0');
    await h.channel.update(address, ref, part, 'turn-1:0');
    await h.channel.find(address, 'turn-1:0');
    await h.channel.post(address, FILE, 'turn-1:1', Buffer.from('a'));
    await h.slack.click(place, ref['ts'] ?? '', h.asker, ACTION_DOWN);
    await h.slack.submitView(h.slack.views()[0]?.id ?? '', {});
  }
  const direct = h.slack.openDirect(h.asker).id;
  const question = h.slack.say(direct, h.asker, 'asked in private');
  await h.slack.settle();
  await h.channel.find({ channel: direct, thread: '', question, user: h.asker }, 'turn-1:0');
  await h.slack.slash(h.slack.addChannel({ kind: 'group', members: [h.asker] }).id, h.asker, '/ask', 'by command');
  const made = (await bench.store.listTickets({})).map(({ isPrivate }) => (isPrivate ? 'private' : 'public'));
  await bench.close();
  return {
    made: made.toReversed(),
    accepted: h.gateway.accepted.map(({ text }) => text),
    needed: h.slack.calls.filter(({ outcome }) => outcome === 'missing_scope').map(({ method }) => method),
  };
};

test('the scopes and events of the full manifest are enough for everything, and none is too many', async () => {
  const manifest = manifestOf({ mode: 'socket' });
  const scopes = manifest.oauth_config.scopes.bot;
  const events = manifest.settings.event_subscriptions.bot_events;
  const whole = await useEverything(scopes, events);
  assert.deepEqual(whole.needed, []);
  assert.deepEqual(whole.made, ['public', 'private', 'private']);
  assert.deepEqual(whole.accepted, [
    'asked in channel',
    'follow-up in channel',
    'asked in group',
    'follow-up in group',
    'asked in mpim',
    'follow-up in mpim',
    'asked in private',
    'by command',
  ]);
  // What Slack asks for to send something, rather than to answer a call, no call can show to be missing.
  const sending = new Set(['commands', 'app_mentions:read', 'reactions:read']);
  for (const scope of scopes.filter((name) => !sending.has(name))) {
    const { needed } = await useEverything(
      scopes.filter((name) => name !== scope),
      events,
    ).catch(() => ({ needed: ['a call'] }));
    assert.ok(needed.length > 0, `${scope} is asked for and not needed`);
  }
});

test('what is switched off asks for nothing', () => {
  const manifest = manifestOf({
    mode: 'socket',
    command: '',
    tickets: false,
    privateChannels: false,
    groupDirects: false,
    directs: false,
  });
  assert.deepEqual(manifest.oauth_config.scopes.bot, [
    'app_mentions:read',
    'channels:history',
    'chat:write',
    'files:write',
    'users:read',
  ]);
  assert.deepEqual(manifest.settings.event_subscriptions.bot_events, ['app_mention', 'message.channels']);
  assert.equal(manifest.features.slash_commands, undefined);
});

test('over HTTP every address is the server’s; over Socket Mode there is none', () => {
  const http = manifestOf({ mode: 'http', publicUrl: 'https://bot.example/' });
  assert.equal(http.settings.socket_mode_enabled, false);
  assert.deepEqual(
    [
      http.settings.event_subscriptions.request_url,
      http.settings.interactivity.request_url,
      http.features.slash_commands?.[0]?.url,
    ],
    Array.from({ length: 3 }, () => 'https://bot.example/slack/events'),
  );
  const socket = manifestOf({ mode: 'socket', publicUrl: 'https://bot.example/' });
  assert.equal(socket.settings.socket_mode_enabled, true);
  assert.ok(!JSON.stringify(socket).includes('https://'));
});
