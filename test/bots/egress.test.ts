import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Answer } from '../../agent/conversation.ts';
import { parseSafe, safeLine, safePartial, sanitiseAnswer } from '../../bots/egress.ts';
import { withSources } from '../../bots/egress-sources.ts';
import { cleanText } from '../../bots/egress-text.ts';
import { toDiscordMarkdown } from '../../bots/markdown-discord.ts';
import { toHtml } from '../../bots/markdown-html.ts';
import { toSlackMrkdwn } from '../../bots/markdown-slack.ts';
import { toTerminalText } from '../../bots/markdown-terminal.ts';

const outputs = (markdown: string): readonly string[] => {
  const tree = parseSafe(markdown, ['https://good.example/@everyone']);
  return [toSlackMrkdwn(tree), toDiscordMarkdown(tree), toTerminalText(tree, { colour: false, width: 0 }), toHtml(tree)];
};

const TOKENS = [
  '@everyone',
  '@here',
  '@channel',
  '<!channel>',
  '<!here>',
  '<!everyone>',
  '<!subteam^S123|@team>',
  '<!subteam^S123>',
  '<@U123>',
  '<@W123|bob>',
  '<@!42>',
  '<@42>',
  '<@&42>',
  '<#C123>',
  '@Everyone',
  '@HERE',
];
const SETTINGS = [
  'TOKEN',
  'hi TOKEN!',
  '**TOKEN**',
  '*TOKEN*',
  '`TOKEN`',
  '```\nTOKEN\n```',
  '> TOKEN',
  '- TOKEN',
  '# TOKEN',
  '| a |\n|---|\n| TOKEN |',
  '[TOKEN](https://x.example)',
  '![TOKEN](https://x.example/i.png)',
  '<b>TOKEN</b>',
  'x\u200bTOKEN',
  'aTOKENb',
  '\\TOKEN',
  '~~TOKEN~~',
  '1. TOKEN',
  '[a][b]\n\n[b]: TOKEN',
];
const ODD = [
  '@\u200beveryone',
  '@every\u200bone',
  '@\u00adhere',
  '&commat;everyone',
  '&#64;here',
  '@every**one**',
  '@every<b></b>one',
  '@every![one](x)',
  '@**everyone**',
  '\uff20everyone',
  '<\u200b@U1>',
  '&lt;!channel&gt;',
  '&lt;@U1&gt;',
  '<!date^1^{date}|x>',
  '\\<!channel\\>',
  '<<!channel>>',
  '<!<!channel>channel>',
  '<@<@U1>',
  '@@everyone',
  '@\u202eeveryone',
  'https://good.example/@everyone',
  '<@&<@&1>>',
  '@eve\u{e0072}ryone',
];

/** What Slack or Discord would notify somebody for. */
const PINGS = /@(?:everyone|here|channel)|<[@!#]|<(?:subteam)/iu;

test('none of the forms of a mention notifies anybody in any output', () => {
  const forms = [...TOKENS.flatMap((token) => SETTINGS.map((setting) => setting.replace('TOKEN', token))), ...ODD];
  assert.ok(forms.length >= 100);
  for (const form of forms) {
    for (const output of outputs(form))
      assert.doesNotMatch(output, PINGS, `${JSON.stringify(form)} gave ${JSON.stringify(output)}`);
    for (let length = 1; length <= form.length; length += 1) {
      assert.doesNotMatch(toDiscordMarkdown(safePartial(form.slice(0, length))), PINGS, form.slice(0, length));
    }
    assert.doesNotMatch(safeLine(form), PINGS, form);
  }
});

test('addresses and package names with an at sign are no mentions and stay', () => {
  assert.equal(toSlackMrkdwn(parseSafe('bob@acme.example uses `@acme/core`', [])), 'bob@acme.example uses `@acme/core`');
});

test('no code point of the invisible blocks survives alone or between letters', () => {
  const ranges: readonly (readonly [number, number])[] = [
    [0xe0000, 0xe007f],
    [0xfe00, 0xfe0f],
    [0xe0100, 0xe01ef],
    [0x200b, 0x200f],
    [0x202a, 0x202e],
    [0x2060, 0x206f],
    [0xfeff, 0xfeff],
    [0xad, 0xad],
    [0x61c, 0x61c],
    [0x0, 0x8],
    [0xb, 0xc],
    [0xe, 0x1f],
    [0x7f, 0x84],
    [0x86, 0x9f],
  ];
  for (const [from, to] of ranges) {
    for (let point = from; point <= to; point += 1) {
      const character = String.fromCodePoint(point);
      assert.equal(cleanText(`a${character}b`), 'ab', point.toString(16));
      for (const output of outputs(`a${character}b`)) assert.equal(output.includes(character), false, point.toString(16));
      for (const output of outputs(`x&#${point};y`))
        assert.equal(point > 0 && output.includes(character), false, point.toString(16));
    }
  }
});

test('emoji sequences stay whole', () => {
  for (const emoji of [
    '😀',
    '👍🏽',
    '👩‍💻',
    '👨‍👩‍👧‍👦',
    '🏳️‍🌈',
    '❤️‍🔥',
    '☺️',
    '1️⃣',
    '🇩🇪',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    '🧑🏾‍🤝‍🧑🏻',
    '©️',
    '🐻‍❄️',
    '🫱🏻‍🫲🏿',
  ]) {
    assert.equal(cleanText(`a${emoji}b`), `a${emoji}b`, emoji);
    assert.equal(toSlackMrkdwn(parseSafe(`Good ${emoji}!`, [])), `Good ${emoji}!`);
  }
  assert.equal(cleanText('a\u200db 😀\u200dx \u{1f3f4}\u{e0061}\u{e0062}'), 'ab 😀x \u{1f3f4}');
});

test('lone surrogates, line ends and terminal escapes are mended', () => {
  assert.equal(cleanText('a\ud83dz\u001b[31mred\r\nx\ry\u2028z'), 'a\ufffdz[31mred\nx\ny\nz');
});

test('cleaning twice is cleaning once, and leaves well-formed text', () => {
  const noise = fc.array(
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ud83d', '\u200d', '👩', '💻', '\ufe0f', '\u{e0067}', '🏴')),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(noise, (pieces) => {
      const once = cleanText(pieces.join(''));
      assert.equal(cleanText(once), once);
      assert.ok(once.isWellFormed());
    }),
    { numRuns: 2_000 },
  );
});

test('HTML of the input is never HTML of the output', () => {
  for (const html of [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<b onclick="x">hi</b>',
    '<a href="javascript:alert(1)">x</a>',
    '<style>*{}</style>',
    '"><svg/onload=alert(1)>',
    '<x-y z>',
    '<div>\n<p>hi</p>\n</div>',
  ]) {
    const output = toHtml(parseSafe(`before ${html} after\n\n${html}`, []));
    assert.match(output.replace(/<\/?p>|<br>/gu, ''), /^[^<>]*$/u, html);
  }
  assert.equal(toHtml(parseSafe('List<String> & "x"', [])), '<p>List&lt;String&gt; &amp; &quot;x&quot;</p>');
});

const answer: Answer = {
  text: 'Two years [1], see [the page](https://docs.acme.example/warranty) [7].',
  citations: [
    {
      n: 1,
      title: 'Warranty',
      source: 'warranty.md',
      quote: 'Two years.\nAsk acme.example or <@U1>.',
      chunkId: 'c1',
      headingPath: ['Warranty', 'Dealers'],
      location: 'page 3',
      date: '2026-01-02',
    },
  ],
  answered: true,
  stopReason: 'answered',
  allowedLinks: ['https://docs.acme.example/warranty'],
  fallback: false,
};

test('an answer is shown with its sources, numbers, place and date in the words of its language', () => {
  const safe = sanitiseAnswer(answer);
  assert.equal(
    toTerminalText(withSources(safe, { language: 'en', withQuotes: true }), { colour: false, width: 0 }),
    [
      'Two years [1], see the page (https://docs.acme.example/warranty) [7].',
      '',
      'Sources',
      '',
      '[1] Warranty › Dealers (page 3, as of 2026-01-02) — warranty.md',
      '',
      '│ Two years. Ask acme.example or <＠U1>.',
    ].join('\n'),
  );
  assert.equal(
    toSlackMrkdwn(withSources(safe, { language: 'zh', withQuotes: false })),
    'Two years [1], see <https://docs.acme.example/warranty|the page> [7].\n\n*来源*\n\n[1] Warranty › Dealers (page 3, 截至 2026-01-02) — warranty.md',
  );
});

test('a quote that the answer holds word for word is not repeated below it', () => {
  const safe = sanitiseAnswer({
    ...answer,
    text: 'The rule is: two **years**\nfrom delivery. [1]',
    citations: answer.citations.map((each) => ({ ...each, quote: 'two years from delivery.' })),
  });
  assert.equal(
    toTerminalText(withSources(safe, { language: 'en', withQuotes: true }), { colour: false, width: 0 })
      .split('\n')
      .at(-1),
    '[1] Warranty › Dealers (page 3, as of 2026-01-02) — warranty.md',
  );
});

test('only numbers that are cited become markers', () => {
  assert.match(
    toHtml(sanitiseAnswer(answer).tree),
    /^<p>Two years <button type="button" class="cite" data-n="1">1<\/button>, see <a [^>]+>the page<\/a> \[7\]\.<\/p>$/u,
  );
});

test('an answer that holds nothing to show is not empty', () => {
  assert.equal(toSlackMrkdwn(sanitiseAnswer({ ...answer, text: '\u200b', citations: [] }).tree), '…');
});

test('an answer that a fallback wrote says so, above its sources', () => {
  const safe = sanitiseAnswer({ ...answer, text: 'Two years [1].', fallback: true });
  assert.equal(
    toTerminalText(withSources(safe, { language: 'en', withQuotes: false }), { colour: false, width: 0 })
      .split('\n\n')
      .slice(0, 3)
      .join('\n'),
    'Two years [1].\nThe language model cannot be reached; this answer quotes the documents instead.\nSources',
  );
});
