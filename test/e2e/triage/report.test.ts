/** The week of tickets in a channel, once, however often the assistant is started meanwhile. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { systemClock } from '../../../ops/clock.ts';
import { openSqliteStore } from '../../../store/sqlite.ts';
import { arrival } from '../../fakes/tickets.ts';
import { openWorld, pause, startAssistant, until, type World } from '../assembled.ts';

const DAY_MS = 86_400_000;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const HOURS = WEEKDAYS.map((day) => `${day}: ['00:00-24:00']`).join(', ');

/** Two tickets of the week that ended today, one of them private, and the report of the week before as posted. */
const prepare = async (folder: string): Promise<void> => {
  mkdirSync(folder);
  const { store, tickets, close } = openSqliteStore({ folder, clock: systemClock });
  const receivedAt = Date.now() - 2 * DAY_MS;
  await tickets.openTicket(arrival(1, { receivedAt }), { burstMs: 0, source: 'slack' });
  await tickets.openTicket(arrival(2, { receivedAt, isPrivate: true }), { burstMs: 0, source: 'slack' });
  const week = Math.floor(Date.now() / DAY_MS) * DAY_MS - 7 * DAY_MS;
  await store.writeSetting('triage', 'report', { week, state: 'posted', text: '', sentAt: 0 });
  await close();
};

const play = async (
  world: World,
  { platform, channel, starts }: { platform: 'slack' | 'discord'; channel: string; starts: number },
  read: () => readonly string[],
): Promise<void> => {
  const folder = join(world.folder, platform);
  await prepare(folder);
  const yaml = [
    'triage:',
    '  teams: { support: {} }',
    `  calendar: { timeZone: UTC, hours: { ${HOURS} } }`,
    `  report: { channel: '${platform}:${channel}', weekday: ${WEEKDAYS[new Date().getUTCDay()]}, hour: 0 }`,
    '',
  ].join('\n');
  for (let n = 0; n < starts; n += 1) {
    await using assistant = await startAssistant(world, { channels: [platform], folder, yaml });
    await until(() => read().length > 0, 'the report');
    const { store } = assistant.serving.core;
    for (let tries = 0; (await store.readSetting('triage', 'report'))?.['state'] !== 'posted'; tries += 1) {
      assert.ok(tries < 1_000, 'the report is not known to be posted');
      await pause(10);
    }
  }
  const [report = '', ...more] = read();
  assert.deepEqual(more, []);
  assert.match(report, /Tickets, \d+ \w+ \d{4} – \d+ \w+ \d{4}/);
  // A table as text: the columns stand below each other, and of the private ticket nothing is counted.
  assert.match(report, /```\n {35}this week {2}week before\n-+ {2}-+ {2}-+\nCame in {36}1 {12}0\n/);
  assert.match(report, /Private tickets are not counted\./);
};

describe('the weekly report', () => {
  it('stands once in a channel of Slack', async () => {
    await using world = await openWorld();
    const { slack } = world;
    const channel = slack.addChannel({ name: 'leads', members: [slack.botUserId] }).id;
    await play(world, { platform: 'slack', channel, starts: 3 }, () => slack.messages(channel).map(({ text }) => text));
  });

  it('stands once in a channel of Discord', async () => {
    await using world = await openWorld();
    const { discord } = world;
    const channel = discord.addChannel(discord.addGuild('Lamps'), 'leads');
    await play(world, { platform: 'discord', channel, starts: 1 }, () => discord.messages(channel).map(({ text }) => text));
  });
});
