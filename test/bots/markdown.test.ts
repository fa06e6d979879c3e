import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSafe } from '../../bots/egress.ts';
import { toDiscordMarkdown } from '../../bots/markdown-discord.ts';
import { toHtml } from '../../bots/markdown-html.ts';
import { toSlackMrkdwn } from '../../bots/markdown-slack.ts';
import { displayWidth } from '../../bots/markdown-table.ts';
import { toTerminalText } from '../../bots/markdown-terminal.ts';

const LINK = 'https://docs.acme.example/a?b=1&c=2';
const SAMPLE = `# Title

Some **bold**, *soft*, ~~old~~ and \`code\` with [a link](${LINK}) [1].

- one
- two
  1. deep
- [x] done

> quoted
> line

\`\`\`ts
const a = b < c;
\`\`\`

| name | 数量 |
|:-----|----:|
| 苹果 | 12 |
| pear | 3 |

---

end`;

const tree = parseSafe(SAMPLE, [LINK], [1]);

test('Slack gets its own marks, escaped text and a monospace table', () => {
  assert.equal(
    toSlackMrkdwn(tree),
    `*Title*

Some *bold*, _soft_, ~old~ and \`code\` with <https://docs.acme.example/a?b=1&amp;c=2|a link> [1].

• one
• two
    1. deep
☑ done

> quoted
> line

\`\`\`
const a = b &lt; c;
\`\`\`

\`\`\`
name  数量
----  ----
苹果    12
pear     3
\`\`\`

———

end`,
  );
});

test('Discord gets Markdown of its own kind, with links that make no preview', () => {
  assert.equal(
    toDiscordMarkdown(tree),
    `# Title

Some **bold**, *soft*, ~~old~~ and \`code\` with [a link](<${LINK}>) [1].

- one
- two
  1. deep
☑ done

> quoted
> line

\`\`\`ts
const a = b < c;
\`\`\`

\`\`\`
name  数量
----  ----
苹果    12
pear     3
\`\`\`

———

end`,
  );
});

test('a terminal gets wrapped plain text, and colours only where wanted', () => {
  assert.equal(
    toTerminalText(parseSafe('Some **bold** words that go on', []), { colour: false, width: 20 }),
    'Some bold words that\ngo on',
  );
  assert.equal(
    toTerminalText(parseSafe('**b** [1]', [], [1]), { colour: true, width: 0 }),
    '\u001b[1mb\u001b[22m \u001b[33m[1]\u001b[39m',
  );
  assert.equal(
    toTerminalText(parseSafe('这是一个很长的中文句子没有空格', []), { colour: false, width: 20 }),
    '这是一个很长的中文句\n子没有空格',
  );
});

test('a page gets escaped HTML with markers as buttons and a real table', () => {
  const html = toHtml(tree);
  assert.ok(
    html.startsWith(
      '<h3>Title</h3><p>Some <strong>bold</strong>, <em>soft</em>, <s>old</s> and <code>code</code> with <a href="https://docs.acme.example/a?b=1&amp;c=2" target="_blank" rel="noopener noreferrer nofollow">a link</a> <button type="button" class="cite" data-n="1">1</button>.</p>',
    ),
  );
  assert.ok(
    html.includes(
      '<ul><li>one</li><li>two<ol><li>deep</li></ol></li><li>☑ done</li></ul><blockquote><p>quoted<br>line</p></blockquote>',
    ),
  );
  assert.ok(html.includes('<pre tabindex="0"><code data-language="ts">const a = b &lt; c;</code></pre>'));
  assert.ok(html.includes('<th class="right">数量</th></tr></thead><tbody><tr><td class="left">苹果</td>'));
});

test('Slack shows no stray marks where it would not format, as inside a Chinese sentence', () => {
  assert.equal(toSlackMrkdwn(parseSafe('这是**重点**内容，**对**。', [])), '这是重点内容，*对*。');
});

test('text that looks like markup on a platform stays text there', () => {
  assert.equal(
    toDiscordMarkdown(parseSafe('2 \\* 3 \\* 4, snake_case_name, \\# no heading', [])),
    '2 \\* 3 \\* 4, snake\\_case\\_name, # no heading',
  );
  assert.equal(toDiscordMarkdown(parseSafe('\\# no heading', [])), '\\# no heading');
  assert.equal(toSlackMrkdwn(parseSafe('a < b && c > d', [])), 'a &lt; b &amp;&amp; c &gt; d');
});

test('a fence inside code does not end the block', () => {
  const nested = parseSafe('````md\n```js\nx\n```\n````', []);
  assert.equal(toDiscordMarkdown(nested), "```md\n'''js\nx\n'''\n```");
  assert.equal(toSlackMrkdwn(nested), "```\n'''js\nx\n'''\n```");
});

test('widths count wide characters twice and joined emoji once', () => {
  assert.deepEqual(['abc', '数量', '👩‍💻', 'é', 'ｱ', '한글'].map(displayWidth), [3, 4, 2, 1, 1, 4]);
});

test('a citation marker stays one even where the text defines its number', () => {
  assert.equal(toSlackMrkdwn(parseSafe('Two years [1].\n\n[1]: https://evil.example', [], [1])), 'Two years [1].');
});
