import assert from 'node:assert/strict';
import test from 'node:test';
import { clientOf, closing, startSlack } from './slack-bench.ts';

test('a thread is rendered as it was received, with nothing in it that runs', async () => {
  const slack = await startSlack();
  await using _ = closing(slack);
  const person = slack.addUser({ displayName: 'Ada <script>' }).id;
  const room = slack.addChannel({ name: 'support', members: [slack.botUserId, person] }).id;
  const root = slack.mention(room, person, 'How long is the &lt;warranty&gt; &amp; why? <img src=x onerror=alert(1)>');
  await clientOf(slack).chat.postMessage({
    channel: room,
    thread_ts: root,
    text: 'preview',
    blocks: [
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          text: '*24 months* [1] and `a_b_c` <https://a.example/?x=1&amp;y=2|the page>\n> quoted &lt;b&gt;\n```\nif (a &lt; b) *x*\n```',
        },
      },
      { type: 'actions', elements: [{ type: 'button', action_id: 'up', text: { type: 'plain_text', text: '👍 Helpful' } }] },
    ],
  });
  slack.say(room, person, 'elsewhere');
  const page = slack.renderThreadHtml(room, root);
  assert.equal(page.match(/<article/g)?.length, 2);
  for (const expected of [
    '<header>#support</header>',
    'Ada &lt;script&gt;',
    '<span class="mention">@Threadwise</span>',
    'How long is the &lt;warranty&gt; &amp; why?',
    '<strong>24 months</strong> [1] and <code>a_b_c</code> <a>the page</a>',
    '<blockquote>quoted &lt;b&gt;</blockquote>',
    '<pre>if (a &lt; b) *x*\n</pre>',
    '<button type="button">👍 Helpful</button>',
  ]) {
    assert.ok(page.includes(expected), expected);
  }
  assert.ok(!/<script|<img|onerror=alert\(1\)>/.test(page.replaceAll('&lt;', '')));
});
