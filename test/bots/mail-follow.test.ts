/** A mailbox of a real server is followed: what is there, what comes, and what breaks in between. */
import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { AppError } from '../../agent/errors.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import { createMailFollower, type MailFollower, type MailFollowerOptions } from '../../bots/mail/mail.ts';
import { mailInProbe } from '../../commands/doctor-tools.ts';
import { systemClock } from '../../ops/clock.ts';
import { Secret } from '../../ops/secret.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { imapServer, type MailDesk, mail, openImap, openMailDesk } from './mail-kit.ts';

/** Pauses take a twentieth. */
const quick: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms / 20, run) };
const DAY_MS = 86_400_000;

const until = async (check: () => Promise<boolean> | boolean, what: string): Promise<void> => {
  for (let tries = 0; !(await check()); tries += 1) {
    assert.ok(tries < 500, what);
    await systemClock.sleep(20);
  }
};

/** Stands between the follower and the server. `cutAfter`: bytes of the server's that the next connections let through. */
const openProxy = async () => {
  const { host, port } = imapServer('');
  const sockets = new Set<Socket>();
  const state = { cutAfter: [] as number[], isDown: false, connections: 0 };
  const server = createServer((client) => {
    state.connections += 1;
    if (state.isDown) return void client.destroy();
    let left = state.cutAfter.shift() ?? Number.POSITIVE_INFINITY;
    const upstream = connect(port, host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
    }
    client.on('data', (piece: Buffer) => void upstream.write(piece));
    upstream.on('data', (piece: Buffer) => {
      client.write(piece.subarray(0, Math.max(0, left)));
      left -= piece.length;
      if (left <= 0) client.end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.on('listening', resolve));
  return {
    state,
    port: (server.address() as AddressInfo).port,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

let boxes = 0;

describe('a mailbox', () => {
  let desk: MailDesk;
  let user: string;
  let imap: Awaited<ReturnType<typeof openImap>>;
  let followers: MailFollower[];
  beforeEach(async () => {
    desk = openMailDesk();
    // A box of its own for each test, on the one server.
    user = `support${(boxes += 1)}@example.com`;
    imap = await openImap(user);
    followers = [];
  });
  afterEach(async () => {
    for (const follower of followers) await follower.stop();
    await imap[Symbol.asyncDispose]();
    await desk.close();
  });

  const follow = (over: Partial<MailFollowerOptions> = {}): MailFollower => {
    const follower = createMailFollower({
      server: imapServer(user),
      intake: async () => desk.intake,
      store: desk.store,
      firstMs: DAY_MS,
      pollMs: 1_000_000,
      clock: quick,
      logger: silentLogger,
      random: () => 0,
      ...over,
    });
    followers.push(follower);
    follower.start();
    return follower;
  };
  const subjects = async () => (await desk.bench.store.listTickets({})).map(({ subject }) => subject).sort();
  const untilSubjects = (...expected: readonly string[]) =>
    until(async () => (await subjects()).join() === expected.join(), `tickets ${expected.join()}`);
  const put = (subject: string, text = 'It leaks.') => imap.append(mail(text, { Subject: subject }));

  it('is read from a day before the first start, and told of what comes by the server', async () => {
    await imap.client.append(
      'INBOX',
      Buffer.from(mail('Long ago.', { Subject: 'old' })),
      [],
      new Date(systemClock.now() - 3 * DAY_MS),
    );
    await put('a');
    const follower = follow();
    await untilSubjects('a');
    assert.deepEqual(follower.status(), { connected: true, detail: `reads INBOX of ${user}` });
    const began = systemClock.monotonic();
    await put('b');
    await untilSubjects('a', 'b');
    assert.ok(systemClock.monotonic() - began < 5_000, 'long before it asks by itself');
    await imap.client.mailboxOpen('INBOX', { readOnly: true });
    const flags = await imap.client.fetchAll('1:*', { flags: true });
    assert.ok(
      flags.every((one) => one.flags?.has('\\Seen') !== true),
      'nothing is marked',
    );
  });

  it('is taken up where it was left, and a mail that was copied into it again is no new one', async () => {
    await put('a');
    const first = follow();
    await untilSubjects('a');
    await first.stop();
    const again = mail('It hums.', { Subject: 'b' });
    await imap.append(again);
    await imap.append(again);
    await put('c');
    follow();
    await untilSubjects('a', 'b', 'c');
  });

  it('that is numbered anew makes no double, and what came meanwhile is not lost', async () => {
    const [one, two] = [mail('It leaks.', { Subject: 'a' }), mail('It hums.', { Subject: 'b' })];
    await imap.client.mailboxCreate('Support');
    await imap.append(one, 'Support');
    const server = imapServer(user, { folder: 'Support' });
    const first = follow({ server });
    await untilSubjects('a');
    await first.stop();
    await imap.client.mailboxDelete('Support');
    // UIDVALIDITY of Dovecot counts seconds.
    await systemClock.sleep(1_100);
    await imap.client.mailboxCreate('Support');
    await imap.append(two, 'Support');
    await imap.append(one, 'Support');
    follow({ server });
    await untilSubjects('a', 'b');
    const kept = await desk.store.readSetting('mail', `cursor:${user}@${server.host}:${server.port}/Support`);
    await until(
      async () => (await desk.store.readSetting('mail', `cursor:${user}@${server.host}:${server.port}/Support`))?.['uid'] === 2,
      'both',
    );
    assert.ok(kept?.['since'] !== undefined);
    assert.equal((await desk.bench.store.readTicket('T1'))?.messageCount, 1);
  });

  it('is read on after each break of the connection, in the middle of a mail too, and after the server was down', async () => {
    const proxy = await openProxy();
    try {
      await put('a', `It leaks. ${'x'.repeat(50_000)}`);
      await put('b');
      // Within the greeting, within the login, and twice within the first mail.
      proxy.state.cutAfter.push(10, 300, 20_000, 40_000);
      const follower = follow({ server: imapServer(user, { port: proxy.port }) });
      await untilSubjects('a', 'b');
      assert.ok(proxy.state.connections >= 5, String(proxy.state.connections));
      assert.equal((await desk.bench.store.readTicket('T1'))?.text.length, 20_000, 'the whole of it, cut as every ticket');
      proxy.state.isDown = true;
      proxy.cut();
      await until(() => !follower.status().connected, 'it says so');
      await put('c');
      proxy.state.isDown = false;
      await untilSubjects('a', 'b', 'c');
      assert.equal(follower.status().connected, true);
    } finally {
      proxy.close();
    }
  });

  it('whose password is wrong, or that has no such folder, is said to be so and left alone for minutes', async () => {
    const proxy = await openProxy();
    try {
      const wrong = follow({ server: imapServer(user, { port: proxy.port, password: { reveal: () => 'wrong' } }) });
      await until(() => /the server refused them/u.test(wrong.status().detail), 'it says so');
      await systemClock.sleep(300);
      assert.equal(proxy.state.connections, 1);
      const none = follow({ server: imapServer(user, { folder: 'Nowhere' }) });
      await until(() => /expected a folder that exists, got "Nowhere"/u.test(none.status().detail), 'it says so');
    } finally {
      proxy.close();
    }
  });

  it('loses nothing when the store fails after a mail was taken in, and stores where it is only then', async () => {
    await put('a');
    await put('b');
    let failures = 3;
    const store: MailFollowerOptions['store'] = {
      readSetting: desk.store.readSetting.bind(desk.store),
      writeSetting: async (owner, name, value) => {
        if (value['uid'] !== 0 && (failures -= 1) >= 0) throw new AppError('store_unavailable', 'the process died here');
        await desk.store.writeSetting(owner, name, value);
      },
    };
    follow({ store });
    await untilSubjects('a', 'b');
    assert.deepEqual(
      (await desk.bench.store.listTickets({})).map(({ messageCount }) => messageCount),
      [1, 1],
    );
  });

  it('is read on past mails of 50 MB, whose files are named, and past one that is no mail', async () => {
    const huge = Buffer.concat([
      Buffer.from(
        mail(
          '--x\nContent-Type: text/plain\n\nSee the video.\n--x\nContent-Type: video/mp4\nContent-Disposition: attachment; filename="leak.mp4"\n',
          {
            Subject: 'huge',
            'Content-Type': 'multipart/mixed; boundary=x',
          },
        ),
      ),
      Buffer.alloc(50 * 1024 * 1024, 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n'),
      Buffer.from('\r\n--x--\r\n'),
    ]);
    await imap.append(huge);
    await imap.append('\u0001\u0002 no mail at all');
    await put('z', 'x'.repeat(1024 * 1024));
    follow();
    await untilSubjects('huge', 'z');
    const { text, fields } = (await desk.bench.store.readTicket('T1')) ?? {};
    assert.equal(text, 'See the video.');
    assert.match(fields?.['attachments'] ?? '', /^leak\.mp4 \(video\/mp4, 5\d\.\d MB, not kept\)$/u);
  });
});

it('the doctor opens the mailbox and the folder of copies, and says what is missing', async () => {
  const user = 'doctor@example.com';
  await using imap = await openImap(user);
  await imap.client.mailboxCreate('Sent');
  const { password, ...server } = imapServer(user);
  const rest = { address: user, authserv: undefined, private: true, pollSeconds: 60, firstDays: 1 };
  const probe = (sent: string | undefined) =>
    mailInProbe({ ...server, ...rest, sent, password: new Secret(password.reveal()) }).run();
  const [found, ...more] = await probe('Sent');
  assert.deepEqual([found?.level, more], ['ok', []]);
  assert.match(
    found?.detail ?? '',
    /has 0 mails in INBOX of doctor@example\.com and is told of new ones; copies of answers are in Sent$/u,
  );
  assert.deepEqual(
    (await probe(undefined)).map(({ level }) => level),
    ['ok', 'warn'],
  );
  await assert.rejects(probe('Nowhere'), /expected a folder that exists, got "Nowhere"/u);
});
