import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { hasCode } from '../../agent/errors.ts';
import { loadConfig, secretsOf } from '../../ops/config.ts';

const load = (env: Readonly<Record<string, string>>) => loadConfig({ env, readFile: () => undefined });

const HOST = { THREADWISE_MAIL_HOST: 'smtp.example.com' };
const WHOLE = {
  ...HOST,
  THREADWISE_MAIL_FROM: 'assistant@example.com',
  THREADWISE_MAIL_ALLOW: 'Example.com,ops@partner.example',
};

test('without a server there is no mail', () => {
  assert.equal(load({}).tools.mail, undefined);
});

test('a server has the port of its security, and its password is printed nowhere', () => {
  const login = { THREADWISE_MAIL_USER: 'assistant', THREADWISE_MAIL_PASSWORD: 's3cret word' };
  const config = load({ ...WHOLE, ...login });
  const { login: found, ...mail } = config.tools.mail ?? assert.fail('no mail');
  assert.deepEqual(mail, {
    host: 'smtp.example.com',
    port: 587,
    security: 'starttls',
    from: 'assistant@example.com',
    replyTo: undefined,
    allow: ['example.com', 'ops@partner.example'],
    maxRecipients: 5,
  });
  assert.equal(found?.password.reveal(), 's3cret word');
  assert.doesNotMatch(inspect(config, { depth: 9 }) + JSON.stringify(config), /s3cret/);
  assert.ok(secretsOf(config).some((secret) => secret.reveal() === 's3cret word'));
  assert.equal(load({ ...WHOLE, THREADWISE_MAIL_SECURITY: 'tls' }).tools.mail?.port, 465);
});

for (const [what, env, key] of [
  ['no sender', { ...WHOLE, THREADWISE_MAIL_FROM: '' }, 'tools.mail.from (THREADWISE_MAIL_FROM)'],
  ['nobody to write to', { ...WHOLE, THREADWISE_MAIL_ALLOW: '' }, 'tools.mail.allow (THREADWISE_MAIL_ALLOW)'],
  ['everybody to write to', { ...WHOLE, THREADWISE_MAIL_ALLOW: '*' }, 'tools.mail.allow (THREADWISE_MAIL_ALLOW)'],
  ['a user without a password', { ...WHOLE, THREADWISE_MAIL_USER: 'a' }, 'tools.mail.password (THREADWISE_MAIL_PASSWORD)'],
  [
    'a password in clear',
    { ...WHOLE, THREADWISE_MAIL_USER: 'a', THREADWISE_MAIL_PASSWORD: 'word', THREADWISE_MAIL_SECURITY: 'none' },
    'tools.mail.security (THREADWISE_MAIL_SECURITY)',
  ],
  ['no server beside the rest', { THREADWISE_MAIL_FROM: 'assistant@example.com' }, 'tools.mail.host (THREADWISE_MAIL_HOST)'],
  [
    'a sender with a header in it',
    { ...WHOLE, THREADWISE_MAIL_FROM: 'a@example.com\nBcc: b@c.de' },
    'tools.mail.from (THREADWISE_MAIL_FROM)',
  ],
] as const) {
  test(`${what} stops the start with one line`, () => {
    assert.throws(
      () => load(env),
      (error) =>
        hasCode(error, 'config_invalid') && error.message.startsWith(`${key}: expected `) && !error.message.includes('\n'),
    );
  });
}
