import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { WebChannelOptions } from '../../bots/web/web.ts';
import { ANSWER, createWebBench, type WebBench } from '../bots/web-bench.ts';

const EXECUTABLE = '/usr/bin/chromium';
const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let browser: Browser;
before(async () => {
  browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGS });
});
after(() => browser.close());

interface Visit {
  readonly bench: WebBench;
  readonly page: Page;
  /** What went wrong in the page, and what it asked of others: nothing, in every test. */
  readonly complaints: string[];
}

const visit = async (
  t: TestContext,
  options: { readonly bench?: Partial<WebChannelOptions>; readonly browser?: BrowserContextOptions; readonly hash?: string } = {},
): Promise<Visit> => {
  const bench = await createWebBench(t, options.bench);
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1_200, height: 800 }, ...options.browser });
  t.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (new URL(request.url()).host !== new URL(base(bench)).host) complaints.push(request.url());
  });
  await page.goto(`${base(bench)}${options.hash ?? ''}`);
  await page.locator('html[lang="en"]').waitFor({ state: 'attached' });
  return { bench, page, complaints };
};

const base = (bench: WebBench): string => `http://127.0.0.1:${bench.web.address().port}/`;

const askByKeyboard = async ({ page, bench }: Visit, text: string) => {
  await page.locator('#question:focus').waitFor();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  return bench.nextRun();
};

/** Run in the page, whose types are not those of this program. The colour of the text, and the first solid one behind it. */
const COLOURS_OF = `(selector) => {
  const element = document.querySelector(selector);
  const isSolid = (colour) => !/^rgba\\(.*, 0(?:\\.\\d+)?\\)$/.test(colour);
  let at = element;
  while (at.parentElement !== null && !isSolid(getComputedStyle(at).backgroundColor)) at = at.parentElement;
  return { front: getComputedStyle(element).color, back: getComputedStyle(at).backgroundColor };
}`;

/** Controls that a screen reader has no word for. */
const NAMELESS = `() => [...document.querySelectorAll('button, a, textarea, input, nav, dialog')]
  .filter((element) => {
    const label = element.id === '' ? null : document.querySelector('label[for="' + element.id + '"]');
    const by = document.getElementById(element.getAttribute('aria-labelledby') ?? '');
    return (element.getAttribute('aria-label') ?? element.textContent).trim() === '' && label === null && by === null;
  })
  .map((element) => element.outerHTML)`;

/** Relative luminance, https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
const luminance = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/gu) ?? []).map((part) => {
    const value = Number(part) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const textOf = (page: Page, selector: string): Promise<string> => page.locator(selector).last().innerText();

test('a question is asked, streamed, answered and proven with the keyboard alone', async (t) => {
  const visited = await visit(t);
  const { page, complaints } = visited;
  assert.equal(await textOf(page, '#welcome h1'), 'What would you like to know?');
  await page.locator('#question:focus').waitFor();
  await page.keyboard.type('How long is');
  await page.keyboard.press('Shift+Enter');
  const run = await askByKeyboard(visited, 'the warranty?');
  assert.equal(run.message.text, 'How long is\nthe warranty?');
  await page.getByText('Looking into it …').first().waitFor();
  run.progress('Searching the knowledge base …');
  await page.locator('.answer.status', { hasText: 'Searching the knowledge base …' }).waitFor();
  run.progress('For **dealers** the warranty lasts');
  await page.locator('.answer.partial strong', { hasText: 'dealers' }).waitFor();
  assert.equal(await page.locator('article').getAttribute('aria-busy'), 'true');
  await run.finish();
  await page.locator('.sources').waitFor();
  assert.equal(await page.locator('article').getAttribute('aria-busy'), 'false');
  assert.equal(await textOf(page, '#announce'), 'The answer is ready.');
  assert.equal(await page.evaluate(`document.activeElement?.id`), 'question');

  // Backwards from the box: feedback, sources, the chips in the text.
  for (let steps = 0; steps < 12; steps += 1) {
    await page.keyboard.press('Shift+Tab');
    if (await page.evaluate(`document.activeElement?.matches('.cite[data-n="1"]') ?? false`)) break;
  }
  assert.equal(await page.evaluate(`document.activeElement?.getAttribute('aria-label')`), 'Source 1: Warranty terms');
  await page.keyboard.press('Enter');
  await page.locator('#evidence mark').waitFor();
  assert.equal(await textOf(page, '#evidence-title'), 'Warranty terms');
  assert.equal(await textOf(page, '#evidence-path'), 'Dealers › Duration');
  assert.deepEqual(await page.locator('#evidence dd').allInnerTexts(), ['handbook/warranty.md', 'page 3', '2026-01-02']);
  assert.equal(await textOf(page, '#evidence mark'), 'For dealers, the warranty\nlasts three years from the day of delivery');
  await page.keyboard.press('Escape');
  await page.locator('.cite[data-n="1"]:focus').waitFor();
  assert.equal(await page.locator('#evidence').isVisible(), false);
  assert.deepEqual(complaints, []);
});

test('a passage that may not be read says so and shows the quote alone', async (t) => {
  const visited = await visit(t);
  const run = await askByKeyboard(visited, 'q');
  await run.finish();
  await visited.page.locator('.source[data-n="2"]').click();
  await visited.page.locator('#evidence .problem').waitFor();
  assert.equal(
    await textOf(visited.page, '#evidence .problem'),
    'This passage is no longer in the knowledge base, or is not for you to read.',
  );
  assert.equal(await textOf(visited.page, '#evidence mark'), 'Claims are made with form W-12.');
  assert.equal(await textOf(visited.page, '#evidence-title'), 'Claims <b>guide</b>');
  assert.deepEqual(visited.complaints, []);
});

test('a reload in the middle of a run shows where it is and goes on to the answer', async (t) => {
  const visited = await visit(t);
  const { page } = visited;
  const run = await askByKeyboard(visited, 'How long?');
  run.progress('The warranty lasts');
  await page.locator('.answer.partial').waitFor();
  await page.reload();
  await page.locator('.answer.partial', { hasText: 'The warranty lasts' }).waitFor();
  assert.equal(await textOf(page, '.question'), 'How long?');
  assert.equal(await page.locator('#stop').isVisible(), true);
  run.progress('The warranty lasts three years');
  await page.locator('.answer.partial', { hasText: 'three years' }).waitFor();
  await run.finish();
  await page.locator('.sources').waitFor();
  assert.equal(await page.locator('article').count(), 1);
  await page.reload();
  await page.locator('.sources').waitFor();
  assert.deepEqual(visited.complaints, []);
});

test('Escape stops the run, and so does the button', async (t) => {
  const visited = await visit(t);
  const { page, bench } = visited;
  const run = await askByKeyboard(visited, 'How long?');
  await page.keyboard.press('Escape');
  for (let tries = 0; bench.cancels() < 1 && tries < 100; tries += 1) await page.waitForTimeout(10);
  await page.locator('#stop').click();
  for (let tries = 0; bench.cancels() < 2 && tries < 100; tries += 1) await page.waitForTimeout(10);
  assert.equal(bench.cancels(), 2);
  await run.finish({ ...ANSWER, text: 'Stopped, as you asked.', citations: [], answered: false, stopReason: 'cancelled' });
  await page.locator('.answer', { hasText: 'Stopped, as you asked.' }).waitFor();
  assert.equal(await page.locator('#stop').isVisible(), false);
  assert.equal(await page.locator('.feedback').count(), 0);
});

test('a verdict is stored with its reason and shown after a reload', async (t) => {
  const visited = await visit(t);
  const { page, bench } = visited;
  const run = await askByKeyboard(visited, 'How long?');
  await run.finish();
  await page.getByRole('button', { name: 'Not helpful' }).click();
  await page.keyboard.type('The date is old');
  await page.getByRole('button', { name: 'Send', exact: true }).first().click();
  await page.getByText('Thank you, noted.').first().waitFor();
  await page.getByRole('button', { name: 'Not helpful' }).click();
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('and so is the price');
  await page.keyboard.press('Enter');
  await page.getByText('Thank you, noted.').first().waitFor();
  assert.deepEqual(
    bench.feedback.map(({ verdict, reason }) => [verdict, reason]),
    [
      ['down', 'The date is old'],
      ['down', 'The date is old\nand so is the price'],
    ],
  );
  await page.reload();
  await page.locator('[aria-label="Not helpful"][aria-pressed="true"]').waitFor();
});

test('a card shows what a call will do, is decided with the keyboard, and then says so without buttons', async (t) => {
  const visited = await visit(t);
  const { page, complaints } = visited;
  const run = await askByKeyboard(visited, 'Mail them');
  const args = JSON.stringify({ text: '<img src=x onerror=alert(1)>\nsecond line', to: 'ops@example.com' });
  await run.showCard(args);
  const card = page.locator('.approval');
  await card.locator('button').first().waitFor();
  assert.equal(await card.locator('h3').innerText(), 'Approve this call of send_email?');
  const shown = 'text: \n  | <img src=x onerror=alert(1)>\n  | second line\nto: "ops@example.com"';
  assert.equal(await card.locator('pre').textContent(), shown);
  assert.deepEqual(await card.locator('button').allInnerTexts(), ['Approve', 'Deny']);
  await card.getByRole('button', { name: 'Deny' }).focus();
  await page.keyboard.press('Enter');
  await card.getByText('Denied. I do not do it.').waitFor();
  await run.showCard(args);
  await card.getByText('Denied by you. It was not done.').waitFor();
  assert.equal(await card.locator('button').count(), 0);
  await run.finish();
  await page.locator('.cite').first().waitFor();
  await page.reload();
  await card.getByText('Denied by you. It was not done.').waitFor();
  assert.deepEqual(complaints, []);
});

test('an answer that a fallback wrote says so', async (t) => {
  const visited = await visit(t);
  const run = await askByKeyboard(visited, 'How long?');
  await run.finish({ ...ANSWER, fallback: true });
  await visited.page.locator('.note').waitFor();
  assert.equal(
    await textOf(visited.page, '.note'),
    'The language model cannot be reached; this answer quotes the documents instead.',
  );
});

test('threads are listed, newest first, and opened from the list; a new one starts empty', async (t) => {
  const visited = await visit(t);
  const { page } = visited;
  await (await askByKeyboard(visited, 'First question')).finish();
  await page.locator('.sources').waitFor();
  await page.getByRole('button', { name: 'New thread' }).first().click();
  assert.equal(await page.locator('article').count(), 0);
  await (await askByKeyboard(visited, 'Second question')).finish();
  await page.locator('.sources').waitFor();
  await page.locator('#thread-list a').nth(1).waitFor();
  assert.deepEqual(await page.locator('#thread-list a').allInnerTexts(), ['Second question', 'First question']);
  assert.equal(await textOf(page, '#thread-list a[aria-current]'), 'Second question');
  await page.getByRole('link', { name: 'First question' }).click();
  await page.locator('.question', { hasText: 'First question' }).waitFor();
  assert.equal(await page.locator('article').count(), 1);
  await page.goBack();
  await page.locator('.question', { hasText: 'Second question' }).waitFor();
});

test('markup in a question, an answer or a title is text', async (t) => {
  const visited = await visit(t);
  const { page } = visited;
  const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  const run = await askByKeyboard(visited, evil);
  run.progress(`so far ${evil}`);
  await run.finish({
    ...ANSWER,
    text: `Done ${evil} [x](javascript:alert(1)) [1]`,
    citations: [{ ...ANSWER.citations[0]!, title: evil, headingPath: [evil] }],
  });
  await page.locator('.sources').waitFor();
  assert.equal(await page.locator('#turns img, #turns script, #turns a').count(), 0);
  assert.equal(await textOf(page, '.question'), evil);
  await page.locator('.cite').first().click();
  await page.locator('#evidence mark').waitFor();
  assert.equal(await textOf(page, '#evidence-title'), evil);
  assert.match(await page.title(), /Threadwise$/u);
  assert.deepEqual(visited.complaints, []);
});

test('on a phone nothing is wider than the screen, and threads are behind a button', async (t) => {
  const visited = await visit(t, { browser: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } });
  const { page } = visited;
  const run = await askByKeyboard(visited, `A ${'very'.repeat(40)} long word?`);
  await run.finish({ ...ANSWER, text: `${ANSWER.text}\n\n\`\`\`\n${'x'.repeat(200)}\n\`\`\`\n\n${'y'.repeat(200)}` });
  await page.locator('.sources').waitFor();
  const widthOf = () => page.evaluate(`document.documentElement.scrollWidth`);
  assert.equal(await widthOf(), 360);
  assert.equal(await page.getByRole('link', { name: /^A very/u }).isVisible(), false);
  await page.getByRole('button', { name: 'Threads' }).click();
  await page.getByRole('link', { name: /^A very/u }).waitFor();
  assert.equal(await page.locator('#menu').getAttribute('aria-expanded'), 'true');
  await page.keyboard.press('Escape');
  await page.locator('#menu:focus').waitFor();
  await page.locator('.cite').first().click();
  await page.locator('#evidence mark').waitFor();
  assert.equal(await widthOf(), 360);
});

test('the page is dark where the system is, with readable contrast in both', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const visited = await visit(t, { browser: { colorScheme } });
    const run = await askByKeyboard(visited, 'How long?');
    await run.finish();
    await visited.page.locator('.sources').waitFor();
    const pairs = await Promise.all(
      ['.question', '.answer p', '.cite', '.source .detail', '.keys', '#new', '.day', '.sources h3'].map(async (selector) => {
        const colours: unknown = await visited.page.evaluate(`(${COLOURS_OF})(${JSON.stringify(selector)})`);
        const { front, back } = colours as { readonly front: string; readonly back: string };
        const [a, b] = [luminance(front), luminance(back)];
        return { selector, ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), paper: b };
      }),
    );
    for (const { selector, ratio } of pairs) assert.ok(ratio >= 4.5, `${colorScheme} ${selector} ${ratio}`);
    assert.equal((pairs[0]?.paper ?? 0) > 0.5, colorScheme === 'light');
  }
});

test('every control has a name', async (t) => {
  const visited = await visit(t);
  const run = await askByKeyboard(visited, 'How long?');
  await run.finish();
  await visited.page.locator('.sources').waitFor();
  const nameless: unknown = await visited.page.evaluate(`(${NAMELESS})()`);
  assert.deepEqual(nameless, []);
});

test('a refused question comes back into the box with the reason', async (t) => {
  const visited = await visit(t);
  const { page, bench } = visited;
  await page.locator('#question:focus').waitFor();
  await bench.web.stopIntake();
  await page.keyboard.type('How long?');
  await page.keyboard.press('Enter');
  await page.locator('#problem', { hasText: 'I could not take your question just now. Please ask again in a minute.' }).waitFor();
  assert.equal(await page.locator('#question').inputValue(), 'How long?');
  assert.equal(await page.locator('article').count(), 0);
});

test('off loopback the printed address lets the browser in and leaves no token behind', async (t) => {
  const bench = await createWebBench(t, { host: '0.0.0.0' });
  const context = await browser.newContext({ locale: 'en-GB' });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(base(bench));
  await page.locator('#enter').waitFor();
  await page.locator('#token').fill('wrong');
  await page.keyboard.press('Enter');
  await page.locator('#enter-problem', { hasText: 'This token is wrong or was used before.' }).waitFor();
  await page.goto('about:blank');
  await page.goto(`${base(bench)}${new URL(bench.url).hash}`);
  await page.locator('#question:focus').waitFor();
  assert.equal(page.url().includes('token'), false);
  assert.equal(await page.locator('#enter').isVisible(), false);
  await page.reload();
  await page.locator('#question:focus').waitFor();
});

/** A single grey point. */
const POINT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);

test('the files of an answer are seen, described and saved', async (t) => {
  const visitor = await visit(t);
  const run = await askByKeyboard(visitor, 'How many?');
  await run.finish(ANSWER, [
    { name: 'chart.png', mediaType: 'image/png', description: 'Orders <i>by</i> month.', bytes: POINT },
    { name: 'rows.csv', mediaType: 'text/csv', description: 'The rows.', bytes: Buffer.from('a\r\n1\r\n') },
  ]);
  const { page } = visitor;
  const picture = page.getByRole('img', { name: 'Orders <i>by</i> month.' });
  await picture.waitFor();
  await page.waitForFunction(`document.querySelector('.file img').naturalWidth === 1`);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'rows.csv' }).click()]);
  assert.equal(download.suggestedFilename(), 'rows.csv');
  assert.deepEqual(visitor.complaints, []);
});
