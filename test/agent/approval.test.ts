import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import type { Turn } from '../../agent/conversation.ts';
import type { Tool } from '../../agent/ports/tool.ts';
import { completesAll, type Provenance, sumOf } from '../../agent/provenance.ts';
import type { ApprovalDecision, ApprovalRequest } from '../../agent/run.ts';
import { turnOf as storedTurn } from '../memory/turns.ts';
import { callTurn, createMemoryJournal, createScriptedModel, turnOf } from './fakes.ts';
import { lastTool, setUp, toolOf } from './harness.ts';

const DONE = turnOf({ text: 'Done.' });

const asker = (decision: ApprovalDecision) => {
  const asked: ApprovalRequest[] = [];
  const approve = async (request: ApprovalRequest): Promise<ApprovalDecision> => {
    asked.push(request);
    return decision;
  };
  return { asked, approve };
};

const writer = (ran: unknown[], parts: Partial<Tool> = {}): Tool =>
  toolOf('file', async (args) => ran.push(args), {
    effect: 'write',
    parameters: z.object({ name: z.string(), copies: z.number().default(1) }),
    ...parts,
  });

describe('a tool that writes', () => {
  test('asks for each call with what it will be run with, defaults included and strangers left out', async () => {
    const ran: unknown[] = [];
    const { asked, approve } = asker('approved');
    const model = createScriptedModel(callTurn('file', { name: 'a', odd: true }), DONE);
    const tool = writer(ran, { describeCall: (args) => `Files ${(args as { name: string }).name}.` });
    await setUp(model, { tools: [tool], deps: { freeTools: [] }, input: { approve } }).run();
    assert.deepEqual(asked, [
      { id: 'turn-1:1:0', tool: 'file', words: 'Files a.', arguments: '{"copies":1,"name":"a"}', reason: 'tool' },
    ]);
    assert.deepEqual(ran, [{ name: 'a', copies: 1 }]);
  });

  test('is refused where nobody can be asked, denies, or decides in time, and the model is told which', async () => {
    const told: string[] = [];
    for (const decision of [undefined, 'unavailable', 'denied', 'expired'] as const) {
      const ran: unknown[] = [];
      const model = createScriptedModel(callTurn('file', { name: 'a' }), DONE);
      const input = decision === undefined ? {} : { approve: asker(decision).approve };
      await setUp(model, { tools: [writer(ran)], deps: { freeTools: [] }, input }).run();
      assert.deepEqual(ran, []);
      const { kind, did_it_happen, advice } = lastTool(model, 1) as Record<string, string>;
      assert.deepEqual([kind, did_it_happen], ['denied', 'no']);
      told.push(advice ?? '');
    }
    assert.match(told[0] ?? '', /nobody can be asked/);
    assert.equal(told[1], told[0]);
    assert.match(told[2] ?? '', /did not agree/);
    assert.match(told[3] ?? '', /nobody decided in time/);
  });

  test('needs nobody where the configuration names it, whatever it says of itself', async () => {
    const ran: unknown[] = [];
    const { asked, approve } = asker('denied');
    const model = createScriptedModel(callTurn('file', { name: 'a' }), DONE);
    const tool = writer(ran, { needsApproval: true });
    await setUp(model, { tools: [tool], deps: { freeTools: ['file'] }, input: { approve } }).run();
    assert.deepEqual([asked.length, ran.length], [0, 1]);
  });

  test('is not asked about when nobody could read all of it', async () => {
    const ran: unknown[] = [];
    const { asked, approve } = asker('approved');
    const model = createScriptedModel(callTurn('file', { name: 'x'.repeat(12_001) }), DONE);
    await setUp(model, { tools: [writer(ran)], deps: { freeTools: [] }, input: { approve } }).run();
    assert.deepEqual([asked.length, ran.length, (lastTool(model, 1) as { kind: string }).kind], [0, 0, 'too_large']);
  });

  test('is told to be unknown after a crash, and nobody is asked about it again', async () => {
    const { asked, approve } = asker('denied');
    const ran: unknown[] = [];
    const journal = createMemoryJournal([
      { key: 'model:1', value: callTurn('file', { name: 'a' }) as never },
      { key: 'begun:1:0', value: true },
    ]);
    const model = createScriptedModel(DONE);
    await setUp(model, { tools: [writer(ran)], deps: { freeTools: [] }, input: { approve, journal } }).run();
    assert.equal((lastTool(model, 0) as { did_it_happen: string }).did_it_happen, 'unknown');
    assert.deepEqual([asked, ran], [[], []]);
  });

  test('a refusal is kept for these arguments alone', async () => {
    const refused = { tool: 'file', arguments: '{"copies":1,"name":"a"}', decision: 'denied' };
    for (const [name, expected] of [
      ['a', 0],
      ['b', 1],
    ] as const) {
      const { asked, approve } = asker('denied');
      const journal = createMemoryJournal([
        { key: 'model:1', value: callTurn('file', { name }) as never },
        { key: 'approval:1:0', value: refused },
      ]);
      await setUp(createScriptedModel(DONE), { tools: [writer([])], deps: { freeTools: [] }, input: { approve, journal } }).run();
      assert.equal(asked.length, expected, name);
    }
  });
});

const BITS = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const flagsOf = (bits: number): Provenance => ({
  readsUntrusted: (bits & 1) > 0,
  readsSensitive: (bits & 2) > 0,
  changesState: (bits & 4) > 0,
});

describe('provenance', () => {
  test('of the 64 pairs of what was touched and what is asked for, those that end with all three need a person', () => {
    const needed = BITS.flatMap((before) =>
      BITS.filter((call) => completesAll(flagsOf(before), flagsOf(call))).map((call) => `${before}+${call}`),
    );
    // Bits: 1 text from outside, 2 private data, 4 a change. After 7 each further change counts, and nothing else.
    const expected = '0+7 1+6 1+7 2+5 2+7 3+4 3+5 3+6 3+7 4+3 4+7 5+2 5+3 5+6 5+7 6+1 6+3 6+5 6+7 7+4 7+5 7+6 7+7';
    assert.deepEqual(needed, expected.split(' '));
    for (const a of BITS) for (const b of BITS) assert.deepEqual(sumOf(flagsOf(a), flagsOf(b)), flagsOf(a | b));
  });

  const tools = BITS.map((bits) =>
    toolOf(`t${bits}`, async () => 'done', { ...flagsOf(bits), effect: (bits & 4) > 0 ? 'write' : 'read' }),
  );

  /** Which of the calls a person was asked about, in runs that make them one a step, in one step, and taken up after each. */
  const askedIn = async (names: readonly string[], way: 'steps' | 'one_step' | 'resumed'): Promise<readonly string[]> => {
    const { asked, approve } = asker('approved');
    const calls = names.map((name, n) => ({ name, arguments: JSON.stringify({ n }) }));
    const turns = way === 'one_step' ? [turnOf({ toolCalls: calls })] : calls.map((call) => turnOf({ toolCalls: [call] }));
    const journal = createMemoryJournal();
    const input = { approve, journal };
    await setUp(createScriptedModel(...turns, DONE), { tools, input }).run();
    if (way !== 'resumed') return asked.map(({ id }) => id);
    asked.length = 0;
    // The last call is made again by a life that finds the others in the journal.
    const kept = journal.entries.filter(({ key }) => !key.endsWith(`:${names.length}:0`) && key !== `model:${names.length + 1}`);
    await setUp(createScriptedModel(DONE), { tools, input: { approve, journal: createMemoryJournal(kept) } }).run();
    return asked.map(({ id }) => id);
  };

  test('all 512 runs of three calls ask about the call that brings the three together and each change after it', async () => {
    let asked = 0;
    for (const first of BITS)
      for (const second of BITS)
        for (const third of BITS) {
          let touched = 0;
          const expected = [first, second, third].map((bits) => {
            const isNew = (touched | bits) === 7 && (touched !== 7 || bits >= 4);
            touched |= bits;
            return isNew;
          });
          const names = [first, second, third].map((bits) => `t${bits}`);
          asked += expected.filter(Boolean).length;
          assert.deepEqual(
            await askedIn(names, 'steps'),
            expected.flatMap((isAsked, at) => (isAsked ? [`turn-1:${at + 1}:0`] : [])),
            names.join(' '),
          );
        }
    assert.equal(asked, 483, 'of 1,536 calls');
  });

  test('what was asked for in the same step, or before a restart, counts', async () => {
    assert.deepEqual(await askedIn(['t4', 't1', 't2'], 'one_step'), ['turn-1:1:2']);
    assert.deepEqual(await askedIn(['t1', 't2', 't4'], 'one_step'), ['turn-1:1:2']);
    assert.deepEqual(await askedIn(['t1', 't2', 't4'], 'resumed'), ['turn-1:3:0']);
    assert.deepEqual(await askedIn(['t1', 't1', 't4'], 'resumed'), []);
  });

  test('what earlier turns read counts, and so do other people; what they changed does not', async () => {
    const askedAfter = async (earlier: Partial<Turn>, call: string): Promise<boolean> => {
      const { asked, approve } = asker('approved');
      const history = [storedTurn('How long is the warranty?', 'Two years.', { userId: 'terminal:local', ...earlier })];
      await setUp(createScriptedModel(callTurn(call, {}), DONE), { tools, input: { approve, history } }).run();
      return asked.length > 0;
    };
    for (const before of BITS)
      for (const call of BITS)
        assert.equal(
          await askedAfter({ tools: [`t${before}`] }, `t${call}`),
          ((before & 3) | call) === 7,
          `t${before}, then t${call}`,
        );
    assert.equal(await askedAfter({ tools: [], userId: 'slack:U2' }, 't6'), true, 'another person wrote before');
    assert.equal(await askedAfter({ tools: ['t2'], userId: 'slack:U2' }, 't4'), true, 'and what was read for them counts');
    assert.equal(await askedAfter({ tools: [] }, 't6'), false, 'the asker wrote before');
    assert.equal(await askedAfter({ tools: ['gone'] }, 't4'), true, 'a tool that is no longer known');
  });

  test('a tool that does not say reads what strangers wrote, and a write changes something', async () => {
    const bare = toolOf('bare', async () => 'x', { effect: 'write' });
    const secret = toolOf('secret', async () => 'x', { readsSensitive: true, readsUntrusted: false });
    const { asked, approve } = asker('approved');
    const model = createScriptedModel(callTurn('secret', {}), callTurn('bare', {}), DONE);
    await setUp(model, { tools: [bare, secret], input: { approve } }).run();
    assert.deepEqual(
      asked.map(({ tool, reason }) => [tool, reason]),
      [['bare', 'provenance']],
    );
  });
});
