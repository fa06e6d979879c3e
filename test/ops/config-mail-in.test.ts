import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { hasCode } from '../../agent/errors.ts';
import { loadConfig, secretsOf } from '../../ops/config.ts';

const load = (env: Readonly<Record<string, string>>) => loadConfig({ env, readFile: () => undefined });

const WHOLE = {
  THREADWISE_MAIL_HOST: 'smtp.example.com',
  THREADWISE_MAIL_FROM: 'support@example.com',
  THREADWISE_TRIAGE_MAIL_HOST: 'imap.example.com',
  THREADWISE_TRIAGE_MAIL_USER: 'Support@example.com',
  THREADWISE_TRIAGE_MAIL_PASSWORD: 's3cret word',
};

test('a mailbox has the port of its security, its user for an address, and its password is printed nowhere', () => {
  assert.equal(load({}).triage.mail, undefined);
  const config = load(WHOLE);
  const { password, ...mail } = config.triage.mail ?? assert.fail('no mailbox');
  assert.deepEqual(mail, {
    host: 'imap.example.com',
    port: 993,
    security: 'tls',
    user: 'Support@example.com',
    folder: 'INBOX',
    sent: undefined,
    address: 'support@example.com',
    authserv: undefined,
    private: true,
    pollSeconds: 60,
    firstDays: 1,
  });
  assert.equal(password.reveal(), 's3cret word');
  assert.doesNotMatch(inspect(config, { depth: 9 }) + JSON.stringify(config), /s3cret/);
  assert.ok(secretsOf(config).some((secret) => secret.reveal() === 's3cret word'));
  assert.equal(load({ ...WHOLE, THREADWISE_TRIAGE_MAIL_SECURITY: 'starttls' }).triage.mail?.port, 143);
  assert.deepEqual(config.tools.mail?.allow, [], 'answers alone are sent');
});

for (const [what, env, key] of [
  ['no server', { ...WHOLE, THREADWISE_TRIAGE_MAIL_HOST: '' }, 'triage.mail.host (THREADWISE_TRIAGE_MAIL_HOST)'],
  ['no password', { ...WHOLE, THREADWISE_TRIAGE_MAIL_PASSWORD: '' }, 'triage.mail.user and triage.mail.password'],
  [
    'no way to answer',
    { ...WHOLE, THREADWISE_MAIL_HOST: '', THREADWISE_MAIL_FROM: '' },
    'tools.mail.host (THREADWISE_MAIL_HOST)',
  ],
  ['no address', { ...WHOLE, THREADWISE_TRIAGE_MAIL_USER: 'support' }, 'triage.mail.address (THREADWISE_TRIAGE_MAIL_ADDRESS)'],
  ['too many days', { ...WHOLE, THREADWISE_TRIAGE_MAIL_FIRST_DAYS: '9999' }, 'triage.mail.firstDays'],
] as const) {
  test(`a mailbox with ${what} is told with its key, and nothing starts`, () => {
    assert.throws(
      () => load(env),
      (error) => hasCode(error, 'config_invalid') && error.message.includes(key) && !error.message.includes('s3cret'),
    );
  });
}
