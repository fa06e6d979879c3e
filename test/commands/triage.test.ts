import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { CommandIo } from '../../commands/command.ts';
import { runCommand } from '../../main.ts';
import { systemClock } from '../../ops/clock.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { arrival, event } from '../fakes/tickets.ts';

describe('threadwise triage', () => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-triage-'));
  before(async () => {
    writeFileSync(
      join(folder, 'threadwise.yaml'),
      'triage: { teams: { billing: { channel: slack:C0BILLING }, support: {} }, defaultTeam: support }\n',
    );
    writeFileSync(join(folder, 'rules.yaml'), 'rules: [{ name: refunds, when: { contains: refund }, team: billing }]\n');
    writeFileSync(join(folder, 'wrong.yaml'), 'rules: [{ name: refunds, when: {}, team: bills }]\n');
    const { tickets, close } = openSqliteStore({ folder, clock: systemClock });
    for (const [n, text] of ['My Refund is late', 'no login'].entries())
      await tickets.openTicket(arrival(n + 1, { text }), { burstMs: 0, source: 'slack' });
    await close();
  });
  after(() => rmSync(folder, { recursive: true }));

  const runWith = async (env: Readonly<Record<string, string>>, ...args: readonly string[]) => {
    const [out, err]: [string[], string[]] = [[], []];
    const into = (lines: string[]) => ({ isTTY: false, write: (text: string) => lines.push(text) > 0 });
    const io = { stdin: {}, stdout: into(out), stderr: into(err), env: { THREADWISE_DATA_DIR: folder, ...env }, cwd: folder };
    const code = await runCommand(['triage', ...args], io as unknown as CommandIo);
    return { code, out: out.join(''), err: err.join('') };
  };

  const run = (...args: readonly string[]) => runWith({}, ...args);

  it('lists tickets, newest first', async () => {
    assert.deepEqual(await run('list'), {
      code: 0,
      out: 'T2\topen\t-\t-\t-\t-\tno login\nT1\topen\t-\t-\t-\t-\tMy Refund is late\n',
      err: '',
    });
  });

  it('shows one with its card and what happened', async () => {
    const { code, out } = await run('show', 'T1');
    assert.equal(code, 0);
    assert.match(out, /^T1 · My Refund is late\n {2}Status: open\n/);
    assert.match(out, /\n1\t1970-01-01T00:00:01\.000Z\topened\tperson slack:U1\n$/);
  });

  it('tells what rules would have done, and changes nothing', async () => {
    assert.deepEqual(await run('rules', 'rules.yaml'), {
      code: 0,
      out: 'T2\t- -> support\tNothing else names a team: support takes it.\nT1\t- -> billing\tThe rule “refunds” holds.\n2 of 2 would go elsewhere\n',
      err: '',
    });
    assert.match((await run('list')).out, /T1\topen\t-\t-\t-/);
  });

  it('takes the tickets of a file in once, reads and routes them, and names what it passes over', async () => {
    const taxonomy = join(import.meta.dirname, '..', '..', 'examples', 'tickets', 'taxonomy.yaml');
    const data = mkdtempSync(join(tmpdir(), 'threadwise-triage-file-'));
    const env = { THREADWISE_TRIAGE_TAXONOMY: taxonomy, THREADWISE_EMBEDDER: 'none', THREADWISE_DATA_DIR: data };
    const json = [
      { id: 7, subject: 'Still waiting', text: 'Order LF-104233 has not arrived, where is my order?', plan: 'pro' },
      { id: 8, text: ' ' },
      { id: 9, text: 'thanks!' },
      'odd',
    ];
    writeFileSync(join(folder, 'tickets.json'), JSON.stringify(json));
    writeFileSync(
      join(folder, 'tickets.jsonl'),
      `${json
        .slice(0, 1)
        .map((one) => JSON.stringify(one))
        .join('\n')}\n`,
    );
    writeFileSync(join(folder, 'tickets.csv'), 'id;subject;text\n7;"Still; waiting";"Order LF-104233\nhas not arrived"\n');
    writeFileSync(join(folder, 'binary.csv'), Buffer.from([0, 1, 2, 255]));
    try {
      const first = await runWith(env, 'tickets.json');
      assert.equal(first.code, 1);
      assert.match(first.out, /^T1\topened\tsupport\torder_status\t[01]\.\d\d\tnormal\tStill waiting\n$/);
      assert.equal(
        first.err,
        'tickets.json: 2: expected an object or row with text, body, description, message or subject, each a text; it was passed over\n' +
          'tickets.json: 3: asks nothing (a greeting, a thank-you): no ticket was made\n' +
          'tickets.json: 4: expected an object or row with text, body, description, message or subject, each a text; it was passed over\n',
      );
      assert.match((await runWith(env, 'tickets.json')).out, /^T1\tduplicate\t/);
      assert.match((await runWith(env, 'tickets.jsonl')).out, /^T2\topened\t/);
      assert.match((await runWith(env, 'tickets.csv')).out, /^T3\topened\t.*\tStill; waiting\n$/);
      for (const file of ['binary.csv', 'none.csv']) {
        const { code, out } = await runWith(env, file);
        assert.deepEqual([code, out], [64, '']);
      }
      assert.equal((await runWith(env, 'list')).out.split('\n').length, 4);
      const card = (await runWith(env, 'show', 'T1')).out;
      assert.match(card, /\n {2}Category: Where is my order \(\d+ % sure\)\n/);
      assert.match(card, /“Where is my order” belongs to shipping, which is no team of the configuration\./);
      writeFileSync(join(folder, 'no-rules.yaml'), 'rules: []\n');
      assert.match((await runWith(env, 'rules', 'no-rules.yaml')).out, /\n0 of 3 would go elsewhere\n$/);
    } finally {
      rmSync(data, { recursive: true });
    }
  });

  it('reports on the last days', async () => {
    const { code, out } = await run('report', '30');
    assert.equal(code, 0);
    assert.match(out, /^Tickets: \d+\n/);
    assert.equal((await run('report', '0')).code, 64);
  });

  it('says what is wrong with rules, a ticket and its arguments', async () => {
    const wrong = await run('rules', 'wrong.yaml');
    assert.deepEqual(wrong, {
      code: 78,
      out: '',
      err: 'threadwise: wrong.yaml: rule "refunds": expected a team of billing, support, got "bills"\n',
    });
    assert.match((await run('show', 'T9')).err, /expected a ticket such as T17, got "T9"/);
    assert.equal((await run('shout')).code, 64);
    assert.equal((await run('rules', 'none.yaml')).code, 64);
  });

  it('lists, shows, publishes and retracts articles; a private ticket’s only by who says so', async () => {
    const { tickets, knowledge, close } = openSqliteStore({ folder, clock: systemClock });
    const { ticket } = await tickets.openTicket(arrival(99, { text: 'How do I get a badge?', isPrivate: true }), {
      burstMs: 0,
      source: 'slack',
    });
    const article = {
      id: 'a3',
      text: '# How do I get a badge?\n\nAsk the desk on floor two. [1]',
      citations: [],
      label: 'everyone',
      by: 'extract',
    } as const;
    const events = [event({ kind: 'solved', resolution: '' }), event({ kind: 'article_proposed', article })];
    await tickets.append([{ ticketId: ticket.id, expectedVersion: 1, events }]);
    const stands = async () =>
      (await knowledge.listDocuments('tickets')).map(({ source, label, title }) => [source, label, title]);
    assert.equal((await run('articles')).out, `${ticket.id}\tproposed\teveryone\tHow do I get a badge?\n`);
    assert.equal((await run('articles', 'show', ticket.id)).out, `${article.text}\n`);
    assert.match(
      (await run('articles', 'approve', ticket.id)).err,
      /^threadwise: T\d+ is private\. Whoever may read everyone will read/,
    );
    assert.match((await run('articles', 'approve', ticket.id, 'hr', '--private')).err, /one of everyone\./);
    assert.deepEqual(await stands(), []);
    assert.match((await run('articles', 'approve', ticket.id, '--private')).out, /^T\d+\tpublished\t/);
    assert.deepEqual(await stands(), [[`tickets/${ticket.id}.md`, 'everyone', 'How do I get a badge?']]);
    assert.match((await run('articles', 'approve', ticket.id, '--private')).err, /article_approved was expected once/);
    assert.match((await run('articles', 'retract', ticket.id)).out, /^T\d+\tretracted\t/);
    assert.deepEqual(await stands(), []);
    assert.match((await run('articles', 'retract', 'T1')).err, /expected a ticket with an article, got "T1"/);
    assert.match((await run('articles', 'burn', ticket.id)).err, /^threadwise: triage articles: expected nothing, show/);
    await close();
  });
});
