/** Which ticket a mail belongs to, and what makes none. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it, test } from 'node:test';
import { AppError } from '../../agent/errors.ts';
import type { TicketDesk } from '../../agent/ports/ticket-desk.ts';
import type { Ticket } from '../../agent/ticket.ts';
import { ADMIN } from '../fakes/triage-bench.ts';
import { ADA, idOf, type MailDesk, mail, openMailDesk, SUPPORT } from './mail-kit.ts';

const KEY = '0123456789abcdef0123';
const AUTHSERV = 'mx.example.com';
const PASS = { 'Authentication-Results': `${AUTHSERV}; dmarc=pass header.from=example.org` };
const FAIL = { 'Authentication-Results': `${AUTHSERV}; dmarc=fail header.from=example.org` };
const EVE = 'Eve <eve@evil.example>';

describe('a mail', () => {
  let desk: MailDesk;
  beforeEach(() => {
    desk = openMailDesk();
  });
  afterEach(() => desk.close());

  const ticket = async (id: string): Promise<Ticket> => {
    const found = await desk.bench.store.readTicket(id);
    assert.ok(found !== undefined, id);
    return found;
  };
  const count = async () => (await desk.bench.store.listTickets({})).length;
  const texts = async (id: string) =>
    (await desk.bench.store.readEvents(id)).flatMap(({ change }) =>
      change.kind === 'message_added' ? [[change.message.from, change.message.text, change.message.whole ?? null]] : [],
    );

  it('is a private ticket of who it says it is from, with all of it kept', async () => {
    assert.equal(await desk.take(mail('It leaks.\n-- \nAda\n+49 30 1', { 'Message-ID': '<one@example.org>' })), 'opened');
    const { how, author, isPrivate, subject, text, address, fields, threadId } = await ticket('T1');
    assert.deepEqual(
      [how, author, isPrivate, subject, text],
      ['mail', { id: `mail:${ADA}`, displayName: 'Ada' }, true, 'Kettle', 'It leaks.'],
    );
    assert.deepEqual(address, { to: ADA, subject: 'Kettle', messageId: '<one@example.org>' });
    assert.deepEqual([fields, threadId], [{ sender: 'unverified' }, 'mail:<one@example.org>']);
    const [first] = await desk.bench.store.readEvents('T1');
    assert.ok(first?.change.kind === 'opened');
    assert.equal(first.change.arrival.whole, 'It leaks.\n-- \nAda\n+49 30 1');
  });

  it('that comes twice, is moved or delivered again is one ticket', async () => {
    const source = mail('It leaks.');
    assert.deepEqual(
      [await desk.take(source), await desk.take(`Received: from elsewhere\r\n${source}`)],
      ['opened', 'duplicate'],
    );
    const reply = mail('Still.', { 'In-Reply-To': idOf(source) });
    assert.deepEqual([await desk.take(reply), await desk.take(reply)], ['joined', 'duplicate']);
    assert.deepEqual([await count(), (await ticket('T1')).messageCount], [1, 2]);
  });

  it('joins the ticket of the mail it answers, ours or another, and is read without the history', async () => {
    const first = mail('It leaks.', { Cc: 'Bo <bo@example.net>' });
    await desk.take(first);
    const ours = desk.identity.messageIdOf('T1', KEY);
    const history = `It is.\n\nOn Monday, Support <${SUPPORT}> wrote:\n> Plugged in?`;
    assert.equal(await desk.take(mail(history, { References: `${idOf(first)} ${ours}`, 'In-Reply-To': ours })), 'joined');
    assert.equal(await desk.take(mail('I saw it too.', { From: 'Bo <BO@example.net>', 'In-Reply-To': idOf(first) })), 'joined');
    assert.equal(await desk.take(mail('More.', { Subject: desk.identity.subjectOf('T1', 'Kettle') })), 'joined');
    assert.deepEqual(await texts('T1'), [
      ['asker', 'It is.', history],
      ['other', 'I saw it too.', null],
      ['asker', 'More.', null],
    ]);
    assert.equal(await count(), 1);
  });

  it('opens a solved ticket again', async () => {
    const first = mail('It leaks.');
    await desk.take(first);
    const closed = await desk.bench.triage.desk.act({
      ticketId: 'T1',
      action: { kind: 'close' },
      actor: { kind: 'person', id: ADMIN },
      source: 'test',
      key: '1',
    });
    assert.equal(closed.kind, 'done', JSON.stringify(closed));
    assert.equal(await desk.take(mail('Thanks!', { 'In-Reply-To': idOf(first) })), 'joined');
    assert.equal((await ticket('T1')).status, 'closed');
    assert.equal(await desk.take(mail('It leaks again.', { 'In-Reply-To': idOf(first) })), 'reopened');
  });

  it('of somebody who takes no part in a ticket is a ticket of its own, whatever it names', async () => {
    const first = mail('It leaks.');
    await desk.take(first);
    const ours = desk.identity.messageIdOf('T1', KEY);
    const attempts = [
      { From: EVE, 'In-Reply-To': idOf(first) },
      { From: EVE, 'In-Reply-To': ours },
      { From: EVE, Subject: desk.identity.subjectOf('T1', 'Kettle') },
      { From: `Ada <${ADA}>`, Subject: 'Kettle [#T1]' },
      { From: `Ada <${ADA}>`, Subject: 'Kettle [#T1-AAAAAAAAAA]' },
      { From: `Ada <${ADA}>`, 'In-Reply-To': `<T1.${KEY}.AAAAAAAAAA@example.com>` },
    ];
    for (const headers of attempts) assert.equal(await desk.take(mail('What do you know?', headers)), 'opened');
    assert.deepEqual([await count(), (await ticket('T1')).messageCount], [7, 1]);
    // Nor does it get in by its own ticket, into which it invited itself.
    assert.equal((await ticket('T2')).author.id, 'mail:eve@evil.example');
    assert.equal(await desk.take(mail('Mine.', { From: EVE, References: ours })), 'opened');
  });

  it('under the id of another lets nobody into its ticket', async () => {
    const first = mail('It leaks.');
    await desk.take(first);
    const under = { From: EVE, Cc: 'mallory@evil.example', 'Message-ID': idOf(first) };
    assert.equal(await desk.take(mail('Mine.', under)), 'duplicate');
    for (const From of [EVE, 'mallory@evil.example'])
      assert.equal(await desk.take(mail('Tell me.', { From, 'In-Reply-To': idOf(first) })), 'opened');
    assert.deepEqual([(await ticket('T1')).messageCount, await count()], [1, 3]);
  });

  it('with a sender that its server calls forged joins nothing, and one that is verified needs no code', async () => {
    await desk.close();
    desk = openMailDesk({ authserv: AUTHSERV });
    const first = mail('It leaks.', PASS);
    await desk.take(first);
    assert.equal((await ticket('T1')).fields['sender'], 'verified');
    assert.equal(await desk.take(mail('Send it to me.', { ...FAIL, 'In-Reply-To': idOf(first) })), 'opened');
    assert.equal((await ticket('T2')).fields['sender'], 'unverified');
    assert.equal(await desk.take(mail('By number.', { Subject: 'Re: Kettle [#T1]' })), 'opened');
    assert.equal(await desk.take(mail('By number.', { ...PASS, Subject: 'Re: Kettle [#T1]' })), 'joined');
  });

  it('that no person wrote makes no ticket and adds to none', async () => {
    const first = mail('It leaks.');
    await desk.take(first);
    const reply = { 'In-Reply-To': idOf(first) };
    const outcomes = [
      await desk.take(mail('I am away.', { ...reply, 'Auto-Submitted': 'auto-replied' })),
      await desk.take(mail('News!', { Precedence: 'bulk' })),
      await desk.take(mail('Bounced.', { 'Return-Path': '<>' })),
      await desk.take(mail('Ours.', { From: `Support <${SUPPORT.toUpperCase()}>` })),
      await desk.take(mail('Ours.', { 'Message-ID': desk.identity.messageIdOf('T1', KEY) })),
      await desk.take(mail('', { Subject: '' })),
      await desk.take(mail('Thank you!', { Subject: '' })),
    ];
    assert.deepEqual(outcomes, ['automatic', 'automatic', 'automatic', 'own', 'own', 'not_a_ticket', 'not_a_ticket']);
    assert.deepEqual([await count(), (await ticket('T1')).messageCount], [1, 1]);
  });

  it('that tells that ours did not arrive is said on its ticket, once, and only for what we sent', async () => {
    await desk.take(mail('It leaks.'));
    const report = (messageId: string, action = 'failed') =>
      mail(
        `--x\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx\n\nAction: ${action}\nStatus: 5.1.1\n\n--x\nContent-Type: text/rfc822-headers\n\nMessage-ID: ${messageId}\n\n--x--`,
        { From: 'MAILER-DAEMON@mx', 'Content-Type': 'multipart/report; report-type=delivery-status; boundary=x' },
      );
    const ours = desk.identity.messageIdOf('T1', KEY);
    for (const source of [report(ours, 'delayed'), report(`<T1.${KEY}.AAAAAAAAAA@example.com>`), report(ours), report(ours)])
      assert.equal(await desk.take(source), 'automatic');
    assert.deepEqual((await ticket('T1')).undelivered, ['A mail to the asker came back (5.1.1): it was not delivered.']);
  });

  it('with files alone is a ticket that names them; they are kept within limits, for their owner', async () => {
    await desk.close();
    const folder = mkdtempSync(join(tmpdir(), 'threadwise-mail-'));
    try {
      desk = openMailDesk({}, { filesFolder: folder });
      const big = Buffer.alloc(11 * 1024 * 1024, 65).toString('base64');
      const file = (name: string, content: string) =>
        `--x\nContent-Type: image/png\nContent-Disposition: attachment; filename="${name}"\nContent-Transfer-Encoding: base64\n\n${content}\n`;
      await desk.take(
        mail(`${file('../../etc/passwd', 'AAEC')}${file('huge.png', big)}--x--`, {
          Subject: '',
          'Content-Type': 'multipart/mixed; boundary=x',
        }),
      );
      const { text, fields } = await ticket('T1');
      const path = /kept as (\S+)\)/u.exec(text)?.[1] ?? '';
      assert.ok(path.startsWith(`${folder}/`) && path.endsWith('/1-._._etc_passwd'), path);
      assert.deepEqual([[...readFileSync(path)], statSync(path).mode & 0o777], [[0, 1, 2], 0o600]);
      assert.match(fields['attachments'] ?? '', /huge\.png \(image\/png, 11\.5 MB, not kept\)/u);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test('a crash at any step of taking a mail in loses nothing and doubles nothing', async () => {
  const first = mail('It leaks.');
  const reply = mail('Still.', { 'In-Reply-To': idOf(first) });
  const steps = ['before', 'after', 'people', 'id'] as const;
  for (const step of steps) {
    let isArmed = false;
    const crash = (at: (typeof steps)[number]) => {
      if (!isArmed || at !== step) return;
      isArmed = false;
      throw new AppError('store_unavailable', 'the process died here');
    };
    const around =
      <Args extends readonly unknown[], T>(run: (...args: Args) => Promise<T>) =>
      async (...args: Args): Promise<T> => {
        crash('before');
        const outcome = await run(...args);
        crash('after');
        return outcome;
      };
    const desk = openMailDesk(
      {},
      { desk: (own): TicketDesk => ({ ...own, arrive: around(own.arrive), hear: around(own.hear) }) },
    );
    const { store } = desk;
    const write = store.writeSetting.bind(store);
    Object.assign(store, {
      writeSetting: async (...args: Parameters<typeof write>) => {
        crash(args[1].startsWith('ticket:') ? 'people' : 'id');
        return write(...args);
      },
    });
    for (const source of [first, reply]) {
      isArmed = true;
      await assert.rejects(desk.take(source), /died here/u);
      await desk.take(source);
      await desk.take(source);
    }
    const tickets = await desk.bench.store.listTickets({});
    assert.deepEqual(
      tickets.map(({ id, messageCount }) => [id, messageCount]),
      [['T1', 2]],
      step,
    );
    await desk.close();
  }
});
