import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { HELD_OUT } from '../../bench/database/held-out.ts';
import { PARAPHRASES, QUERIES } from '../../bench/database/questions.ts';
import { createQueryMatcher, type QueryCard } from '../../models/extractive-queries.ts';

const match = createQueryMatcher(QUERIES);
const TODAY = '2026-03-31';
const find = (question: string) => match(question, TODAY);

describe('a question and the named query that it asks for', () => {
  it('at least 0.9 of the paraphrases find their query with its parameters', () => {
    assert.equal(QUERIES.length, 30);
    assert.equal(PARAPHRASES.length, 60);
    const right = PARAPHRASES.filter(({ question, query, parameters }) => {
      const found = find(question);
      return found?.query === query && isDeepStrictEqual({ ...found.parameters }, { ...parameters });
    });
    assert.ok(right.length >= 54, `${right.length} of 60`);
  });

  it('at least 0.9 of the questions that were written without sight of it find theirs, and none another', () => {
    assert.equal(HELD_OUT.length, 90);
    const found = HELD_OUT.map(({ question, query, parameters }) => ({ found: find(question), query, parameters }));
    const right = found.filter(
      (one) => isDeepStrictEqual(one.found?.parameters, one.parameters) && one.found?.query === one.query,
    );
    assert.ok(right.length >= 81, `${right.length} of 90`);
    assert.deepEqual(
      found.filter((one) => one.found !== undefined && one.found.query !== one.query),
      [],
    );
  });

  it('other words for one thing are the same, and a word of asking adds no condition', () => {
    for (const question of ['How many residents has Chicago?', 'Tell me the population of Chicago', 'inhabitants of Chicago'])
      assert.deepEqual(find(question), { query: 'city_population', parameters: { city: 'Chicago' } }, question);
    assert.deepEqual(find('Which lakes are bigger than 2,500 km²?')?.parameters, { area: 2_500 });
    for (const question of ['What is the current population of Chicago?', 'How many old restaurants are there per city?'])
      assert.equal(find(question), undefined, question);
  });

  it('a condition that no parameter takes means that something else is asked', () => {
    assert.equal(find('How many restaurants are there per city?')?.query, 'restaurants_by_city');
    assert.equal(find('How many restaurants with parking are there per city?'), undefined);
    assert.equal(find('How many restaurants are there per city with more than 100 seats?'), undefined);
    assert.equal(find('How many restaurants called "Mario" are there per city?'), undefined);
    assert.equal(find('Which papers are cited most in Science fiction?'), undefined);
  });

  it('a parameter without a value and without a default is not guessed', () => {
    assert.equal(find('What is the population?'), undefined);
    assert.equal(find('What is the population of Chicago?')?.query, 'city_population');
    assert.equal(find('Who teaches?'), undefined);
  });

  it('one word in common is not enough, and a list does not count', () => {
    const shop = createQueryMatcher([
      {
        name: 'by_country',
        description: 'Number of orders by country of the customer',
        examples: ['Orders per country'],
        parameters: {},
      },
      {
        name: 'status',
        description: 'Status of an order',
        examples: ['Has order A-1 shipped?'],
        parameters: { number: { type: 'string' } },
      },
    ]);
    assert.equal(shop('orders by country', TODAY)?.query, 'by_country');
    assert.deepEqual(shop('What is the status of order A-77?', TODAY), { query: 'status', parameters: { number: 'A-77' } });
    for (const question of [
      'where is my order',
      'what country are you from',
      'How many orders shipped in April?',
      'How many orders did A-77 ship?',
    ])
      assert.equal(shop(question, TODAY), undefined, question);
  });

  it('two places are told apart by the word before them', () => {
    assert.deepEqual(find('Which flights go to Boston from Denver?')?.parameters, { from: 'Denver', to: 'Boston' });
    assert.deepEqual(find('Which flights go from Boston to Denver?')?.parameters, { from: 'Boston', to: 'Denver' });
  });

  it('days are read as people write them', () => {
    for (const [text, day] of [
      ['2026-03-01', '2026-03-01'],
      ['today', TODAY],
      ['yesterday', '2026-03-30'],
      ['March 5, 2025', '2025-03-05'],
      ['5 March 2025', '2025-03-05'],
      ['the 3rd April', '2026-04-03'],
    ]) {
      assert.deepEqual(find(`Which flights depart on ${text}?`), { query: 'flights_on_date', parameters: { day } }, text);
    }
    assert.equal(find('Which flights depart on 31 February 2026?'), undefined);
  });

  it('no text of any length or kind makes it throw or take long', () => {
    const startedAt = performance.now();
    for (const text of ['', '?', '"', '""', '🙂'.repeat(200), 'a'.repeat(399), '1 '.repeat(190), '\u0000', 'x'.repeat(100_000)])
      assert.equal(find(text), undefined);
    assert.ok(performance.now() - startedAt < 2_000);
    assert.equal(createQueryMatcher([])('Which flights?', TODAY), undefined);
    const hostile: QueryCard = { name: 'x', description: '', examples: ['', '"'], parameters: {} };
    assert.equal(createQueryMatcher([hostile])('How many restaurants?', TODAY), undefined);
  });
});
