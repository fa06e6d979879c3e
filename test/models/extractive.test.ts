import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChatMessage } from '../../agent/messages.ts';
import type { ModelTurn } from '../../agent/ports/model-provider.ts';
import { PINS_HEAD } from '../../agent/recalled.ts';
import { textsFor } from '../../agent/texts.ts';
import { createExtractiveProvider } from '../../models/extractive.ts';

const TOOLS = ['search_knowledge', 'calculator'].map((name) => ({ name, description: '', parameters: {} }));
const ask = (...messages: readonly ChatMessage[]): Promise<ModelTurn> =>
  createExtractiveProvider().ask({ messages, tools: TOOLS }, { signal: new AbortController().signal });
const user = (content: string): ChatMessage => ({ role: 'user', content });
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content, toolCalls: [] });
const searched = (query: string, passages: readonly object[], documents = 1): readonly ChatMessage[] => [
  {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'call_1', name: 'search_knowledge', arguments: JSON.stringify({ query }) }],
  },
  { role: 'tool', callId: 'call_1', name: 'search_knowledge', content: JSON.stringify({ documents, passages }) },
];
const PARKING = {
  n: 1,
  title: 'Guests',
  heading: 'Parking',
  source: 'g.md',
  location: '',
  date: null,
  text: 'Parking costs 18 pounds.',
};

describe('the extractive model', () => {
  it('searches for the question', async () => {
    const turn = await ask(user('How much is parking?'));
    assert.deepEqual(turn.toolCalls, [{ name: 'search_knowledge', arguments: '{"query":"How much is parking?"}' }]);
  });

  it('searches for a follow-up with the question that it leans on', async () => {
    const turn = await ask(user('How much is parking in the garage?'), assistant('18 pounds.'), user('and for vans?'));
    assert.equal(turn.toolCalls[0]?.arguments, '{"query":"and for vans? How much is parking in the garage?"}');
  });

  it('hands arithmetic to the calculator', async () => {
    assert.deepEqual((await ask(user('What is 12 * 7?'))).toolCalls, [
      { name: 'calculator', arguments: '{"expression":"12 * 7"}' },
    ]);
  });

  it('shows a result with what was read, its unit, its day and what has to be said with it', async () => {
    const answerTo = async (result: object, question = 'x'): Promise<string> => {
      const calls = [{ id: 'call_1', name: 'calculator', arguments: '{"expression":"x"}' }];
      const content = JSON.stringify(result);
      return (
        await ask(
          user(question),
          { role: 'assistant', content: '', toolCalls: calls },
          { role: 'tool', callId: 'call_1', name: 'calculator', content },
        )
      ).text;
    };
    assert.equal(await answerTo({ ok: true, expression: '$5 * 2', value: '10', currency: '$' }), '$5 * 2 = **$10**');
    assert.equal(
      await answerTo({ ok: true, expression: '10 km in mi', value: '6.2137119223733396', rounded: '6.21371192237', unit: 'mi' }),
      '10 km in mi ≈ **6.21371192237 mi**',
    );
    assert.equal(
      await answerTo({ ok: true, expression: 'x', value: '2026-04-15', weekday: 'Wednesday', note: 'a note' }),
      'x = **2026-04-15 (Wednesday)**\n\n*a note*',
    );
    assert.equal(await answerTo({ ok: true, expression: '20 / 80 in %', value: '25', unit: '%' }), '20 / 80 in % = **25%**');
    assert.equal(
      await answerTo({ ok: false, kind: 'unit', reason: 'km and kg do not go together' }),
      'I cannot calculate this: km and kg do not go together.',
    );
    assert.equal(
      await answerTo({ ok: true, expression: '2026-04-15', value: '2026-04-15', weekday: 'Wednesday' }, '哪天'),
      '**2026-04-15 (星期三)**',
    );
    assert.equal(
      await answerTo({ ok: false, kind: 'division_by_zero', reason: 'division by zero' }, '等于多少'),
      '无法计算：除数不能为零（division by zero）。',
    );
  });

  it('quotes what supports the answer, and names the way to written answers once', async () => {
    const first = await ask(user('How much is parking?'), ...searched('How much is parking?', [PARKING]));
    assert.equal(first.text, `Parking costs 18 pounds. [1]\n\n*${textsFor('en').connectModel}*`);
    assert.equal(first.answered, true);
    const second = await ask(user('hi'), assistant('Hello.'), user('How much is parking?'), ...searched('q', [PARKING]));
    assert.equal(second.text, 'Parking costs 18 pounds. [1]');
  });

  it('answers from what was said earlier where no document does, with its date', async () => {
    const remembered = {
      date: '2026-01-02',
      said_by: 'Ada',
      where: 'slack:C1',
      kind: 'fact',
      text: 'Our fiscal year starts in April.',
    };
    const recalled: readonly ChatMessage[] = [
      { role: 'assistant', content: '', toolCalls: [{ id: 'recall_1', name: 'recall_memory', arguments: '{"query":"q"}' }] },
      { role: 'tool', callId: 'recall_1', name: 'recall_memory', content: JSON.stringify({ remembered: [remembered] }) },
    ];
    const question = user('When does our fiscal year start?');
    assert.equal((await ask(question, ...recalled)).toolCalls[0]?.name, 'search_knowledge');
    const answer = await ask(question, ...recalled, ...searched('a', [PARKING]), ...searched('b', [PARKING]));
    assert.equal(answer.text, 'Our fiscal year starts in April. (said on 2026-01-02)');
    assert.equal(answer.answered, true);
    const other = await ask(
      user('How long is the lunch break?'),
      ...recalled,
      ...searched('a', [PARKING]),
      ...searched('b', [PARKING]),
    );
    assert.equal(other.answered, false);
  });

  it('answers from a pin, and from what was said before in the conversation, where no document does', async () => {
    const prompt: ChatMessage = {
      role: 'system',
      content: `Rules.\n\n${PINS_HEAD}\n- The archive key is kept by the facility team.`,
    };
    const earlier = [user('Our fiscal year starts in April. Is it cold?'), assistant('The knowledge base does not answer this.')];
    const found = [...searched('a', [PARKING]), ...searched('b', [PARKING])];
    const pinned = await ask(prompt, ...earlier, user('Who keeps the archive key?'), ...found);
    assert.equal(pinned.text, 'The archive key is kept by the facility team. (pinned)');
    const said = await ask(prompt, ...earlier, user('When does our fiscal year start?'), ...found);
    assert.equal(said.text, 'Our fiscal year starts in April. (said earlier)');
    const asked = await ask(prompt, ...earlier, user('Is it cold?'), ...found);
    assert.equal(asked.answered, false);
  });

  it('searches once more with other words before it says that it does not know', async () => {
    const question = user('How much is a refund?');
    const first = await ask(question, ...searched('How much is a refund?', [PARKING]));
    assert.match(first.toolCalls[0]?.arguments ?? '', /money back/);
    const second = await ask(question, ...searched('a', [PARKING]), ...searched('b', [PARKING]));
    const { notKnown, nearestDocuments, whatWouldHelp } = textsFor('en');
    assert.equal(second.text, `${notKnown('')} ${nearestDocuments(['Guests'])} ${whatWouldHelp}`);
    assert.equal(second.answered, false);
  });

  it('says that an empty knowledge base is empty', async () => {
    assert.equal((await ask(user('How much is parking?'), ...searched('q', [], 0))).text, textsFor('en').knowledgeEmpty);
  });

  it('greets and takes thanks in the language of the asker', async () => {
    assert.equal((await ask(user('Hello!'))).text, textsFor('en').greeting);
    assert.equal((await ask(user('谢谢！'))).text, textsFor('zh').welcome);
  });

  it('answers both halves of a double question', async () => {
    const pool = { ...PARKING, n: 2, heading: 'Pool', text: 'The pool opens at 7:00.' };
    const { text } = await ask(
      user('hi'),
      assistant('Hello.'),
      user('How much is parking and when does the pool open?'),
      ...searched('a', [PARKING, pool]),
      ...searched('b', [PARKING, pool]),
    );
    assert.equal(text, 'Parking costs 18 pounds. [1]\n\nThe pool opens at 7:00. [2]');
  });

  it('quotes no marker that a document holds', async () => {
    const passage = { ...PARKING, text: 'Parking costs 18 pounds [3].' };
    const { text } = await ask(user('hi'), assistant('Hello.'), user('How much is parking?'), ...searched('q', [passage]));
    assert.equal(text, 'Parking costs 18 pounds. [1]');
  });
});
