import assert from 'node:assert/strict';
import { after, before, it, describe as suite } from 'node:test';
import { z } from 'zod';
import { AppError } from '../../agent/errors.ts';
import type { JsonObject, JsonValue } from '../../agent/json.ts';
import { Secret } from '../../ops/secret.ts';
import type { ServiceDescription } from '../../tools/http-open.ts';
import { callOf, describe, type HostileService, startService, toolsOf } from './http-world.ts';

let service: HostileService;
before(async () => {
  service = await startService();
});
after(() => service[Symbol.asyncDispose]());

const documentOf = (paths: JsonObject, rest: JsonObject = {}): JsonObject => ({
  openapi: '3.1.0',
  info: { title: 'Desk', version: '1' },
  paths,
  ...rest,
});
const operation = (id: string, rest: JsonObject = {}): JsonObject => ({
  operationId: id,
  summary: `Does ${id}.`,
  responses: {},
  ...rest,
});
const from = (
  content: JsonValue,
  operations: ServiceDescription['operations'] = { ask: {} },
  parts: Partial<ServiceDescription> = {},
): ServiceDescription => describe(service.url, { document: { path: 'desk-api.yaml', content }, operations, ...parts });
const refusal = (content: JsonValue, operations?: ServiceDescription['operations']): string => {
  try {
    toolsOf(from(content, operations));
  } catch (error) {
    if (error instanceof AppError && error.code === 'config_invalid') return error.message;
    throw error;
  }
  return 'nothing was refused';
};
const shownOf = (type: z.ZodType | undefined): JsonObject => {
  assert.ok(type !== undefined);
  const { $schema: _, ...shown } = z.toJSONSchema(type, { io: 'input' });
  return shown as JsonObject;
};

suite('an operation of an OpenAPI document', () => {
  it('is a tool with the document’s words, parameters and body', async () => {
    const document = documentOf(
      {
        '/echo/{id}': {
          parameters: [{ $ref: '#/components/parameters/id' }],
          post: operation('ask', {
            description: 'Use it for notes.',
            parameters: [
              { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
              { name: 'flat', in: 'query', explode: false, schema: { type: 'array', items: { type: 'string' } } },
              {
                name: 'by',
                in: 'query',
                style: 'deepObject',
                schema: { type: 'object', properties: { from: { type: 'integer' } } },
              },
              { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
              { name: 'session', in: 'cookie', schema: { type: 'string' } },
            ],
            requestBody: {
              required: true,
              content: { 'application/json; charset=utf-8': { schema: { $ref: '#/components/schemas/note' } } },
            },
          }),
        },
      },
      {
        components: {
          parameters: {
            id: { name: 'id', in: 'path', required: true, description: 'Number of the note', schema: { type: 'integer' } },
          },
          schemas: {
            note: {
              type: 'object',
              required: ['text'],
              properties: { text: { type: 'string' }, id: { type: 'integer', readOnly: true } },
            },
          },
        },
      },
    );
    const tool = toolsOf(from(document)).get('ask');
    assert.equal(tool?.description, 'Does ask.\nUse it for notes.');
    assert.equal(tool?.effect, 'write');
    const shown = shownOf(tool?.parameters) as { properties: Record<string, JsonObject>; required: string[] };
    assert.deepEqual(Object.keys(shown.properties), ['id', 'tags', 'flat', 'by', 'body']);
    assert.deepEqual(shown.required, ['id', 'body']);
    assert.equal(shown.properties['id']?.['description'], 'Number of the note');
    assert.deepEqual(Object.keys(shown.properties['body']?.['properties'] as JsonObject), ['text']);

    const args = { id: 7, tags: ['a', 'b'], flat: ['c', 'd'], by: { from: 1 }, body: { text: 'hello' } };
    const { data } = await callOf(from(document), 'ask', args);
    const { url, body } = data as { url: string; body: string };
    assert.equal(decodeURIComponent(url), '/echo/7?tags=a&tags=b&flat=c,d&by[from]=1');
    assert.deepEqual(JSON.parse(body), { text: 'hello' });
  });

  it('is one of those that are asked for; the others are not even read', () => {
    const paths: Record<string, JsonValue> = {};
    for (let n = 0; n < 500; n += 1) paths[`/p${n}/{id}`] = { get: operation(`op${n}`), parameters: 'not a list' };
    const before = performance.now();
    const tools = toolsOf(from(documentOf({ ...paths, '/one': { get: operation('ask') } })));
    assert.deepEqual([...tools.keys()], ['ask']);
    assert.ok(performance.now() - before < 1_000);
  });

  it('may have another name, other words and another effect in the configuration', () => {
    const document = documentOf({
      '/x': { post: { operationId: 'find it!', responses: {} } },
      '/y': { get: operation('a.b c') },
    });
    const tools = toolsOf(from(document, { 'find it!': { name: 'find', description: 'Finds.', effect: 'read' }, 'a.b c': {} }));
    assert.deepEqual(
      [...tools.values()].map(({ name, effect }) => [name, effect]),
      [
        ['find', 'read'],
        ['a_b_c', 'read'],
      ],
    );
  });

  it('takes the headers that it requires from the configuration alone', () => {
    const required = documentOf({
      '/x': { get: operation('ask', { parameters: [{ name: 'X-Api-Key', in: 'header', required: true, schema: {} }] }) },
    });
    assert.match(
      refusal(required),
      /desk-api\.yaml: #\/paths\/~1x\/get\/parameters\/0: expected no required header, got X-Api-Key; set it under headers/,
    );
    const tool = toolsOf(from(required, { ask: {} }, { headers: { 'x-api-key': new Secret('12345678') } })).get('ask');
    assert.deepEqual(shownOf(tool?.parameters)['properties'], {});
  });

  it('that contains itself in its body is checked for some levels', () => {
    const node = {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/components/schemas/node' } } },
    };
    const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/node' } } } };
    const document = documentOf(
      { '/x': { post: operation('ask', { requestBody: body }) } },
      { components: { schemas: { node } } },
    );
    const parameters = toolsOf(from(document)).get('ask')?.parameters;
    assert.equal(parameters?.safeParse({ body: { children: [{ name: 7 }] } }).success, false);
    assert.equal(parameters?.safeParse({ body: { children: [{ children: [{ name: 7 }] }] } }).success, true);
  });
});

suite('an OpenAPI document that cannot be used is refused by the part that is at fault', () => {
  const withParameters = (...parameters: JsonValue[]) => documentOf({ '/x/{id}': { get: operation('ask', { parameters }) } });
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const cases: readonly (readonly [string, JsonValue, RegExp])[] = [
    ['no document', 'hello', /#\/openapi: expected version 3\.0 or 3\.1 of OpenAPI/],
    ['an older version', { swagger: '2.0', paths: {} }, /expected version 3\.0 or 3\.1/],
    [
      'no such operation',
      documentOf({ '/x': { get: operation('other') } }),
      /expected an operation with the operationId ask, got none; there are: other/,
    ],
    ['no paths', documentOf({}), /got none; there are: none/],
    [
      'an operation twice',
      documentOf({ '/x': { get: operation('ask') }, '/y': { put: operation('ask') } }),
      /#\/paths\/~1y\/put: operationId: expected one of its own/,
    ],
    [
      'no words',
      documentOf({ '/x': { get: { operationId: 'ask' } } }),
      /#\/paths\/~1x\/get: expected a summary or a description/,
    ],
    ['no parameter of the path', withParameters(), /#\/paths\/~1x~1\{id\}\/get: expected a parameter for \{id\}/],
    ['a name twice', withParameters(id, { ...id, in: 'query' }), /expected parameters with names of their own, got id/],
    [
      'a hostile name',
      withParameters(id, JSON.parse('{"name":"__proto__","in":"query","schema":{}}') as JsonValue),
      /parameters\/1: name: expected the name/,
    ],
    ['another place', withParameters({ ...id, in: 'matrix' }), /parameters\/0: in: expected path, query, header or cookie/],
    [
      'a required cookie',
      withParameters(id, { name: 's', in: 'cookie', required: true }),
      /expected no required cookie, got s; cookies are not sent/,
    ],
    [
      'a body of another type',
      documentOf({ '/x': { post: operation('ask', { requestBody: { required: true, content: { 'text/xml': {} } } }) } }),
      /requestBody\/content: expected a body in JSON/,
    ],
    [
      'parameters that refer to each other',
      withParameters({ $ref: '#/components/a' }),
      /expected a part of the document, got #\/components\/a/,
    ],
    [
      'a path item of a host',
      documentOf({ '/x': { $ref: 'http://127.0.0.1:9/x.yaml' } }),
      /#\/paths\/~1x: expected a reference within the document/,
    ],
    [
      'a schema of a file',
      withParameters({ ...id, schema: { $ref: '/etc/passwd' } }),
      /expected a reference within the document \(#\/…\), got "\/etc\/passwd"/,
    ],
    [
      'a path that leads elsewhere',
      documentOf({ '//evil.example/x': { get: operation('ask') } }),
      /expected a path such as \/orders\/\{number\}/,
    ],
  ];
  for (const [what, document, told] of cases) it(what, () => assert.match(refusal(document), told));

  it('a circle of references', () => {
    const circle = documentOf(
      { '/x': { $ref: '#/components/a' } },
      { components: { a: { $ref: '#/components/b' }, b: { $ref: '#/components/a' } } },
    );
    assert.match(refusal(circle), /expected a schema, got a reference that leads to itself/);
  });

  it('nothing outside is asked for any of it', () =>
    assert.deepEqual(
      service.requests.filter((line) => !line.includes('/echo')),
      [],
    ));
});
