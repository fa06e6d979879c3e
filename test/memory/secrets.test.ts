import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { holdsSecret, scrubSecrets } from '../../memory/secrets.ts';
import { hasIbanChecksum, hasLuhnChecksum } from '../../memory/secrets-forms.ts';
import { scaled, seed } from '../scale.ts';

/** Numbers and keys of documentation and test networks; none is anybody's. */
const SECRETS: readonly (readonly [string, string])[] = [
  ['use sk-proj-abcdefghijklmnopqrstuv12345 for it', 'use [key removed] for it'],
  ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', '[key removed]'],
  ['xoxb-123456789012-abcdefGHIJKL', '[key removed]'],
  ['AKIAIOSFODNN7EXAMPLE', '[key removed]'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl', '[web token removed]'],
  ['Authorization: Bearer abcdef1234567890abcdef', 'Authorization: Bearer [key removed]'],
  ['https://hooks.slack.com/services/T000/B000/XXXXXXXX', '[web hook removed]'],
  ['postgres://app:p4ss@db.example/main', 'postgres://app:[password removed]@db.example/main'],
  ['API_KEY=abcd1234efgh5678', 'API_KEY=[password removed]'],
  ['my password is swordfish.', 'my password is [password removed].'],
  ['the password for the staging server is "blue horse"', 'the password for the staging server is "[password removed] horse"'],
  ['sign in with password swordfish9 here', 'sign in with password [password removed] here'],
  ['The PIN is 4821', 'The PIN is [password removed]'],
  ['Das Passwort für den Testserver lautet Sommer2024!', 'Das Passwort für den Testserver lautet [password removed]!'],
  ['密码是 abc12345，别告诉别人', '密码是 [password removed]，别告诉别人'],
  ['seed phrase: correct horse battery staple', 'seed phrase: [password removed]'],
  ['card 4111 1111 1111 1111 exp 12/27', 'card [card number removed] exp 12/27'],
  ['card 4111-1111-1111-1111', 'card [card number removed]'],
  ['card 4111 1111 1111 1111 123', 'card [card number removed] 123'],
  ['IBAN DE89 3704 0044 0532 0130 00 please', 'IBAN [bank account removed] please'],
  ['to BE68539007547034, thanks', 'to [bank account removed], thanks'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIabc123\n-----END RSA PRIVATE KEY----- after', '[private key removed] after'],
  ['Zm9vYmFyQkFaMTIzNDU2Nzg5MFFVWFhYenp6eXl5MTE', '[key removed]'],
];

test('each form of secret is taken out and named', () => {
  for (const [text, scrubbed] of SECRETS) assert.equal(scrubSecrets(text), scrubbed, text);
});

test('scrubbing what was scrubbed changes nothing', () => {
  for (const [text] of SECRETS) {
    const once = scrubSecrets(text);
    assert.equal(scrubSecrets(once), once);
    assert.ok(holdsSecret(text) && holdsSecret(once), text);
  }
  const pieces = fc.constantFrom(...SECRETS.map(([text]) => text), ' ', '\n', 'and ', '密码', '-', '=', ': ');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const once = scrubSecrets(parts.join(''));
      assert.equal(scrubSecrets(once), once);
    }),
    { numRuns: scaled(5_000), seed },
  );
});

test('what only looks like a secret stays', () => {
  for (const text of [
    'The password is required for every login.',
    'the key is in the drawer',
    'I forgot what my pin is for this account.',
    'The customer says the PIN was compromised.',
    'Our token limit is 4000 a minute.',
    'order 1234567890123456 was shipped',
    'call +49 30 1234567 before noon',
    'see docs/architecture/decisions/2024-01-use-Postgres',
    'commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b',
    'id 550e8400-e29b-41d4-a716-446655440000',
    'Das Passwort ist abgelaufen.',
    '密码需要每 90 天更换一次。',
    'GB00 1234 is no account',
  ]) {
    assert.equal(scrubSecrets(text), text);
    assert.ok(!holdsSecret(text));
  }
});

test('checksums tell numbers of cards and accounts from others', () => {
  assert.ok(
    hasLuhnChecksum('4111 1111 1111 1111') && !hasLuhnChecksum('4111 1111 1111 1112') && !hasLuhnChecksum('0000000000000000'),
  );
  assert.ok(hasIbanChecksum('DE89 3704 0044 0532 0130 00') && !hasIbanChecksum('DE88 3704 0044 0532 0130 00'));
});

test('a long hostile text is scrubbed in linear time', () => {
  const cpuOf = (work: () => void): number => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  for (const piece of [
    'a',
    'aA1',
    'sk-',
    'eyJ',
    'eyJaaaaaaaaaa.',
    `AB12${'A'.repeat(40)} `,
    '1 ',
    'password is ',
    'password for a b c d ',
    'seed phrase is ',
    '-----BEGIN PRIVATE KEY-----',
    'a://b:',
    '密码是',
  ]) {
    const short = piece.repeat(Math.ceil(60_000 / piece.length));
    const long = short.repeat(4);
    scrubSecrets(short);
    const ratio =
      cpuOf(() => scrubSecrets(long)) /
      Math.max(
        1_000,
        cpuOf(() => scrubSecrets(short)),
      );
    assert.ok(ratio < 16, `${piece.slice(0, 30)}: four times the text took ${ratio} times the work`);
  }
});
