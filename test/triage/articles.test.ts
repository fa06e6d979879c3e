import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { ArticleShelf, ShelvedArticle } from '../../agent/ports/article-shelf.ts';
import type { TicketAction } from '../../agent/ports/ticket-desk.ts';
import type { Ticket } from '../../agent/ticket.ts';
import { ticketEmbeds } from '../../bots/discord/ticket-card.ts';
import { ticketBlocks } from '../../bots/slack/ticket-blocks.ts';
import { scrubSecrets } from '../../memory/secrets.ts';
import { articleCardOf } from '../../triage/article-card.ts';
import { createArticleWriter } from '../../triage/article-write.ts';
import type { DraftAnswer } from '../../triage/draft.ts';
import type { TriageOptions } from '../../triage/triage.ts';
import { ANNA, arrival, BEN, draft, event } from '../fakes/tickets.ts';
import { openTriageBench, type TriageBench, team } from '../fakes/triage-bench.ts';

const UNKNOWN: DraftAnswer = { text: 'I do not know.', citations: [], answered: false };
const KNOWN: DraftAnswer = {
  text: 'Refunds take five days. [1]',
  answered: true,
  citations: [
    {
      n: 1,
      title: 'Returns',
      source: 'returns.md',
      quote: 'Refunds take five days.',
      chunkId: 'c1',
      headingPath: [],
      location: '',
      date: null,
    },
  ],
};
const FIX = 'Open the billing page, choose the order and press Refund again; the first try is dropped after an hour.';

const createFakeShelf = () => {
  const stands = new Map<string, ShelvedArticle>();
  const fake = {
    stands,
    puts: 0,
    revision: 1,
    sources: new Set(['returns.md']),
    fault: undefined as (() => void) | undefined,
  };
  const shelf: ArticleShelf = {
    put: async (article) => {
      stands.set(article.ticketId, article);
      fake.puts += 1;
      fake.revision += 1;
      fake.fault?.();
    },
    remove: async (ticketId) => void (stands.delete(ticketId) && (fake.revision += 1)),
    list: async () => [...stands.keys()],
    readRevision: async () => fake.revision,
    findGone: async (sources) => sources.filter((source) => !fake.sources.has(source)),
  };
  return Object.assign(fake, { shelf });
};

describe('what a solved ticket teaches', () => {
  let bench: TriageBench;
  let shelf: ReturnType<typeof createFakeShelf>;
  let answer: DraftAnswer;
  let ask: ((user: string) => string) | undefined;
  let clicks = 0;

  const open = (over: Partial<TriageOptions> = {}): void => {
    bench = openTriageBench({
      articles: {
        shelf: shelf.shelf,
        write: createArticleWriter({
          answer: async () => answer,
          ask: async ({ user }) => {
            if (ask === undefined) throw new Error('no model');
            return ask(user);
          },
          scrubSecrets,
        }),
        labels: ['everyone', 'finance'],
        labelOf: () => 'everyone',
        onShelved: () => {},
      },
      ...over,
    });
  };
  beforeEach(() => {
    shelf = createFakeShelf();
    answer = UNKNOWN;
    ask = undefined;
    open();
  });
  afterEach(() => bench.close());

  const act = async (action: TicketAction, key = `k${(clicks += 1)}`, by: string = BEN.id) => {
    const outcome = await bench.triage.desk.act({
      ticketId: 'T1',
      action,
      actor: { kind: 'person', id: by },
      source: 'slack',
      key,
    });
    return outcome.kind === 'not_possible' ? outcome.why : outcome.kind;
  };
  const ticket = async (): Promise<Ticket> => (await bench.store.readTicket('T1')) as Ticket;
  const article = async () => (await ticket()).article;
  const state = async () => (await article())?.state;
  const idNow = async () => (await article())?.id ?? '';
  const hear = (n: number, author: typeof BEN, text: string) =>
    bench.triage.desk.hear({ deliveryId: `h${n}`, threadId: arrival(1).threadId, author, text, at: n * 1_000, source: 'slack' });
  const solved = async (over: Parameters<typeof arrival>[1] = {}, fix = FIX): Promise<void> => {
    await bench.triage.desk.arrive(arrival(1, { text: 'How do I get a refund that failed?', ...over }));
    await bench.pass(0);
    await hear(2, BEN, 'Which order is it?');
    await hear(3, ANNA, 'Order 123456789, and my mail is anna.smith@example.org');
    await hear(4, BEN, fix);
    await hear(5, ANNA, 'thanks!');
    await act({ kind: 'solve', resolution: '' });
    await bench.pass(0);
  };
  const articleCards = () =>
    bench.board.posts.flatMap(({ message, target }) =>
      message.kind === 'card' && message.card.title.startsWith('Article of') ? [{ card: message.card, target }] : [],
    );

  it('is proposed by itself where a person of the team solved what no document had, shown to the team alone', async () => {
    await solved();
    assert.deepEqual(await article(), {
      id: (await article())?.id,
      text: `# How do I get a refund that failed?\n\n${FIX}`,
      citations: [],
      label: 'everyone',
      by: 'extract',
      state: 'proposed',
      isShelved: false,
      gone: [],
      despitePrivate: false,
    });
    const [shown, ...more] = articleCards();
    assert.deepEqual(more, []);
    assert.deepEqual(shown?.target, { channel: 'slack', isPrivate: false, kind: 'channel', placeId: 'slack:CBILLING' });
    assert.deepEqual(
      shown?.card.buttons.map(({ label }) => label),
      ['Publish for everyone', 'Edit article …', 'Readers …', 'Discard'],
    );
    assert.ok(shown?.card.lines.includes(FIX));
    assert.equal(shelf.puts, 0);
    const cardLines = (kind: 'thread' | 'channel') =>
      bench.board.posts.flatMap(({ message, target }) =>
        message.kind === 'card' && target.kind === kind && message.card.title.startsWith('T1') ? message.card.lines : [],
      );
    assert.ok(cardLines('channel').includes('Article proposed: How do I get a refund that failed?'));
    assert.equal(
      cardLines('thread').some((line) => /article/iu.test(line)),
      false,
      'the asker reads that card',
    );
  });

  for (const [why, prepare] of [
    ['the documents answer it', async () => ((answer = KNOWN), solved())],
    ['the answer teaches nothing', () => solved({}, 'Done.')],
    ['the ticket is private', () => solved({ isPrivate: true, place: { kind: 'direct', id: 'slack:D1' } })],
    [
      'a draft answered it',
      async () => {
        await bench.triage.desk.arrive(arrival(1));
        await bench.pass(0);
        const { version } = await ticket();
        await bench.store.append([
          { ticketId: 'T1', expectedVersion: version, events: [event({ kind: 'draft_proposed', draft: draft('d1') })] },
        ]);
        await act({ kind: 'draft_send', draftId: 'd1' });
        await hear(4, BEN, FIX);
        await act({ kind: 'solve', resolution: '' });
        await bench.pass(0);
      },
    ],
    [
      'nobody said that it is solved',
      async () => {
        await bench.triage.desk.arrive(arrival(1));
        await hear(4, BEN, FIX);
        await act({ kind: 'close' });
        await bench.pass(0);
      },
    ],
  ] as const)
    it(`is not proposed by itself where ${why}, and once where a person wishes it`, async () => {
      await prepare();
      assert.equal(await article(), null, why);
      assert.equal(await act({ kind: 'article_write' }), 'done');
      await bench.pass(0);
      assert.equal(await state(), 'proposed');
    });

  it('finds the answer also where the thanks for it came first, and none in what was said after them', async () => {
    await bench.triage.desk.arrive(arrival(1, { text: 'How do I get a refund that failed?' }));
    await hear(2, ANNA, 'thanks!');
    await hear(3, BEN, FIX);
    await act({ kind: 'solve', resolution: '' });
    await bench.pass(0);
    assert.match((await article())?.text ?? '', /^# How do I get a refund that failed\?\n\nOpen the billing page/);
    await hear(4, ANNA, 'it failed again');
    await hear(5, BEN, 'Then wait until tomorrow, the limit is for a day.');
    await hear(6, ANNA, 'thank you');
    await hear(7, BEN, 'By the way, our office moves to the fourth floor next week.');
    await act({ kind: 'solve', resolution: '' });
    await bench.pass(0);
    assert.match((await article())?.text ?? '', /\n\nThen wait until tomorrow, the limit is for a day\.$/);
  });

  it('asks the documents once, however often the ticket changes afterwards', async () => {
    let asked = 0;
    await bench.close();
    open({
      articles: {
        shelf: shelf.shelf,
        write: createArticleWriter({ answer: async () => ((asked += 1), KNOWN), ask: undefined, scrubSecrets }),
        labels: ['everyone'],
        labelOf: () => 'everyone',
        onShelved: () => {},
      },
    });
    await solved();
    await hear(9, ANNA, 'thank you!');
    await act({ kind: 'close' });
    await bench.pass(0);
    assert.equal(asked, 1);
  });

  it('names nobody: names, addresses, numbers, mentions and secrets are taken out', async () => {
    const text =
      'Hi Anna, send Ben the code of order 123456789 to ben@corp.example or call +49 30 1234567, @dora knows. Password: hunter22x';
    await solved({ author: { id: ANNA.id, displayName: 'Anna Smith' } }, text);
    const { text: written = '' } = (await article()) ?? {};
    for (const personal of ['Anna', 'Smith', 'Ben', '123456789', 'corp.example', '1234567', 'dora', 'hunter22x'])
      assert.ok(!written.includes(personal), `${personal} in ${written}`);
    assert.match(written, /send \[name\] the code of order \[number\] to \[e-mail\] or call \[number\]/);
  });

  it('is written by the model from the scrubbed thread, with the markers of documents that exist and no link that nobody wrote', async () => {
    answer = KNOWN;
    const asked: string[] = [];
    ask = (user) => {
      asked.push(user);
      return JSON.stringify({ title: 'A refund failed', answer: 'Press **Refund** again. [1] [7]' });
    };
    await solved();
    await act({ kind: 'article_write' });
    await bench.pass(0);
    const { text, citations, by } = (await article()) ?? {};
    assert.deepEqual([text, citations?.length, by], ['# A refund failed\n\nPress **Refund** again. [1]', 1, 'model']);
    assert.equal(asked.length, 1);
    assert.ok(!asked[0]?.includes('anna.smith') && !asked[0]?.includes('123456789'));
    for (const said of [
      'no JSON',
      '{"title":"x"}',
      JSON.stringify({ title: 'A refund', answer: 'See https://evil.example/x' }),
    ]) {
      await act({ kind: 'article_discard', articleId: await idNow() });
      ask = () => said;
      await act({ kind: 'article_write' });
      await bench.pass(0);
      assert.deepEqual([(await article())?.by, (await article())?.text.includes('evil')], ['extract', false], said);
    }
  });

  it('is published once on one approval, however often that is clicked, and withdrawn before the click is answered', async () => {
    await solved();
    const articleId = await idNow();
    const approve = { kind: 'article_approve', articleId, despitePrivate: false } as const;
    assert.deepEqual([await act(approve, 'a'), await act(approve, 'a')], ['done', 'repeated']);
    assert.match(await act(approve, 'b'), /article_approved was expected once/);
    await bench.pass(0);
    assert.deepEqual([await state(), shelf.puts], ['published', 1]);
    assert.equal(shelf.stands.get('T1')?.text, `# How do I get a refund that failed?\n\n${FIX}`);
    assert.equal(await act({ kind: 'article_retract', articleId }, 'r'), 'done');
    assert.equal(shelf.stands.size, 0);
    await bench.pass(0);
    assert.deepEqual([await state(), (await article())?.isShelved], ['retracted', false]);
    assert.equal(await act({ ...approve }, 'c'), 'done');
    await bench.pass(0);
    assert.equal(await act({ kind: 'article_retract', articleId }, 'r'), 'repeated');
    assert.equal(shelf.stands.size, 1, 'a click that comes again retracts nothing new');
  });

  it('is published once where the process ends between the approval and the document, and between the document and its word', async () => {
    await solved();
    await act({ kind: 'article_approve', articleId: await idNow(), despitePrivate: false });
    shelf.fault = () => {
      throw new Error('the process ends');
    };
    await bench.pass(0);
    assert.deepEqual([await state(), shelf.stands.size], ['approved', 1]);
    shelf.fault = undefined;
    const { store, clock } = bench;
    open({ store, clock });
    await bench.pass(120_000);
    assert.deepEqual([await state(), shelf.stands.size], ['published', 1]);
    const events = await store.readEvents('T1');
    assert.equal(events.filter(({ change }) => change.kind === 'article_published').length, 1);
  });

  it('is approved as it was seen: who approves what was changed meanwhile is told so', async () => {
    await solved();
    const seen = await idNow();
    assert.equal(await act({ kind: 'article_edit', articleId: seen, text: '# Refunds\n\nPress it twice.' }), 'done');
    assert.match(await act({ kind: 'article_approve', articleId: seen, despitePrivate: false }), /for the article as it is now/);
    const edited = await idNow();
    assert.match(await act({ kind: 'article_audience', articleId: edited, label: 'hr' }), /one of everyone, finance/);
    assert.equal(await act({ kind: 'article_audience', articleId: edited, label: 'finance' }), 'done');
    assert.match(
      await act({ kind: 'article_approve', articleId: edited, despitePrivate: false }),
      /for the article as it is now/,
    );
    assert.equal(await act({ kind: 'article_approve', articleId: await idNow(), despitePrivate: false }), 'done');
    await bench.pass(0);
    assert.deepEqual([shelf.stands.get('T1')?.text, shelf.stands.get('T1')?.label], ['# Refunds\n\nPress it twice.', 'finance']);
  });

  it('is not proposed by itself from what was said while the ticket was private', async () => {
    await bench.triage.desk.arrive(arrival(1, { text: 'How do I get a refund that failed?' }));
    await bench.pass(0);
    await act({ kind: 'set_privacy', isPrivate: true });
    await hear(2, BEN, FIX);
    await act({ kind: 'set_privacy', isPrivate: false });
    await act({ kind: 'solve', resolution: '' });
    await bench.pass(0);
    assert.equal(await article(), null);
    await act({ kind: 'article_write' });
    await bench.pass(0);
    assert.equal(await state(), 'proposed');
  });

  it('is published from no card that has no room for the whole of it', async () => {
    await solved();
    const offered = async (text: string) => {
      assert.equal(await act({ kind: 'article_edit', articleId: await idNow(), text }), 'done');
      const card = articleCardOf(await ticket(), ['everyone']);
      assert.ok(card !== null && card.buttons.some(({ id }) => id === 'article_approve'));
      const [slack, discord] = [JSON.stringify(ticketBlocks(card)), JSON.stringify(ticketEmbeds(card))];
      return [slack, discord].map((shown) => [/article_approve/u.test(shown), /longer than a card shows/u.test(shown)]);
    };
    assert.deepEqual(await offered(`# Refund\n\n${'It is here. '.repeat(165)}`), [
      [true, false],
      [true, false],
    ]);
    assert.deepEqual(await offered(`# Refund\n\n${'<<<<<<<<'.repeat(240)} never do this`), [
      [false, true],
      [true, false],
    ]);
    assert.deepEqual(await offered(`# Refund\n\n${'*_'.repeat(980)} never`), [
      [true, false],
      [true, false],
    ]);
    const card = articleCardOf(await ticket(), ['everyone']);
    assert.ok(card !== null);
    const { embeds, components } = ticketEmbeds({ ...card, lines: [...card.lines, '*'.repeat(100)] });
    assert.match(embeds[0]?.description ?? '', /longer than a card shows/u);
    assert.doesNotMatch(JSON.stringify(components), /article_approve/u);
  });

  it('is not approved empty, nor edited longer than it can be shown, nor touched by the asker', async () => {
    await solved({}, 'ok?');
    await act({ kind: 'article_write' });
    await bench.pass(0);
    assert.match(
      await act({ kind: 'article_approve', articleId: await idNow(), despitePrivate: false }),
      /of an article that has an answer/,
    );
    assert.match(
      await act({ kind: 'article_edit', articleId: await idNow(), text: `# x\n\n${'y'.repeat(2_000)}` }),
      /at most 2000/,
    );
    assert.equal(await act({ kind: 'article_discard', articleId: await idNow() }, 'x', ANNA.id), 'not_allowed');
  });

  it('of a private ticket is shown in the team’s private place with a warning, and published by nobody who did not see it', async () => {
    await bench.close();
    const teams = new Map([['billing', team('billing', { privateChannel: 'slack:CSECRET' })]]);
    open({ teams, defaultTeam: 'billing', articles: { ...articlesOf(), labelOf: () => 'finance' } });
    await solved({ isPrivate: true, place: { kind: 'direct', id: 'slack:D1' } });
    await act({ kind: 'article_write' });
    await bench.pass(0);
    const [shown, ...more] = articleCards();
    assert.deepEqual([more.length, shown?.target.kind === 'channel' && shown.target.placeId], [0, 'slack:CSECRET']);
    assert.match(shown?.card.lines[0] ?? '', /^⚠ The ticket is private\. Whoever may read finance will read this\./);
    assert.deepEqual(shown?.card.buttons[0]?.label, 'Publish although it is private');
    const articleId = await idNow();
    assert.match(await act({ kind: 'article_approve', articleId, despitePrivate: false }), /only by somebody who was warned/);
    assert.equal(await act({ kind: 'article_approve', articleId, despitePrivate: true }), 'done');
    await bench.pass(0);
    assert.equal(shelf.stands.get('T1')?.label, 'finance');
  });

  it('goes out of the documents when its ticket becomes private', async () => {
    await solved();
    await act({ kind: 'article_approve', articleId: await idNow(), despitePrivate: false });
    await bench.pass(0);
    await act({ kind: 'set_privacy', isPrivate: true });
    await bench.pass(0);
    assert.deepEqual([await state(), shelf.stands.size], ['stale', 0]);
  });

  it('goes out of the documents when what it stands on is deleted, until a person approves it anew', async () => {
    answer = KNOWN;
    await solved();
    await act({ kind: 'article_write' });
    await bench.pass(0);
    await act({ kind: 'article_approve', articleId: await idNow(), despitePrivate: false });
    await bench.pass(0);
    assert.equal(shelf.stands.size, 1);
    shelf.sources.delete('returns.md');
    shelf.revision += 1;
    await bench.pass(0);
    assert.deepEqual([await state(), (await article())?.gone, shelf.stands.size], ['stale', ['returns.md'], 0]);
    assert.ok(articleCards()[0]?.card.lines.some((line) => line.startsWith('No longer among the documents: returns.md.')));
    assert.equal(await act({ kind: 'article_approve', articleId: await idNow(), despitePrivate: false }), 'done');
    await bench.pass(0);
    assert.deepEqual([await state(), (await article())?.citations], ['published', []]);
  });

  it('is forgotten as a proposal, and doubted as a document, when the ticket is opened again', async () => {
    await solved();
    await hear(7, ANNA, 'it failed again');
    assert.equal(await article(), null);
    await hear(8, BEN, 'Then wait an hour and press Refund once more, that was the limit.');
    await act({ kind: 'solve', resolution: '' });
    await bench.pass(0);
    assert.match((await article())?.text ?? '', /Then wait an hour/);
    await act({ kind: 'article_approve', articleId: await idNow(), despitePrivate: false });
    await bench.pass(0);
    await hear(10, ANNA, 'it failed once more');
    await bench.pass(0);
    assert.equal(await state(), 'published');
    assert.ok(articleCards().some(({ card }) => card.lines.includes('The ticket was opened again since: is it still true?')));
  });

  const articlesOf = (): NonNullable<TriageOptions['articles']> => ({
    shelf: shelf.shelf,
    write: createArticleWriter({ answer: async () => answer, ask: undefined, scrubSecrets }),
    labels: ['everyone', 'finance'],
    labelOf: () => 'everyone',
    onShelved: () => {},
  });
});
