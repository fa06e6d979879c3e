import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApprovals } from '../../agent/approval.ts';
import { AppError } from '../../agent/errors.ts';
import { systemClock } from '../../ops/clock.ts';
import { createSendEmail, type MailSettings } from '../../tools/mail.ts';
import { createFakeClock } from '../fake-clock.ts';
import { toolContext } from './context.ts';
import { type SmtpFaults, startSmtp } from './smtp-server.ts';

const SETTINGS: MailSettings = {
  host: '127.0.0.1',
  port: 1,
  security: 'none',
  login: undefined,
  from: 'assistant@example.com',
  replyTo: 'helpdesk@example.com',
  allow: ['example.com', 'ops@partner.example'],
  maxRecipients: 2,
};
const MAIL = { to: ['ada@example.com'], subject: 'Printer', text: 'It works again.' };

const send = (parts: Partial<MailSettings>, given: object = {}, signal = new AbortController().signal) => {
  const tool = createSendEmail({ ...SETTINGS, ...parts }, { clock: createFakeClock() });
  return tool.run(tool.parameters.parse({ ...MAIL, ...given }), toolContext({ callKey: 'turn-1:2:0', signal }));
};

const failureOf = async (parts: Partial<MailSettings>, given: object = {}): Promise<AppError> => {
  const error: unknown = await send(parts, given).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof AppError, String(error));
  return error;
};

test('a mail is the plain text that was agreed to, with a fixed id of its call', async (t) => {
  const { port, mails } = await startSmtp(t);
  const result = await send({ port }, { to: ['ada@example.com', 'OPS@partner.example'] });
  assert.deepEqual(result, {
    sent_to: ['ada@example.com', 'OPS@partner.example'],
    not_sent_to: [],
    message_id: '<1fea24bd6041fa304e2f10ef93db68d8@example.com>',
  });
  assert.deepEqual(mails, [
    {
      from: 'assistant@example.com',
      to: ['ada@example.com', 'OPS@partner.example'],
      content: [
        'Auto-Submitted: auto-generated',
        'From: assistant@example.com',
        'To: ada@example.com, OPS@partner.example',
        'Reply-To: helpdesk@example.com',
        'Subject: Printer',
        'Message-ID: <1fea24bd6041fa304e2f10ef93db68d8@example.com>',
        'Date: Mon, 05 Jan 2026 09:00:00 +0000',
        'Content-Transfer-Encoding: 7bit',
        'MIME-Version: 1.0',
        'Content-Type: text/plain; charset=utf-8',
        '',
        'It works again.',
      ].join('\n'),
    },
  ]);
});

test('what looks like markup, a link, a mention or a header is sent as the text that it is', async (t) => {
  const { port, mails } = await startSmtp(t);
  const text = '<b>hi</b> @channel https://example.com\n.\nBcc: eve@example.com\n..two dots\nünï 文';
  await send({ port }, { subject: 'Größe =?utf-8?Q?x?= <b>', text });
  const [head = '', body = ''] = (mails[0]?.content ?? '').split(/\n\n([^]*)/u);
  assert.match(head, /^Content-Type: text\/plain; charset=utf-8$/m);
  assert.doesNotMatch(head, /^Bcc/m);
  const encoding = /^Content-Transfer-Encoding: (.*)$/m.exec(head)?.[1];
  const decoded =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString()
      : Buffer.from(
          body.replaceAll('=\n', '').replaceAll(/=([0-9A-F]{2})/gu, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
          'latin1',
        ).toString();
  assert.equal(decoded.trimEnd(), text);
});

for (const [what, given, field] of [
  ['a recipient who is not allowed', { to: ['eve@evil.example'] }, /to/],
  ['a domain that only ends so', { to: ['eve@notexample.com'] }, /to/],
  ['a subdomain', { to: ['eve@sub.example.com'] }, /to/],
  ['an address with a second one in it', { to: ['ada@example.com, eve@evil.example'] }, /to/],
  ['an address with a name', { to: ['Ada <ada@example.com>'] }, /to/],
  ['an address with a line break', { to: ['ada@example.com\r\nBcc: eve@evil.example'] }, /to/],
  ['too many recipients', { to: ['a@example.com', 'b@example.com', 'c@example.com'] }, /to/],
  ['no recipient', { to: [] }, /to/],
  ['a subject with a header in it', { subject: 'Hi\r\nBcc: eve@evil.example' }, /subject/],
  ['a subject with a line separator', { subject: 'Hi\u2028Bcc: eve@evil.example' }, /subject/],
  ['a text with control characters', { text: 'a\u0000b' }, /text/],
  ['a text that is too long', { text: 'x'.repeat(10_001) }, /text/],
  ['an attachment', { attachments: [{ path: '/etc/passwd' }] }, /attachments/],
  ['HTML beside the text', { html: '<img src=x>' }, /html/],
] as const) {
  test(`${what} is refused before anybody is asked`, () => {
    const { parameters } = createSendEmail(SETTINGS, { clock: createFakeClock() });
    const checked = parameters.safeParse({ ...MAIL, ...given });
    assert.match(checked.error?.message ?? 'accepted', field);
  });
}

test('the card says who gets what from whom, and holds the mail as it will be sent', async () => {
  const tool = createSendEmail(SETTINGS, { clock: createFakeClock() });
  const args = tool.parameters.parse({ ...MAIL, text: 'one\r\ntwo' });
  const shown: unknown[] = [];
  const approvals = createApprovals(
    {
      turnId: 'turn-1',
      approve: async ({ words, arguments: given }) => {
        shown.push(words, JSON.parse(given));
        return 'denied';
      },
    },
    { findRefusal: () => undefined, putRefusal: async () => {} } as never,
    new AbortController().signal,
    new Set(),
  );
  assert.equal(approvals.reasonFor(tool as never), 'tool');
  await approvals.decide({ step: 1, index: 0, tool: tool as never, args, reason: 'tool' });
  assert.deepEqual(shown, [
    'Sends a mail from assistant@example.com to ada@example.com, answers go to helpdesk@example.com: Printer',
    { ...MAIL, text: 'one\ntwo' },
  ]);
});

for (const [what, faults, code, words, sent] of [
  [
    'a mail that is refused',
    { answers: { '.': '550 5.7.1 looks like spam' } },
    'tool_refused',
    /Nothing was sent: the mail was refused\. The mail server said: 550 5\.7\.1 looks like spam$/,
    1,
  ],
  [
    'a recipient who does not exist',
    { answers: { RCPT: '550 5.1.1 no such user' } },
    'tool_refused',
    /550 5\.1\.1 no such user/,
    0,
  ],
  [
    'greylisting',
    { answers: { RCPT: '451 4.7.1 come back later' } },
    'tool_unavailable',
    /Nothing was sent: the mail was put off, it may be sent again later\. .*451 4\.7\.1/,
    0,
  ],
  [
    'a server that wants TLS',
    { answers: { MAIL: '530 5.7.0 Must issue a STARTTLS command first' } },
    'tool_refused',
    /530 5\.7\.0/,
    0,
  ],
  ['a server that is full', { answers: { DATA: '452 4.3.1 no room' } }, 'tool_unavailable', /452 4\.3\.1/, 0],
  [
    'a server that closes before the mail',
    { answers: { RCPT: 'close' } },
    'tool_unavailable',
    /Nothing was sent: no connection/,
    0,
  ],
  [
    'a server that is busy at the greeting',
    { answers: { greeting: '421 4.3.2 too busy' } },
    'tool_unavailable',
    /421 4\.3\.2 too busy/,
    0,
  ],
  [
    'a server that closes after the mail',
    { answers: { '.': 'close' } },
    'tool_interrupted',
    /Whether it was sent is not known/,
    1,
  ],
  [
    'a server that speaks another language after the mail',
    { answers: { '.': 'HTTP/1.1 200 OK' } },
    'tool_interrupted',
    /not known/,
    1,
  ],
] as const satisfies readonly (readonly [string, SmtpFaults, string, RegExp, number])[]) {
  test(`${what} is told as it is, and never tried again`, async (t) => {
    const { port, mails, commands } = await startSmtp(t, faults);
    const error = await failureOf({ port });
    assert.equal(error.code, code);
    assert.match(error.message, words);
    assert.equal(mails.length, sent);
    assert.equal(commands.filter((line) => line.startsWith('EHLO')).length <= 1, true);
  });
}

test('of two recipients, the one that is refused is named with the reason', async (t) => {
  const { port, mails } = await startSmtp(t, { answers: { 'RCPT TO:<gone@': '550 5.1.1 no such\u200b user' } });
  const result = await send({ port }, { to: ['ada@example.com', 'gone@example.com'] });
  assert.deepEqual((result as { sent_to: unknown }).sent_to, ['ada@example.com']);
  assert.deepEqual((result as { not_sent_to: unknown }).not_sent_to, [
    { address: 'gone@example.com', reason: '550 5.1.1 no such user' },
  ]);
  assert.deepEqual(mails[0]?.to, ['ada@example.com']);
});

test('the login is used, and a wrong one is told without the password', async (t) => {
  const login = { user: 'assistant', password: 's3cret-word' };
  const { port, mails } = await startSmtp(t, { login });
  await send({ port, login: { user: login.user, password: { reveal: () => login.password } } });
  assert.equal(mails.length, 1);
  const error = await failureOf({ port, login: { user: login.user, password: { reveal: () => 'other-word' } } });
  assert.equal(error.code, 'tool_unavailable');
  assert.match(error.message, /our login was refused.*535 5\.7\.8/);
  assert.doesNotMatch(error.message, /word-|other-word|s3cret/);
});

test('nothing is said to a server that offers no STARTTLS where it is wanted', async (t) => {
  const { port, commands } = await startSmtp(t, { answers: { STARTTLS: '502 5.5.1 not implemented' } });
  const error = await failureOf({ port, security: 'starttls', login: { user: 'u', password: { reveal: () => 'word' } } });
  assert.equal(error.code, 'tool_unavailable');
  assert.deepEqual(
    commands.filter((line) => !/^(?:EHLO|HELO|STARTTLS)/u.test(line)),
    [],
  );
});

test('a server that is not there has sent nothing', async () => {
  assert.equal((await failureOf({})).code, 'tool_unavailable');
});

test('a mail that is given up closes its connection', async (t) => {
  const { port, commands } = await startSmtp(t, { answers: { MAIL: 'silent' } });
  const stop = new AbortController();
  const sending = send({ port }, {}, stop.signal);
  while (!commands.some((line) => line.startsWith('MAIL'))) await systemClock.sleep(5);
  stop.abort(new Error('given up'));
  await assert.rejects(sending, /given up/);
});
