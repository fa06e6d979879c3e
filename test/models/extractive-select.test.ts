import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FoundPassage } from '../../models/extractive-candidates.ts';
import { wantedOf } from '../../models/extractive-follow-up.ts';
import { selectExcerpts } from '../../models/extractive-select.ts';

const passage = (text: string, parts: Partial<FoundPassage> = {}): FoundPassage => ({
  n: 1,
  title: 'Guest information',
  heading: '',
  location: '',
  date: null,
  text,
  ...parts,
});
const select = (question: string, passages: readonly FoundPassage[], context: readonly string[] = []) =>
  selectExcerpts(wantedOf(question, context), passages).excerpts.map(({ n, text }) => [n, text]);

describe('the excerpts of an answer', () => {
  it('are a short paragraph whole, under the heading that names the subject', () => {
    const pets = passage('Dogs cost 12 pounds a night. They stay out of the restaurant.', { heading: 'Pets' });
    const pool = passage('The pool is open from 7 am.', { n: 2, heading: 'Pool' });
    assert.deepEqual(select('How much is it for a dog?', [pool, pets]), [[1, pets.text]]);
  });

  it('begin with a sentence that says what the subject is, before one that only mentions it', () => {
    const mention = passage('Members can extend the membership by 6 months.', { heading: 'Extension' });
    const statement = passage('The membership for adults is 12 months.', { n: 2, heading: 'Terms' });
    assert.deepEqual(select('How long is the membership?', [mention, statement])[0], [2, statement.text]);
  });

  it('are a list with the line that introduces it', () => {
    const text = 'You can connect:\n\n- Postgres\n- Snowflake\n\nSupport helps.';
    assert.deepEqual(select('Which databases can I connect?', [passage(text, { heading: 'Databases' })]), [
      [1, 'You can connect:\n\n- Postgres\n- Snowflake'],
    ]);
  });

  it('are a row by its columns, the row that names the thing', () => {
    const row = (n: number, name: string, price: string): FoundPassage =>
      passage(`Item: ${name}\nPrice: ${price}\n${name},${price}`, { n, title: 'prices', location: `row ${n}` });
    assert.deepEqual(select('price of the keyboard', [row(1, 'Mouse', '$9'), row(2, 'Keyboard', '$30')]), [
      [2, 'Item: Keyboard · Price: $30'],
    ]);
  });

  it('are a table whole where it is short, and the row alone where it is long', () => {
    const header = 'Room | Price | Bed';
    const rows = ['Sparrow | 90 pounds | single', 'Heron | 140 pounds | double'];
    const short = passage([header, ...rows].join('\n'), { heading: 'Rooms' });
    assert.deepEqual(select('What does the Heron room cost?', [short]), [[1, short.text]]);
    const many = Array.from({ length: 30 }, (_, n) => `Annex ${n} | 60 pounds | bunk bed`);
    const long = passage([header, ...many, ...rows].join('\n'), { heading: 'Rooms' });
    assert.deepEqual(select('What does the Heron room cost?', [long]), [[1, rows[1]]]);
    assert.deepEqual(select('What does the Osprey room cost?', [long]), []);
  });

  it('are none where the question is of another year', () => {
    const fees = passage('The parking fee is 12 pounds a day.', { heading: 'Parking' });
    assert.deepEqual(select('How much is the parking fee a day?', [fees]), [[1, fees.text]]);
    assert.deepEqual(select('How much was the parking fee a day in 2019?', [fees]), []);
  });

  it('are none where a name that was asked about is absent', () => {
    const codes = passage('E2: clean the sensor.', { heading: 'Error codes' });
    assert.deepEqual(select('What does error code E9 mean?', [codes]), []);
    assert.deepEqual(select('What does error code E2 mean?', [codes]), [[1, 'E2: clean the sensor.']]);
  });

  it('are none where the subject is another one', () => {
    assert.deepEqual(select('Is there a massage?', [passage('The garage has 40 spaces.')]), []);
  });

  it('are of the product that was named and not of its variant', () => {
    const one = passage('重量：6.8 kg', { n: 1, title: 'X1 说明书', heading: '规格' });
    const pro = passage('重量：9.4 kg', { n: 2, title: 'X1 Pro 说明书', heading: '规格' });
    assert.deepEqual(select('X1 的重量是多少', [pro, one]), [[1, '重量：6.8 kg']]);
    assert.deepEqual(select('X1 Pro 的重量是多少', [one, pro]), [[2, '重量：9.4 kg']]);
  });

  it('read a misspelt word as the one of the passages', () => {
    assert.deepEqual(select('is the helicoptr free', [passage('The helicopter is free.')]), [[1, 'The helicopter is free.']]);
  });

  it('are the newer of two that say the same as well', () => {
    const old = passage('Parking costs 10 pounds.', { n: 1, date: '2024-01-01' });
    const current = passage('Parking costs 18 pounds.', { n: 2, date: '2026-01-01' });
    assert.equal(select('How much is parking?', [current, old])[0]?.[0], 2);
  });

  it('of a follow-up hold its own words and its context', () => {
    const leave = passage('Employees get 28 days of leave.\n\nTrainees get 30 days of leave.', { heading: 'Leave' });
    const context = ['How many days of leave do employees get?'];
    assert.deepEqual(select('and trainees?', [leave], context), [[1, 'Trainees get 30 days of leave.']]);
    assert.deepEqual(select('and astronauts?', [leave], context), []);
  });
});
