/** What people and machines send that no ticket should be, or that is too much of one, by each way to a ticket. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ARRIVAL_WAYS, MAX_TICKET_CHARS, type TicketArrival } from '../../agent/ticket.ts';
import { arrival, BEN } from '../fakes/tickets.ts';
import { openTriageBench } from '../fakes/triage-bench.ts';
import { createReader } from './fixtures.ts';

const reader = createReader();
after(() => reader.close());

const WAYS = ARRIVAL_WAYS.filter((how) => how !== 'incident');
const CHARGED = 'I was charged twice for one order, the invoice is LF-104455';

/** What becomes of arrivals, one after the other, when all that is due was done. */
const takeIn = async (...arrivals: readonly Partial<TicketArrival>[]) => {
  const bench = openTriageBench({ reader, burstMs: 0, maySendAlone: () => false });
  try {
    const kinds: string[] = [];
    for (const [n, over] of arrivals.entries()) {
      kinds.push((await bench.triage.desk.arrive(arrival(n + 1, { receivedAt: bench.clock.now(), ...over }))).kind);
      await bench.pass(0);
    }
    return { kinds, tickets: (await bench.store.listTickets({})).toReversed(), posts: bench.board.posts };
  } finally {
    await bench.close();
  }
};

for (const how of WAYS) {
  describe(`by ${how}`, () => {
    it('nothing, blanks and marks alone make no ticket', async () => {
      for (const text of ['', ' \n\t', '\u0000', '…', '👍', '\u200b\u2060'])
        assert.deepEqual((await takeIn({ how, text })).kinds, ['not_a_ticket'], JSON.stringify(text));
    });

    it('a megabyte is kept by its beginning, read, and shown on a card of its usual size', async () => {
      const { kinds, tickets, posts } = await takeIn({ how, text: `${CHARGED}. ${'more of it '.repeat(100_000)}` });
      assert.deepEqual([kinds, tickets[0]?.text.length, tickets[0]?.text.endsWith('…')], [['opened'], MAX_TICKET_CHARS, true]);
      assert.ok(tickets[0]?.reading !== null);
      assert.ok(JSON.stringify(posts[0]?.message).length < 6_000);
    });

    it('what is no text is a ticket that nobody pretends to have read', async () => {
      const { kinds, tickets } = await takeIn({ how, text: `a${'\u0001\u0002\ufffd\u0000\ud800'.repeat(400)}` });
      const [ticket] = tickets;
      assert.deepEqual([kinds, ticket?.category, ticket?.reading?.notes], [['opened'], null, ['unreadable']]);
      assert.ok(ticket?.text.isWellFormed() === true && !ticket.text.includes('\u0000'));
    });

    it('what was forwarded twice is two threads, of which the second is proposed as the same: it quotes the same order', async () => {
      const forwarded = `Fwd: Fwd: invoice\n\n> > ${CHARGED}`;
      const { kinds, tickets } = await takeIn({ how, text: CHARGED }, { how, text: forwarded, author: BEN });
      assert.deepEqual(kinds, ['opened', 'opened']);
      assert.deepEqual(
        tickets[1]?.similar?.map(({ ticketId, isDuplicate }) => [ticketId, isDuplicate]),
        [['T1', true]],
      );
    });

    it('somebody else’s data is masked in what is read of it', async () => {
      const { tickets } = await takeIn({ how, text: `${CHARGED}. Pay to DE89 3704 0044 0532 0130 00, eve.smith@example.org` });
      const read = JSON.stringify(tickets[0]?.reading);
      assert.ok(tickets[0]?.reading?.notes.includes('personal_data') === true);
      assert.ok(!read.includes('eve.smith') && !read.includes('3704 0044'), read);
    });

    it('five languages at once are one ticket whose language is left open', async () => {
      const text = 'Where is my order? Wo ist meine Bestellung? Où est ma commande ? ¿Dónde está mi pedido? 我的订单在哪里？';
      const { kinds, tickets } = await takeIn({ how, text });
      assert.deepEqual([kinds, tickets[0]?.reading?.language.value], [['opened'], null]);
    });
  });
}
