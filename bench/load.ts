/**
 * Many people at once in a Slack: how long until each sees that the assistant is at work, and whether everyone is answered.
 * The assistant is a process of its own, as it would be started; the simulator of Slack runs here.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { textsFor } from '../agent/texts.ts';
import { systemClock } from '../ops/clock.ts';
import { createSlackSimulator, type SlackSimulator } from '../simulator/slack.ts';
import type { BenchRow } from './row.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const READY_TIMEOUT_MS = 60_000;
const DRAIN_TIMEOUT_MS = 180_000;
const POLL_MS = 50;

const QUESTIONS = [
  'How long is the warranty?',
  'What is the restocking fee for dealers?',
  'How do I descale the machine?',
  'When is the office closed?',
  '12% of 80',
];

interface Load {
  readonly name: string;
  readonly limits: boolean;
  readonly perSecond: number;
  readonly seconds: number;
  readonly channels: number;
}

const LOADS: readonly Load[] = [
  { name: '50 mentions a second, 200 channels, no limits', limits: false, perSecond: 50, seconds: 20, channels: 200 },
  { name: '1 mention a second, 20 channels, with limits', limits: true, perSecond: 1, seconds: 60, channels: 20 },
];

const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
};

const startAssistant = async (slack: SlackSimulator, folder: string, limits: boolean): Promise<ChildProcess> => {
  const child = spawn(process.execPath, [MAIN, 'start'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_APP_TOKEN: slack.appToken,
      SLACK_API_URL: slack.apiUrl,
      THREADWISE_DATA_DIR: folder,
      THREADWISE_SLACK_EDIT_INTERVAL_MS: limits ? '1200' : '0',
      THREADWISE_WEB: 'false',
      THREADWISE_LOG_LEVEL: 'error',
      // One person asks everything here.
      THREADWISE_QUESTIONS_PER_MINUTE: '1000',
    },
  });
  const deadline = systemClock.monotonic() + READY_TIMEOUT_MS;
  while (slack.sockets.count() === 0) {
    if (systemClock.monotonic() > deadline || child.exitCode !== null)
      throw new Error('the assistant did not connect to the simulated Slack');
    await systemClock.sleep(POLL_MS);
  }
  // The second connection, and the vectors of the sample base.
  await systemClock.sleep(10_000);
  return child;
};

const measure = async function* (load: Load): AsyncGenerator<BenchRow> {
  const folder = await mkdtemp(join(tmpdir(), 'threadwise-load-'));
  const slack = await createSlackSimulator({ clock: systemClock, limits: load.limits });
  const total = load.perSecond * load.seconds;
  const askedAt = new Map<string, number>();
  const toPlaceholder = new Map<string, number>();
  const toAnswer = new Map<string, number>();
  const { placeholder, queued, searching, calculating, writing } = textsFor('en');
  const statuses = new Set([placeholder, queued, searching, calculating, writing]);
  let assistant: ChildProcess | undefined;
  try {
    const channels = Array.from({ length: load.channels }, (_value, index) => slack.addChannel({ name: `load-${index}` }));
    const people = Array.from({ length: 100 }, (_value, index) => slack.addUser({ name: `member-${index}` }));
    slack.workspace.watch((change) => {
      const message = change.type === 'deleted' ? undefined : change.message;
      if (message?.threadTs === undefined || message.userId !== slack.botUserId) return;
      const asked = askedAt.get(message.threadTs);
      if (asked === undefined) return;
      const ms = systemClock.monotonic() - asked;
      if (!toPlaceholder.has(message.threadTs)) toPlaceholder.set(message.threadTs, ms);
      if (!statuses.has(message.text) && !toAnswer.has(message.threadTs)) toAnswer.set(message.threadTs, ms);
    });
    assistant = await startAssistant(slack, folder, load.limits);
    const startedAt = systemClock.monotonic();
    for (let sent = 0; sent < total; sent++) {
      await systemClock.sleep(Math.max(0, startedAt + (sent * 1000) / load.perSecond - systemClock.monotonic()));
      const channel = channels[sent % channels.length];
      const person = people[sent % people.length];
      if (channel === undefined || person === undefined) continue;
      const at = systemClock.monotonic();
      askedAt.set(slack.mention(channel.id, person.id, QUESTIONS[sent % QUESTIONS.length] ?? ''), at);
    }
    const deadline = systemClock.monotonic() + DRAIN_TIMEOUT_MS;
    while (toAnswer.size < total && systemClock.monotonic() < deadline) await systemClock.sleep(POLL_MS);
  } finally {
    assistant?.kill('SIGTERM');
    if (assistant?.exitCode === null) await new Promise((resolve) => assistant?.once('exit', resolve));
    await slack.close();
    await rm(folder, { recursive: true, force: true });
  }
  const row = (metric: string, value: number, unit: string): BenchRow => ({
    bench: 'load',
    case: load.name,
    metric,
    value,
    unit,
    n: total,
  });
  const placeholders = [...toPlaceholder.values()];
  const answers = [...toAnswer.values()];
  const refused = slack.calls.filter((call) => call.outcome === 'ratelimited').length;
  yield row('to_placeholder_p50', Math.round(percentile(placeholders, 0.5)), 'ms');
  yield row('to_placeholder_p99', Math.round(percentile(placeholders, 0.99)), 'ms');
  yield row('to_answer_p50', Math.round(percentile(answers, 0.5)), 'ms');
  yield row('to_answer_p99', Math.round(percentile(answers, 0.99)), 'ms');
  yield row('lost', total - toAnswer.size, 'questions');
  yield row('refused_by_limits', refused / Math.max(1, slack.calls.length), 'share');
};

export async function* run(): AsyncGenerator<BenchRow> {
  for (const load of LOADS) yield* measure(load);
}
