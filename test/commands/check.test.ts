import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { projectFolder, run, runChecks } from '../../commands/check.ts';
import type { CommandIo } from '../../commands/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'threadwise-check-'));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const file of ['.oxlintrc.json', 'tsconfig.json', 'biome.json', 'knip.json']) {
  copyFileSync(join(projectFolder, file), join(folder, file));
}
writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'seeded', type: 'module' }, null, 2).concat('\n'));
symlinkSync(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
// Biome asks for an ignore file where it follows one.
copyFileSync(join(projectFolder, '.gitignore'), join(folder, '.gitignore'));
for (const name of ['agent', 'memory', 'store']) mkdirSync(join(folder, name));
for (const page of ['console/page', 'simulator/visitor']) {
  mkdirSync(join(folder, page), { recursive: true });
  copyFileSync(join(projectFolder, page, 'tsconfig.json'), join(folder, page, 'tsconfig.json'));
  writeFileSync(join(folder, page, 'page.ts'), 'document.title = String(1);\n');
}

const check = async (files: Readonly<Record<string, string>>, only?: string): Promise<{ passed: boolean; text: string }> => {
  for (const [name, source] of Object.entries(files)) writeFileSync(join(folder, name), source);
  let text = '';
  const write = (piece: string): boolean => {
    text += piece;
    return true;
  };
  const io = { env: process.env, cwd: folder, stdout: { write }, stderr: { write } } as unknown as CommandIo;
  const passed = await runChecks(io, folder, only);
  return { passed, text };
};

const GOOD = {
  'main.ts': "import { start } from './memory/window.ts';\n\nawait start();\n",
  'agent/core.ts': 'export const answer = (): number => 42;\n',
  'memory/window.ts':
    "import { answer } from '../agent/core.ts';\n\nexport const start = async (): Promise<number> => answer();\n",
};

test('good code passes every check', async () => {
  const { passed, text } = await check(GOOD);
  assert.equal(passed, true, text);
  assert.match(
    text,
    /^ok {3}types .*\nok {3}types of the page .*\nok {3}types of the simulator page .*\nok {3}lint .*\nok {3}format .*\nok {3}dead code .*\n$/,
  );
});

const SEEDED: readonly {
  readonly fault: string;
  readonly by?: string;
  readonly files: Readonly<Record<string, string>>;
  readonly says: RegExp;
}[] = [
  {
    fault: 'a floating promise',
    files: { 'main.ts': "import { start } from './memory/window.ts';\n\nstart();\n" },
    says: /FAIL lint[\s\S]*no-floating-promises/,
  },
  {
    fault: 'an async listener whose rejection nobody sees',
    files: {
      'main.ts':
        "import { EventEmitter } from 'node:events';\nimport { start } from './memory/window.ts';\n\nnew EventEmitter().on('x', async () => {\n  await start();\n});\n",
    },
    says: /FAIL lint[\s\S]*no-misused-promises/,
  },
  {
    fault: 'a leaf that imports another leaf',
    files: {
      'store/sqlite.ts': 'export const rows = 3;\n',
      'memory/window.ts':
        "import { rows } from '../store/sqlite.ts';\n\nexport const start = async (): Promise<number> => rows;\n",
    },
    says: /FAIL lint[\s\S]*imports from agent\/ and its own folder only/,
  },
  {
    fault: 'a core that imports a leaf',
    files: {
      'agent/core.ts': "import { start } from '../memory/window.ts';\n\nexport const answer = (): Promise<number> => start();\n",
      'memory/window.ts': 'export const start = async (): Promise<number> => 1;\n',
      'main.ts': "import { answer } from './agent/core.ts';\n\nawait answer();\n",
    },
    says: /FAIL lint[\s\S]*The core knows no one/,
  },
  {
    fault: 'a core that reads files',
    files: {
      'agent/core.ts':
        "import { existsSync } from 'node:fs';\n\nexport const answer = (): number => (existsSync('/') ? 42 : 0);\n",
    },
    says: /FAIL lint[\s\S]*The core has no vendor SDK/,
  },
  {
    fault: 'a vendor SDK outside its folder',
    files: {
      'memory/window.ts': "import { App } from '@slack/bolt';\n\nexport const start = async (): Promise<string> => App.name;\n",
    },
    says: /FAIL lint[\s\S]*This SDK has its place in another folder/,
  },
  {
    fault: 'an environment variable read by a leaf',
    files: {
      'memory/window.ts': "export const start = async (): Promise<number> => Number(process.env['X']);\n",
    },
    says: /FAIL lint[\s\S]*no-process-env/,
  },
  {
    fault: 'a wrong type',
    by: 'types',
    files: { 'agent/core.ts': "export const answer = (): number => 'x';\n" },
    says: /FAIL types[\s\S]*not assignable/,
  },
  {
    fault: 'bad format',
    by: 'format',
    files: { 'agent/core.ts': 'export const answer = (): number=>42\n' },
    says: /FAIL format/,
  },
  {
    fault: 'an export that nobody uses',
    by: 'dead code',
    files: { 'agent/core.ts': 'export const answer = (): number => 42;\nexport const unused = 1;\n' },
    says: /FAIL dead code[\s\S]*unused/,
  },
];

for (const { fault, by = 'lint', files, says } of SEEDED) {
  test(`the check sees ${fault}`, async () => {
    const { passed, text } = await check({ ...GOOD, ...files }, by);
    rmSync(join(folder, 'store/sqlite.ts'), { force: true });
    assert.equal(passed, false);
    assert.match(text, says);
  });
}

test('an unknown option is refused', async () => {
  await assert.rejects(run(['--fast'], {} as CommandIo), /expected --fix or nothing, got "--fast"/);
});
