import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '../../ops/clock.ts';
import { runTestGroup } from '../../ops/test-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'threadwise-test-run-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const runSource = async (source: string, silenceMs = 30_000) => {
  const file = join(folder, 'made-up.test.mjs');
  writeFileSync(file, `import { test } from 'node:test';\n${source}\n`);
  let text = '';
  const result = await runTestGroup(
    { name: 'made up', isolation: 'none', files: [file] },
    {
      cwd: folder,
      env: process.env,
      clock: systemClock,
      silenceMs,
      write: (piece) => {
        text += piece;
      },
    },
  );
  return { ...result, text };
};

test('a group of passing tests passes, its counts are kept and not printed', async () => {
  const { passed, counts, text } = await runSource("test('one', () => {}); test('two', () => {});");
  assert.equal(passed, true);
  assert.deepEqual([counts['tests'], counts['pass'], counts['fail']], [2, 2, 0]);
  assert.match(text, /✔ one/);
  assert.doesNotMatch(text, /ℹ tests/);
});

test('a failing test, a skipped one and a process that dies each fail the group', async () => {
  assert.equal((await runSource("test('bad', () => { throw new Error('bad'); });")).passed, false);
  const skipped = await runSource("test('out', { skip: true }, () => {}); test('in', () => {});");
  assert.equal(skipped.passed, false);
  assert.match(skipped.text, /it left tests out/);
  const died = await runSource("test('dies', () => process.kill(process.pid, 'SIGKILL'));");
  assert.equal(died.passed, false);
  assert.match(died.text, /it ended without its counts/);
});

test('a group whose process stays when its tests are done is ended and fails', async () => {
  const { passed, text } = await runSource("test('leaks', () => { setInterval(() => {}, 1000); });", 1_500);
  assert.equal(passed, false);
  assert.match(text, /✖ the group "made up": it fell silent/);
});
