import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { hasCode } from '../../agent/errors.ts';
import { readDocument } from '../../knowledge/read.ts';

const read = (name: string, text: string) => readDocument(name, Buffer.from(text));
const example = (path: string) => readFile(new URL(`../../examples/knowledge/${path}`, import.meta.url));
const refuses = (promise: Promise<unknown>, message: RegExp) =>
  assert.rejects(promise, (error: unknown) => hasCode(error, 'document_unreadable') && message.test(error.message));

test('Markdown is read as a reader sees it, with markers, rows and fences kept', async () => {
  const document = await read(
    'a.md',
    [
      '---\ntitle: Stated\ndate: 2026-03-01\n---\n# Top\n',
      'You **may** return it within [30 days](https://shop.example/r)\nof `delivery`.\n',
      '## Steps\n\n1. Open it\n   - with *care*\n2. Close it\n',
      '## Table\n\n| A | B |\n|---|---|\n| 1 | **2** |\n',
      '## Code\n\n```sh\nnpm start\n```\n',
    ].join('\n'),
  );
  assert.deepEqual(document, {
    title: 'Stated',
    date: '2026-03-01',
    chunks: [
      { headingPath: ['Top'], location: '', text: 'You may return it within 30 days of delivery.\nhttps://shop.example/r' },
      { headingPath: ['Top', 'Steps'], location: '', text: '1. Open it\n  - with care\n2. Close it' },
      { headingPath: ['Top', 'Table'], location: '', text: 'A | B\n1 | 2' },
      { headingPath: ['Top', 'Code'], location: '', text: '```sh\nnpm start\n```' },
    ],
  });
});

test('a rule of dashes with prose under it is text, not front matter', async () => {
  assert.equal((await read('a.md', '---\nHello: there: you\n---\n\nText.\n')).chunks.at(-1)?.text, 'Text.');
});

test('lines of Chinese are joined without a space', async () => {
  assert.equal((await read('a.md', '保修期为两年，\n自收货之日起。\n')).chunks[0]?.text, '保修期为两年，自收货之日起。');
});

test('HTML gives its main part: headings, items, rows; no scripts, navigation or hidden parts', async () => {
  const document = await readDocument('customer-service.html', await example('company/customer-service.html'));
  assert.equal(document.title, 'Customer service');
  assert.equal(document.date, '2026-03-09');
  assert.deepEqual(
    document.chunks.map((chunk) => chunk.headingPath),
    [[], ['Opening hours'], ['What to have at hand'], ['Complaints']],
  );
  assert.match(document.chunks[1]?.text ?? '', /^Channel \| Hours .*\nChat \| Monday to Saturday, 08:00 to 20:00 \| 2 minutes\n/);
  assert.match(document.chunks[3]?.text ?? '', /shows the state of every case\.\nhttps:\/\/portal\.larkfield\.example\/cases$/);
  const hidden = await read(
    'b.html',
    '<title>T</title><p hidden>secret</p><p style="display: none">secret</p><p>shown<script>x</script></p>',
  );
  assert.deepEqual(hidden, { title: 'T', date: null, chunks: [{ headingPath: [], location: '', text: 'shown' }] });
});

test('text broken into lines for a page is joined, its lists are kept', async () => {
  const { title, chunks } = await readDocument('repair-service.txt', await example('policies/repair-service.txt'));
  assert.equal(title, 'repair-service');
  assert.match(
    chunks[0]?.text ?? '',
    /A repair takes 8 working days on average, counted from the day the product reaches the workshop\./,
  );
  assert.match(chunks[0]?.text ?? '', /\n- Take out the battery of the Heron scale and keep it\.\n/);
});

test('CSV gives each row with its number, its columns, and the row as it stands in the file', async () => {
  const { chunks } = await readDocument('price-list-2026.csv', await example('price-list-2026.csv'));
  assert.equal(chunks.length, 9);
  assert.deepEqual(chunks[5], {
    headingPath: [],
    location: 'row 6',
    text:
      'Model: TE-20-P\nName: Tern espresso machine, Pro\nCategory: Espresso machines\nPrice EUR: 1,190.00\nDealer price EUR: 975.80\n' +
      'Weight kg: 12.9\nIn stock: yes\nTE-20-P,"Tern espresso machine, Pro",Espresso machines,"1,190.00",975.80,12.9,yes',
  });
});

test('CSV may be cut by semicolons or tabs, quote line ends, and have cells beyond its header', async () => {
  assert.deepEqual((await read('a.csv', 'a;b\n1,5;"x\n""y"""\n')).chunks[0]?.text, 'a: 1,5\nb: x\n"y"\n1,5;"x\n""y"""');
  assert.deepEqual((await read('a.tsv', 'a\tb\n\n1\t\t3\n')).chunks[0]?.text, 'a: 1\ncolumn 3: 3\n1\t\t3');
  await refuses(read('a.csv', 'a,b\n"1,2\n'), /never closed/);
  await refuses(read('a.csv', `a\n${'1\n'.repeat(20_001)}`), /at most 20000 rows, got 20001/);
});

test('DOCX keeps its headings, lists and tables', async () => {
  const { title, chunks } = await readDocument('expense-policy.docx', await example('company/expense-policy.docx'));
  assert.equal(title, 'Expense policy');
  assert.deepEqual(
    chunks.map((chunk) => chunk.headingPath.join(' > ')),
    ['', 'Meals', 'Travel > Trains', 'Travel > Hotels', 'Travel > Own car', 'What needs a receipt'],
  );
  assert.match(
    chunks[3]?.text ?? '',
    /^City \| Limit a night\nAmsterdam, Paris, London \| 180 EUR\nOther cities \| 130 EUR\n\nBreakfast/,
  );
  assert.match(chunks[5]?.text ?? '', /^Everything above 10 EUR\.\nAll taxi rides/);
});

test('a damaged DOCX, an old .doc and a protected one are refused', async () => {
  await refuses(read('a.docx', 'PK nonsense'), /damaged or something else/);
  await refuses(readDocument('a.docx', Buffer.from('d0cf11e0a1b11ae1', 'hex')), /password or an old \.doc/);
});

test('UTF-8 and UTF-16 with a byte order mark are read, other bytes and binary files are refused', async () => {
  const text = 'Größe 尺寸';
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
  assert.equal((await readDocument('a.txt', Buffer.from(`\ufeff${text}`))).chunks[0]?.text, text);
  assert.equal((await readDocument('a.txt', utf16)).chunks[0]?.text, text);
  assert.equal((await readDocument('a.txt', Buffer.from(utf16).swap16())).chunks[0]?.text, text);
  await refuses(readDocument('a.txt', Buffer.from('Gr\xf6\xdfe', 'latin1')), /expected text in UTF-8.*Save the file as UTF-8/);
  await refuses(readDocument('a.md', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0])), /UTF-8/);
  await refuses(readDocument('a.md', Buffer.from('abc\0def')), /binary/);
});

test('front matter cannot expand itself', async () => {
  const bomb = `---\na: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'.replace(/./g, (key) => {
    const before = String.fromCharCode(key.charCodeAt(0) - 1);
    return `${key}: &${key} [${Array(9).fill(`*${before}`).join()}]\n`;
  })}---\n\nText.\n`;
  assert.equal((await read('a.md', bomb)).chunks[0]?.text, 'Text.');
});
