/** Answers by mail: sent once, looked for where the sending broke off, held back where a machine may be answering. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { AppError } from '../../agent/errors.ts';
import type { OutgoingMail, SendMail } from '../../agent/ports/mail-sender.ts';
import type { TicketAction } from '../../agent/ports/ticket-desk.ts';
import { createMailBoard } from '../../bots/mail/board.ts';
import { createMailIdentity } from '../../bots/mail/identity.ts';
import { createMailIntake } from '../../bots/mail/intake.ts';
import { createMailThreads } from '../../bots/mail/threads.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createMailSender } from '../../tools/mail-send.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { BEN } from '../fakes/tickets.ts';
import { openTriageBench, type TriageBench } from '../fakes/triage-bench.ts';
import { type SmtpFaults, startSmtp } from '../tools/smtp-server.ts';
import { ADA, imapServer, mail, openImap, SUPPORT } from './mail-kit.ts';

const SENDER = 'sender@example.com';

describe('an answer by mail', () => {
  let clock: FakeClock;
  let opened: ReturnType<typeof openSqliteStore>;
  let bench: TriageBench;
  let mails: OutgoingMail[];
  let send: SendMail;
  let sentFolder: string | undefined;
  const identity = createMailIdentity('a secret', SUPPORT);

  /** As after a start of the process. */
  const openBench = (): void => {
    const threads = createMailThreads(opened.store);
    const sent = sentFolder === undefined ? undefined : imapServer(SENDER, { folder: sentFolder });
    const board = createMailBoard({
      address: SUPPORT,
      sent,
      identity: async () => identity,
      threads,
      send: (one) => send(one),
      clock,
    });
    bench = openTriageBench({ store: opened.tickets, clock, boards: [board] });
  };
  const take = (source: string) =>
    createMailIntake({
      settings: { address: SUPPORT, authserv: undefined, isPrivate: true },
      desk: bench.triage.desk,
      identity,
      threads: createMailThreads(opened.store),
      filesFolder: undefined,
      clock,
      logger: silentLogger,
    }).take({ source: Buffer.from(source), receivedAt: clock.now(), cutFiles: null });
  let clicks = 0;
  const act = (action: TicketAction, ticketId = 'T1') =>
    bench.triage.desk.act({
      ticketId,
      action,
      actor: { kind: 'person', id: BEN.id },
      source: 'slack',
      key: `click:${(clicks += 1)}`,
    });
  const reply = (text: string, ticketId = 'T1') =>
    act({ kind: 'comment', commentId: `c${clicks}`, text, isPublic: true }, ticketId);
  const undelivered = async () => (await bench.store.readTicket('T1'))?.undelivered;

  beforeEach(async () => {
    clock = createFakeClock();
    opened = openSqliteStore({ folder: ':memory:', clock });
    mails = [];
    sentFolder = undefined;
    send = async (one) => void mails.push(one);
    openBench();
    await take(mail('My refund is late.', { 'Message-ID': '<first@example.org>', 'Reply-To': 'ada@home.example' }));
    await bench.pass(0);
  });
  afterEach(() => opened.close());

  it('goes to the Reply-To, in the thread of what was written last, in the words of the person', async () => {
    await take(
      mail('Hello?', { From: 'ada@home.example', 'Message-ID': '<second@home.example>', 'In-Reply-To': '<first@example.org>' }),
    );
    await reply('It left *today*.\nBcc: eve@evil.example');
    await bench.pass(0);
    const [{ messageId, ...sent } = { messageId: '' }] = mails;
    assert.equal(identity.ticketOf(messageId), 'T1');
    assert.deepEqual(sent, {
      from: SUPPORT,
      to: 'ada@home.example',
      subject: identity.subjectOf('T1', 'Kettle'),
      text: 'It left *today*.\nBcc: eve@evil.example',
      inReplyTo: '<second@home.example>',
      references: ['<first@example.org>', '<second@home.example>'],
      headers: {},
    });
    assert.equal(mails.length, 1, 'no card goes out by mail');
  });

  it('says of itself when nobody wrote it, and the hand-off is confirmed when it left', async () => {
    await act({ kind: 'hand_off', to: null, reason: '' });
    await bench.pass(0);
    assert.deepEqual(
      mails.map(({ headers }) => headers),
      [{ 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', 'X-Loop': SUPPORT }],
    );
    assert.equal((await bench.store.readTicket('T1'))?.handOff?.isConfirmed, true);
  });

  it('that a server keeps a copy of is found there after a crash, and sent where there is none', async () => {
    await using imap = await openImap(SENDER);
    await imap.client.mailboxCreate('Sent').catch(() => {});
    sentFolder = 'Sent';
    openBench();
    // The process dies after the server took the first, and before it took the second.
    send = async (one) => {
      mails.push(one);
      await imap.append(mail(one.text, { From: SUPPORT, 'Message-ID': one.messageId }), 'Sent');
      throw new AppError('channel_unavailable', 'the process died here');
    };
    await reply('One.');
    await bench.pass(0);
    send = async () => {
      throw new AppError('channel_unavailable', 'the process died here');
    };
    await reply('Two.');
    await bench.pass(2_000);
    send = async (one) => void mails.push(one);
    openBench();
    for (let n = 0; n < 4; n += 1) await bench.pass(20_000);
    assert.deepEqual(
      mails.map(({ text }) => text),
      ['One.', 'Two.'],
    );
    assert.deepEqual(await undelivered(), []);
  });

  it('of which nobody knows whether it left is said on the ticket, and not sent again', async () => {
    send = async (one) => {
      mails.push(one);
      throw new AppError('channel_unavailable', 'no answer');
    };
    await reply('One.');
    for (let n = 0; n < 4; n += 1) await bench.pass(20_000);
    assert.equal(mails.length, 1);
    assert.match((await undelivered())?.join() ?? '', /^It is not known whether this reached the asker/u);
  });

  it('waits where a machine may be answering, unless a person wrote it', async () => {
    for (let n = 0; n < 25; n += 1) {
      await act({ kind: 'solve', resolution: '' });
      await act({ kind: 'reopen', reason: '' });
      await bench.pass(1_000);
    }
    assert.equal(mails.length, 20);
    await reply('Me.');
    await bench.pass(2_000);
    assert.deepEqual(mails.map(({ text }) => text).slice(20), ['Me.']);
    for (let n = 0; n < 40; n += 1) await bench.pass(300_000);
    assert.equal(mails.length, 51, 'later all of it, never more in an hour');
  });

  const throughSmtp = async (t: Parameters<typeof startSmtp>[0], answers: NonNullable<SmtpFaults['answers']>) => {
    const smtp = await startSmtp(t, { answers });
    send = createMailSender({ host: '127.0.0.1', port: smtp.port, security: 'none', login: undefined }, { clock });
    await reply('Ümlaut.');
    await bench.pass(0);
    return smtp;
  };

  it('that the server refuses is said on the ticket in its words, one that it puts off is sent later', async (t) => {
    await throughSmtp(t, { RCPT: '550 5.1.1 no such person' });
    assert.match((await undelivered())?.join() ?? '', /^Not delivered to the asker: .*5\.1\.1 no such person/u);
    await throughSmtp(t, { MAIL: '451 4.7.1 come back later' });
    assert.equal((await undelivered())?.length, 1);
    const { mails: taken } = await throughSmtp(t, {});
    for (let n = 0; n < 3; n += 1) await bench.pass(20_000);
    assert.equal(taken.length, 2, 'the one that was put off as well');
    assert.match(taken[0]?.content ?? '', /^In-Reply-To: <first@example\.org>$/mu);
    assert.deepEqual([taken[0]?.from, taken[0]?.to], [SUPPORT, ['ada@home.example']]);
    assert.notEqual(ADA, taken[0]?.to[0]);
  });
});
