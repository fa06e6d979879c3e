/** Approvals behind the gateway: on a fake platform, with a clock that the test moves. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { OutboundPart } from '../../agent/ports/channel.ts';
import { textsFor } from '../../agent/texts.ts';
import { VALID_MS } from '../../bots/approvals.ts';
import { cardOf, cardPart, renderArguments } from '../../bots/approvals-card.ts';
import type { GatewayOptions } from '../../bots/gateway.ts';
import { createFakeClock } from '../fake-clock.ts';
import { setUpGateway } from '../fakes/gateway-bench.ts';
import { createFiling, DIRECT } from './approvals-kit.ts';

const en = textsFor('en').approval;

type Setup = Parameters<typeof setUpGateway>[0];

const setUp = async (options: Setup & { readonly text?: string } = {}) => {
  const { text = 'Dear all', ...rest } = options;
  let filing: ReturnType<typeof createFiling> | undefined;
  const agent: GatewayOptions['agent'] = { run: (input) => (filing as ReturnType<typeof createFiling>).agent.run(input) };
  const bench = setUpGateway({ agent, ...rest });
  filing = createFiling(bench.clock, { text });
  const cards = (): readonly string[] =>
    bench.channel.messages.filter(({ key }) => /:1\d{3}$/.test(key)).map((card) => card.text);
  const answers = (): readonly string[] =>
    bench.channel.messages.filter(({ key }) => /:\d{1,3}$/.test(key)).map((card) => card.text);
  const lastId = async (turnId: string): Promise<string> => (await bench.store.listApprovals(turnId)).at(-1)?.id ?? '';
  /** Asks in a direct message, and waits for the card. */
  const askFor = async (question: string, over: Parameters<typeof bench.ask>[1] = DIRECT) => {
    const { message } = await bench.ask(question, over);
    await bench.clock.advance(1_000);
    const turnId = (await bench.store.listTurns(message.scope.conversationId)).at(-1)?.turnId ?? '';
    return { turnId, id: await lastId(turnId), message };
  };
  return { ...bench, ...filing, cards, answers, askFor, lastId };
};

test('a card shows the call, its asker approves, the card loses its question, and the write happens once', async () => {
  const { gateway, clock, cards, answers, filed, askFor } = await setUp();
  gateway.start();
  const { id } = await askFor('file a');
  assert.deepEqual(answers(), [en.waiting]);
  const [card = ''] = cards();
  const until = new Date(clock.now() - 1_000 + VALID_MS).toISOString().slice(11, 16);
  assert.equal(
    card,
    `Approve this call of file_note?\nFiles the note a.\nname: "a"\ntext: "Dear all"\nMay decide: U1 · until ${until} UTC`,
  );
  assert.deepEqual(filed, []);
  assert.equal(await gateway.decideApproval(id, 'slack:U1', 'approved'), 'approved');
  await clock.advance(1_000);
  assert.deepEqual(filed, [{ name: 'a', text: 'Dear all' }]);
  assert.deepEqual([answers(), cards().length], [['In the end: filed a.'], 1]);
  assert.match(cards()[0] ?? '', /\nApproved by U1\.$/);
  await gateway.close();
});

test('a denial is told to the model, which answers; nothing is written', async () => {
  const { gateway, clock, cards, answers, filed, askFor } = await setUp();
  gateway.start();
  const { id } = await askFor('file a');
  assert.equal(await gateway.decideApproval(id, 'slack:U1', 'denied'), 'denied');
  await clock.advance(1_000);
  assert.deepEqual([filed, answers()], [[], ['In the end: refused.']]);
  assert.match(cards()[0] ?? '', /Denied by U1\. It was not done\.$/);
  await gateway.close();
});

test('without a decision it expires after ten minutes, a later click says so, and the conversation is free meanwhile', async () => {
  const { gateway, clock, store, cards, answers, filed, askFor } = await setUp();
  gateway.start();
  const { id, message } = await askFor('file a');
  const lent = await store.holdUndue(message.scope.conversationId, 'somebody else', clock.now(), 1_000);
  assert.ok(lent, 'nobody holds it');
  await store.release(lent.lease, lent.dueAt);
  await clock.advance(VALID_MS - 3_000);
  assert.deepEqual(answers(), [en.waiting]);
  await clock.advance(3_000);
  assert.deepEqual([filed, answers()], [[], ['In the end: too late.']]);
  assert.match(cards()[0] ?? '', /Nobody decided in time\. It was not done\.$/);
  assert.equal(await gateway.decideApproval(id, 'slack:U1', 'approved'), 'over');
  await clock.advance(1_000);
  assert.deepEqual(filed, []);
  await gateway.close();
});

test('the first of many clicks counts, and each is answered', async () => {
  const { gateway, clock, filed, askFor } = await setUp();
  gateway.start();
  const { id } = await askFor('file a');
  const clicks = (['denied', 'approved', 'approved', 'denied'] as const).map((decision) =>
    gateway.decideApproval(id, 'slack:U1', decision),
  );
  assert.deepEqual(await Promise.all(clicks), ['denied', 'already_denied', 'already_denied', 'already_denied']);
  await clock.advance(1_000);
  assert.deepEqual(filed, []);
  assert.equal(await gateway.decideApproval('no such id', 'slack:U1', 'approved'), 'over');
  await gateway.close();
});

test('an approval is good for one call with one set of arguments', async () => {
  const { gateway, clock, cards, answers, filed, askFor, lastId } = await setUp();
  gateway.start();
  const { id, turnId } = await askFor('file a, b');
  await gateway.decideApproval(id, 'slack:U1', 'approved');
  await clock.advance(1_000);
  const second = await lastId(turnId);
  assert.notEqual(second, id);
  assert.deepEqual([filed.length, cards().length, answers()], [1, 2, [en.waiting]]);
  assert.equal(await gateway.decideApproval(id, 'slack:U1', 'approved'), 'already_approved');
  await clock.advance(1_000);
  assert.equal(filed.length, 1, 'the first agreement is none to the second');
  await gateway.decideApproval(second, 'slack:U1', 'denied');
  await clock.advance(1_000);
  assert.deepEqual(answers(), ['In the end: filed a, refused.']);
  await gateway.close();
});

test('a run whose journal names other arguments than were approved asks again', async () => {
  const bench = await setUp();
  const { gateway, clock, store, restart, filed, askFor, lastId } = bench;
  gateway.start();
  const { id, turnId, message } = await askFor('file a');
  await gateway.close();
  await store.decideApproval(id, { outcome: 'approved', decidedBy: 'slack:U1', now: clock.now() });
  // Somebody, or a fault, put another call in the place of the one that was shown.
  const claim = await store.claim('fault', clock.now(), 1_000);
  assert.ok(claim);
  const [entry] = (await store.readJournal(turnId)).filter(({ key }) => key === 'model:1');
  const swapped = JSON.parse(JSON.stringify(entry?.value).replace('\\"a\\"', '\\"evil\\"')) as never;
  await store.writeJournal(claim.lease, turnId, { key: 'model:1', value: swapped });
  await store.release(claim.lease);
  const again = restart({ workerId: 'next' });
  again.start();
  await clock.advance(1_000);
  assert.deepEqual(filed, []);
  assert.notEqual(await lastId(turnId), id);
  assert.equal((await store.listApprovals(turnId)).at(-1)?.outcome, null);
  assert.equal(message.scope.userId, 'slack:U1');
  await again.close();
});

test('who may decide: the asker in private, administrators in channels, others as the configuration says', async () => {
  const people = { admins: ['slack:BOSS'] };
  const cases = [
    { place: DIRECT, rules: {}, may: ['slack:U1'], mayNot: ['slack:BOSS', 'slack:U2'] },
    { place: {}, rules: {}, may: ['slack:BOSS'], mayNot: ['slack:U1', 'slack:U2'] },
    { place: {}, rules: { channels: ['asker'] }, may: ['slack:U1'], mayNot: ['slack:BOSS'] },
    { place: {}, rules: { tools: { file_note: ['slack:U2'] } }, may: ['slack:U2'], mayNot: ['slack:U1', 'slack:BOSS'] },
    { place: DIRECT, rules: { tools: { other: ['slack:U2'] } }, may: ['slack:U1'], mayNot: ['slack:U2'] },
  ];
  for (const { place, rules, may, mayNot } of cases) {
    const approvals = { direct: ['asker'], channels: ['admins'], tools: {}, ...rules };
    const { gateway, clock, filed, askFor } = await setUp({ people, approvals });
    gateway.start();
    const { id } = await askFor('file a', place);
    for (const userId of mayNot) assert.equal(await gateway.decideApproval(id, userId, 'approved'), 'not_yours', userId);
    await clock.advance(1_000);
    assert.deepEqual(filed, []);
    for (const userId of may) assert.equal(await gateway.decideApproval(id, userId, 'approved'), 'approved', userId);
    await clock.advance(1_000);
    assert.equal(filed.length, 1);
    await gateway.close();
  }
});

test('where no administrator is named, a channel has nobody to ask, and the model is told at once', async () => {
  const { gateway, cards, answers, filed, askFor } = await setUp();
  gateway.start();
  await askFor('file a', {});
  assert.deepEqual([filed, cards(), answers()], [[], [], ['In the end: nobody to ask.']]);
  await gateway.close();
});

test('a click while nothing serves is taken up by the next process, with one card and one write', async () => {
  const { gateway, clock, restart, cards, answers, filed, askFor } = await setUp();
  gateway.start();
  const { id } = await askFor('file a');
  await gateway.close();
  const next = restart({ workerId: 'next' });
  assert.equal(await next.decideApproval(id, 'slack:U1', 'approved'), 'approved');
  next.start();
  await clock.advance(1_000);
  assert.deepEqual([filed.length, cards().length, answers()], [1, 1, ['In the end: filed a.']]);
  await next.close();
});

test('restarts while it waits ask nothing twice and use up no tries', async () => {
  const { gateway, clock, store, restart, cards, answers, filed, askFor } = await setUp();
  gateway.start();
  const { id, message } = await askFor('file a');
  await gateway.close();
  for (let life = 0; life < 20; life += 1) {
    const next = restart({ workerId: `life ${life}` });
    // Fallen due before its time, each life takes it up.
    const lent = await store.holdUndue(message.scope.conversationId, 'hand', clock.now(), 1_000);
    if (lent !== undefined) await store.release(lent.lease);
    next.start();
    await clock.advance(1_000);
    await next.close();
  }
  assert.deepEqual([cards().length, answers(), filed], [1, [en.waiting], []]);
  const last = restart({ workerId: 'last' });
  last.start();
  await last.decideApproval(id, 'slack:U1', 'approved');
  await clock.advance(1_000);
  assert.deepEqual([filed.length, answers()], [1, ['In the end: filed a.']]);
  await last.close();
});

test('an agreement that was not used within ten minutes is none', async () => {
  const { gateway, clock, store, restart, answers, filed, askFor } = await setUp();
  gateway.start();
  const { id } = await askFor('file a');
  await gateway.close();
  await store.decideApproval(id, { outcome: 'approved', decidedBy: 'slack:U1', now: clock.now() });
  await clock.advance(VALID_MS);
  const next = restart({ workerId: 'next' });
  next.start();
  await clock.advance(1_000);
  assert.deepEqual([filed, answers()], [[], ['In the end: too late.']]);
  await next.close();
});

test('a decision that comes while the turn is still held is not slept over', async () => {
  const { gateway, clock, store, channel, answers, ask } = await setUp();
  gateway.start();
  channel.beforePost = () => clock.sleep(200);
  const { message } = await ask('file a', DIRECT);
  await clock.advance(300);
  const turnId = (await store.listTurns(message.scope.conversationId))[0]?.turnId ?? '';
  const [asked] = await store.listApprovals(turnId);
  assert.equal(channel.messages.length, 1, 'the card is on its way');
  assert.equal(await gateway.decideApproval(asked?.id ?? '', 'slack:U1', 'approved'), 'approved');
  await clock.advance(1_000);
  assert.deepEqual(answers(), ['In the end: filed a.']);
  await gateway.close();
});

test('a stopped run withdraws its card, and a later click changes nothing', async () => {
  const { gateway, clock, cards, answers, filed, askFor } = await setUp();
  gateway.start();
  const { id, turnId } = await askFor('file a');
  assert.equal(await gateway.stopTurn(turnId, 'slack:U1'), 'stopped');
  assert.equal(await gateway.decideApproval(id, 'slack:U1', 'approved'), 'over');
  await clock.advance(1_000);
  assert.deepEqual([filed, answers()], [[], [textsFor('en').cancelled]]);
  assert.match(cards()[0] ?? '', /No longer asked for\. It was not done\.$/);
  await gateway.close();
});

test('a card that the platform refuses is nobody asked', async () => {
  const { gateway, clock, channel, answers, filed, ask } = await setUp();
  gateway.start();
  channel.faults.post.push('pass', 'rejected');
  await ask('file a', DIRECT);
  await clock.advance(3_000);
  assert.deepEqual([filed, answers()], [[], ['In the end: nobody to ask.']]);
  await gateway.close();
});

test('a card whose reply was lost is found and not posted again', async () => {
  const { gateway, clock, channel, cards, ask } = await setUp();
  gateway.start();
  channel.faults.post.push('pass', 'reply_lost');
  await ask('file a', DIRECT);
  await clock.advance(30_000);
  assert.equal(cards().length, 1);
  await gateway.close();
});

test('a card whose sender died before it knew is found and closed', async () => {
  const { gateway, clock, store, channel, restart, cards, ask, filed } = await setUp();
  gateway.start();
  channel.faults.post.push('pass', 'reply_lost');
  const { message } = await ask('file a', DIRECT);
  await clock.advance(1_000);
  assert.equal(cards().length, 1);
  await gateway.close();
  const turnId = (await store.listTurns(message.scope.conversationId))[0]?.turnId ?? '';
  assert.equal((await store.readOutbox(turnId)).at(-1)?.state, 'sending');
  const [asked] = await store.listApprovals(turnId);
  const next = restart({ workerId: 'next' });
  await next.decideApproval(asked?.id ?? '', 'slack:U1', 'approved');
  next.start();
  await clock.advance(60_000);
  assert.deepEqual([filed.length, cards().length], [1, 1]);
  assert.match(cards()[0] ?? '', /Approved by U1\.$/);
  await next.close();
});

test('a question behind a waiting one is told so, and answered after it', async () => {
  const { gateway, clock, channel, askFor, ask } = await setUp();
  gateway.start();
  const { id } = await askFor('file a');
  await ask('file b', DIRECT);
  await clock.advance(1_000);
  assert.equal(channel.messages.at(-1)?.text, textsFor('en').queued);
  await gateway.decideApproval(id, 'slack:U1', 'denied');
  await clock.advance(1_000);
  assert.equal(channel.messages.filter(({ text }) => text === 'In the end: refused.').length, 1);
  assert.equal(channel.messages.at(-1)?.text.split('\n')[2], 'name: "b"');
  await gateway.close();
});

test('what cannot be seen is spelled out, and no text can pass for another argument', () => {
  const hidden = 'a\u202eb\u200bc\u00a0d';
  assert.equal(
    renderArguments(JSON.stringify({ to: hidden, text: 'one\nto: "boss@example.com"\r\n\u{e0041}', list: [1, { a: '`' }] })),
    [
      'to: "a\\u{202e}b\\u{200b}c\\u{a0}d"',
      'text: ',
      '  | one',
      '  | to: "boss@example.com"\\u{d}',
      '  | \\u{e0041}',
      'list: [1,{"a":"`"}]',
    ].join('\n'),
  );
  assert.equal(renderArguments('{}'), '{}');
});

test('a card is in the language of the question, and names the danger of what was read before', () => {
  const record = {
    id: 'x',
    turnId: 't',
    tool: 'post',
    words: '',
    arguments: '{}',
    hash: '',
    reason: 'provenance',
    approvers: ['admins', 'slack:U1'],
    askedAt: 0,
    expiresAt: 600_000,
    outcome: null,
    decidedBy: null,
    decidedAt: null,
  } as const;
  const { text }: OutboundPart = cardPart(cardOf(record, 'zh'));
  const zh = textsFor('zh').approval;
  assert.equal(
    text,
    [zh.title('post'), `${zh.unnamed} ${zh.provenance}`, '{}', `${zh.who('管理员, U1')} · ${zh.until('00:10 UTC')}`].join('\n'),
  );
});

test('the record of an approval stays after its turn, with who decided and when', async () => {
  const { gateway, clock, store, askFor } = await setUp();
  gateway.start();
  const { id, turnId } = await askFor('file a');
  const decidedAt = clock.now();
  await gateway.decideApproval(id, 'slack:U1', 'approved');
  await clock.advance(60_000);
  const [{ outcome, decidedBy, hash, ...rest } = assert.fail('no record')] = await store.listApprovals(turnId);
  assert.deepEqual([outcome, decidedBy, rest.decidedAt, hash.length], ['approved', 'slack:U1', decidedAt, 64]);
  assert.equal(createFakeClock().now() <= rest.askedAt, true);
  await gateway.close();
});
