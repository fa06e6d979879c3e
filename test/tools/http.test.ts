import assert from 'node:assert/strict';
import { after, before, it, describe as suite } from 'node:test';
import { asToolError } from '../../agent/envelope.ts';
import type { ErrorCode } from '../../agent/errors.ts';
import type { JsonObject } from '../../agent/json.ts';
import { Secret } from '../../ops/secret.ts';
import { kindOfAddress } from '../../tools/http-address.ts';
import type { ServiceDescription } from '../../tools/http-open.ts';
import { callOf, describe, type HostileService, SECRET, short, startService, toolsOf } from './http-world.ts';

let service: HostileService;
before(async () => {
  service = await startService();
});
after(() => service[Symbol.asyncDispose]());

const one = (path: string, parts: Parameters<typeof short>[1] = {}, about: Partial<ServiceDescription> = {}) =>
  describe(service.url, { tools: { ask: short(path, parts) }, ...about });
const text = { type: 'string', required: true } as const;

/** The failure as the loop tells it. */
const failure = async (call: Promise<unknown>) => {
  const thrown = await call.then(
    (value) => assert.fail(`it answered ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  const { code, message, retryAfterMs } = asToolError(thrown, 'ask');
  return { code, message, retryAfterMs };
};
const post = { method: 'POST' } as const;

suite('a service that answers', () => {
  it('is asked with the arguments in their places, and the answer carries its origin', async () => {
    const description = one('/echo/{id}/x', {
      parameters: { id: text, q: { ...text, required: false }, limit: { type: 'integer', required: false } },
    });
    const { data, ...origin } = await callOf(description, 'ask', { id: 'a b?&#c', q: 'x&y=1', limit: 3 });
    const { method, url, body } = data as JsonObject;
    assert.deepEqual([method, url, body], ['GET', '/echo/a%20b%3F%26%23c/x?q=x%26y%3D1&limit=3', '']);
    assert.deepEqual([origin['service'], origin['request']], ['desk', 'GET /echo/a%20b%3F%26%23c/x?q=x%26y%3D1&limit=3']);
    assert.match(String(origin['read_at']), /^\d{4}-\d\d-\d\dT/);
  });

  it('gets the fields of a body as JSON, and no cookie', async () => {
    const description = one('/echo/{id}', { ...post, parameters: { id: text, reason: text } });
    const { data } = await callOf(description, 'ask', { id: '7', reason: 'it "hangs"\r\nX-Evil: 1' });
    const { headers, body } = data as { headers: JsonObject; body: string };
    assert.deepEqual(JSON.parse(body), { reason: 'it "hangs"\r\nX-Evil: 1' });
    assert.equal(headers['content-type'], 'application/json');
    assert.deepEqual(Object.keys(headers).sort(), [
      'accept',
      'accept-encoding',
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
    ]);
  });

  it('is asked below the path of its address', async () => {
    const { data } = await callOf({ ...one('/x'), baseUrl: `${service.url}/echo/v1/` }, 'ask');
    assert.equal((data as JsonObject)['url'], '/echo/v1/x');
  });

  it('may answer with text, or with nothing', async () => {
    assert.equal((await callOf(one('/text'), 'ask'))['data'], 'two lines\nof text');
    assert.equal((await callOf(one('/empty'), 'ask'))['data'], null);
  });

  it('keeps all digits of its numbers', async () => {
    assert.deepEqual((await callOf(one('/long'), 'ask'))['data'], { id: '12345678901234567890', share: 0.1, n: 7 });
  });

  it('its answer is cut to what the configuration names', async () => {
    const projected = async (project: string | readonly string[]) => (await callOf(one('/nested', { project }), 'ask'))['data'];
    assert.deepEqual(await projected(['/order/number', '/order/lines/*/name']), {
      order: { number: 'A-1', lines: [{ name: 'cup' }, { name: 'pot' }] },
    });
    assert.deepEqual(await projected('/order/lines/*/name'), ['cup', 'pot']);
    assert.equal(await projected('/order/lines/1/name'), 'pot');
    assert.deepEqual(await projected(['/a~1b', 'none']), { 'a/b': 1 });
    assert.equal(await projected('/none/at/all'), null);
    assert.equal(await projected('/__proto__/toString'), null);
  });

  it('does not exist for readers without its label', async () => {
    const asked = service.requests.length;
    const told = await failure(callOf(one('/echo', {}, { label: 'finance' }), 'ask', {}, { labels: ['everyone'] }));
    assert.equal(told.code, 'tool_not_found');
    assert.equal(service.requests.length, asked);
  });
});

suite('what a service says of a call is told as what it is', () => {
  const failures: readonly (readonly [string, ErrorCode, RegExp])[] = [
    ['missing', 'tool_not_found', /HTTP 404: it does not have what was asked for/],
    ['forbidden', 'tool_refused', /HTTP 403: it does not let the assistant/],
    ['limited', 'tool_rate_limited', /HTTP 429/],
    ['down', 'tool_network', /HTTP 503/],
    ['failed', 'tool_failed', /HTTP 500/],
    ['reset', 'tool_network', /could not be reached/],
    ['torn', 'tool_network', /it broke off/],
    ['broken', 'tool_failed', /it is broken/],
    ['page', 'tool_failed', /neither JSON nor plain text/],
    ['picture', 'tool_failed', /neither JSON nor plain text/],
    ['untyped', 'tool_failed', /neither JSON nor plain text/],
    ['bomb', 'tool_failed', /it is packed, which was not asked for/],
    ['flood', 'tool_too_large', /longer than 256 KB\. Ask for less/],
    ['announced', 'tool_too_large', /longer than 256 KB/],
    ['metadata', 'tool_refused', /HTTP 302, which refers to another place; that is not followed/],
    ['elsewhere', 'tool_refused', /HTTP 307, which refers to another place/],
  ];
  for (const [kind, code, words] of failures) {
    it(`${kind}: ${code}, asked once`, async () => {
      const asked = service.requests.length;
      const told = await failure(callOf(one(`/${kind}`), 'ask'));
      assert.equal(told.code, code, told.message);
      assert.match(told.message, words);
      assert.equal(service.requests.length - asked, 1);
    });
  }

  it('a wait that it asks for is kept', async () => {
    assert.equal((await failure(callOf(one('/limited'), 'ask'))).retryAfterMs, 7_000);
    assert.equal((await failure(callOf(one('/down'), 'ask'))).retryAfterMs, 2_000);
  });

  it('arguments that it refuses are an answer in its own words', async () => {
    const { ok, status, said } = await callOf(one('/unfit'), 'ask');
    assert.deepEqual([ok, status, said], [false, 422, { error: 'city: unknown' }]);
  });

  it('a write that went through is told as done, whatever its answer looks like', async () => {
    for (const kind of ['broken', 'flood', 'page', 'bomb', 'torn', 'metadata']) {
      const { data, note } = await callOf(one(`/${kind}`, post), 'ask');
      assert.equal(data, null, kind);
      assert.match(String(note), /The service did it\. Its answer cannot be read|The service took it/, kind);
    }
  });

  it('a call that is given up ends at once, before and in the middle of an answer', async () => {
    for (const kind of ['slow', 'drip']) {
      const giveUp = new AbortController();
      const call = callOf(one(`/${kind}`), 'ask', {}, { signal: giveUp.signal });
      setTimeout(() => giveUp.abort(new Error('too late')), 30);
      await assert.rejects(call, kind);
    }
  });
});

suite('arguments cannot leave their places', () => {
  const description = () => one('/echo/{id}/end', { parameters: { id: text } });
  const hostile = ['../admin', '..', '.', 'a/b', 'a\\b', '//evil.example', '%2e%2e%2fadmin', '%2F', 'a\r\nX: 1', 'a\u0000', ''];
  for (const id of hostile) {
    it(`${JSON.stringify(id)} in the path is refused by the name of the field, and nothing is asked`, async () => {
      const asked = service.requests.length;
      const told = await failure(callOf(description(), 'ask', { id }));
      assert.equal(told.code, 'tool_arguments');
      assert.match(told.message, /^id: expected a value without slashes/);
      assert.equal(service.requests.length, asked);
    });
  }

  it('what looks like an address, a query or a fragment stays a part of the path', async () => {
    for (const id of ['@evil.example', 'x?admin=1', 'x#y', ':80', 'x;y', 'x%41', '你好', '\ud800x']) {
      const { data } = await callOf(description(), 'ask', { id });
      const url = String((data as JsonObject)['url']);
      assert.equal(decodeURIComponent(url), `/echo/${id.toWellFormed()}/end`);
      assert.equal(url.split('/').length, 4);
    }
  });

  it('an argument that the operation does not have is refused', () => {
    const tool = toolsOf(description()).get('ask');
    assert.match(String(tool?.parameters.safeParse({ id: 'x', host: 'evil.example' }).error?.message), /Unrecognized key/);
  });
});

suite('the host of a service', () => {
  const name = 'desk.example';
  const at =
    (...addresses: string[]) =>
    async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const named = (parts: Partial<ServiceDescription> = {}) =>
    one('/echo', {}, { baseUrl: service.url.replace('127.0.0.1', name), ...parts });

  for (const address of [
    '127.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '169.254.169.254',
    '10.0.0.1',
    'fd00:ec2::254',
    '64:ff9b::7f00:1',
    '0.0.0.0',
  ]) {
    it(`that resolves to ${address} is not asked where it should be public`, async () => {
      const asked = service.requests.length;
      const told = await failure(callOf(named({ addresses: ['public'] }), 'ask', {}, { lookup: at(address) }));
      assert.equal(told.code, 'tool_refused');
      assert.match(told.message, /no address of a kind that it may have \(public\)/);
      assert.equal(service.requests.length, asked);
    });
  }

  it('that is an address itself is checked as well', async () => {
    for (const baseUrl of [
      service.url,
      service.url.replace('127.0.0.1', '0x7f000001'),
      service.url.replace('127.0.0.1', '[::1]'),
      'http://169.254.169.254',
    ])
      assert.equal(
        (await failure(callOf(one('/echo', {}, { baseUrl, addresses: ['public'] }), 'ask'))).code,
        'tool_refused',
        baseUrl,
      );
    assert.equal(
      (
        await failure(
          callOf(one('/echo', {}, { baseUrl: 'http://169.254.169.254', addresses: ['public', 'private', 'loopback'] }), 'ask'),
        )
      ).code,
      'tool_refused',
    );
  });

  it('is asked at the address that was checked, each time anew', async () => {
    const lookups: string[] = [];
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    const tool = toolsOf(named(), async (host) => {
      lookups.push(host);
      return (answers.shift() ?? []).map((address) => ({ address, family: 4 }));
    }).get('ask');
    const context = { labels: ['everyone'], signal: new AbortController().signal } as never;
    const { data } = (await tool?.run({}, context)) as { data: { headers: JsonObject } };
    assert.match(String(data.headers['host']), /^desk\.example:\d+$/);
    assert.equal((await failure((async () => tool?.run({}, context))())).code, 'tool_refused');
    assert.deepEqual(lookups, [name, name]);
  });

  it('of several addresses, only those of an allowed kind are asked', async () => {
    const { data } = await callOf(named(), 'ask', {}, { lookup: at('169.254.169.254', '127.0.0.1') });
    assert.equal((data as JsonObject)['url'], '/echo');
  });

  it('kinds of addresses are told apart', () => {
    const kinds = Object.entries({
      public: ['8.8.8.8', '2606:4700::1', '::ffff:8.8.8.8'],
      private: ['172.16.0.1', '192.168.1.1', 'fd12::1', '100.64.0.1'],
      loopback: ['127.9.9.9', '::1'],
    });
    for (const [kind, addresses] of kinds) for (const address of addresses) assert.equal(kindOfAddress(address), kind, address);
    for (const address of [
      '224.0.0.1',
      '255.255.255.255',
      'fe80::1',
      '2002:7f00:1::',
      '::127.0.0.1',
      '100.100.100.200',
      'localhost',
      '',
    ])
      assert.equal(kindOfAddress(address), undefined, address);
  });
});

suite('secrets of a service', () => {
  const about = { headers: { Authorization: new Secret(`Bearer ${SECRET}`) }, query: { key: new Secret(SECRET) } };

  it('go with each request, and stand neither in the answer nor in its origin', async () => {
    const asked = service.requests.length;
    const answers = [await callOf(one('/secrets', {}, about), 'ask'), await callOf(one('/echo', {}, about), 'ask')];
    assert.ok(service.requests.slice(asked).every((line) => line.endsWith(`?key=${SECRET}`)));
    const shown = JSON.stringify(answers);
    assert.doesNotMatch(shown, new RegExp(`${SECRET}|${Buffer.from(SECRET).toString('base64')}`));
    assert.match(shown, /\[redacted\]/);
  });

  it('stand in no error', async () => {
    for (const kind of ['failed', 'reset', 'torn', 'forbidden', 'metadata']) {
      const error = await callOf(one(`/${kind}`, {}, about), 'ask').then(
        () => assert.fail('it answered'),
        (thrown: unknown) => thrown,
      );
      const { inspect } = await import('node:util');
      assert.doesNotMatch(`${inspect(error, { depth: 9, showHidden: true })}${JSON.stringify(error)}`, new RegExp(SECRET), kind);
    }
  });
});

suite('the tool of an operation', () => {
  it('reads or writes by its method, unless the configuration says otherwise', () => {
    const tools = toolsOf(
      describe(service.url, {
        tools: {
          a: short('/a'),
          b: short('/b', post),
          c: short('/c', { ...post, effect: 'read' }),
          d: short('/d', { effect: 'write' }),
        },
      }),
    );
    assert.deepEqual(
      [...tools.values()].map(({ effect }) => effect),
      ['read', 'write', 'read', 'write'],
    );
    assert.ok(
      [...tools.values()].every(({ readsUntrusted, readsSensitive }) => readsUntrusted === true && readsSensitive === true),
    );
  });

  it('says in words what a call will do', () => {
    const tool = toolsOf(
      one('/restart/{name}', { ...post, description: 'Restarts a service.', parameters: { name: text, reason: text } }),
    ).get('ask');
    const host = new URL(service.url).host;
    assert.equal(
      tool?.describeCall?.({ name: 'check out', reason: 'it hangs' }),
      `Restarts a service. (POST /restart/check out at ${host} with {"reason":"it hangs"})`,
    );
  });

  for (const path of ['//evil.example/x', '/a/../b', '/a?b', '/a#b', '/a b', '/{a', '/%zz']) {
    it(`the path ${path} is refused at the start`, () => assert.throws(() => toolsOf(one(path)), /expected a path such as/));
  }
});
