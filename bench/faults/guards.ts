/** Bugs of runs that do not end: what repeats, what alternates, what is never enough. */
import assert from 'node:assert/strict';
import { NO_BUDGETS } from '../../agent/budget.ts';
import { AppError } from '../../agent/errors.ts';
import type { ModelPolicy } from '../../simulator/model-policy.ts';
import type { ScriptedReply } from '../../simulator/model-script.ts';
import { call, calls, createMemoryJournal, type FaultCase, note } from './rig.ts';

/** Asks for the next call as long as it may, whatever it reads. */
const endless =
  (next: (step: number) => ScriptedReply, withoutTools: ScriptedReply = { text: 'Here is what I have.' }): ModelPolicy =>
  ({ messages, tools = [] }) =>
    tools.length > 0 ? next(messages.filter(({ role }) => role === 'assistant').length) : withoutTools;

/** Far beyond what a run may take: whatever ends it is the guard, not the step limit. */
const MANY = { steps: 30 };

export const GUARD_CASES: readonly FaultCase[] = [
  {
    id: 'B16',
    what: 'an unknown tool for ever, under changing arguments',
    run: async ({ ask, simulator }) => {
      simulator.setPolicy(endless((step) => calls(call('frobnicate', { x: step }))));
      const { answer, requests } = await ask([], { limits: MANY });
      assert.ok(requests.length <= 8, `${requests.length} requests`);
      assert.match(answer.text, /Here is what I have\./u);
    },
  },
  {
    id: 'B17',
    what: 'the same call for ever, even when no tools are offered',
    run: async ({ ask, simulator }) => {
      simulator.setPolicy(endless(() => note('again'), note('again')));
      const { answer, ran, requests } = await ask([], { limits: MANY });
      assert.ok(ran.length <= 3, `the call ran ${ran.length} times`);
      assert.ok(requests.length <= 8, `${requests.length} requests`);
      assert.equal(answer.answered, false);
    },
  },
  {
    id: 'B18',
    what: 'two calls by turns, and a call under changing arguments with the same result',
    run: async ({ ask, simulator, tool }) => {
      const tools = [tool('note', () => 'nothing found'), tool('look', () => 'nothing here')];
      simulator.setPolicy(endless((step) => calls(call(step % 2 === 0 ? 'note' : 'look', { x: 'a' }))));
      const turns = await ask([], { limits: MANY, tools });
      assert.ok(turns.requests.length <= 12, `alternating: ${turns.requests.length} requests`);
      simulator.setPolicy(endless((step) => note(`try ${step}`)));
      const changing = await ask([], { limits: MANY, tools });
      assert.ok(changing.requests.length <= 12, `changing arguments: ${changing.requests.length} requests`);
    },
  },
  {
    id: 'B19',
    what: 'the loop outlives what the window drops',
    run: async ({ ask, simulator, tool }) => {
      simulator.setPolicy(endless(() => note('again')));
      const { ran } = await ask([], { windowTokens: 1_500, tools: [tool('note', () => 'word '.repeat(8_000))] });
      assert.ok(ran.length <= 3, `the call ran ${ran.length} times`);
    },
  },
  {
    id: 'B21',
    what: 'a run without an end in steps, time, tokens, or after its lease is lost',
    run: async ({ ask, simulator, tool }) => {
      const tools = [tool('note', (x) => `something new of ${x}`)];
      simulator.setPolicy(endless((step) => note(`part ${step}`)));
      const steps = await ask([], { tools });
      assert.ok(steps.requests.length <= 10, `${steps.requests.length} requests`);

      simulator.setPolicy(endless((step) => ({ ...note(`part ${step}`), delayMs: 25_000 })));
      const time = await ask([], { tools });
      assert.ok(time.tookMs < 140_000, `the run took ${Math.round(time.tookMs / 1000)} s`);

      const used = { prompt_tokens: 9_000, completion_tokens: 1_000 };
      simulator.setPolicy(endless((step) => ({ ...note(`part ${step}`), usage: used })));
      const tokens = await ask([], { tools, limits: MANY, budgets: { ...NO_BUDGETS, run: { tokens: 30_000 } } });
      assert.ok(tokens.requests.length <= 3, `${tokens.requests.length} requests of 10,000 tokens against a budget of 30,000`);
      assert.equal(tokens.answer.answered, false);

      simulator.setPolicy(endless((step) => note(`part ${step}`)));
      const before = simulator.requests.length;
      const journal = {
        ...createMemoryJournal(),
        write: async () => {
          throw new AppError('lease_lost', 'Another worker has the conversation.');
        },
      };
      await assert.rejects(ask([], { tools, input: { journal } }), { code: 'lease_lost' });
      assert.equal(simulator.requests.length - before, 1);
    },
  },
];
