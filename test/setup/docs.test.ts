import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const PROJECT = join(import.meta.dirname, '../..');
const PAGES = globSync(['*.md', 'docs/*.md'], { cwd: PROJECT });

const read = (page: string): string => readFileSync(join(PROJECT, page), 'utf8');
const found = (text: string, pattern: RegExp): readonly string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);

test('every link of the documentation leads to a file', () => {
  const links = PAGES.flatMap((page) =>
    found(read(page), /\]\((?!https?:|#)([^)#\s]+)/g).map((target) => join(dirname(page), target)),
  );
  assert.ok(links.length > 20, 'the links are found');
  assert.deepEqual(
    links.filter((target) => !existsSync(join(PROJECT, target))),
    [],
  );
});

test('every test that the documentation names is there', () => {
  const named = PAGES.flatMap((page) => found(read(page), /`(test\/[\w./-]+\.(?:test\.ts|sh))`/g));
  assert.ok(named.length > 10, 'the tests are found');
  assert.deepEqual(
    named.filter((path) => !existsSync(join(PROJECT, path))),
    [],
  );
});

test('the table of commands in the README names each command and no other', () => {
  const commands = globSync('commands/*.ts', { cwd: PROJECT })
    .filter((path) => /^export const summary/m.test(read(path)))
    .map((path) => path.slice('commands/'.length, -'.ts'.length));
  const listed = found(read('README.md'), /^\| `\.\/threadwise (\w+)/gm);
  assert.deepEqual([...listed].sort(), [...commands].sort());
});

test('every variable that the documentation sets is one of the schema', async () => {
  const { listSettings } = await import('../../ops/config-tree.ts');
  const known = new Set(['THREADWISE_CONFIG', ...listSettings().flatMap(({ meta }) => meta.env)]);
  const set = PAGES.flatMap((page) =>
    found(read(page), /\b((?:THREADWISE|SLACK|DISCORD|OPENAI)_[A-Z_]*[A-Z])\b/g).filter((name) => !name.endsWith('_FILE')),
  );
  assert.ok(set.length > 20, 'the variables are found');
  assert.deepEqual([...new Set(set.filter((name) => !known.has(name)))], []);
});
