import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { importsOf, isRelative, packageOf, projectFolder, sourceFiles } from './source-files.ts';

const manifest = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};

const vendorImports = sourceFiles
  .flatMap(importsOf)
  .filter(({ specifier, typeOnly }) => !typeOnly && !isRelative(specifier) && !isBuiltin(specifier));

test('every package that the code loads is a direct dependency', () => {
  const missing = vendorImports.filter(({ specifier }) => !(packageOf(specifier) in manifest.dependencies));
  assert.deepEqual(missing, []);
});

test('every version is exact', () => {
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
    assert.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, name);
  }
});

/** The binding is compiled by the launcher's step of its own; without it the module throws, which memory/ expects. */
const NATIVE = 'faiss-node';

test('every vendor module that the code loads imports', () => {
  const specifiers = [...new Set(vendorImports.map(({ specifier }) => specifier))].filter((name) => name !== NATIVE).sort();
  assert.ok(specifiers.length > 10);
  const script = `
    const failed = [];
    for (const name of ${JSON.stringify(specifiers)}) {
      try { await import(name); } catch (error) { failed.push(name + ': ' + error.message); }
    }
    process.stdout.write(JSON.stringify(failed));
    process.exit(0);
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: projectFolder,
    encoding: 'utf8',
  });
  assert.deepEqual(JSON.parse(output), []);
});
