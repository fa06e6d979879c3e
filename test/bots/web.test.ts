import assert from 'node:assert/strict';
import { request as rawRequest } from 'node:http';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attachment } from '../../agent/attachment.ts';
import { hasCode } from '../../agent/errors.ts';
import { textsFor } from '../../agent/texts.ts';
import { ANSWER, createWebBench, type WebBench } from './web-bench.ts';

const THREAD = 'thread01';

/** A request with headers that fetch would not let through. */
const send = (
  url: string,
  options: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> =>
  new Promise((resolve, reject) => {
    const request = rawRequest(
      url,
      { method: options.method ?? 'GET', headers: options.headers ?? {}, agent: false },
      (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => {
          body += chunk.toString();
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
      },
    );
    request.on('error', reject);
    request.end(options.body);
  });

const enterPage = async (bench: WebBench): Promise<string> => {
  const { headers } = await send(bench.url);
  return String(headers['set-cookie']).split(';', 1)[0] ?? '';
};

const post = (bench: WebBench, path: string, body: unknown, headers: Record<string, string>) =>
  send(new URL(path, bench.url).href, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const ask = (bench: WebBench, cookie: string, text = 'How long?', id = 'question1') =>
  post(bench, `/api/threads/${THREAD}/questions`, { id, text }, { cookie });

interface SseEvent {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly [name: string]: unknown };
}

/** Reads a stream until it is closed. */
const follow = async (bench: WebBench, cookie: string, lastEventId?: string) => {
  const stop = new AbortController();
  const response = await fetch(new URL(`/api/threads/${THREAD}/events`, bench.url), {
    headers: { cookie, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
    signal: stop.signal,
  });
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  const events: SseEvent[] = [];
  const reading = (async () => {
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString();
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const fields = new Map(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        );
        text = text.slice(end + 2);
        if (fields.has('event'))
          events.push({
            id: fields.get('id') ?? '',
            event: fields.get('event') ?? '',
            data: JSON.parse(fields.get('data') ?? '{}') as SseEvent['data'],
          });
      }
    }
  })().catch(() => {});
  return {
    events,
    until: async (what: (event: SseEvent) => boolean): Promise<SseEvent> => {
      for (let tries = 0; tries < 400; tries += 1) {
        const event = events.find(what);
        if (event !== undefined) return event;
        await delay(5);
      }
      throw new Error(`not among ${JSON.stringify(events)}`);
    },
    stop: async () => {
      stop.abort();
      await reading;
    },
  };
};

test('the page and its scripts are served with the types taken out and a policy that allows nothing from outside', async (t) => {
  const bench = await createWebBench(t);
  const page = await send(bench.url);
  assert.equal(page.status, 200);
  assert.match(page.body, /<script type="module" src="\/page\/main\.ts">/u);
  assert.doesNotMatch(page.body, /https?:|<style|onclick|<script>/u);
  assert.equal(
    page.headers['content-security-policy'],
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  assert.match(
    String(page.headers['set-cookie']),
    /^threadwise_session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/u,
  );
  const script = await send(new URL('/page/main.ts', bench.url).href);
  assert.equal(script.headers['content-type'], 'text/javascript; charset=utf-8');
  assert.doesNotMatch(script.body, /: void|interface /u);
  const again = await send(new URL('/page/main.ts', bench.url).href, {
    headers: { 'if-none-match': String(script.headers['etag']) },
  });
  assert.equal(again.status, 304);
  assert.equal((await send(new URL('/page/tsconfig.json', bench.url).href)).status, 404);
  assert.equal((await send(new URL('/page/..%2f..%2fpackage.json', bench.url).href)).status, 404);
});

test('a question goes to the gateway once, however often it is sent', async (t) => {
  const bench = await createWebBench(t);
  const cookie = await enterPage(bench);
  assert.deepEqual([(await ask(bench, cookie)).status, (await ask(bench, cookie)).status], [202, 200]);
  assert.equal(bench.messages.length, 1);
  const [message] = bench.messages;
  assert.ok(message);
  assert.match(message.scope.conversationId, /^web:[0-9a-f]{24}:thread01$/u);
  assert.equal(message.scope.userId, message.scope.conversationId.split(':').slice(0, 2).join(':'));
  assert.deepEqual([message.text, message.trigger, message.place], ['How long?', 'typed', { kind: 'local', id: 'web' }]);
  // What is stored and logged must not open the session.
  assert.equal(cookie.includes(message.scope.userId.slice(4)), false);
});

test('a reader sees the question, the run and the answer, and after a reload the same', async (t) => {
  const bench = await createWebBench(t);
  const cookie = await enterPage(bench);
  const first = await follow(bench, cookie);
  assert.deepEqual((await first.until(({ event }) => event === 'snapshot')).data, { turns: [] });
  await ask(bench, cookie);
  const run = await bench.nextRun();
  await first.until(({ event, data }) => event === 'turn' && data['state'] === 'open');
  run.progress('Searching the knowledge base …');
  run.progress('For **dealers** it is [evil](https://evil.example/x) thr');
  const partial = await first.until(
    ({ event, data }) => event === 'progress' && (data['live'] as { kind: string }).kind === 'partial',
  );
  assert.deepEqual(partial.data['live'], {
    kind: 'partial',
    html: '<p>For <strong>dealers</strong> it is evil (https[:]//evil[.]example/x) thr</p>',
  });
  await first.stop();
  // In the middle of the run: the state so far, then its end.
  const second = await follow(bench, cookie);
  const snapshot = await second.until(({ event }) => event === 'snapshot');
  assert.deepEqual((snapshot.data['turns'] as { live: unknown }[])[0]?.live, partial.data['live']);
  await run.finish();
  const answered = await second.until(({ event, data }) => event === 'turn' && data['state'] === 'answered');
  assert.match(
    String(answered.data['html']),
    /^<p>For <strong>dealers<\/strong> the warranty .* <button type="button" class="cite" data-n="1">1<\/button>\.<\/p>/u,
  );
  await second.stop();
  const third = await follow(bench, cookie);
  assert.deepEqual((await third.until(({ event }) => event === 'snapshot')).data['turns'], [answered.data]);
  await third.stop();
  const { threads } = JSON.parse((await send(new URL('/api/threads', bench.url).href, { headers: { cookie } })).body) as {
    threads: { id: string; title: string }[];
  };
  assert.deepEqual(
    threads.map(({ id, title }) => [id, title]),
    [[THREAD, 'How long?']],
  );
});

test('who comes back with the last event id gets what was missed and no more', async (t) => {
  const bench = await createWebBench(t);
  const cookie = await enterPage(bench);
  const first = await follow(bench, cookie);
  await ask(bench, cookie);
  const run = await bench.nextRun();
  const seen = await first.until(({ event, data }) => event === 'turn' && data['state'] === 'open');
  await first.stop();
  run.progress('one');
  run.progress('one two');
  await run.finish();
  const second = await follow(bench, cookie, seen.id);
  await second.until(({ event, data }) => event === 'turn' && data['state'] === 'answered');
  assert.equal(
    second.events.some(({ event }) => event === 'snapshot'),
    false,
  );
  await second.stop();
  const stranger = await follow(bench, cookie, 'other-1');
  await stranger.until(({ event }) => event === 'snapshot');
  await stranger.stop();
});

test('progress reaches a reader at most twenty times a second, its newest state always', async (t) => {
  const bench = await createWebBench(t);
  const cookie = await enterPage(bench);
  await ask(bench, cookie);
  const run = await bench.nextRun();
  const reader = await follow(bench, cookie);
  await reader.until(({ event }) => event === 'snapshot');
  const started = performance.now();
  for (let count = 1; count <= 100; count += 1) {
    run.progress(`word${count} `);
    await delay(2);
  }
  await reader.until(({ event, data }) => event === 'progress' && JSON.stringify(data).includes('word100'));
  const took = performance.now() - started;
  const count = reader.events.filter(({ event }) => event === 'progress').length;
  assert.ok(count <= took / 50 + 2, `${count} in ${took} ms`);
  await reader.stop();
});

test('threads of another session are not to be seen, asked in or judged', async (t) => {
  const bench = await createWebBench(t);
  const mine = await enterPage(bench);
  await ask(bench, mine);
  const run = await bench.nextRun();
  await run.finish();
  const other = await enterPage(bench);
  assert.notEqual(mine, other);
  const reader = await follow(bench, other);
  assert.deepEqual((await reader.until(({ event }) => event === 'snapshot')).data, { turns: [] });
  await reader.stop();
  assert.equal((await post(bench, `/api/turns/${run.turnId}/feedback`, { verdict: 'up' }, { cookie: other })).status, 404);
  assert.equal((await send(new URL('/api/threads', bench.url).href)).status, 401);
  assert.equal(
    (await send(new URL('/api/threads', bench.url).href, { headers: { cookie: 'threadwise_session=guess' } })).status,
    401,
  );
});

test('feedback is recorded with its reason and shown again', async (t) => {
  const bench = await createWebBench(t);
  const cookie = await enterPage(bench);
  await ask(bench, cookie);
  const run = await bench.nextRun();
  await run.finish();
  assert.equal(
    (await post(bench, `/api/turns/${run.turnId}/feedback`, { verdict: 'down', reason: 'out\u200b of date' }, { cookie })).status,
    200,
  );
  assert.deepEqual(
    bench.feedback.map(({ verdict, reason }) => [verdict, reason]),
    [['down', 'out of date']],
  );
  const reader = await follow(bench, cookie);
  const { data } = await reader.until(({ event }) => event === 'snapshot');
  assert.deepEqual((data['turns'] as { feedback: unknown }[])[0]?.feedback, { verdict: 'down', reason: 'out of date' });
  await reader.stop();
});

test('a passage opens only for who holds its label', async (t) => {
  const bench = await createWebBench(t);
  const cookie = await enterPage(bench);
  const open = (chunk: string) => send(new URL(`/api/passages/${chunk}`, bench.url).href, { headers: { cookie } });
  const passage = JSON.parse((await open('c1')).body) as { title: string; heading: string[]; location: string };
  assert.deepEqual(
    [passage.title, passage.heading, passage.location],
    ['Warranty terms', ['Warranty terms', 'Dealers', 'Duration'], 'page 3'],
  );
  assert.equal((await open('secret')).status, 404);
  assert.equal((await send(new URL('/api/passages/c1', bench.url).href)).status, 401);
  const blind = await createWebBench(t, { labelsFor: () => [] });
  assert.equal(
    (await send(new URL('/api/passages/c1', blind.url).href, { headers: { cookie: await enterPage(blind) } })).status,
    404,
  );
});

test('an answer that quotes what may no longer be read here is not shown any more', async (t) => {
  let labels = ['everyone', 'staff'];
  const bench = await createWebBench(t, { labelsFor: () => labels });
  const cookie = await enterPage(bench);
  await ask(bench, cookie);
  const run = await bench.nextRun();
  await run.finish({ ...ANSWER, citations: ANSWER.citations.map((citation) => ({ ...citation, label: 'staff' })) });
  const shown = async () => {
    const reader = await follow(bench, cookie);
    const { data } = await reader.until(({ event }) => event === 'snapshot');
    await reader.stop();
    const [turn] = data['turns'] as { html: string; citations: unknown[]; stopReason: string }[];
    return turn;
  };
  assert.match((await shown())?.html ?? '', /three years/);
  labels = ['everyone'];
  assert.deepEqual(
    [(await shown())?.html, (await shown())?.citations, (await shown())?.stopReason],
    [`<p>${textsFor('en').notAllowed}</p>`, [], 'not_allowed'],
  );
});

test('a name that was pointed here and a request of another site are refused', async (t) => {
  const bench = await createWebBench(t);
  const cookie = await enterPage(bench);
  const { port } = bench.web.address();
  for (const host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1']) {
    assert.equal((await send(bench.url, { headers: { host } })).status, 421, host);
  }
  for (const host of [`localhost:${port}`, '127.0.0.1', `[::1]:${port}`])
    assert.equal((await send(bench.url, { headers: { host } })).status, 200, host);
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `http://localhost:${port + 1}` },
    { 'sec-fetch-site': 'cross-site' },
  ]) {
    assert.equal(
      (
        await post(bench, `/api/threads/${THREAD}/questions`, { id: 'question1', text: 'x' }, { cookie, ...headers } as Record<
          string,
          string
        >)
      ).status,
      403,
    );
  }
  const own = await post(
    bench,
    `/api/threads/${THREAD}/questions`,
    { id: 'question1', text: 'x' },
    { cookie, origin: new URL(bench.url).origin },
  );
  assert.equal(own.status, 202);
});

test('bad bodies get a clear refusal', async (t) => {
  const bench = await createWebBench(t);
  const cookie = await enterPage(bench);
  const path = `/api/threads/${THREAD}/questions`;
  const error = async (body: string, headers: Record<string, string> = {}) => {
    const response = await send(new URL(path, bench.url).href, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json', ...headers },
      body,
    });
    return [response.status, (JSON.parse(response.body) as { error: string }).error];
  };
  assert.deepEqual(await error('{'), [400, 'not_json']);
  assert.deepEqual(await error('{"id":"question1"}'), [400, 'invalid']);
  assert.deepEqual(await error('{"id":"x","text":"y"}'), [400, 'invalid']);
  assert.deepEqual(await error('{"id":"question1","text":"y","extra":1}'), [400, 'invalid']);
  assert.deepEqual(await error('id=1', { 'content-type': 'application/x-www-form-urlencoded' }), [415, 'not_json']);
  assert.deepEqual(await error(JSON.stringify({ id: 'question1', text: 'x'.repeat(300_000) })), [413, 'too_large']);
  assert.equal((await send(new URL('/api/none', bench.url).href, { headers: { cookie } })).status, 404);
  assert.equal((await send(new URL('/api/threads/%E0%A4%A/events', bench.url).href, { headers: { cookie } })).status, 400);
  assert.equal(bench.messages.length, 0);
});

test('a question of a flood, which the gateway drops, is asked to come again', async (t) => {
  const bench = await createWebBench(t);
  const cookie = await enterPage(bench);
  bench.gateway.accept = () => Promise.resolve('refused');
  const { status, body } = await ask(bench, cookie);
  assert.deepEqual([status, JSON.parse(body)], [429, { error: 'too_many', message: textsFor('en').tryAgain }]);
});

test('off loopback a made token lets one browser in, once', async (t) => {
  const bench = await createWebBench(t, { host: '0.0.0.0' });
  const token = /#token=([\w-]{32})$/u.exec(bench.url)?.[1] ?? '';
  const base = `http://127.0.0.1:${bench.web.address().port}`;
  assert.equal((await send(base)).headers['set-cookie'], undefined);
  assert.equal((await send(`${base}/api/threads`)).status, 401);
  const enter = (given: string) =>
    send(`${base}/api/enter`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: given }),
    });
  assert.equal((await enter('wrong')).status, 401);
  const tries = await Promise.all([enter(token), enter(token), enter(token)]);
  assert.deepEqual(
    tries.map(({ status }) => status).sort((a, b) => a - b),
    [200, 401, 401],
  );
  const cookie = String(tries.find(({ status }) => status === 200)?.headers['set-cookie']).split(';', 1)[0] ?? '';
  assert.equal((await send(`${base}/api/threads`, { headers: { cookie } })).status, 200);
  assert.equal(
    (await send(`${base}/api/threads`, { headers: { cookie: cookie.replace(/.$/u, (last) => (last === 'A' ? 'B' : 'A')) } }))
      .status,
    401,
  );
  assert.doesNotMatch(bench.web.url(), /token/u);
  // The session outlives a restart over the same store.
  const restarted = await createWebBench(t, { host: '0.0.0.0', store: bench.store });
  assert.equal((await send(`http://127.0.0.1:${restarted.web.address().port}/api/threads`, { headers: { cookie } })).status, 200);
});

test('a configured token lets any number of browsers in and is not printed', async (t) => {
  const bench = await createWebBench(t, { host: '0.0.0.0', token: 'a-configured-token', publicUrl: 'https://ask.acme.example/' });
  assert.equal(bench.url, 'https://ask.acme.example/');
  const base = `http://127.0.0.1:${bench.web.address().port}`;
  for (let visitor = 0; visitor < 2; visitor += 1) {
    const response = await send(`${base}/api/enter`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"token":"a-configured-token"}',
    });
    assert.equal(response.status, 200);
    assert.match(String(response.headers['set-cookie']), /; Secure$/u);
  }
});

test('health is told without a cookie and under any name; not ready is 503 with the parts', async (t) => {
  const parts = [{ name: 'store', ok: false, required: true, detail: 'disk full' }];
  const bench = await createWebBench(t, { readiness: () => Promise.resolve({ ready: false, parts }) });
  const alive = await send(new URL('/livez', bench.url).href, { headers: { host: 'probe' } });
  assert.deepEqual([alive.status, alive.body], [200, '{"alive":true}']);
  const ready = await send(new URL('/readyz', bench.url).href, { headers: { host: 'probe' } });
  assert.deepEqual([ready.status, JSON.parse(ready.body)], [503, { ready: false, parts }]);
});

test('what is mounted gets its requests with the body unread, and the rest goes to the page', async (t) => {
  let body = '';
  const bench = await createWebBench(t, {
    mounts: [
      [
        '/slack/events',
        (request, response) => {
          request.on('data', (chunk: Buffer) => {
            body += chunk.toString();
          });
          request.on('end', () => response.end(request.url));
        },
      ],
    ],
  });
  const sent = await send(new URL('/slack/events?x=1', bench.url).href, {
    method: 'POST',
    headers: { host: 'hooks.example', 'content-type': 'application/json' },
    body: '{ "raw":  1 }',
  });
  assert.deepEqual([sent.status, sent.body, body], [200, '/slack/events?x=1', '{ "raw":  1 }']);
  assert.equal((await send(new URL('/slack/eventsx', bench.url).href)).status, 404);
  assert.throws(
    () => bench.web.mount('/late', () => {}),
    (error) => hasCode(error, 'internal'),
  );
});

test('a port that is taken is named, with the setting that chooses another', async (t) => {
  const bench = await createWebBench(t);
  const { port } = bench.web.address();
  await assert.rejects(
    createWebBench(t, { port }),
    (error) =>
      hasCode(error, 'port_in_use') && error.message.includes(`port ${port}`) && error.message.includes('THREADWISE_WEB_PORT='),
  );
});

test('after intake has stopped a question is refused for now, and streams go on until the end', async (t) => {
  const bench = await createWebBench(t);
  const cookie = await enterPage(bench);
  await ask(bench, cookie);
  const run = await bench.nextRun();
  const reader = await follow(bench, cookie);
  await bench.web.stopIntake();
  assert.equal((await ask(bench, cookie, 'more', 'question2')).status, 503);
  await run.finish();
  await reader.until(({ event, data }) => event === 'turn' && data['state'] === 'answered');
  await bench.web.close();
  await reader.stop();
});

test('a part is found on the page as soon as its turn was accepted', async (t) => {
  const bench = await createWebBench(t);
  assert.deepEqual(await bench.web.find({ session: 's', thread: THREAD }, 'turn1:0'), { turnId: 'turn1' });
});

test('the text of the outbox is plain and names the sources', async (t) => {
  const bench = await createWebBench(t);
  const [part] = bench.web.render(
    {
      text: 'Two years [1].',
      citations: [{ n: 1, title: 'W', source: 'w.md', quote: 'q', chunkId: 'c', headingPath: [], location: '', date: null }],
      answered: true,
      stopReason: 'answered',
      allowedLinks: [],
      fallback: false,
    },
    't',
    'en',
  );
  assert.deepEqual(part, { text: 'Two years [1].\n\nSources\n\n[1] W — w.md', withFeedback: true });
});

const FILES: readonly Attachment[] = [
  { name: '订单.csv', mediaType: 'text/csv', description: 'Orders <b>.', bytes: Buffer.from('a\r\n') },
  { name: 'chart.png', mediaType: 'image/png', description: 'A chart.', bytes: Buffer.from('\u0089PNG', 'latin1') },
];

test('the files of an answer are for who asked, while they may read what the answer read', async (t) => {
  let labels = ['everyone', 'finance'];
  const bench = await createWebBench(t, { labelsFor: () => labels });
  const cookie = await enterPage(bench);
  await ask(bench, cookie);
  const run = await bench.nextRun();
  await run.finish({ ...ANSWER, citations: [] }, FILES, ['everyone', 'finance']);
  const get = (path: string, by = cookie) => send(new URL(path, bench.url).href, { headers: { cookie: by } });
  const address = `/api/turns/${run.turnId}/files`;
  const shown = async () => {
    const reader = await follow(bench, cookie);
    const { data } = await reader.until(({ event }) => event === 'snapshot');
    await reader.stop();
    return (data['turns'] as { files: unknown }[])[0]?.files;
  };
  assert.deepEqual(await shown(), [
    { number: 0, name: '订单.csv', mediaType: 'text/csv', description: 'Orders <b>.' },
    { number: 1, name: 'chart.png', mediaType: 'image/png', description: 'A chart.' },
  ]);
  const table = await get(`${address}/0`);
  assert.deepEqual(
    [
      table.status,
      table.body,
      ...['content-type', 'content-disposition', 'x-content-type-options', 'cache-control'].map((name) => table.headers[name]),
    ],
    [200, 'a\r\n', 'text/csv; charset=utf-8', "attachment; filename*=UTF-8''%E8%AE%A2%E5%8D%95.csv", 'nosniff', 'no-store'],
  );
  const picture = await get(`${address}/1`);
  assert.deepEqual(
    [picture.headers['content-type'], picture.headers['content-disposition']],
    ['image/png', "inline; filename*=UTF-8''chart.png"],
  );
  const refused = [`${address}/2`, `${address}/..%2F..%2Fetc%2Fpasswd`, `${address}/-1`, `/api/turns/..%2F${run.turnId}/files/0`];
  const statuses = await Promise.all(refused.map(async (path) => (await get(path)).status));
  assert.deepEqual(statuses, [404, 400, 400, 404]);
  assert.equal((await get(`${address}/0`, await enterPage(bench))).status, 404);
  assert.equal((await send(new URL(`${address}/0`, bench.url).href)).status, 401);
  labels = ['everyone'];
  assert.deepEqual([await shown(), (await get(`${address}/0`)).status], [[], 404]);
});
