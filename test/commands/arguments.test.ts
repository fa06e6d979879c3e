import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../../agent/errors.ts';
import { run as runBench } from '../../commands/bench.ts';
import type { CommandIo } from '../../commands/command.ts';
import { run as runTest } from '../../commands/test.ts';

const io = { env: {}, cwd: '/' } as unknown as CommandIo;
const isUsage = (error: unknown): boolean => hasCode(error, 'usage') && error.exitCode === 64;

test('bench names the benchmarks there are when it gets another one, or none', async () => {
  await assert.rejects(runBench(['no-such-bench', '--json'], io), (error) => {
    assert.ok(isUsage(error));
    assert.match((error as Error).message, /expected one of .*turns.*, got "no-such-bench"/);
    return true;
  });
  await assert.rejects(runBench([], io), isUsage);
  await assert.rejects(runBench(['turns', '--fast'], io), isUsage);
  // Rows are a shape, not a benchmark.
  await assert.rejects(runBench(['row'], io), isUsage);
});

test('test refuses an unknown option and a pattern that matches nothing', async () => {
  await assert.rejects(runTest(['--fast'], io), isUsage);
  await assert.rejects(runTest(['no/such/file.test.ts'], io), isUsage);
});
