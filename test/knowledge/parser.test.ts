import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { hasCode } from '../../agent/errors.ts';
import { createParser, type ParseLimits } from '../../knowledge/parser.ts';
import { createRecordingLogger, realClock } from './setup.ts';

const fixture = async (name: string) => ({ name, bytes: await readFile(new URL(`fixtures/${name}`, import.meta.url)) });
const good = { name: 'good.md', bytes: Buffer.from('# Good\n\nThis one is read.\n') };
const refuses = (promise: Promise<unknown>, message: RegExp) =>
  assert.rejects(promise, (error: unknown) => hasCode(error, 'document_unreadable') && message.test(error.message));

const openParser = (t: TestContext, limits: Partial<ParseLimits> = {}) => {
  const parser = createParser({ clock: realClock, logger: createRecordingLogger(), limits });
  t.after(() => parser.close());
  return parser;
};

const readers = (): readonly string[] =>
  execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('parse-child.ts'))
    .map((line) => line.trim().split(' ')[0] ?? '');

test('a PDF is read by page', async (t) => {
  const parser = openParser(t);
  const bytes = await readFile(new URL('../../examples/knowledge/manuals/tern-quick-guide.pdf', import.meta.url));
  const { title, chunks } = await parser.parse({ name: 'tern-quick-guide.pdf', bytes });
  assert.equal(title, 'Tern espresso machine, quick guide');
  assert.deepEqual(
    chunks.map((chunk) => chunk.location),
    ['page 1', 'page 2'],
  );
  assert.match(chunks[1]?.text ?? '', /Descaling takes 35 minutes and must not be interrupted\./);
});

test('an encrypted, a blank and a damaged PDF are refused in one clear line, and the next file is read', async (t) => {
  const parser = openParser(t);
  await refuses(parser.parse(await fixture('encrypted.pdf')), /^the PDF is encrypted; save a copy without a password\.$/);
  await refuses(parser.parse(await fixture('blank.pdf')), /holds no text; it may be a scan/);
  await refuses(parser.parse({ name: 'a.pdf', bytes: Buffer.from('%PDF-1.4 nonsense') }), /^expected a PDF; it is damaged/);
  assert.equal((await parser.parse(good)).chunks[0]?.text, 'This one is read.');
});

test('a file that unpacks to much more than it is ends at the memory limit, and the next file is read', async (t) => {
  const parser = openParser(t);
  const bomb = await fixture('bomb.docx');
  const before = process.memoryUsage.rss();
  await refuses(parser.parse(bomb), /^reading it (needs more than 400 MB of memory|used up the memory)/);
  assert.ok(process.memoryUsage.rss() - before < 40_000_000);
  assert.equal((await parser.parse(good)).title, 'Good');
});

test('a file that takes too long ends at the time limit, and the next file is read', async (t) => {
  const parser = openParser(t, { timeoutMs: 1500 });
  await refuses(parser.parse(await fixture('bomb.pdf')), /^reading it takes longer than 1\.5 s\.$/);
  assert.equal((await parser.parse(good)).title, 'Good');
});

test('a file over the size limit is not read, one with too much text is refused', async (t) => {
  const parser = openParser(t, { maxTextCharacters: 1_000_000 });
  await refuses(parser.parse({ name: 'a.txt', bytes: Buffer.alloc(20_000_001, 'a') }), /^expected at most 20 MB, got 20\.0 MB/);
  await refuses(
    parser.parse({ name: 'a.txt', bytes: Buffer.alloc(2_000_000, 'word ') }),
    /^expected at most 1 MB of text, got 2\.0 MB/,
  );
});

test('elements nested without end are refused, and the next file is read', async (t) => {
  const parser = openParser(t);
  await refuses(parser.parse({ name: 'a.html', bytes: Buffer.from(`${'<div>'.repeat(40_000)}x`) }), /nested too deeply/);
  assert.equal((await parser.parse(good)).title, 'Good');
});

test('a picture that a DOCX names outside itself is not opened', async (t) => {
  const { chunks } = await openParser(t).parse(await fixture('external-image.docx'));
  assert.deepEqual(
    chunks.map((chunk) => chunk.text),
    ['The text beside the picture is read.'],
  );
});

test('one process reads many files, holds none of our environment, and ends with the parser', async (t) => {
  process.env['THREADWISE_TEST_SECRET'] = 'hunter2';
  t.after(() => delete process.env['THREADWISE_TEST_SECRET']);
  const parser = openParser(t);
  const before = readers();
  await Promise.all(Array.from({ length: 20 }, (_, at) => parser.parse({ ...good, name: `${at}.md` })));
  const mine = readers().filter((pid) => !before.includes(pid));
  assert.equal(mine.length, 1);
  assert.ok(!(await readFile(`/proc/${mine[0]}/environ`, 'utf8')).includes('hunter2'));
  assert.match(await readFile(`/proc/${mine[0]}/cmdline`, 'utf8'), /--permission/);
  await parser.close();
  assert.deepEqual(
    readers().filter((pid) => !before.includes(pid)),
    [],
  );
  await assert.rejects(parser.parse(good), (error: unknown) => hasCode(error, 'internal'));
});

test('the process that reads files reaches nothing, not even this machine', async (t) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const module = new URL('../../knowledge/no-network.ts', import.meta.url).href;
  const tries = `await import('${module}'); const { connect } = await import('node:net'); const say = (error) => console.log(error.cause?.message ?? error.message);
    await fetch('http://127.0.0.1:${port}').catch(say); try { connect(${port}); } catch (error) { say(error); } process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', tries]);
  assert.equal(stdout, 'This process has no network.\n'.repeat(2));
  assert.equal(connections, 0);
});
