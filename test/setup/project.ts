import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../..', import.meta.url));

/** A folder with the real launcher and a made-up everything else: npm, lockfile, main.ts. */
export interface Project extends Disposable {
  readonly folder: string;
  /** Puts a program before all others on the path. */
  addProgram(name: string, script: string): void;
  write(path: string, text: string): void;
  read(path: string): string;
  has(path: string): boolean;
  readonly env: Record<string, string>;
}

/** What the made-up npm does: notes its arguments, and makes node_modules as `npm ci` would. */
const NPM = `#!/bin/sh
echo "npm $*" >>"$PROJECT/npm.log"
sleep "\${NPM_SECONDS:-0}"
[ ! -e "$PROJECT/npm-fails" ] || exit 1
mkdir -p "$PROJECT/node_modules/faiss-node/build/Release"
: >"$PROJECT/node_modules/faiss-node/build/Release/faiss-node.node"
`;

export const openProject = (): Project => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-setup-'));
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  copyFileSync(join(source, 'threadwise'), join(folder, 'threadwise'));
  copyFileSync(join(source, 'package.json'), join(folder, 'package.json'));
  cpSync(join(source, 'setup'), join(folder, 'setup'), { recursive: true });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const addProgram = (name: string, script: string): void => {
    write(join('programs', name), script);
    chmodSync(join(programs, name), 0o755);
  };
  addProgram('npm', NPM);
  write('package-lock.json', JSON.stringify({ packages: { '': {}, 'node_modules/made-up': { version: '1.0.0' } } }));
  write('main.ts', 'process.stdout.write(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd() }));\n');
  return {
    folder,
    addProgram,
    write,
    read: (path) => (existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : ''),
    has: (path) => existsSync(join(folder, path)),
    env: { PATH: [programs, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter), HOME: folder, PROJECT: folder },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
};
