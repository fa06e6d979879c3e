import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { CommandIo } from '../../commands/command.ts';
import { runCommand } from '../../main.ts';
import { lockServing } from '../../store/sqlite.ts';

const MAIN = join(import.meta.dirname, '../../main.ts');

const open = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'threadwise-outside-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const documents = async (name: string, text: string): Promise<string> => {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, `${name}.md`), text);
    return join(folder, name);
  };
  const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const said = { out: '', err: '' };
    const writer = (into: 'out' | 'err') => ({ write: (piece: string) => ((said[into] += piece), true) });
    const io = {
      stdout: writer('out'),
      stderr: writer('err'),
      env: { THREADWISE_DATA_DIR: join(folder, 'data'), THREADWISE_EMBEDDER: 'none', ...env },
      cwd: folder,
    } as unknown as CommandIo;
    return { code: await runCommand(args, io), ...said };
  };
  return { folder, documents, run };
};

test('after -- everything is the question', async (t) => {
  const { documents, run } = await open(t);
  const kb = await documents('codes', '# Codes\n\nThe option --json of the old printer is 4711.\n');
  const { code, out } = await run(['ask', '--json', '--kb', kb, '--', '-1 + 3']);
  assert.equal(code, 0);
  assert.equal(JSON.parse(out).answer, '-1 + 3 = **2**');
  assert.equal((await run(['ask', '--kb', kb, '--'])).code, 64);
  assert.match((await run(['ask', '--kb', kb, '--', '--json'])).out, /^(?!\{)/);
});

test('the answer of a fallback says so in the JSON as well', async (t) => {
  const { documents, run } = await open(t);
  const kb = await documents('codes', '# Depot\n\nThe depot code is 4711.\n');
  const ask = async (env: Readonly<Record<string, string>>): Promise<string> =>
    JSON.parse((await run(['ask', '--json', '--kb', kb, 'What is the depot code?'], env)).out).answer;
  const down = createServer((_request, response) => void response.writeHead(401).end()).listen(0, '127.0.0.1');
  await once(down, 'listening');
  t.after(() => down.close());
  const url = `http://127.0.0.1:${(down.address() as AddressInfo).port}/v1`;
  assert.match(await ask({ OPENAI_BASE_URL: url, THREADWISE_MODEL: 'made-up' }), /4711[^]*The language model cannot be reached/);
  assert.doesNotMatch(await ask({}), /cannot be reached/);
});

test('a data folder that cannot be made or written is a matter of configuration', async (t) => {
  const { folder, run } = await open(t);
  await writeFile(join(folder, 'file'), '');
  for (const data of [
    join(folder, 'file'),
    join(folder, 'file', 'below'),
    ...(process.platform === 'linux' ? ['/proc/x/y'] : []),
  ]) {
    const { code, err } = await run(['ask', '--data', data, 'How long is the warranty?']);
    assert.equal(code, 78, data);
    assert.match(err, /^threadwise: dataDir \(THREADWISE_DATA_DIR\): expected a folder that can be written, got /);
  }
});

test('an ingest of a folder without documents says so', async (t) => {
  const { folder, run } = await open(t);
  await mkdir(join(folder, 'empty'));
  const { code, out, err } = await run(['ingest', join(folder, 'empty')]);
  assert.deepEqual([code, out], [0, '0 added, 0 changed, 0 unchanged, 0 removed\n']);
  assert.match(err, /^threadwise: no file of Markdown, .* is there/);
});

test('a folder that the system refuses is unreadable data for ingest and wrong usage for ask', async (t) => {
  const { folder, run } = await open(t);
  await symlink('circle', join(folder, 'circle'));
  const { code, err } = await run(['ingest', join(folder, 'circle')]);
  assert.equal(code, 65);
  assert.match(err, /^threadwise: .*circle: it is a link that leads in a circle/);
  assert.equal((await run(['ask', '--kb', join(folder, 'circle'), 'How long?'])).code, 64);
});

test('another set of folders in the configuration replaces the first in the answers', async (t) => {
  const { documents, run } = await open(t);
  const [first, second] = [
    await documents('first', '# Depot\n\nThe depot code is 4711.\n'),
    await documents('second', '# Gate\n\nThe gate code is 8812.\n'),
  ];
  const ask = (folder: string, question: string) => run(['ask', question], { THREADWISE_KNOWLEDGE: folder });
  assert.match((await ask(first, 'What is the depot code?')).out, /4711/);
  assert.match((await ask(second, 'What is the gate code?')).out, /8812/);
  assert.doesNotMatch((await ask(second, 'What is the depot code?')).out, /4711/);
});

test('a question asked beside a serving process changes nothing of what that one answers from', async (t) => {
  const { folder, documents, run } = await open(t);
  const [served, other] = [
    await documents('served', '# Depot\n\nThe depot code is 4711.\n'),
    await documents('other', '# Gate\n\nThe gate code is 8812.\n'),
  ];
  await run(['ask', 'What is the depot code?'], { THREADWISE_KNOWLEDGE: served });
  using _serving = lockServing(join(folder, 'data'));
  const ask = (question: string) => run(['ask', question], { THREADWISE_KNOWLEDGE: other });
  assert.doesNotMatch((await ask('What is the gate code?')).out, /8812/);
  assert.match((await ask('What is the depot code?')).out, /4711/);
});

test('start takes no argument', async (t) => {
  const { run } = await open(t);
  const { code, err } = await run(['start', '--port', '80']);
  assert.deepEqual([code, err], [64, 'threadwise: start: expected no argument, got "--port 80"\n']);
});

test('a start whose port is in use ends at once with 78 and frees its data folder', async (t) => {
  const { folder } = await open(t);
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const data = join(folder, 'data');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, 'start'], {
    env: { ...process.env, THREADWISE_DATA_DIR: data, THREADWISE_WEB_PORT: String(port), THREADWISE_LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let err = '';
  let toldAt = 0;
  child.stderr.on('data', (piece: Buffer) => {
    err += piece;
    if (err.includes('to be free') && toldAt === 0) toldAt = performance.now();
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.equal(code, 78, err);
  assert.match(err, new RegExp(`expected port ${port} on 127\\.0\\.0\\.1 to be free`));
  // The vectors of the sample base take several seconds; they are not waited for.
  assert.ok(performance.now() - toldAt < 2_000);
  assert.ok((await readdir(data)).includes('threadwise.db'));
  lockServing(data)[Symbol.dispose]();
});

test('a table that is longer than an answer is kept as a file, whose path ask tells', async (t) => {
  const { folder, documents, run } = await open(t);
  await documents('handbook', '# Handbook\n\nParts are kept in hall 3.\n');
  await writeFile(
    join(folder, 'parts.sql'),
    "CREATE TABLE parts (number INTEGER, name TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120) INSERT INTO parts SELECT i, '=part ' || i FROM n;",
  );
  await writeFile(
    join(folder, 'parts.yaml'),
    'name: parts\nengine: sqlite\nseed: parts.sql\nqueries:\n  all_parts:\n    description: All spare parts with their numbers\n    examples: [List all spare parts, Which spare parts are there?]\n    sql: SELECT number, name FROM parts ORDER BY number\n',
  );
  await writeFile(
    join(folder, 'threadwise.yaml'),
    `knowledge: { folders: [./handbook] }\ndatabases: { sources: ['${join(folder, 'parts.yaml')}'] }\n`,
  );
  const { code, out, err } = await run(['ask', '--json', 'List all spare parts']);
  assert.equal(code, 0, err);
  const { files } = JSON.parse(out) as { files: { name: string; description: string; path: string }[] };
  assert.deepEqual(
    files.map(({ name, description }) => [name, description]),
    [['all_parts.csv', 'All spare parts with their numbers: 120 rows, columns number, name.']],
  );
  const path = files[0]?.path ?? assert.fail();
  assert.ok(path.startsWith(join(folder, 'data', 'files', 'all_parts-')));
  const text = await readFile(path, 'utf8');
  assert.deepEqual([text.slice(0, 27), text.split('\r\n').length], ["\ufeffnumber,name\r\n1,'=part 1\r\n2", 122]);
  assert.match(
    (await run(['ask', 'List all spare parts'])).out,
    /All spare parts with their numbers: 120 rows.*\nThe file is \S+\.csv\n$/,
  );
});

test('mail of the configuration beside a plug-in that sends mail stops the start with what to do', async (t) => {
  const { documents, run } = await open(t);
  const kb = await documents('codes', '# Codes\n\nThe depot code is 4711.\n');
  const { code, err } = await run(['ask', '--kb', kb, 'What is the depot code?'], {
    THREADWISE_TOOL_PLUGINS: join(import.meta.dirname, '../../examples/tools/plugin.ts'),
    THREADWISE_MAIL_HOST: '127.0.0.1',
    THREADWISE_MAIL_FROM: 'assistant@example.com',
    THREADWISE_MAIL_ALLOW: 'example.com',
  });
  assert.equal(code, 78);
  assert.match(err, /^threadwise: tools\.mail: expected no other tool send_email, got one that tools\.plugins registers/);
});
