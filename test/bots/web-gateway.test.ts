import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ChannelName } from '../../agent/conversation.ts';
import type { Channel } from '../../agent/ports/channel.ts';
import { textsFor } from '../../agent/texts.ts';
import { createAccess } from '../../bots/access.ts';
import { createGateway } from '../../bots/gateway.ts';
import { createTerminalChannel } from '../../bots/terminal.ts';
import { createWebChannel } from '../../bots/web/web.ts';
import { systemClock } from '../../ops/clock.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createMemoryLogger, OPEN_HOUSE } from '../fakes/gateway-bench.ts';
import { createScriptedAgent } from '../fakes/scripted-agent.ts';

/** The real gateway over a real store, with the page and a piped terminal as its channels. */
const createHouse = async (t: TestContext) => {
  const { store, close } = openSqliteStore({ folder: ':memory:', clock: systemClock });
  const agent = createScriptedAgent();
  const logger = createMemoryLogger();
  const access = createAccess({ people: OPEN_HOUSE, audiences: {} });
  const web = createWebChannel({
    host: '127.0.0.1',
    port: 0,
    pageFolder: fileURLToPath(new URL('../../console/page', import.meta.url)),
    store,
    clock: systemClock,
    logger,
    labelsFor: () => ['everyone'],
    readPassage: () => Promise.resolve(undefined),
    readiness: () => Promise.resolve({ ready: true, parts: [] }),
  });
  const input = new PassThrough();
  const output = new PassThrough();
  const terminal = createTerminalChannel({ input, output, clock: systemClock, logger });
  const channels = new Map<ChannelName, Channel>([
    ['web', web],
    ['terminal', terminal],
  ]);
  const gateway = createGateway({ store, agent, channels, access, clock: systemClock, logger });
  for (const channel of channels.values()) await channel.start(gateway);
  gateway.start();
  t.after(async () => {
    await gateway.close();
    for (const channel of channels.values()) await channel.close();
    await close();
  });
  return { store, agent, web, terminal, input, output };
};

const THREAD = 'thread01';

const createVisitor = async (url: string) => {
  const cookie = ((await fetch(url)).headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const post = (path: string, body: object) =>
    fetch(new URL(path, url), {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  /** The state of the thread's turn of this number once it is as wanted. */
  const turnWhen = async (isWanted: (turn: Record<string, unknown>) => boolean, number = 1): Promise<Record<string, unknown>> => {
    for (let tries = 0; tries < 200; tries += 1) {
      const stop = new AbortController();
      const response = await fetch(new URL(`/api/threads/${THREAD}/events`, url), { headers: { cookie }, signal: stop.signal });
      let text = '';
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk as Uint8Array).toString();
        if (text.includes('event: snapshot') && text.endsWith('\n\n')) break;
      }
      stop.abort();
      const data = /event: snapshot\ndata: (.*)\n/u.exec(text)?.[1] ?? '{"turns":[]}';
      const turn = (JSON.parse(data) as { turns: Record<string, unknown>[] }).turns[number - 1];
      if (turn !== undefined && isWanted(turn)) return turn;
      await delay(10);
    }
    throw new Error('the turn did not come');
  };
  return { post, turnWhen };
};

test('the real gateway runs a question of the page from its placeholder over its text to its answer', async (t) => {
  const { agent, web } = await createHouse(t);
  const written = Promise.withResolvers<void>();
  agent.play = async ({ turnId, onEvent }) => {
    onEvent?.({ turnId, at: 0, type: 'text_delta', step: 1, delta: 'Three **years**, as the hand' });
    await written.promise;
    return 'Three **years**, as the handbook says.';
  };
  const visitor = await createVisitor(web.url());
  assert.equal((await visitor.post(`/api/threads/${THREAD}/questions`, { id: 'question1', text: 'How long?' })).status, 202);
  const running = await visitor.turnWhen(({ live }) => (live as { kind: string } | null)?.kind === 'partial');
  assert.equal((running['live'] as { html: string }).html, '<p>Three <strong>years</strong>, as the hand</p>');
  written.resolve();
  const answered = await visitor.turnWhen(({ state }) => state === 'answered');
  assert.equal(answered['html'], '<p>Three <strong>years</strong>, as the handbook says.</p>');
});

test('a question that waits shows that it does, then its own run', async (t) => {
  const { agent, web } = await createHouse(t);
  const runs = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  agent.play = () => runs[agent.runs.length - 1]?.promise ?? Promise.reject(new Error('a third run'));
  const visitor = await createVisitor(web.url());
  await visitor.post(`/api/threads/${THREAD}/questions`, { id: 'question1', text: 'first?' });
  await visitor.post(`/api/threads/${THREAD}/questions`, { id: 'question2', text: 'second?' });
  const shows = (text: string) => (turn: Record<string, unknown>) =>
    (turn['live'] as { html: string } | null)?.html === `<p>${text}</p>`;
  await visitor.turnWhen(shows(textsFor('en').queued), 2);
  runs[0]?.resolve('done');
  await visitor.turnWhen(shows(textsFor('en').placeholder), 2);
  runs[1]?.resolve('done as well');
  assert.equal((await visitor.turnWhen(({ state }) => state === 'answered', 2))['html'], '<p>done as well</p>');
});

test('stop ends the run with an answer that says so', async (t) => {
  const { agent, web } = await createHouse(t);
  agent.play = () => new Promise(() => {});
  const visitor = await createVisitor(web.url());
  await visitor.post(`/api/threads/${THREAD}/questions`, { id: 'question1', text: 'How long?' });
  for (let tries = 0; agent.runs.length === 0 && tries < 100; tries += 1) await delay(10);
  assert.deepEqual(await (await visitor.post(`/api/threads/${THREAD}/stop`, {})).json(), { stopped: true });
  assert.equal((await visitor.turnWhen(({ state }) => state === 'answered'))['stopReason'], 'cancelled');
});

test('piped lines are answered by the real gateway one after the other', async (t) => {
  const { terminal, input, output } = await createHouse(t);
  input.end('one\ntwo\n');
  await terminal.ended;
  assert.equal(String(output.read()), '\nanswer to one\n\n\nanswer to two\n\n');
});

test('an empty question gets its answer on the page as well', async (t) => {
  const { web } = await createHouse(t);
  const visitor = await createVisitor(web.url());
  await visitor.post(`/api/threads/${THREAD}/questions`, { id: 'question1', text: '\u200b 🎉' });
  const turn = await visitor.turnWhen(({ state }) => state === 'answered');
  assert.equal(turn['stopReason'], 'empty_question');
  assert.match(String(turn['html']), /^<p>There is no question in your message\./u);
});
