import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { AppError } from '../../agent/errors.ts';
import { createLogger, type LogFormat, type LogLevel } from '../../ops/log.ts';
import { createRedactor } from '../../ops/redact.ts';
import { Secret } from '../../ops/secret.ts';
import { createFakeClock } from '../fake-clock.ts';

const openLog = (options: { level?: LogLevel; format?: LogFormat; secrets?: readonly string[] } = {}) => {
  const lines: string[] = [];
  const logger = createLogger({
    level: options.level ?? 'debug',
    format: options.format ?? 'json',
    secrets: (options.secrets ?? []).map((value) => new Secret(value)),
    clock: createFakeClock(Date.UTC(2026, 0, 5, 9)),
    write: (line) => lines.push(line),
  });
  return { logger, lines, last: (): unknown => JSON.parse(lines.at(-1) ?? '') };
};

/** Made of parts, so that no scanner takes this file for a leak. */
const fakeToken = (...parts: readonly string[]): string => parts.join('');

test('an event is one line of JSON with its level, time and fields', () => {
  const { logger, lines } = openLog();
  logger.with({ channel: 'slack' }).info('run_finished', { steps: 2, ok: true, missing: undefined });
  assert.equal(
    lines.join(''),
    '{"level":"info","time":"2026-01-05T09:00:00.000Z","channel":"slack","steps":2,"ok":true,"event":"run_finished"}\n',
  );
});

test('events below the level are not written', () => {
  const { logger, lines } = openLog({ level: 'warn' });
  logger.info('quiet');
  logger.warn('loud');
  assert.equal(lines.length, 1);
});

test('an error keeps its code and the chain of its causes', () => {
  const { logger, last } = openLog();
  const cause = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' });
  logger.error('model_failed', { error: new AppError('model_unavailable', 'no answer', { cause }) });
  const { error } = last() as { error: Record<string, unknown> };
  assert.equal(error['code'], 'model_unavailable');
  assert.equal(error['message'], 'no answer');
  assert.deepEqual(error['cause'], { name: 'Error', code: 'ECONNREFUSED', message: 'connect refused' });
});

test('a known secret is taken out of fields, names, errors, causes and stacks in each form it travels in', () => {
  const secret = 'pa"ss\\word/+?9876';
  const { logger, lines, last } = openLog({ secrets: [secret] });
  const cause = new Error(`cause ${secret}`);
  logger.error('failed', {
    plain: secret,
    inside: `a ${secret} b`,
    json: JSON.stringify({ secret }),
    url: `https://example.com/?q=${encodeURIComponent(secret)}`,
    base64: Buffer.from(secret).toString('base64'),
    nested: { list: [secret], [secret]: 1 },
    error: new Error(`message ${secret}`, { cause }),
  });
  logger.with({ bound: secret }).info('bound');
  const text = lines.join('');
  for (const form of [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
  ]) {
    assert.ok(!text.includes(form), form);
  }
  assert.equal((last() as { bound: string }).bound, '[redacted]');
});

test('a secret that crosses the length at which strings are cut does not stay in part', () => {
  const secret = 'S3cr3tS3cr3tS3cr3tS3cr3t';
  const { logger, lines } = openLog({ secrets: [secret] });
  logger.info('long', { text: 'x'.repeat(4090) + secret });
  assert.ok(!lines.join('').includes('S3cr3t'));
});

const UNKNOWN_SECRETS: readonly (readonly [string, string])[] = [
  ['a Slack bot token', fakeToken('xo', 'xb-1234567890-abcdefGHIJKL')],
  ['a Slack app token', fakeToken('xa', 'pp-1-A111-222-deadbeef')],
  ['a model key', fakeToken('sk', '-proj-abcdefghijklmnop_1234')],
  ['a Discord token', fakeToken('MTIzNDU2Nzg5MDEyMzQ1Njc4', '.GabcDE.', 'abcdefghijklmnopqrstuvwxyz0123456789AB')],
  ['a JWT', fakeToken('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxMjM0In0', '.c2lnbmF0dXJl')],
  ['a private key', fakeToken('-----BEGIN RSA PRIVATE', ' KEY-----\nMIIabc+/=\n-----END RSA PRIVATE KEY-----')],
  ['a bearer header', fakeToken('Bearer ', 'abcdef0123456789')],
];

test('unknown secrets are recognised by their looks', () => {
  for (const [kind, token] of UNKNOWN_SECRETS) {
    const { logger, lines, last } = openLog();
    logger.info('seen', { text: `before ${token} after` });
    const { text } = last() as { text: string };
    assert.match(text, /^before .*\[redacted\].* after$/s, kind);
    assert.ok(!lines.join('').includes(token.slice(12, 30)), kind);
  }
});

test('of an address the host stays and the credentials go', () => {
  const redact = createRedactor([]);
  assert.equal(redact('postgres://joe:hunter2@db:5432/x'), 'postgres://[redacted]@db:5432/x');
  assert.equal(redact('http://127.0.0.1:3000/?token=abcd1234&x=1'), 'http://127.0.0.1:3000/?token=[redacted]&x=1');
  assert.equal(redact('see user@example.com and https://example.com/a'), 'see user@example.com and https://example.com/a');
});

test('ordinary log lines pass the redactor unchanged', () => {
  const line = '{"event":"accepted","id":"slack:T0123456789:C0123456789:1700000000.123456","ms":1234567890123}';
  assert.equal(createRedactor([new Secret('short')])(line), line);
});

test('redacting a hostile line of 200,000 characters takes under a second', () => {
  const redact = createRedactor([]);
  const startedAt = performance.now();
  for (const piece of [
    'a.',
    'a:',
    'xoxb',
    'eyJ-',
    '-----BEGIN ',
    'Bot ',
    '?key=',
    'a://b',
    'sk-',
    'eyJaaaaaaaaa.',
    'webhooks/1/',
  ])
    redact(piece.repeat(200_000 / piece.length));
  assert.ok(performance.now() - startedAt < 1_000);
});

test('at a terminal an event is one short line whatever its fields hold', () => {
  const { logger, lines } = openLog({ format: 'pretty' });
  logger.warn('slack_retry', {
    attempt: 2,
    detail: 'two words\nforged line \u202e',
    error: new AppError('store_full', 'disk full'),
  });
  assert.deepEqual(lines, [
    '09:00:00 warn  slack_retry attempt=2 detail="two words\\nforged line \\u202e" error="disk full (store_full)"\n',
  ]);
});

test('a logger never throws and does not let fields replace the level', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const broken = createLogger({
    level: 'debug',
    format: 'json',
    secrets: [],
    clock: createFakeClock(),
    write: () => {
      throw new Error('pipe closed');
    },
  });
  broken.error('lost');
  const { logger, last } = openLog();
  logger.info('cyclic', { cyclic: cyclic as never, level: 'none' });
  const line = last() as Record<string, unknown>;
  assert.equal(line['level'], 'info');
  assert.equal(line['level_'], 'none');
});

test('a secret shows itself in no way of printing', () => {
  const secret = new Secret('hunter2hunter2');
  const shown = [String(secret), JSON.stringify({ secret }), inspect({ secret }), inspect(secret, { showHidden: true })].join(
    ' ',
  );
  assert.ok(!shown.includes('hunter2'), shown);
  assert.equal(secret.reveal(), 'hunter2hunter2');
});
