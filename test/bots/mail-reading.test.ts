/** What a mail says: charsets, HTML, history, files, and mails that no person wrote. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { createMailIdentity } from '../../bots/mail/identity.ts';
import { saidIn } from '../../bots/mail/quotes.ts';
import { readMail } from '../../bots/mail/read-mail.ts';
import { verdictOf } from '../../bots/mail/trust.ts';
import { ADA, mail, SUPPORT } from './mail-kit.ts';

const read = (source: string | Buffer) => readMail(Buffer.from(source));
const withBody = (type: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(mail('', { 'Content-Type': type }).trimEnd()), Buffer.from('\r\n\r\n'), body]);
const parts = (...of: readonly string[]): string =>
  mail([...of.map((part) => `--x\n${part}`), '--x--'].join('\n'), { 'Content-Type': 'multipart/mixed; boundary=x' });

describe('a mail is read', () => {
  it('in the charset that it is written in', async () => {
    const gb = await read(withBody('text/plain; charset=gb18030', Buffer.from([0xc4, 0xe3, 0xba, 0xc3])));
    assert.equal(gb.text, '你好');
    const hello = Buffer.from('\u001b$B$3$s$K$A$O\u001b(B', 'latin1');
    assert.equal((await read(withBody('text/plain; charset=iso-2022-jp', hello))).text, 'こんにちは');
    const western = await read(withBody('text/plain; charset=windows-1252', Buffer.from([0x80, 0x20, 0x84, 0xfc, 0x93])));
    assert.equal(western.text, '€ „ü“');
    const { subject, from } = await read(
      mail('x', { Subject: '=?gb18030?B?xOO6ww==?=', From: '=?utf-8?Q?J=C3=BCrgen?= <J@Example.org>' }),
    );
    assert.deepEqual([subject, from], ['你好', { address: 'j@example.org', name: 'Jürgen' }]);
    assert.equal((await read(withBody('text/plain; charset=klingon', Buffer.from('plain words')))).text, 'plain words');
  });

  it('as text where it is HTML, without what is not shown, also where nobody can convert it', async () => {
    const html = '<style>p{}</style><p>It <b>leaks</b>.</p><script>alert(1)</script><blockquote>old</blockquote>';
    assert.equal((await read(mail(html, { 'Content-Type': 'text/html' }))).text, 'It leaks.\n\n> old');
    const deep = `${'<div>'.repeat(20_000)}It leaks.`;
    assert.equal((await read(mail(deep, { 'Content-Type': 'text/html' }))).text, 'It leaks.');
    const long = `<p>${'It leaks. '.repeat(100_000)}</p>`;
    assert.match((await read(mail(long, { 'Content-Type': 'text/html' }))).text, /^It leaks\. It leaks\./u);
  });

  it('with its files, and with the mails that hang on it as deep as people forward', async () => {
    const inner = (subject: string, text: string, more = ''): string =>
      `Content-Type: message/rfc822\n\nFrom: Bo <bo@example.net>\nSubject: ${subject}\nContent-Type: multipart/mixed; boundary=${subject}\n\n--${subject}\nContent-Type: text/plain\n\n${text}\n${more === '' ? '' : `--${subject}\n${more}\n`}--${subject}--`;
    const found = await read(
      parts(
        'Content-Type: text/plain\n\nSee below.',
        inner('one', 'First inside.', inner('two', 'Second inside.')),
        'Content-Type: application/pdf; name="../bill .pdf"\nContent-Disposition: attachment; filename="../bill .pdf"\nContent-Transfer-Encoding: base64\n\nAAEC',
      ),
    );
    assert.equal(
      found.text,
      'See below.\n\nForwarded: one, by bo@example.net\n\nFirst inside.\n\nForwarded: two, by bo@example.net\n\nSecond inside.',
    );
    assert.deepEqual(
      found.files.map(({ name, mediaType, sizeBytes, bytes }) => [name, mediaType, sizeBytes, [...(bytes ?? [])]]),
      [['../bill .pdf', 'application/pdf', 3, [0, 1, 2]]],
    );
  });

  it('whatever is broken in it', async () => {
    const garbage = Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * 7_919) % 256));
    const sources = [
      '',
      '\r\n\r\n',
      garbage,
      'Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!',
      mail('x', { From: 'not an address', 'Message-ID': '<<>>', References: '<<<< >' }),
      mail('x', { Date: 'never' }),
      `Subject: ${'x'.repeat(2_000_000)}\r\n\r\nx`,
      parts(...Array.from({ length: 3_000 }, () => 'Content-Type: text/plain\n\nx')),
    ];
    for (const source of sources) {
      const found = await read(source);
      assert.match(found.messageId, /^<[^\s<>]+>$/u);
      assert.equal((await read(source)).messageId, found.messageId, 'the same at every reading');
    }
    const many = await read(sources.at(-1) ?? '');
    assert.deepEqual([many.from?.address, many.subject], [ADA, 'Kettle']);
    assert.match(many.text, /could not be read/u);
  });
});

test('two copies of a mail without an id are one, whatever servers on the way added', async () => {
  const bare = (received: string) => mail('It leaks.', { 'Message-ID': null, Received: received });
  assert.equal((await read(bare('from a'))).messageId, (await read(bare('from b'))).messageId);
  assert.notEqual((await read(bare('a'))).messageId, (await read(mail('It hums.', { 'Message-ID': null }))).messageId);
});

test('a mail that no person wrote is known by its headers', async () => {
  const reasonOf = async (headers: Record<string, string | null>) => (await read(mail('Gone fishing', headers))).automatic;
  const cases: readonly (readonly [Record<string, string | null>, string | null])[] = [
    [{ 'Auto-Submitted': 'auto-replied' }, 'auto-submitted'],
    [{ 'auto-submitted': 'no' }, null],
    [{ Precedence: 'bulk' }, 'precedence'],
    [{ Precedence: 'list' }, 'precedence'],
    [{ Precedence: 'first-class' }, null],
    [{ 'X-Loop': 'x' }, 'loop'],
    [{ 'Return-Path': '<>' }, 'null_return_path'],
    [{ 'Return-Path': `<${ADA}>` }, null],
    [{ From: 'Mail Delivery System <MAILER-DAEMON@mx.example>' }, 'machine'],
    [{ 'Content-Type': 'multipart/report; report-type=delivery-status; boundary=x' }, 'report'],
    [{ 'X-Autoreply': 'yes' }, 'auto-reply'],
  ];
  for (const [headers, reason] of cases) assert.equal(await reasonOf(headers), reason, JSON.stringify(headers));
});

describe('what somebody wrote', () => {
  const said = (text: string, subject = 'Re: Kettle'): string => saidIn(text, subject);
  const history = '\n\nOn Mon, 5 Jan 2026 at 09:00, Support <support@example.com> wrote:\n> Is it plugged in?\n> Really?';

  it('stands without the history under it and without the signature', () => {
    assert.equal(said(`Yes, it is.${history}`), 'Yes, it is.');
    assert.equal(
      said('Yes.\n\nOn Mon, 5 Jan 2026 at 09:00, Support Team of Example\n<support@example.com> wrote:\n\n> Is it?'),
      'Yes.',
    );
    assert.equal(said('Ja.\n\nAm Mo., 5. Jan. 2026 um 09:00 Uhr schrieb Support <s@example.com>:\n> Geht es?'), 'Ja.');
    assert.equal(said('好的。\n\n在 2026年1月5日 09:00，Support 写道：\n> 可以吗？'), '好的。');
    assert.equal(said('Yes.\n\n-----Original Message-----\nFrom: Support\nSent: Monday\nTo: Ada\nIs it?'), 'Yes.');
    assert.equal(said('Ja.\n\nVon: Support\nGesendet: Montag\nAn: Ada\nBetreff: Kettle\n\nGeht es?'), 'Ja.');
    assert.equal(said('Yes.\n-- \nAda\nHead of Tea\n+49 30 1234'), 'Yes.');
    assert.equal(said(`Yes.\n\nSent from my phone${history}`), 'Yes.');
  });

  it('stands with what it answers, line by line, and with what it passes on', () => {
    const inline = `${history}\n\nIt is.\n\n> More?\n\nNo.`.trim();
    assert.equal(said(inline), inline);
    const forward = 'See this.\n\n---------- Forwarded message ---------\nFrom: Bo\n\n> It leaks.';
    assert.equal(said(forward, 'Kettle'), forward);
    const outlook = 'See this.\n\nFrom: Bo\nSent: Monday\nTo: Ada\nSubject: Kettle\n\nIt leaks.';
    assert.equal(said(outlook, 'FW: Kettle'), outlook);
  });

  it('is all of it where nothing else would be left', () => {
    assert.equal(said(history.trim()), history.trim());
    assert.equal(said('-- \nAda'), '-- \nAda');
    assert.equal(said(''), '');
  });

  it('is found in no time in a mail that is made to take long', () => {
    const began = performance.now();
    for (const text of ['> \n'.repeat(60_000), `On ${'a'.repeat(200_000)}`, 'From: x\n'.repeat(25_000), '-- \n'.repeat(50_000)])
      said(text);
    assert.ok(performance.now() - began < 3_000);
  });
});

test('the header of the one server that is believed says whether a sender is who it says', () => {
  const of = (...headers: readonly string[]) => verdictOf(headers, 'mx.example.com');
  assert.equal(of('mx.example.com; spf=pass; dmarc=pass (p=reject) header.from=example.org'), 'verified');
  assert.equal(of('mx.example.com 1; dkim=fail; dmarc=fail header.from=example.org'), 'forged');
  assert.equal(of('mx.example.com; dmarc=none'), 'unknown');
  assert.equal(of('evil.example; dmarc=pass'), 'unknown');
  assert.equal(of('mx.example.com; dmarc=fail', 'mx.example.com; dmarc=pass'), 'forged', 'the topmost counts');
  assert.equal(of('mx.example.com; spf=pass (dmarc=pass; dmarc=pass)'), 'unknown', 'comments say nothing');
  assert.equal(of('mx.example.com.evil.example; dmarc=pass'), 'unknown');
  assert.equal(verdictOf(['mx.example.com; dmarc=pass'], undefined), 'unknown');
});

test('ids and tokens of our mails are known by their code, and those that somebody made up are not', () => {
  const [own, other] = [createMailIdentity('a', SUPPORT), createMailIdentity('b', SUPPORT)];
  const key = '0123456789abcdef0123';
  const id = own.messageIdOf('T12', key);
  assert.match(id, /^<T12\.0123456789abcdef0123\.[A-Z2-7]{10}@example\.com>$/u);
  assert.deepEqual([own.ticketOf(id), other.ticketOf(id), own.ticketOf(id.replace('T12', 'T13'))], ['T12', undefined, undefined]);
  const subject = own.subjectOf('T12', 'Re: AW: Kettle [#T9]');
  assert.match(subject, /^Re: Kettle \[#T12-[A-Z2-7]{10}\]$/u);
  assert.deepEqual(own.tokenIn(subject), { ticketId: 'T12', isProven: true });
  assert.deepEqual(other.tokenIn(subject), { ticketId: 'T12', isProven: false });
  assert.deepEqual(own.tokenIn('Kettle [#T12]'), { ticketId: 'T12', isProven: false });
  assert.equal(own.tokenIn('Kettle #T12'), undefined);
  assert.equal(own.withoutToken(subject), 'Re: Kettle');
});
