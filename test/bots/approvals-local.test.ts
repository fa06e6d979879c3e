/** Cards on the web page and in the terminal, through the real gateway. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Channel } from '../../agent/ports/channel.ts';
import { textsFor } from '../../agent/texts.ts';
import { createAccess } from '../../bots/access.ts';
import { createGateway } from '../../bots/gateway.ts';
import { createTerminalChannel } from '../../bots/terminal.ts';
import { createWebChannel } from '../../bots/web/web.ts';
import { systemClock } from '../../ops/clock.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createMemoryLogger, OPEN_HOUSE } from '../fakes/gateway-bench.ts';
import { createFiling } from './approvals-kit.ts';

const en = textsFor('en').approval;
const logger = createMemoryLogger();
const clock = systemClock;

const serve = async (t: TestContext, open: (store: ReturnType<typeof openSqliteStore>['store']) => Channel) => {
  const { store, close } = openSqliteStore({ folder: ':memory:', clock });
  const filing = createFiling(clock);
  const channel = open(store);
  const gateway = createGateway({
    store,
    agent: filing.agent,
    channels: new Map([[channel.name, channel]]),
    access: createAccess({ people: OPEN_HOUSE, audiences: {} }),
    clock,
    logger,
  });
  await channel.start(gateway);
  gateway.start();
  t.after(async () => {
    await gateway.close();
    await channel.close();
    await close();
  });
  return filing;
};

const until = async <T>(look: () => Promise<T | undefined> | T | undefined, what: string): Promise<T> => {
  for (let tries = 0; tries < 500; tries += 1) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await delay(10);
  }
  throw new Error(`waited for ${what}`);
};

const openTerminal = async (t: TestContext, isTTY: boolean) => {
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode() {} });
  const output = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  let text = '';
  output.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const terminal = createTerminalChannel({ input, output, clock, logger, colour: false });
  const { filed } = await serve(t, () => terminal);
  const seen = (part: string) => until(() => (text.includes(part) ? true : undefined), `${part} in ${text}`);
  return { input, filed, seen, ended: terminal.ended, text: () => text };
};

test('in the terminal y approves what was shown, and nothing else does', async (t) => {
  const { input, filed, seen } = await openTerminal(t, true);
  input.write('file a\ry\r');
  await seen(en.yesOrNo);
  await delay(50);
  assert.deepEqual(filed, [], 'a y that was typed before the card is none to it');
  input.write('maybe\r');
  await until(() => (filed.length === 0 ? true : undefined), 'nothing');
  input.write('y\r');
  await seen(en.approved);
  await seen('In the end: filed a.');
  await seen(en.approvedBy(en.you));
  assert.equal(filed.length, 1);
});

test('in the terminal n denies', async (t) => {
  const { input, filed, seen } = await openTerminal(t, true);
  input.write('file a\r');
  await seen(en.yesOrNo);
  input.write('n\r');
  await seen('In the end: refused.');
  assert.deepEqual(filed, []);
});

test('piped lines answer the card that comes next; where there are none it is denied', async (t) => {
  const first = await openTerminal(t, false);
  first.input.end('file a\ny\n');
  await first.ended;
  assert.match(first.text(), /name: "a"/);
  assert.match(first.text(), /In the end: filed a\./);
  const second = await openTerminal(t, false);
  second.input.end('file b\n');
  await second.ended;
  assert.match(second.text(), /In the end: refused\./);
  assert.deepEqual([first.filed.length, second.filed.length], [1, 0]);
});

interface Turn {
  readonly html?: string;
  readonly approvals: readonly Record<'id' | 'title' | 'words' | 'details' | 'foot' | 'isOpen', unknown>[];
}

const openWeb = async (t: TestContext) => {
  let url = '';
  const filing = await serve(t, (store) => {
    const web = createWebChannel({
      host: '127.0.0.1',
      port: 0,
      pageFolder: fileURLToPath(new URL('../../console/page', import.meta.url)),
      store,
      clock,
      logger,
      labelsFor: () => ['everyone'],
      readPassage: () => Promise.resolve(undefined),
      readiness: () => Promise.resolve({ ready: true, parts: [] }),
    });
    return { ...web, start: async (gateway) => web.start(gateway).then(() => void (url = web.url())) };
  });
  const enter = async () => {
    const cookie = ((await fetch(url)).headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    const post = async (path: string, body: object) => {
      const headers = { cookie, 'content-type': 'application/json' };
      const response = await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const readTurn = async (): Promise<Turn | undefined> => {
      const stop = new AbortController();
      const response = await fetch(new URL('/api/threads/thread01/events', url), { headers: { cookie }, signal: stop.signal });
      let text = '';
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk as Uint8Array).toString();
        if (text.includes('event: snapshot') && text.endsWith('\n\n')) break;
      }
      stop.abort();
      const data = /event: snapshot\ndata: (.*)\n/u.exec(text)?.[1] ?? '{"turns":[]}';
      return (JSON.parse(data) as { turns: Turn[] }).turns[0];
    };
    return { post, readTurn };
  };
  return { ...filing, enter };
};

test('the page shows the card to its asker alone, takes the decision once, and shows what became of it', async (t) => {
  const { filed, enter } = await openWeb(t);
  const asker = await enter();
  await asker.post('/api/threads/thread01/questions', { id: 'question01', text: 'file a' });
  const card = await until(async () => (await asker.readTurn())?.approvals[0], 'the card');
  const { id, foot, ...shown } = card;
  assert.deepEqual(shown, {
    title: en.title('file_note'),
    words: 'Files the note a.',
    details: 'name: "a"\ntext: "Dear all"',
    isOpen: true,
  });
  assert.match(String(foot), /^May decide: you · until \d\d:\d\d UTC$/);
  const path = `/api/approvals/${String(id)}`;
  const stranger = await enter();
  assert.equal((await stranger.post(path, { decision: 'approved' })).status, 404);
  assert.equal((await asker.post(path, { decision: 'perhaps' })).status, 400);
  assert.equal((await asker.post('/api/approvals/none', { decision: 'approved' })).status, 404);
  assert.deepEqual(filed, []);
  const decided = await asker.post(path, { decision: 'approved' });
  assert.deepEqual([decided.status, decided.body], [200, { outcome: 'approved', message: en.approved }]);
  assert.equal((await asker.post(path, { decision: 'denied' })).body['message'], en.alreadyApproved);
  const turn = await until(async () => {
    const now = await asker.readTurn();
    return now?.html === undefined ? undefined : now;
  }, 'the answer');
  assert.match(turn.html ?? '', /filed a/);
  assert.deepEqual([turn.approvals[0]?.foot, turn.approvals[0]?.isOpen], [en.approvedBy(en.you), false]);
  assert.equal(filed.length, 1);
});
