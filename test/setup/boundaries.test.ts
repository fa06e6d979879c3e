import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { importsOf, isRelative, packageOf, projectFolder, resolveImport, sourceFiles } from './source-files.ts';

const LEAVES: ReadonlySet<string> = new Set([
  'bots',
  'memory',
  'knowledge',
  'tools',
  'models',
  'store',
  'ops',
  'console',
  'simulator',
  'triage',
]);

/** Where a vendor SDK may be named. What is not listed may be named anywhere outside agent/. */
const PLACES: readonly (readonly [RegExp, RegExp])[] = [
  [/^@slack\//, /^(?:bots|simulator)\//],
  [/^discord\.js$/, /^bots\//],
  [/^discord-api-types$/, /^(?:bots|simulator)\//],
  [/^@langchain\//, /^(?:models|knowledge)\//],
  [/^@energetic-ai\//, /^models\//],
  [/^faiss-node$/, /^memory\/faiss/],
  [/^pg$/, /^(?:store|tools)\/|^memory\/pgvector\.ts$/],
  [/^pino$/, /^ops\//],
  [/^@modelcontextprotocol\//, /^tools\//],
  [/^nodemailer$/, /^tools\//],
  [/^(?:imapflow|mailparser)$/, /^bots\/mail\//],
];

const topOf = (path: string): string => path.split('/')[0] ?? '';
const imports = sourceFiles.flatMap(importsOf);

test('the sources are found and their imports read', () => {
  assert.ok(sourceFiles.length > 50);
  assert.ok(imports.some(({ file, specifier }) => file === 'ops/log.ts' && specifier === 'pino'));
  assert.ok(imports.some(({ file, specifier, typeOnly }) => file === 'ops/log.ts' && specifier === './secret.ts' && typeOnly));
});

test('every relative import names a .ts file that exists', () => {
  const broken = imports
    .filter((entry) => isRelative(entry.specifier))
    .filter((entry) => {
      const path = resolveImport(entry);
      return !/\.(?:ts|json)$/.test(path) || !existsSync(join(projectFolder, path));
    });
  assert.deepEqual(broken, []);
});

test('a leaf imports from its own folder and from agent/, agent/ from itself alone', () => {
  const broken = imports
    .filter((entry) => isRelative(entry.specifier))
    .filter((entry) => {
      const from = topOf(entry.file);
      const to = topOf(resolveImport(entry));
      if (from === 'agent') return to !== 'agent';
      return LEAVES.has(from) && to !== from && to !== 'agent';
    });
  assert.deepEqual(broken, []);
});

test('agent/ names no vendor but zod and nothing of Node', () => {
  const broken = imports.filter(
    ({ file, specifier }) => topOf(file) === 'agent' && !isRelative(specifier) && specifier !== 'zod',
  );
  assert.deepEqual(broken, []);
});

test('vendor SDKs are named in their places only, faiss-node and each channel SDK included', () => {
  const broken = imports.filter(({ file, specifier }) => {
    const place = PLACES.find(([vendor]) => vendor.test(packageOf(specifier)))?.[1];
    return place !== undefined && !isRelative(specifier) && !place.test(file);
  });
  assert.deepEqual(broken, []);
});

test('the environment is read in main.ts alone', () => {
  const readers = sourceFiles.filter((file) => /\bprocess\.env\b/.test(readFileSync(join(projectFolder, file), 'utf8')));
  assert.deepEqual(
    readers.filter((file) => file !== 'main.ts'),
    [],
  );
});
