import assert from 'node:assert/strict';
import test from 'node:test';
import { leadingMention, mentionedUsers, mentionsUser, plainText, rawText } from '../../bots/slack/text.ts';

const names = new Map([['U2', 'Bo']]);
const read = (raw: string): string => plainText(raw, { botUserId: 'U1', nameOf: (id) => names.get(id) });

test('entities are decoded once, after tokens were read', () => {
  assert.equal(read('a &lt; b &amp;&amp; c &gt; d &amp;lt;'), 'a < b && c > d &lt;');
  assert.equal(read('&lt;@U2&gt; &lt;!channel&gt;'), '<@U2> <!channel>');
});

test('the assistant’s mention goes, others become names', () => {
  assert.equal(read('<@U1> hello <@U2>, <@U3> and <@W4|carl>'), 'hello @Bo, @U3 and @carl');
  assert.equal(read('hello <@U1|threadwise>'), 'hello');
});

test('channels, groups, broadcasts and dates become what a reader sees', () => {
  assert.equal(
    read('<#C1|general> <#C2> <!subteam^S1|@team> <!subteam^S1> <!here> <!channel|channel> <!date^1700000000^{date}|14 Nov>'),
    '#general #C2 @team @subteam @here channel 14 Nov',
  );
});

test('links keep their address, labels stand before it', () => {
  assert.equal(
    read('<https://a.example/x?a=1&amp;b=2> <https://a.example|the page> <mailto:a@b.example|a@b.example>'),
    'https://a.example/x?a=1&b=2 the page (https://a.example) a@b.example',
  );
});

test('mentions are exact ids in tokens, never text', () => {
  assert.deepEqual(mentionedUsers('<@U1> <@U12> <@U1|x> &lt;@U9&gt; @U8 u@u7.example'), ['U1', 'U12']);
  assert.equal(mentionsUser('<@U12> hi', 'U1'), false);
  assert.equal(leadingMention(' <@U2|bo> hi <@U3>'), 'U2');
  assert.equal(leadingMention('hi <@U2>'), undefined);
});

test('text is taken from blocks where it stands only there; tables and forwarded messages are added', () => {
  const cell = (text: string) => ({ type: 'raw_text', text });
  const table = {
    type: 'table',
    rows: [
      [cell('part'), cell('price')],
      [cell('A&B'), cell('3')],
    ],
  };
  assert.equal(rawText({ blocks: [table] }), 'part | price\nA&amp;B | 3');
  assert.equal(read(rawText({ text: 'what is this?', blocks: [table] })), 'what is this?\npart | price\nA&B | 3');
  assert.equal(
    rawText({
      text: 'and this?',
      attachments: [
        { is_share: true, text: 'forwarded words', fallback: 'f' },
        { from_url: 'https://a.example', text: 'a preview' },
      ],
    }),
    'and this?\nforwarded words',
  );
  assert.equal(rawText({ blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'in a section' } }] }), 'in a section');
});

test('missing and malformed content is no text', () => {
  for (const content of [{}, { text: 3 }, { blocks: 'x' }, { blocks: [null, 3, { type: 'unknown' }] }, { attachments: [null] }]) {
    assert.equal(rawText(content), '');
  }
  let nested: unknown = { type: 'text', text: 'deep' };
  for (let depth = 0; depth < 10_000; depth += 1) nested = { type: 'rich_text_section', elements: [nested] };
  assert.equal(rawText({ blocks: [{ type: 'rich_text', elements: [nested] }] }), '');
});

test('the time for a text grows with its length alone', () => {
  for (const text of [
    ' '.repeat(100_000),
    '<'.repeat(100_000),
    '<@U1'.repeat(25_000),
    'a\t'.repeat(50_000),
    `<${'a'.repeat(100_000)}`,
  ]) {
    const startedAt = performance.now();
    read(`x${text}y`);
    mentionedUsers(text);
    leadingMention(text);
    assert.ok(performance.now() - startedAt < 500, text.slice(0, 5));
  }
  assert.equal(read('one  \t \ntwo '), 'one\ntwo');
});
