import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type ErrorCode, hasCode } from '../../agent/errors.ts';
import type { Store } from '../../agent/ports/store.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { openConnection } from '../../store/sqlite-connection.ts';
import { createInbox } from '../../store/sqlite-inbox.ts';
import { migrate, SCHEMA_VERSION } from '../../store/sqlite-migrations.ts';
import { inboundMessage } from '../contracts/store.ts';
import { createFakeClock } from '../fake-clock.ts';

const clock = createFakeClock();
const is = (code: ErrorCode) => (error: unknown) => hasCode(error, code);
const LONG = 'x'.repeat(20_000);

/** Accepts until the disk is full; returns how many were acknowledged. */
const fill = async (store: Pick<Store, 'accept'>): Promise<number> => {
  for (let n = 0; n < 1_000; n++) {
    try {
      await store.accept(inboundMessage(n, { text: LONG, conversationId: `c${n}` }));
    } catch (error) {
      assert.ok(hasCode(error, 'store_full'), String(error));
      return n;
    }
  }
  return assert.fail('the disk never filled');
};

const runSystem = (program: string, ...args: readonly string[]): void => {
  execFileSync(program, args, { stdio: 'ignore' });
};

const mountSmallDisk = (folder: string): void => {
  mkdirSync(folder);
  runSystem('mount', '-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder);
};

const canMount = (): boolean => {
  if (process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-mount-'));
  try {
    mountSmallDisk(join(folder, 'small'));
    runSystem('umount', join(folder, 'small'));
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

describe('the SQLite store says what went wrong', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'threadwise-store-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = () => openSqliteStore({ folder, clock });

  it('refuses a database of a newer program and leaves it as it was', async () => {
    await open().close();
    const raw = new DatabaseSync(join(folder, 'threadwise.db'));
    raw.exec(`INSERT INTO schema_versions VALUES (${SCHEMA_VERSION + 1}, 'later', 0)`);
    assert.throws(open, (error) => hasCode(error, 'store_newer') && error.message.includes(`version ${SCHEMA_VERSION + 1}`));
    raw.exec(`DELETE FROM schema_versions WHERE name = 'later'`);
    raw.close();
    await open().close();
  });

  it('tells a file that is no database', () => {
    writeFileSync(join(folder, 'threadwise.db'), 'This is a text, and not a short one: it is longer than a header.'.repeat(50));
    assert.throws(open, is('store_corrupt'));
  });

  it('tells a folder that cannot be used', () => {
    writeFileSync(join(folder, 'file'), '');
    assert.throws(() => openSqliteStore({ folder: join(folder, 'file'), clock }), is('store_unavailable'));
    mkdirSync(join(folder, 'sub', 'threadwise.db'), { recursive: true });
    assert.throws(() => openSqliteStore({ folder: join(folder, 'sub'), clock }), is('store_unavailable'));
  });

  it('refuses to work after it was closed', async () => {
    const { store, close } = open();
    await close();
    await close();
    await assert.rejects(store.accept(inboundMessage(1)), is('store_unavailable'));
  });

  it('tells a full database, keeps what was acknowledged and goes on when there is room again', async () => {
    const db = openConnection(join(folder, 'full.db'));
    migrate(db, clock);
    db.exec('PRAGMA max_page_count = 150');
    const store = createInbox(db);
    const accepted = await fill(store);
    assert.ok(accepted > 5);
    db.exec('PRAGMA max_page_count = 100000');
    for (let n = 0; n < accepted; n++) assert.equal((await store.accept(inboundMessage(n))).outcome, 'duplicate');
    assert.equal((await store.accept(inboundMessage(accepted))).outcome, 'accepted');
    db.close();
  });

  // Where no small disk can be mounted, the test above stands for it.
  if (canMount()) {
    it('survives a full disk', async () => {
      const small = join(folder, 'small');
      mountSmallDisk(small);
      try {
        writeFileSync(join(small, 'ballast'), Buffer.alloc(500_000));
        const first = openSqliteStore({ folder: small, clock });
        const accepted = await fill(first.store);
        assert.ok(accepted > 5);
        rmSync(join(small, 'ballast'));
        for (let n = 0; n < accepted; n++) {
          assert.equal((await first.store.accept(inboundMessage(n))).outcome, 'duplicate');
        }
        assert.equal((await first.store.accept(inboundMessage(accepted))).outcome, 'accepted');
        await first.close();
        const second = openSqliteStore({ folder: small, clock });
        assert.equal((await second.store.countStates()).waiting, accepted + 1);
        await second.close();

        const empty = join(small, 'empty');
        writeFileSync(join(small, 'ballast'), '');
        try {
          for (;;) writeFileSync(join(small, 'ballast'), Buffer.alloc(4_096), { flag: 'a' });
        } catch {
          assert.throws(() => openSqliteStore({ folder: empty, clock }), is('store_full'));
        }
      } finally {
        runSystem('umount', small);
      }
    });
  }
});
