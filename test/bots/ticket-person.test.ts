/** A thread is handed to a person once, with its question and its answer, whoever asks for it and however often. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Answer, InboundMessage } from '../../agent/conversation.ts';
import { AppError } from '../../agent/errors.ts';
import type { AskedTurn } from '../../agent/ports/channel.ts';
import { arrivalOf, createPersonClick, handOver, personTexts, withPersonButton } from '../../bots/ticket-person.ts';
import { silentLogger } from '../../ops/silent-log.ts';
import { linesOf, openTriageBench, type TriageBench } from '../fakes/triage-bench.ts';

const ANNA = { id: 'slack:U1', displayName: 'Anna', kind: 'person' } as const;
const BERT = { id: 'slack:U99', displayName: 'Bert', kind: 'person' } as const;
const answerOf = (text: string, stopReason: Answer['stopReason'] = 'answered'): Answer => ({
  text,
  citations: [],
  answered: true,
  stopReason,
  allowedLinks: [],
  fallback: false,
});
const questionOf = (n: number, text: string): InboundMessage => ({
  deliveryId: `slack:T1:C1:${n}`,
  scope: { tenantId: 'slack:T1', channel: 'slack', conversationId: 'slack:T1:C1:1', userId: ANNA.id },
  author: ANNA,
  place: { kind: 'channel', id: 'slack:C1' },
  trigger: 'mention',
  text,
  sourceMessageId: String(n),
  address: { channel: 'C1', thread: '1', question: String(n), user: 'U1' },
  receivedAt: n,
});

describe('a click on “Ask a person”', () => {
  const turns = new Map<string, AskedTurn>();
  let bench: TriageBench;
  let refusal: ReturnType<Parameters<typeof createPersonClick>[0]['gateway']['refusalFor']>;
  beforeEach(() => {
    bench = openTriageBench();
    refusal = undefined;
    turns.clear();
    turns.set('a', { message: questionOf(1, 'How long is the warranty on a refund?'), answer: answerOf('Two years [1].') });
    turns.set('b', { message: questionOf(2, 'And abroad?'), answer: answerOf('I do not know.', 'not_known') });
  });
  afterEach(() => bench.close());

  const click = (turnId: string, clicker: InboundMessage['author'] = ANNA, isPrivate = false) =>
    createPersonClick({
      gateway: { readTurn: async (id) => turns.get(id), refusalFor: () => refusal },
      desk: bench.triage.desk,
      source: 'slack',
      logger: silentLogger,
    })({ turnId, clicker, isPrivate });
  const textsIn = async (): Promise<readonly string[]> =>
    (await bench.store.readEvents('T1')).flatMap(({ change }) => (change.kind === 'message_added' ? [change.message.text] : []));
  const handOffs = async (): Promise<number> =>
    (await bench.store.readEvents('T1')).filter(({ change }) => change.kind === 'handed_off').length;

  it('makes one ticket with the question and the answer, and tells its asker', async () => {
    assert.equal(await click('a'), 'Passed on to a person as T1. The answer comes here.');
    await bench.pass(1_000);
    const ticket = await bench.store.readTicket('T1');
    assert.deepEqual(
      [ticket?.text, ticket?.author.id, ticket?.how, ticket?.isPrivate, ticket?.status, ticket?.firstAnsweredAt],
      ['How long is the warranty on a refund?', ANNA.id, 'escalation', false, 'open', null],
    );
    assert.deepEqual(await textsIn(), ['Two years [1].']);
    assert.equal(linesOf(bench.board).filter((line) => line.startsWith('thread 1: I have passed this on')).length, 1);
  });

  it('twice, or under another answer of the thread, is the same ticket and says so', async () => {
    await click('a');
    assert.equal(await click('a'), 'A person has it already: T1. The answer comes here.');
    assert.equal(await click('b'), 'A person has it already: T1. The answer comes here.');
    assert.deepEqual(await textsIn(), ['Two years [1].', 'And abroad?', 'I do not know.']);
    assert.deepEqual([(await bench.store.listTickets({})).length, await handOffs()], [1, 1]);
  });

  it('together with the asker’s own words is one ticket', async () => {
    const words = questionOf(3, 'I want to talk to a human');
    await handOver(bench.triage.desk, {
      arrival: arrivalOf(words, 'escalation', false),
      userId: ANNA.id,
      source: 'slack',
      key: words.deliveryId,
    });
    assert.equal(await click('a'), 'A person has it already: T1. The answer comes here.');
    assert.equal((await bench.store.listTickets({})).length, 1);
  });

  it('at the same moment twice hands it over once', async () => {
    const said = await Promise.all([click('a'), click('a')]);
    assert.deepEqual(
      said.map((text) => text?.includes('T1')),
      [true, true],
    );
    assert.equal(await handOffs(), 1);
  });

  it('under an answer whose ticket is over opens that again', async () => {
    await click('a');
    const closing = { kind: 'close' } as const;
    const actor = { kind: 'person', id: ANNA.id } as const;
    await bench.triage.desk.act({ ticketId: 'T1', action: closing, actor, source: 'slack', key: 'k1' });
    assert.equal(await click('a'), 'Passed on to a person as T1. The answer comes here.');
    const ticket = await bench.store.readTicket('T1');
    assert.deepEqual([ticket?.status, ticket?.episode, ticket?.handOff?.isConfirmed, await handOffs()], ['open', 2, false, 2]);
  });

  it('by somebody else who reads along counts in public, and the ticket is the asker’s', async () => {
    assert.equal(await click('a', BERT), 'Passed on to a person as T1. The answer comes here.');
    assert.equal((await bench.store.readTicket('T1'))?.author.id, ANNA.id);
  });

  it('in a private place is the asker’s alone, and makes a private ticket', async () => {
    assert.match((await click('a', BERT, true)) ?? '', /^This was asked in private/);
    assert.deepEqual(await bench.store.listTickets({}), []);
    await click('a', ANNA, true);
    assert.equal((await bench.store.readTicket('T1'))?.isPrivate, true);
  });

  it('of a ticket that became private tells others nothing of it', async () => {
    await click('a');
    const actor = { kind: 'person', id: ANNA.id } as const;
    const action = { kind: 'set_privacy', isPrivate: true } as const;
    await bench.triage.desk.act({ ticketId: 'T1', action, actor, source: 'slack', key: 'k1' });
    assert.equal(await click('a', BERT), 'There is no such ticket, or it is not for you to see.');
  });

  it('is refused to bots and to those who may not ask, not to those who asked much', async () => {
    assert.equal(await click('a', { ...BERT, kind: 'bot' }), undefined);
    refusal = { reason: 'not_allowed' };
    assert.match((await click('a')) ?? '', /^I may not answer you here\./);
    assert.deepEqual(await bench.store.listTickets({}), []);
    refusal = { reason: 'rate_limited', waitSeconds: 9, questionsPerMinute: 6 };
    assert.match((await click('a')) ?? '', /T1/);
  });

  it('under a greeting, a question that is gone, or with a store that fails says what to do', async () => {
    turns.set('hi', { message: questionOf(9, 'hello'), answer: answerOf('Hello.') });
    assert.equal(await click('hi'), 'Write here what it is about, then I pass it on to a person.');
    assert.match((await click('none')) ?? '', /^This question is no longer kept here\./);
    const desk = { ...bench.triage.desk, arrive: () => Promise.reject(new AppError('store_full', 'no room')) };
    const gateway = { readTurn: async () => turns.get('a'), refusalFor: () => undefined };
    const failing = createPersonClick({ gateway, desk, source: 'slack', logger: silentLogger });
    assert.match((await failing({ turnId: 'a', clicker: ANNA, isPrivate: false })) ?? '', /^I could not pass this on just now\./);
  });

  it('speaks the asker’s language', async () => {
    turns.set('de', { message: questionOf(8, 'Wie lange ist die Garantie auf eine Lampe?'), answer: answerOf('Zwei Jahre.') });
    assert.equal(await click('de'), 'Als T1 an einen Menschen weitergegeben. Die Antwort kommt hier.');
    await bench.pass(1_000);
    assert.match(linesOf(bench.board).join('\n'), /Ich habe das an \S.* weitergegeben\./);
    assert.deepEqual(
      ['It is in the box with the lamp.', 'Das ist in der Schachtel.', '保修期为两年。'].map((text) => personTexts(text).ask),
      ['Ask a person', 'Einen Menschen fragen', '转人工'],
    );
  });
});

it('the button stands under the last part of whatever a person could do better', () => {
  const parts = [
    { text: 'one', withFeedback: false },
    { text: 'two', withFeedback: true },
  ];
  const marked = (reason: Answer['stopReason']) =>
    withPersonButton(parts, answerOf('x', reason)).map(({ withPerson = false }) => withPerson);
  for (const reason of ['answered', 'not_known', 'failed', 'model_unavailable', 'time_limit'] as const)
    assert.deepEqual(marked(reason), [false, true], reason);
  for (const reason of ['empty_question', 'not_allowed', 'rate_limited', 'cancelled', 'folded_in'] as const)
    assert.deepEqual(marked(reason), [false, false], reason);
});
