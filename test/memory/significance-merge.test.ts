import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contradicts } from '../../memory/significance-contradiction.ts';
import { isSameObservation } from '../../memory/significance-merge.ts';

const SAME: readonly (readonly [string, string])[] = [
  ['We decided to use Postgres for billing.', 'We have decided to use Postgres for the billing.'],
  ['The quota is 1,000 requests.', 'the quota is 1000 requests'],
  ['The trial lasts eight days.', 'The trial lasts 8 days.'],
  ['Karis prefers weekly updates as bullet points.', 'Karis preferred weekly updates as bullet points'],
  ['The new intern works in the Ghent warehouse.', 'The new intern works there in the Ghent warehouse.'],
  ['Unser Geschäftsjahr beginnt im April.', 'unser Geschäftsjahr beginnt im April!'],
  ['Die Testphase dauert acht Tage.', 'Die Testphase dauert 8 Tage.'],
  ['我们的财年从四月开始。', '我们的财年从四月开始'],
  ['会议在3月15日举行。', '会议在三月15日举行。'],
];

const APART: readonly (readonly [string, string])[] = [
  ['The deadline is March 15.', 'The deadline is March 16.'],
  ['The deadline is in March.', 'The deadline is in April.'],
  ['Karis prefers bullet points.', 'Karis does not prefer bullet points.'],
  ['Karis prefers bullet points over long paragraphs.', 'Karis prefers long paragraphs over bullet points.'],
  ['The server room is in Berlin.', 'The server room is in Munich.'],
  ['The shop opens at 9.', 'The shop closes at 9.'],
  ['Approved for staging.', 'Approved only for staging.'],
  ['Lena drinks tea in the morning.', 'Lena drinks coffee in the morning.'],
  ['The report goes out before the meeting.', 'The report goes out after the meeting.'],
  ['The feature is enabled for guests.', 'The feature is disabled for guests.'],
  ['Anna leads sales.', 'Anna leads enterprise sales.'],
  ['Unser Geschäftsjahr beginnt im April.', 'Unser Geschäftsjahr endet im April.'],
  ['Die Frist ist der 15. März.', 'Die Frist ist der 22. März.'],
  ['Anna mag Tee.', 'Anna mag keinen Tee.'],
  ['我们的财年从四月开始。', '我们的财年从五月开始。'],
  ['她喜欢喝茶。', '她不喜欢喝茶。'],
  ['仓库早上开门。', '仓库早上关门。'],
];

test('the same statement in other words is one observation, whichever came first', () => {
  for (const [a, b] of SAME) {
    assert.ok(isSameObservation({ text: a }, { text: b }), `${a} | ${b}`);
    assert.ok(isSameObservation({ text: b }, { text: a }), `${b} | ${a}`);
  }
});

test('another number, name, negation, order or turning word keeps two apart', () => {
  for (const [a, b] of APART) {
    assert.ok(!isSameObservation({ text: a }, { text: b }), `${a} | ${b}`);
    assert.ok(!isSameObservation({ text: b }, { text: a }), `${b} | ${a}`);
  }
});

test('the same words of two people are two observations', () => {
  const text = 'I prefer tea in the morning.';
  assert.ok(isSameObservation({ text, subject: 'Ada' }, { text, subject: 'ada' }));
  assert.ok(!isSameObservation({ text, subject: 'Ada' }, { text, subject: 'Bo' }));
  assert.ok(isSameObservation({ text, subject: 'Ada' }, { text }));
});

/** Newer, then older. */
const CLOSES: readonly (readonly [string, string])[] = [
  ['The deadline is now March 22.', 'The deadline is March 15.'],
  ['The deadline was moved to March 22.', 'The deadline is March 15.'],
  ['The deadline is March 22.', 'The deadline is March 15.'],
  ['Our CEO is Ben Foster.', 'Our CEO is Anna Lind.'],
  ['I live in Leeds now.', 'I live in Porto.'],
  ['Rack A has 5 nodes.', 'Rack A has 3 nodes.'],
  ['We switched the billing service from MySQL to Postgres.', 'The billing service runs on MySQL.'],
  ['We use Postgres instead of MySQL for billing.', 'We use MySQL for billing.'],
  ['We no longer use MySQL.', 'We use MySQL.'],
  ['Karis prefers long paragraphs over bullet points.', 'Karis prefers bullet points over long paragraphs.'],
  ['Ren does not attend the meeting.', 'Ren attends the meeting.'],
  ['The feature flag is disabled.', 'The feature flag is enabled.'],
  ['The plan costs 20 euros.', 'The plan costs 15 euros.'],
  ['Die Frist ist jetzt der 22. März.', 'Die Frist ist der 15. März.'],
  ['Die Frist wurde auf den 22. März verschoben.', 'Die Frist ist der 15. März.'],
  ['Ich wohne jetzt in Leeds.', 'Ich wohne in Porto.'],
  ['Wir sind für die Abrechnung von MySQL auf Postgres umgestiegen.', 'Die Abrechnung läuft auf MySQL.'],
  ['Das Lager schließt um 19 Uhr.', 'Das Lager schließt um 18 Uhr.'],
  ['Ren nimmt nicht teil.', 'Ren nimmt teil.'],
  ['截止日期改为3月22日。', '截止日期是3月15日。'],
  ['截止日期现在是3月22日。', '截止日期是3月15日。'],
  ['我们的财年从五月开始。', '我们的财年从四月开始。'],
  ['她不喜欢喝茶了。', '她喜欢喝茶。'],
  ['我现在住在上海。', '我住在北京。'],
  ['计费服务从 MySQL 迁移到 Postgres。', '计费服务用的是 MySQL。'],
  ['仓库七点关门。', '仓库六点关门。'],
];

const BOTH_HOLD: readonly (readonly [string, string])[] = [
  ['The kickoff is March 22.', 'The deadline is March 15.'],
  ['Anna is a mother.', 'Anna is a designer.'],
  ['The office is quiet.', 'The office is big.'],
  ['We sold 40 units in June.', 'We sold 30 units in May.'],
  ['Rack B has 5 nodes.', 'Rack A has 3 nodes.'],
  ['We switched the billing service from MySQL to Postgres.', 'MySQL backups run nightly.'],
  ['Karis prefers emails.', 'Karis prefers short stand-ups.'],
  ['The premium plan costs 20 euros.', 'The basic plan costs 15 euros.'],
  ['The deadline is March 15.', 'The deadline is March 15.'],
  ['We use Postgres instead of MySQL for billing. It is faster.', 'We use Postgres instead of MySQL for billing.'],
  ['Lunch is at noon.', 'We no longer use MySQL.'],
  ['Das Lager öffnet um 8 Uhr.', 'Das Lager schließt um 18 Uhr.'],
  ['Anna ist eine Mutter.', 'Anna ist eine Designerin.'],
  ['Die Premium-Stufe kostet 20 Euro.', 'Die Basis-Stufe kostet 15 Euro.'],
  ['开会日期是3月22日。', '截止日期是3月15日。'],
  ['她喜欢咖啡。', '她喜欢喝茶。'],
  ['仓库八点开门。', '仓库六点关门。'],
];

test('another value of the same attribute closes the older statement', () => {
  for (const [newer, older] of CLOSES) assert.ok(contradicts({ text: newer }, { text: older }), `${newer} | ${older}`);
});

test('another attribute, another thing or an event closes nothing', () => {
  for (const [newer, older] of BOTH_HOLD) {
    assert.ok(!contradicts({ text: newer }, { text: older }), `${newer} | ${older}`);
    assert.ok(!contradicts({ text: older }, { text: newer }), `${older} | ${newer}`);
  }
});

test('what another person says of themselves closes nothing', () => {
  const [newer, older] = [{ text: 'I live in Leeds.' }, { text: 'I live in Porto.' }];
  assert.ok(contradicts({ ...newer, subject: 'Ada' }, { ...older, subject: 'Ada' }));
  assert.ok(!contradicts({ ...newer, subject: 'Ada' }, { ...older, subject: 'Bo' }));
});

test('empty, broken and very long texts are told apart without a fault', () => {
  const long = { text: 'the deadline is March 15 and '.repeat(20_000) };
  for (const odd of [{ text: '' }, { text: '\ud800' }, { text: '。' }, { text: '($&)' }, long]) {
    assert.ok(isSameObservation(odd, odd));
    assert.ok(!contradicts(odd, odd));
    assert.ok(!isSameObservation(odd, { text: 'The plan costs 20 euros.' }));
    assert.ok(!contradicts(odd, { text: 'The plan costs 20 euros.' }));
  }
});
