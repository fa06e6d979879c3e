/**
 * Takes the pictures of docs/pictures: the page in a real browser, and a Slack and a Discord thread as the simulator received
 * them, all answered by the assistant over the sample knowledge base. Run: node test/pictures/take.ts
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { CommandIo } from '../../commands/command.ts';
import { openServing } from '../../commands/serving.ts';
import { readConfig } from '../../main.ts';
import { systemClock } from '../../ops/clock.ts';
import { createLogger } from '../../ops/log.ts';
import { Secret } from '../../ops/secret.ts';
import { createDiscordSimulator } from '../../simulator/discord.ts';
import { createSlackSimulator } from '../../simulator/slack.ts';

const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const QUESTION = 'How long is the warranty?';
const FOLLOW_UP = 'And for dealers?';
const TAXONOMY = fileURLToPath(new URL('../../examples/tickets/taxonomy.yaml', import.meta.url));
const TICKET = 'The kettle came out of the box with a cracked lid. Order LF-104990, photo attached.';
const OTHER_TICKET = 'I would like to send the milk jug back, it does not fit my machine. Order LF-104991.';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const ANSWER_TIMEOUT_MS = 30_000;

const until = async (what: string, check: () => boolean): Promise<void> => {
  const deadline = systemClock.monotonic() + ANSWER_TIMEOUT_MS;
  while (!check()) {
    if (systemClock.monotonic() > deadline) throw new Error(`expected ${what} within ${ANSWER_TIMEOUT_MS} ms`);
    await systemClock.sleep(100);
  }
};

const ask = async (page: Page, text: string, answers: number): Promise<void> => {
  await page.getByRole('textbox').fill(text);
  await page.keyboard.press('Enter');
  await page
    .locator('.feedback')
    .nth(answers - 1)
    .waitFor({ timeout: ANSWER_TIMEOUT_MS });
};

const takePage = async (
  browser: Browser,
  url: string,
  name: string,
  options: Parameters<Browser['newPage']>[0],
  withEvidence: boolean,
): Promise<void> => {
  const page = await browser.newPage({ deviceScaleFactor: 2, ...options });
  await page.goto(url);
  await ask(page, QUESTION, 1);
  await ask(page, FOLLOW_UP, 2);
  if (withEvidence) {
    await page.locator('.sources button').first().click();
    await page.getByRole('dialog').waitFor();
  }
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  await page.close();
};

const takeHtml = async (browser: Browser, name: string, html: string): Promise<void> => {
  const page = await browser.newPage({ deviceScaleFactor: 2, viewport: { width: 720, height: 400 } });
  await page.setContent(html);
  await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: true });
  await page.close();
};

const clock = systemClock;
const data = mkdtempSync(join(tmpdir(), 'threadwise-pictures-'));
const slack = await createSlackSimulator({ clock, limits: false });
const discord = await createDiscordSimulator({ clock, limits: false });
// A server that the bot is in before it connects is announced to it.
const guild = discord.addGuild('Server');
const place = discord.addChannel(guild, 'support');
const person = discord.addUser('Member');
const io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: { THREADWISE_WEB_PORT: '0' },
  cwd: data,
} as unknown as CommandIo;
const config = await readConfig(io);
const helper = slack.addUser({ name: 'helper', displayName: 'Helper' });
const repairs = slack.addChannel({ name: 'returns-team', members: [helper.id, slack.botUserId] });
const noHours = { channel: undefined, privateChannel: undefined, calendar: undefined, autoAssign: false };
const serving = await openServing({
  config: {
    ...config,
    triage: {
      ...config.triage,
      taxonomy: TAXONOMY,
      teams: { returns: { ...noHours, channel: `slack:${repairs.id}`, members: [`slack:${helper.id}`] } },
      serviceLevels: {
        normal: { first_answer: 60 },
        high: { first_answer: 30 },
        urgent: { first_answer: 15 },
        low: { first_answer: 240 },
      },
    },
    slack: {
      botToken: new Secret(slack.botToken),
      appToken: new Secret(slack.appToken),
      signingSecret: undefined,
      mode: 'socket',
      editIntervalMs: 0,
      apiUrl: slack.apiUrl,
    },
    discord: {
      token: new Secret(discord.token),
      applicationId: discord.applicationId,
      messageContent: true,
      apiUrl: discord.apiUrl,
    },
  },
  folder: data,
  io,
  clock,
  logger: createLogger({ level: 'warn', format: 'pretty', secrets: [], clock, write: (line) => void process.stderr.write(line) }),
  channels: ['web', 'slack', 'discord'],
  say: (line) => void process.stderr.write(`${line}\n`),
});
await serving.start();
await until('both platforms', () => slack.sockets.count() > 1 && discord.violations.length === 0);

const member = slack.addUser({ name: 'member', displayName: 'Member' });
const channel = slack.addChannel({ name: 'support', members: [member.id, slack.botUserId] });
const thread = slack.mention(channel.id, member.id, QUESTION);
const answersIn = (): number => slack.messages(channel.id, thread).filter((message) => message.buttons.length > 0).length;
await until('an answer in Slack', () => answersIn() === 1);
slack.say(channel.id, member.id, FOLLOW_UP, { threadTs: thread });
await until('a second answer in Slack', () => answersIn() === 2);

slack.react(channel.id, slack.say(channel.id, member.id, TICKET), member.id, 'ticket');
await until('the card of a ticket', () => slack.messages(repairs.id).some(({ text }) => text.includes('Damaged')));
const [card] = slack.messages(repairs.id);
await slack.click(repairs.id, card?.ts ?? '', helper.id, 'threadwise_ticket_assign_me');
await until('its assignee', () => slack.messages(repairs.id).some(({ text }) => text.includes(`<@${helper.id}>`)));

const question = discord.mention(place, person, QUESTION);
const inThread = (): number =>
  discord.messages(place).some(({ threadId }) => threadId === question)
    ? discord.messages(question).filter(({ buttons }) => buttons.length > 0).length
    : 0;
await until('an answer in Discord', () => inThread() === 1);
discord.say(question, person, FOLLOW_UP);
await until('a second answer in Discord', () => inThread() === 2);

const reported = discord.say(place, person, OTHER_TICKET);
discord.react(place, reported, person, '🎫');
await until(
  'the card of a ticket in Discord',
  () =>
    discord.messages(place).some(({ threadId }) => threadId === reported) &&
    discord.messages(reported).some(({ embeds }) => embeds.some((text) => text.includes('% sure'))),
);

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
const url = serving.web?.url() ?? '';
await takePage(browser, url, 'web-light', { viewport: { width: 1180, height: 860 }, colorScheme: 'light' }, true);
await takePage(browser, url, 'web-dark', { viewport: { width: 1180, height: 860 }, colorScheme: 'dark' }, false);
await takePage(browser, url, 'web-phone', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }, false);
await takeHtml(browser, 'slack-thread', slack.renderThreadHtml(channel.id, thread));
await takeHtml(browser, 'slack-ticket', slack.renderThreadHtml(repairs.id, card?.ts ?? ''));
await takeHtml(browser, 'discord-thread', discord.renderThreadHtml(question));
await takeHtml(browser, 'discord-ticket', discord.renderThreadHtml(reported));
await browser.close();
await serving.stop(5_000);
await Promise.all([slack.close(), discord.close()]);
rmSync(data, { recursive: true, force: true });
