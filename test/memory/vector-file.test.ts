import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { readVectorFile, writeVectorFile } from '../../memory/vector-file.ts';
import { createRandom } from '../contracts/vector-index.ts';
import { scaled, seed } from '../scale.ts';

describe('a vector file', () => {
  let folder: string;
  let path: string;
  const content = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7) % 251));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'threadwise-vector-file-'));
    path = join(folder, 'index');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const readAll = () => readVectorFile(path, (reader) => reader.take(reader.remaining()));

  it('gives back what was written, in any pieces', async () => {
    await writeVectorFile(path, 5_000, [content.subarray(0, 10), content.subarray(10, 10), content.subarray(10)]);
    assert.deepEqual(await readAll(), content);
    const pieces = await readVectorFile(path, async (reader) => [await reader.take(3), reader.remaining()]);
    assert.deepEqual(pieces, [content.subarray(0, 3), 4_997]);
    await assert.rejects(
      readVectorFile(path, (reader) => reader.take(5_001)),
      { message: 'it ends too early' },
    );
    assert.deepEqual(readdirSync(folder), ['index']);
  });

  it(`is not used when anything in it changed (seed ${seed})`, async () => {
    const random = createRandom(seed);
    await writeVectorFile(path, 5_000, [content]);
    const whole = readFileSync(path);
    let used = 0;
    for (let trial = 0; trial < scaled(10_000); trial++) {
      const bytes = Buffer.from(whole);
      const at = Math.floor(random() * bytes.length);
      if (trial % 4 === 3)
        writeFileSync(path, trial % 8 === 3 ? bytes.subarray(0, at) : Buffer.concat([bytes.subarray(0, at + 1), bytes]));
      else {
        bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
        writeFileSync(path, bytes);
      }
      await assert.rejects(
        readVectorFile(path, async () => void used++),
        `trial ${trial}, at ${at}`,
      );
    }
    assert.equal(used, 0);
  });

  it('is not used when it is empty or missing', async () => {
    await assert.rejects(readAll(), { code: 'ENOENT' });
    writeFileSync(path, '');
    await assert.rejects(readAll(), { message: 'it has 0 bytes, fewer than an empty one' });
    await writeVectorFile(path, 0, []);
    assert.equal((await readAll()).length, 0);
    truncateSync(path, 39);
    await assert.rejects(readAll());
  });

  it('stays as it was when its successor fails half-way or does not fit', async () => {
    await writeVectorFile(path, 5_000, [content]);
    const failing = function* () {
      yield content;
      throw new Error('half-way');
    };
    await assert.rejects(writeVectorFile(path, 5_000, failing()), { message: 'half-way' });
    await assert.rejects(writeVectorFile(path, 1e18, [content]), /ENOSPC/);
    assert.deepEqual(await readAll(), content);
    assert.deepEqual(readdirSync(folder), ['index']);
  });
});
