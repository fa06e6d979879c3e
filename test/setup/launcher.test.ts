import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openProject, type Project } from './project.ts';

const launch = (
  project: Project,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = 'threadwise',
) => {
  const { status, stdout, stderr } = spawnSync(join(project.folder, program), args, {
    env: { ...project.env, ...env },
    encoding: 'utf8',
    cwd: tmpdir(),
    timeout: 30_000,
  });
  return { status, stdout, stderr };
};

const npmCalls = (project: Project): readonly string[] => project.read('npm.log').split('\n').filter(Boolean);

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const until = async (condition: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 200 && !condition(); tries += 1) await delay(50);
  assert.ok(condition(), 'it did not happen within 10 s');
};

test('the first launch installs production packages, the second has nothing to do', () => {
  using project = openProject();
  const first = launch(project, ['ask', 'a b', '--json']);
  assert.equal(first.stdout, JSON.stringify({ args: ['ask', 'a b', '--json'], cwd: tmpdir() }));
  assert.match(first.stderr, /threadwise: installing dependencies \(npm ci\), once/);
  const second = launch(project, ['ask', 'again']);
  assert.deepEqual([second.status, second.stderr], [0, '']);
  assert.equal(npmCalls(project).length, 1);
  assert.match(npmCalls(project)[0] ?? '', /^npm ci .*--ignore-scripts.*--omit=dev$/);
});

test('test, check and bench install the development packages as well, and the others are content with them', () => {
  using project = openProject();
  launch(project, ['ask']);
  launch(project, ['check']);
  launch(project, ['ask']);
  launch(project, ['bench']);
  assert.deepEqual(
    npmCalls(project).map((call) => call.split(' ').at(-1)),
    ['--omit=dev', '--include=dev'],
  );
});

test('with nothing to do the launcher adds under 300 ms', () => {
  using project = openProject();
  launch(project, ['setup']);
  const times = Array.from({ length: 5 }, () => {
    const startedAt = performance.now();
    assert.equal(launch(project, ['setup']).status, 0);
    return performance.now() - startedAt;
  });
  const best = Math.min(...times);
  assert.ok(best < 300, `${best} ms`);
});

test('a changed lockfile is installed anew', () => {
  using project = openProject();
  launch(project, ['ask']);
  project.write('package-lock.json', JSON.stringify({ packages: { '': {}, 'node_modules/made-up': { version: '1.0.1' } } }));
  launch(project, ['ask']);
  assert.equal(npmCalls(project).length, 2);
});

test('what npm already installed from this lockfile is not installed again', () => {
  using project = openProject();
  launch(project, ['ask']);
  const entry = { version: '2.0.0', integrity: 'sha512-x' };
  project.write('package-lock.json', JSON.stringify({ packages: { '': {}, 'node_modules/made-up': entry } }));
  project.write('node_modules/.package-lock.json', JSON.stringify({ packages: { 'node_modules/made-up': entry } }));
  project.write('node_modules/made-up/package.json', '{}');
  assert.equal(launch(project, ['test']).stderr, '');
  assert.equal(npmCalls(project).length, 1);
});

test('an installation that failed ends with 69 and is repeated by the next launch', () => {
  using project = openProject();
  project.write('npm-fails', '');
  const failed = launch(project, ['ask']);
  assert.equal(failed.status, 69);
  assert.match(failed.stderr, /npm ci failed/);
  spawnSync('rm', [join(project.folder, 'npm-fails')]);
  assert.equal(launch(project, ['ask']).status, 0);
  assert.equal(npmCalls(project).length, 2);
});

test('a link to the launcher finds the project, and the folder of the caller stays', () => {
  using project = openProject();
  mkdirSync(join(project.folder, 'links'));
  symlinkSync('../threadwise', join(project.folder, 'links', 'first'));
  symlinkSync(join(project.folder, 'links', 'first'), join(project.folder, 'links', 'second'));
  const { stdout } = launch(project, ['-x'], {}, 'links/second');
  assert.equal(stdout, JSON.stringify({ args: ['-x'], cwd: tmpdir() }));
});

test('of two launches at once one sets up and the other waits', async () => {
  using project = openProject();
  const start = () => {
    const child = spawn(join(project.folder, 'threadwise'), ['ask'], {
      env: { ...project.env, NPM_SECONDS: '1' },
      stdio: 'ignore',
    });
    return once(child, 'exit');
  };
  const exits = await Promise.all([start(), start(), start()]);
  assert.deepEqual(
    exits.map(([code]) => code as unknown),
    [0, 0, 0],
  );
  assert.equal(npmCalls(project).length, 1);
  assert.deepEqual(
    readdirSync(join(project.folder, '.runtime')).filter((name) => name.startsWith('lock')),
    [],
  );
});

test('the lock of a dead launch is taken away', () => {
  using project = openProject();
  const dead = spawnSync('true').pid;
  mkdirSync(join(project.folder, '.runtime'));
  symlinkSync(String(dead), join(project.folder, '.runtime', 'lock'));
  assert.equal(launch(project, ['ask']).status, 0);
});

test('a SIGTERM during set-up reaches npm, frees the lock and leaves no orphan', async () => {
  using project = openProject();
  project.addProgram('npm', '#!/bin/sh\necho $$ >"$PROJECT/npm.pid"\nexec sleep 60\n');
  const child = spawn(join(project.folder, 'threadwise'), ['ask'], { env: project.env, stdio: 'ignore' });
  await until(() => project.read('npm.pid') !== '');
  const npmPid = Number(project.read('npm.pid'));
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.equal(code, 143);
  assert.equal(isAlive(npmPid), false);
  assert.equal(project.has('.runtime/lock'), false);
});

test('where the installed Node is too old, Node 24 comes from the npm registry, once', () => {
  using project = openProject();
  project.addProgram('node', '#!/bin/sh\necho v20.20.2\n');
  project.addProgram(
    'npm',
    `#!/bin/sh
echo "npm $*" >>"$PROJECT/npm.log"
mkdir -p "$PROJECT/node_modules/faiss-node/build/Release"
: >"$PROJECT/node_modules/faiss-node/build/Release/faiss-node.node"
[ "$1" = install ] || exit 0
for package; do :; done
mkdir -p "$3/node_modules/\${package%@*}/bin"
ln -s "${process.execPath}" "$3/node_modules/\${package%@*}/bin/node"
`,
  );
  const first = launch(project, ['ask']);
  assert.equal(first.status, 0, first.stderr);
  assert.match(first.stderr, /fetching Node \(24\.\d+\.\d+\) from the npm registry/);
  assert.equal(launch(project, ['ask']).stderr, '');
  assert.deepEqual(
    npmCalls(project).map((call) => call.split(' ')[1]),
    ['install', 'ci'],
  );
  assert.match(npmCalls(project)[0] ?? '', /--ignore-scripts .*node-[a-z0-9-]+@24\.\d+\.\d+$/);
});

test('without a Node that is new enough and without npm it says what to install', () => {
  using project = openProject();
  project.addProgram('node', '#!/bin/sh\necho v18.0.0\n');
  spawnSync('rm', [join(project.folder, 'programs', 'npm')]);
  for (const tool of ['dirname', 'readlink', 'cksum', 'uname', 'ln', 'rm', 'mkdir', 'sleep', 'find', 'id', 'cat']) {
    const { stdout } = spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' });
    symlinkSync(stdout.trim(), join(project.folder, 'programs', tool));
  }
  symlinkSync('/bin/sh', join(project.folder, 'programs', 'sh'));
  const { status, stderr } = launch(project, ['ask'], { PATH: join(project.folder, 'programs') });
  assert.equal(status, 69);
  assert.match(stderr, /it needs Node 24\.12 or later, or any npm to fetch it with/);
});

const NO_COMPILER = '#!/bin/sh\nexit 1\n';
const PLAIN_USER = '#!/bin/sh\necho 1000\n';

test('where FAISS cannot be built it says so once, and tries again after a day', () => {
  using project = openProject();
  project.addProgram('c++', NO_COMPILER);
  project.addProgram('id', PLAIN_USER);
  project.addProgram(
    'npm',
    '#!/bin/sh\nmkdir -p "$PROJECT/node_modules/faiss-node"\nprintf \'{\\n  "version": "0.5.1",\\n}\' >"$PROJECT/node_modules/faiss-node/package.json"\n',
  );
  const first = launch(project, ['ask']);
  assert.equal(first.status, 0);
  assert.match(first.stderr, /FAISS is not available: it needs a C\+\+ compiler and FAISS .*libfaiss-dev.*exact index meanwhile/);
  const missing = join(project.folder, '.runtime', 'faiss-missing');
  // Newer than any header that stands on this machine.
  utimesSync(missing, new Date(), new Date());
  assert.equal(launch(project, ['ask']).stderr, '');
  const longAgo = new Date(Date.now() - 25 * 3_600_000);
  utimesSync(missing, longAgo, longAgo);
  assert.match(launch(project, ['ask']).stderr, /FAISS is not available/);
});

const SERVE = `
import { writeFileSync } from 'node:fs';
process.on('SIGTERM', () => process.exit(0));
writeFileSync(process.env['PROJECT'] + '/main.pid', String(process.pid));
setInterval(() => {}, 1000);
`;

test('a SIGTERM to npm start ends the assistant and leaves no orphan', async () => {
  using project = openProject();
  launch(project, ['setup']);
  project.write('main.ts', SERVE);
  // The real npm of this machine, not the made-up one.
  spawnSync('rm', [join(project.folder, 'programs', 'npm')]);
  const npm = spawn('npm', ['start'], {
    cwd: project.folder,
    env: { ...project.env, PATH: `${project.env['PATH']}:${process.env['PATH']}` },
    stdio: 'ignore',
  });
  await until(() => project.read('main.pid') !== '');
  const mainPid = Number(project.read('main.pid'));
  assert.ok(isAlive(mainPid));
  npm.kill('SIGTERM');
  await once(npm, 'exit');
  await until(() => !isAlive(mainPid));
});
