/** What every engine's `Store` does: inbox, leases, journal, outbox, transcripts. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Attachment } from '../../agent/attachment.ts';
import type { Answer, InboundMessage, Turn } from '../../agent/conversation.ts';
import { hasCode } from '../../agent/errors.ts';
import type { Claim, Lease, Store } from '../../agent/ports/store.ts';

export interface OpenedStore {
  readonly store: Store;
  close(): Promise<void>;
}

const LEASE_MS = 1_000;

export const inboundMessage = (
  n: number,
  over: Partial<InboundMessage> & { conversationId?: string; userId?: string } = {},
): InboundMessage => {
  const { conversationId = 'slack:T1:C1:1', userId = 'slack:U1', ...rest } = over;
  return {
    deliveryId: `slack:T1:C1:${n}`,
    scope: { tenantId: 'slack:T1', channel: 'slack', conversationId, userId },
    author: { id: userId, displayName: 'Ada', kind: 'person' },
    place: { kind: 'channel', id: 'slack:C1' },
    trigger: 'mention',
    text: `question ${n}`,
    sourceMessageId: `m${n}`,
    address: { channel: 'C1', thread: '1' },
    receivedAt: n,
    ...rest,
  };
};

const ANSWER: Answer = {
  text: 'Two years [1].',
  citations: [
    {
      n: 1,
      title: 'Warranty',
      source: 'warranty.md',
      quote: 'two years',
      chunkId: 'c1',
      headingPath: ['Warranty'],
      location: '',
      date: null,
    },
  ],
  answered: true,
  stopReason: 'answered',
  allowedLinks: [],
  fallback: false,
};

export const turnOf = (claim: Claim, answeredAt = 500): Turn => ({
  turnId: claim.turnId,
  conversationId: claim.message.scope.conversationId,
  userId: claim.message.scope.userId,
  speaker: claim.message.author.displayName,
  question: claim.message.text,
  answer: ANSWER,
  steps: 2,
  tools: ['search_knowledge'],
  usage: { inputTokens: 10, outputTokens: 5 },
  model: 'extractive',
  askedAt: claim.message.receivedAt,
  answeredAt,
});

const PARTS = [
  { text: 'one', withFeedback: false },
  { text: 'two', withFeedback: true },
];

const FILES: readonly Attachment[] = [
  { name: 'rows.csv', mediaType: 'text/csv', description: 'Rows.', bytes: Uint8Array.of(0, 255, 10) },
  { name: '图.png', mediaType: 'image/png', description: 'A chart.', bytes: new Uint8Array(1024 * 1024).fill(7) },
];

const leaseLost = (error: unknown): boolean => hasCode(error, 'lease_lost');

export const testStoreContract = (engine: string, open: () => Promise<OpenedStore>): void => {
  describe(`${engine} keeps the store's contract`, () => {
    let opened: OpenedStore;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    const claim = async (now: number, worker = 'w1'): Promise<Claim> => {
      const claimed = await store.claim(worker, now, LEASE_MS);
      assert.ok(claimed, 'nothing could be claimed');
      return claimed;
    };
    const answer = async (claimed: Claim): Promise<void> => {
      await store.finishTurn(claimed.lease, turnOf(claimed), PARTS);
      await store.completeTurn(claimed.lease, claimed.turnId);
      await store.release(claimed.lease);
    };

    it('accepts a delivery once, whatever a repeat says', async () => {
      const first = await store.accept(inboundMessage(1));
      const again = await store.accept(inboundMessage(1, { text: 'other', conversationId: 'other' }));
      assert.deepEqual([first.outcome, again.outcome], ['accepted', 'duplicate']);
      assert.equal(again.turnId, first.turnId);
      assert.equal((await store.readTurn(first.turnId))?.message.text, 'question 1');
      assert.equal((await store.listTurns('other')).length, 0);
    });

    it('drops a repeat that comes after the answer', async () => {
      await store.accept(inboundMessage(1));
      await answer(await claim(10));
      assert.equal((await store.accept(inboundMessage(1))).outcome, 'duplicate');
      assert.equal(await store.claim('w1', 20, LEASE_MS), undefined);
    });

    it('gives back a message as it was, odd text included', async () => {
      const text = 'nul \u0000 surrogate \ud800 bidi \u202e emoji 🙂 退货';
      await store.accept(inboundMessage(1, { text }));
      assert.deepEqual((await claim(10)).message, inboundMessage(1, { text }));
    });

    it('claims the turns of one conversation one at a time, in the order of acceptance', async () => {
      for (const n of [1, 2, 3]) await store.accept(inboundMessage(n));
      const order: string[] = [];
      for (let now = 10; order.length < 3; now += 10) {
        const claimed = await claim(now);
        assert.equal(await store.claim('w2', now, LEASE_MS), undefined);
        order.push(claimed.message.text);
        await answer(claimed);
      }
      assert.deepEqual(order, ['question 1', 'question 2', 'question 3']);
    });

    it('leaves the turns of channels that are not asked for', async () => {
      await store.accept(inboundMessage(1));
      assert.equal(await store.claim('w1', 10, LEASE_MS, ['web', 'discord']), undefined);
      assert.equal(await store.nextDueAt(10, ['web', 'discord']), undefined);
      assert.equal(await store.nextDueAt(10, ['web', 'slack']), 10);
      assert.equal((await store.claim('w1', 10, LEASE_MS, ['web', 'slack']))?.attempts, 1);
    });

    it('gives the conversations of a process that died back at once, but not those that wait', async () => {
      await store.accept(inboundMessage(1));
      await store.accept(inboundMessage(2, { conversationId: 'other' }));
      const dead = await claim(10);
      const waiting = await claim(10);
      await store.release(waiting.lease, 900);
      await store.expireLeases();
      assert.equal((await claim(20)).turnId, dead.turnId);
      assert.equal(await store.claim('w1', 20, LEASE_MS), undefined);
      await assert.rejects(store.writeJournal(dead.lease, dead.turnId, { key: 'model:1', value: 1 }), leaseLost);
    });

    it('keeps the order when a turn is retried', async () => {
      for (const n of [1, 2]) await store.accept(inboundMessage(n));
      const first = await claim(10);
      await store.release(first.lease, 200);
      assert.equal(await store.claim('w1', 199, LEASE_MS), undefined);
      assert.equal(await store.nextDueAt(50), 200);
      const retried = await claim(200);
      assert.equal(retried.message.text, 'question 1');
      assert.deepEqual([first.attempts, retried.attempts], [1, 2]);
      await answer(retried);
      assert.equal((await claim(201)).message.text, 'question 2');
    });

    it('works different conversations side by side', async () => {
      await store.accept(inboundMessage(1, { conversationId: 'a' }));
      await store.accept(inboundMessage(2, { conversationId: 'a' }));
      await store.accept(inboundMessage(3, { conversationId: 'b' }));
      const texts = [(await claim(10)).message.text, (await claim(10, 'w2')).message.text];
      assert.deepEqual(texts, ['question 1', 'question 3']);
      assert.equal(await store.claim('w3', 10, LEASE_MS), undefined);
    });

    it('lets an expired lease be taken over with a higher fence, and refuses every write of the old holder', async () => {
      await store.accept(inboundMessage(1));
      const old = await claim(10, 'w1');
      assert.equal(await store.claim('w2', 10 + LEASE_MS - 1, LEASE_MS), undefined);
      const fresh = await claim(10 + LEASE_MS, 'w2');
      assert.equal(fresh.turnId, old.turnId);
      assert.equal(fresh.attempts, 2);
      assert.ok(fresh.lease.fence > old.lease.fence);

      const writes: ((lease: Lease) => Promise<unknown>)[] = [
        (lease) => store.writeJournal(lease, old.turnId, { key: 'model:1', value: 'late' }),
        (lease) => store.markSending(lease, old.turnId, 0, 20),
        (lease) => store.markUnsent(lease, old.turnId, 0),
        (lease) => store.markPosted(lease, old.turnId, 0, { ts: 'late' }),
        (lease) => store.markDelivered(lease, old.turnId, 0),
        (lease) => store.finishTurn(lease, turnOf(old), PARTS),
        (lease) => store.completeTurn(lease, old.turnId),
        (lease) => store.dropTurn(lease, old.turnId),
      ];
      for (const write of writes) await assert.rejects(write(old.lease), leaseLost);
      assert.equal(await store.renew(old.lease, 30, LEASE_MS), false);
      await store.release(old.lease);

      assert.deepEqual(await store.readJournal(old.turnId), []);
      assert.deepEqual(await store.readOutbox(old.turnId), []);
      assert.equal((await store.readTurn(old.turnId))?.state, 'running');
      assert.equal(await store.claim('w3', 20 + LEASE_MS, LEASE_MS), undefined, 'the late release freed the new lease');
      assert.equal(await store.renew(fresh.lease, 30, LEASE_MS), true);
    });

    it('refuses writes under a lease that was given back, and for turns of another conversation', async () => {
      await store.accept(inboundMessage(1, { conversationId: 'a' }));
      await store.accept(inboundMessage(2, { conversationId: 'b' }));
      const a = await claim(10);
      const b = await claim(10);
      await assert.rejects(store.writeJournal(a.lease, b.turnId, { key: 'k', value: 1 }), leaseLost);
      await store.release(a.lease);
      await assert.rejects(store.writeJournal(a.lease, a.turnId, { key: 'k', value: 1 }), leaseLost);
    });

    it('keeps a renewed lease', async () => {
      await store.accept(inboundMessage(1));
      const held = await claim(0);
      assert.equal(await store.renew(held.lease, 900, LEASE_MS), true);
      assert.equal(await store.claim('w2', 1_899, LEASE_MS), undefined);
      assert.equal(await store.nextDueAt(1_000), 1_900);
      assert.equal((await claim(1_900, 'w2')).attempts, 2);
    });

    it('tells when the next claim could succeed', async () => {
      assert.equal(await store.nextDueAt(5), undefined);
      await store.accept(inboundMessage(1));
      assert.equal(await store.nextDueAt(5), 5);
      const held = await claim(5);
      assert.equal(await store.nextDueAt(6), 5 + LEASE_MS);
      await answer(held);
      assert.equal(await store.nextDueAt(7), undefined);
    });

    it('keeps the journal in order over a takeover and drops it with the turn', async () => {
      await store.accept(inboundMessage(1));
      const first = await claim(0);
      await store.writeJournal(first.lease, first.turnId, { key: 'tool:1:0', value: { state: 'intent' } });
      await store.writeJournal(first.lease, first.turnId, { key: 'model:2', value: ['x', null, 1.5] });
      await store.writeJournal(first.lease, first.turnId, { key: 'tool:1:0', value: { state: 'done' } });
      const second = await claim(LEASE_MS, 'w2');
      assert.deepEqual(await store.readJournal(second.turnId), [
        { key: 'tool:1:0', value: { state: 'done' } },
        { key: 'model:2', value: ['x', null, 1.5] },
      ]);
      await answer(second);
      assert.deepEqual(await store.readJournal(second.turnId), []);
    });

    it('turns the placeholder into the first part and keeps where it stands', async () => {
      await store.accept(inboundMessage(1));
      const { lease, turnId, ...held } = await claim(10);
      await store.markSending(lease, turnId, 0, 11);
      assert.deepEqual(await store.readOutbox(turnId), [
        { turnId, index: 0, state: 'sending', part: null, ref: null, sentAt: 11 },
      ]);
      await store.markPosted(lease, turnId, 0, { ts: '1.2' });
      await store.finishTurn(lease, turnOf({ lease, turnId, ...held }), PARTS);
      assert.deepEqual(await store.readOutbox(turnId), [
        { turnId, index: 0, state: 'posted', part: PARTS[0], ref: { ts: '1.2' }, sentAt: 11 },
        { turnId, index: 1, state: 'planned', part: PARTS[1], ref: null, sentAt: 0 },
      ]);
      await store.markDelivered(lease, turnId, 0);
      await store.markSending(lease, turnId, 1, 15);
      await store.markPosted(lease, turnId, 1, { ts: '1.3' });
      await store.markDelivered(lease, turnId, 1);
      await store.markSending(lease, turnId, 1, 16);
      assert.deepEqual(
        (await store.readOutbox(turnId)).map((row) => [row.state, row.sentAt]),
        [
          ['delivered', 11],
          ['delivered', 15],
        ],
        'what is delivered stays so',
      );
    });

    it('keeps the files of the first answer, byte for byte, until the turn is done', async () => {
      await store.accept(inboundMessage(1));
      const claimed = await claim(0);
      const { lease, turnId } = claimed;
      await store.finishTurn(lease, turnOf(claimed), PARTS, FILES);
      await store.finishTurn(lease, turnOf(claimed), PARTS, FILES.toReversed());
      assert.deepEqual(await Promise.all([0, 1, 2].map((number) => store.readFile(turnId, number))), [...FILES, undefined]);
      assert.deepEqual(
        await store.listFiles(turnId),
        FILES.map(({ name, mediaType, description }, number) => ({ number, name, mediaType, description })),
      );
      await store.completeTurn(lease, turnId);
      assert.deepEqual(await store.listFiles(turnId), []);
      assert.equal(await store.readFile(turnId, 0), undefined);
    });

    it('keeps the files of a turn that is done where it is told to', async () => {
      await store.accept(inboundMessage(1));
      const claimed = await claim(0);
      await store.finishTurn(claimed.lease, turnOf(claimed), PARTS, FILES);
      await store.completeTurn(claimed.lease, claimed.turnId, true);
      assert.deepEqual(await store.readFile(claimed.turnId, 0), FILES[0]);
    });

    it('stores no file under a lease that is lost', async () => {
      await store.accept(inboundMessage(1));
      const old = await claim(0);
      await claim(LEASE_MS, 'w2');
      await assert.rejects(store.finishTurn(old.lease, turnOf(old), PARTS, FILES), leaseLost);
      assert.deepEqual(await store.listFiles(old.turnId), []);
    });

    it('takes a mark of sending back, and no other', async () => {
      await store.accept(inboundMessage(1));
      const { lease, turnId } = await claim(10);
      await store.markUnsent(lease, turnId, 0);
      assert.deepEqual(await store.readOutbox(turnId), []);
      await store.markSending(lease, turnId, 0, 11);
      await store.markUnsent(lease, turnId, 0);
      const unsent = { turnId, index: 0, state: 'planned', part: null, ref: null, sentAt: 0 };
      assert.deepEqual(await store.readOutbox(turnId), [unsent]);
      await store.markPosted(lease, turnId, 0, { ts: '1.2' });
      await store.markUnsent(lease, turnId, 0);
      assert.equal((await store.readOutbox(turnId))[0]?.state, 'posted');
    });

    it("lists a conversation's waiting questions, which are told of under its lease", async () => {
      for (const n of [1, 2, 3, 4]) await store.accept(inboundMessage(n));
      await store.accept(inboundMessage(5, { conversationId: 'other' }));
      const first = await claim(10);
      await store.cancelBySource('slack', 'm3');
      const waiting = await store.listWaiting(first.lease.conversationId);
      assert.deepEqual(
        waiting.map(({ message }) => message),
        [inboundMessage(2), inboundMessage(4)],
      );
      const [second] = waiting;
      assert.ok(second);
      await store.markSending(first.lease, second.turnId, 0, 11);
      await store.markPosted(first.lease, second.turnId, 0, { ts: '1.2' });
      await answer(first);
      const next = await claim(20);
      assert.equal(next.turnId, second.turnId);
      await store.finishTurn(next.lease, turnOf(next), PARTS);
      assert.deepEqual((await store.readOutbox(next.turnId))[0]?.ref, { ts: '1.2' });
    });

    it('folds waiting messages into a run with the entry of its journal, those alone that still wait', async () => {
      for (const n of [1, 2, 3, 4]) await store.accept(inboundMessage(n));
      await store.accept(inboundMessage(5, { conversationId: 'other' }));
      const held = await claim(10);
      const waiting = await store.listWaiting(held.lease.conversationId);
      const elsewhere = await store.listWaiting('other');
      await store.cancelBySource('slack', 'm3');
      const messages = [...waiting, ...elsewhere].map(({ turnId, message }) => ({
        arrived: { speaker: 'Ada', text: message.text },
        turn: turnOf({ ...held, turnId, message }),
        parts: [{ text: 'noted', withFeedback: false }],
      }));
      const folded = await store.foldWaiting(held.lease, held.turnId, 'arrived:2', messages);
      assert.deepEqual(folded, [waiting[0]?.turnId, waiting[2]?.turnId]);
      assert.deepEqual(await store.readJournal(held.turnId), [
        {
          key: 'arrived:2',
          value: [
            { speaker: 'Ada', text: 'question 2' },
            { speaker: 'Ada', text: 'question 4' },
          ],
        },
      ]);
      assert.deepEqual(await store.foldWaiting(held.lease, held.turnId, 'arrived:3', messages), []);
      assert.equal((await store.readJournal(held.turnId)).length, 1);
      await store.completeTurn(held.lease, folded[0] ?? '');
      await answer(held);
      const cancelled = await claim(20);
      assert.deepEqual([cancelled.message.text, cancelled.cancelled], ['question 3', true]);
      await store.dropTurn(cancelled.lease, cancelled.turnId);
      await store.release(cancelled.lease);
      const rest = await claim(30);
      assert.deepEqual([rest.turnId, rest.state], [folded[1], 'answered']);
      assert.equal((await store.readOutbox(rest.turnId))[0]?.part?.text, 'noted');
      await assert.rejects(store.foldWaiting(held.lease, held.turnId, 'arrived:4', messages), leaseLost);
    });

    it('lends a conversation that waits for a later time, and no other', async () => {
      await store.accept(inboundMessage(1));
      const conversationId = 'slack:T1:C1:1';
      assert.equal(await store.holdUndue(conversationId, 'w2', 5, LEASE_MS), undefined, 'it can be claimed');
      assert.equal(await store.holdUndue('unknown', 'w2', 5, LEASE_MS), undefined);
      const first = await claim(10);
      assert.equal(await store.holdUndue(conversationId, 'w2', 11, LEASE_MS), undefined, 'it is held');
      await store.release(first.lease, 60_000);
      const lent = await store.holdUndue(conversationId, 'w2', 12, LEASE_MS);
      assert.ok(lent);
      assert.equal(lent.dueAt, 60_000);
      assert.ok(lent.lease.fence > first.lease.fence);
      assert.equal(await store.holdUndue(conversationId, 'w3', 13, LEASE_MS), undefined);
      const behind = await store.accept(inboundMessage(2));
      await store.markSending(lent.lease, behind.turnId, 0, 14);
      await store.release(lent.lease, lent.dueAt);
      assert.equal(await store.claim('w1', 59_999, LEASE_MS), undefined);
      assert.deepEqual(
        [(await claim(60_000)).turnId, await store.holdUndue(conversationId, 'w2', 60_001, LEASE_MS)],
        [first.turnId, undefined],
      );
    });

    it('claims an answered turn for delivery and keeps its first answer', async () => {
      await store.accept(inboundMessage(1));
      const first = await claim(0);
      await store.finishTurn(first.lease, turnOf(first), PARTS);
      await store.finishTurn(first.lease, turnOf(first, 999), [{ text: 'other', withFeedback: false }]);
      const second = await claim(LEASE_MS, 'w2');
      assert.equal(second.state, 'answered');
      assert.deepEqual((await store.readTurn(second.turnId))?.turn, turnOf(first));
      assert.equal((await store.readOutbox(second.turnId))[0]?.part?.text, 'one');
      await store.completeTurn(second.lease, second.turnId);
      await store.completeTurn(second.lease, second.turnId);
      assert.equal((await store.readTurn(second.turnId))?.state, 'done');
    });

    it('refuses to complete a turn that has no answer, and to deliver a part that was never sent', async () => {
      await store.accept(inboundMessage(1));
      const held = await claim(0);
      await assert.rejects(store.completeTurn(held.lease, held.turnId), (error) => hasCode(error, 'internal'));
      await assert.rejects(store.markDelivered(held.lease, held.turnId, 0), (error) => hasCode(error, 'internal'));
    });

    it('edits a question only while it waits', async () => {
      const { turnId } = await store.accept(inboundMessage(1));
      assert.equal(await store.editWaiting('discord', 'm1', 'wrong platform'), false);
      assert.equal(await store.editWaiting('slack', 'm9', 'unknown'), false);
      assert.equal(await store.editWaiting('slack', 'm1', 'better'), true);
      const held = await claim(0);
      assert.equal(held.message.text, 'better');
      assert.equal(await store.editWaiting('slack', 'm1', 'too late'), false);
      await store.release(held.lease);
      assert.equal(await store.editWaiting('slack', 'm1', 'still too late'), false);
      assert.equal((await store.readTurn(turnId))?.message.text, 'better');
    });

    it('marks a deleted question cancelled while it waits or runs, and ends it with nothing to deliver', async () => {
      const { turnId } = await store.accept(inboundMessage(1));
      assert.equal(await store.cancelBySource('discord', 'm1'), undefined);
      assert.equal(await store.cancelBySource('slack', 'm1'), turnId);
      const held = await claim(0);
      assert.equal(held.cancelled, true);
      assert.equal(await store.cancelBySource('slack', 'm1'), turnId);
      await store.dropTurn(held.lease, turnId);
      await store.release(held.lease);
      const summary = await store.readTurn(turnId);
      assert.deepEqual([summary?.state, summary?.turn], ['done', null]);
      assert.equal(await store.cancelBySource('slack', 'm1'), undefined);
      assert.equal(await store.claim('w1', 10, LEASE_MS), undefined);
      assert.equal(await store.hasTurns('slack:T1:C1:1'), false, 'a dropped question leaves nothing behind');
    });

    it('cancels one turn while it waits or runs, and not the one that waits behind it', async () => {
      const { turnId } = await store.accept(inboundMessage(1));
      const behind = await store.accept(inboundMessage(2));
      const held = await claim(0);
      assert.equal(held.cancelled, false);
      assert.equal(await store.cancelTurn(turnId), true);
      await store.release(held.lease);
      const again = await claim(1);
      assert.deepEqual([again.turnId, again.cancelled], [turnId, true]);
      await answer(again);
      assert.equal(await store.cancelTurn(turnId), false);
      assert.equal(await store.cancelTurn('unknown'), false);
      assert.equal((await claim(2)).cancelled, false);
      assert.equal(await store.cancelTurn(behind.turnId), true);
    });

    it('has a conversation that waits for a later time fall due when its turn is cancelled, and leaves a held one alone', async () => {
      const { turnId } = await store.accept(inboundMessage(1));
      const held = await claim(0);
      assert.equal(await store.cancelTurn(turnId), true);
      assert.equal(await store.claim('w2', 1, LEASE_MS), undefined);
      await store.release(held.lease, 60_000);
      assert.equal(await store.claim('w2', 1, LEASE_MS), undefined);
      assert.equal(await store.cancelBySource('slack', 'm1'), turnId);
      assert.equal((await claim(1, 'w2')).cancelled, true);
    });

    it('reads the latest whole turns, oldest first, and lists turns in any state', async () => {
      for (const n of [1, 2, 3]) {
        await store.accept(inboundMessage(n));
        await answer(await claim(n));
      }
      await store.accept(inboundMessage(4));
      const questions = async (limit: number) =>
        (await store.readTranscript('slack:T1:C1:1', limit)).map((turn) => turn.question);
      assert.deepEqual(await questions(2), ['question 2', 'question 3']);
      assert.deepEqual(await questions(10), ['question 1', 'question 2', 'question 3']);
      const listed = await store.listTurns('slack:T1:C1:1');
      assert.deepEqual(
        listed.map((turn) => [turn.message.text, turn.state]),
        [
          ['question 1', 'done'],
          ['question 2', 'done'],
          ['question 3', 'done'],
          ['question 4', 'waiting'],
        ],
      );
      assert.equal(await store.hasTurns('slack:T1:C1:1'), true);
      assert.equal(await store.hasTurns('slack:T1:C1:2'), false);
      assert.equal(await store.readTurn('unknown'), undefined);
      assert.deepEqual(await store.countStates(), { waiting: 1, running: 0, answered: 0, done: 3 });
    });

    it("lists a person's conversations, newest first, under their first question", async () => {
      await store.accept(inboundMessage(1, { conversationId: 'a', text: `first\n\n line ${'🙂'.repeat(100)}` }));
      await store.accept(inboundMessage(2, { conversationId: 'b' }));
      await store.accept(inboundMessage(3, { conversationId: 'a', text: 'later' }));
      await store.accept(inboundMessage(4, { conversationId: 'c', userId: 'slack:U2' }));
      const listed = await store.listConversations('slack:U1', 10);
      assert.deepEqual(listed, [
        { conversationId: 'a', title: `first line ${'🙂'.repeat(68)}…`, updatedAt: 3 },
        { conversationId: 'b', title: 'question 2', updatedAt: 2 },
      ]);
      assert.equal((await store.listConversations('slack:U1', 1)).length, 1);
    });

    it("tells when a person's questions after a moment were accepted, refused ones left out", async () => {
      for (const n of [30, 10, 20]) await store.accept(inboundMessage(n, { conversationId: `c${n}` }));
      await store.accept(inboundMessage(25, { refusal: { reason: 'rate_limited', waitSeconds: 1, questionsPerMinute: 1 } }));
      await store.accept(inboundMessage(40, { userId: 'slack:U2' }));
      assert.deepEqual(await store.questionTimes('slack:U1', 10), [20, 30]);
      assert.deepEqual(await store.questionTimes('slack:U1', 30), []);
    });

    it('accepts one message with a notice, and leaves the next ones out', async () => {
      assert.equal((await store.accept(inboundMessage(1), 'a')).outcome, 'accepted');
      assert.equal((await store.accept(inboundMessage(1), 'a')).outcome, 'duplicate');
      const { outcome, turnId } = await store.accept(inboundMessage(2), 'a');
      assert.deepEqual([outcome, await store.readTurn(turnId)], ['said_before', undefined]);
      assert.equal((await store.accept(inboundMessage(3), 'b')).outcome, 'accepted');
      assert.equal((await store.accept(inboundMessage(2))).outcome, 'accepted');
    });

    it('keeps the latest verdict of each person with its reason', async () => {
      const { turnId } = await store.accept(inboundMessage(1));
      await store.putFeedback({ turnId, userId: 'u1', verdict: 'down', reason: '' }, 1);
      await store.putFeedback({ turnId, userId: 'u1', verdict: 'down', reason: 'out of date' }, 2);
      await store.putFeedback({ turnId, userId: 'u1', verdict: 'down', reason: '' }, 3);
      await store.putFeedback({ turnId, userId: 'u2', verdict: 'down', reason: 'wrong' }, 4);
      await store.putFeedback({ turnId, userId: 'u2', verdict: 'up', reason: '' }, 5);
      await store.putFeedback({ turnId: 'unknown', userId: 'u1', verdict: 'up', reason: '' }, 6);
      assert.deepEqual(await store.listFeedback(turnId), [
        { turnId, userId: 'u1', verdict: 'down', reason: 'out of date' },
        { turnId, userId: 'u2', verdict: 'up', reason: '' },
      ]);
      assert.deepEqual(await store.listFeedback('unknown'), []);
    });

    describe('approvals', () => {
      const question = (turnId: string, id = 'a1') => ({
        id,
        turnId,
        tool: 'send_email',
        words: 'Sends a mail.',
        arguments: '{"to":"x"}',
        hash: 'h',
        reason: 'tool' as const,
        approvers: ['admins', 'slack:U1'],
        askedAt: 10,
        expiresAt: 1_000,
      });
      const approved = (now: number) => ({ outcome: 'approved' as const, decidedBy: 'slack:U1', now });

      it('are asked once under the lease, and read back in their order', async () => {
        await store.accept(inboundMessage(1));
        const { lease, turnId } = await claim(10);
        const asked = await store.askApproval(lease, question(turnId));
        assert.deepEqual(asked, { ...question(turnId), outcome: null, decidedBy: null, decidedAt: null });
        const again = await store.askApproval(lease, { ...question(turnId), askedAt: 500, expiresAt: 2_000 });
        assert.deepEqual(again, asked);
        await store.askApproval(lease, question(turnId, 'a0'));
        assert.deepEqual(
          (await store.listApprovals(turnId)).map(({ id }) => id),
          ['a1', 'a0'],
        );
        assert.equal(await store.readApproval('none'), undefined);
        await assert.rejects(store.askApproval({ ...lease, fence: lease.fence + 1 }, question(turnId, 'a2')), leaseLost);
      });

      it('are decided once, by the first, while their turn runs and their time lasts', async () => {
        await store.accept(inboundMessage(1));
        const { lease, turnId } = await claim(10);
        for (const id of ['a1', 'late', 'denied', 'gone']) await store.askApproval(lease, question(turnId, id));
        const both = await Promise.all([store.decideApproval('a1', approved(999)), store.decideApproval('a1', approved(998))]);
        assert.deepEqual(
          both.map((decided) => [decided?.isNew, decided?.record.outcome, decided?.record.decidedAt]),
          [
            [true, 'approved', 999],
            [false, 'approved', 999],
          ],
        );
        const late = await store.decideApproval('late', approved(1_000));
        assert.deepEqual([late?.isNew, late?.record.outcome, late?.record.decidedBy], [false, 'expired', null]);
        const denied = await store.decideApproval('denied', { outcome: 'denied', decidedBy: 'slack:U1', now: 20 });
        assert.deepEqual([denied?.isNew, denied?.record.outcome], [true, 'denied']);
        await store.cancelTurn(turnId);
        assert.equal((await store.decideApproval('gone', approved(20)))?.record.outcome, 'withdrawn');
        assert.equal(await store.decideApproval('none', approved(20)), undefined);
      });

      it('make their conversation due when a person decides: at once, or when it is given back', async () => {
        for (const isHeld of [false, true]) {
          const n = isHeld ? 2 : 1;
          await store.accept(inboundMessage(n, { conversationId: `c${n}` }));
          const { lease, turnId } = await claim(10);
          await store.askApproval(lease, question(turnId, `a${n}`));
          if (!isHeld) await store.release(lease, 900);
          assert.equal(await store.claim('w2', 20, LEASE_MS), undefined);
          await store.decideApproval(`a${n}`, approved(20));
          if (isHeld) {
            assert.equal(await store.claim('w2', 20, LEASE_MS), undefined, 'somebody holds it');
            await store.release(lease, 900);
          }
          const next = await claim(21);
          assert.equal(next.turnId, turnId);
          await store.release(next.lease, 900);
          assert.equal(await store.claim('w2', 22, LEASE_MS), undefined, 'once');
          await store.cancelTurn(turnId);
          await store.dropTurn((await claim(23)).lease, turnId);
        }
      });
    });

    it('keeps small settings by owner and name', async () => {
      assert.equal(await store.readSetting('u1', 'language'), undefined);
      await store.writeSetting('u1', 'language', { value: 'en' });
      await store.writeSetting('u1', 'language', { value: 'zh' });
      await store.writeSetting('u2', 'language', { value: 'en' });
      assert.deepEqual(await store.readSetting('u1', 'language'), { value: 'zh' });
      assert.deepEqual(await store.readSetting('u2', 'language'), { value: 'en' });
    });

    it('claims quickly behind a thousand finished turns', async () => {
      for (let n = 0; n < 1_000; n++) await store.accept(inboundMessage(n, { conversationId: `c${n % 50}` }));
      for (let n = 0; n < 1_000; n++) {
        const held = await claim(n);
        await store.finishTurn(held.lease, turnOf(held), []);
        await store.completeTurn(held.lease, held.turnId);
        await store.release(held.lease);
      }
      await store.accept(inboundMessage(9_000));
      const startedAt = performance.now();
      for (let n = 0; n < 100; n++) await store.nextDueAt(9_000);
      await claim(9_000);
      const elapsedMs = performance.now() - startedAt;
      assert.ok(elapsedMs < 100, `100 looks and one claim took ${elapsedMs} ms`);
    });
  });
};
