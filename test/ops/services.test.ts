import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../../agent/errors.ts';
import { ensureService, findProgram, type Installer, type Service } from '../../ops/services.ts';

const open = (options: { there?: boolean; isDebianRoot?: boolean; codes?: readonly number[] }) => {
  let there = options.there ?? false;
  const commands: string[] = [];
  const codes = [...(options.codes ?? [0])];
  const service: Service = { name: 'Made-up', packages: ['made-up'], find: () => (there ? '/usr/bin/made-up' : undefined) };
  const installer: Installer = {
    env: {},
    cwd: '/',
    isDebianRoot: options.isDebianRoot ?? true,
    say: () => {},
    run: async (command, args) => {
      commands.push([command, ...args].filter((word) => !word.startsWith('-') && !word.startsWith('Acquire')).join(' '));
      const code = codes.shift() ?? 0;
      there ||= code === 0 && args.includes('install');
      return { code, output: '' };
    },
  };
  return { service, installer, commands };
};

test('a service that is there is not installed', async () => {
  const { service, installer, commands } = open({ there: true });
  assert.equal(await ensureService(service, installer), '/usr/bin/made-up');
  assert.deepEqual(commands, []);
});

test('as root on Debian it is installed, after an update when the lists are old', async () => {
  const { service, installer, commands } = open({ codes: [100, 0, 0] });
  assert.equal(await ensureService(service, installer), '/usr/bin/made-up');
  assert.deepEqual(commands, ['apt-get install made-up', 'apt-get update', 'apt-get install made-up']);
});

test('without root it is refused with 69 and the line that installs it', async () => {
  const { service, installer, commands } = open({ isDebianRoot: false });
  await assert.rejects(ensureService(service, installer), (error) => {
    assert.ok(hasCode(error, 'service_missing'));
    assert.equal(error.exitCode, 69);
    assert.match(error.message, /apt-get install -y made-up/);
    return true;
  });
  assert.deepEqual(commands, []);
});

test('an installation that fails is refused with 69', async () => {
  const { service, installer } = open({ codes: [100, 100] });
  await assert.rejects(ensureService(service, installer), (error) => hasCode(error, 'service_missing'));
});

test('a program is found on the path by the first of its names', () => {
  assert.equal(findProgram(['no-such-program', 'sh'], { PATH: '/nowhere:/bin' }), '/bin/sh');
  assert.equal(findProgram(['no-such-program'], { PATH: '/bin' }), undefined);
});
