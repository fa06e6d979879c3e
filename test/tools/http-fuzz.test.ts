import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { AppError } from '../../agent/errors.ts';
import type { JsonValue } from '../../agent/json.ts';
import { requestOf } from '../../tools/http-request.ts';
import { readShortOperations } from '../../tools/http-short.ts';
import { parametersOfJsonSchema } from '../../tools/json-schema.ts';
import { short } from './http-world.ts';

const numRuns = 2_000;
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      '/',
      '\\',
      '.',
      '%',
      '2',
      'e',
      'f',
      'F',
      '?',
      '#',
      '@',
      ':',
      '\r',
      '\n',
      ';',
      '&',
      '=',
      ' ',
      'é',
      '\ud800',
    ),
  }),
);

test('whatever the arguments are, a request stays in its path, its query and its body, or is refused by name', () => {
  const parameter = { type: 'string', required: true } as const;
  const parameters = { a: parameter, b: parameter, q: { ...parameter, in: 'query' }, r: parameter } as const;
  const [operation] = readShortOperations({ ask: short('/x/{a}/y/{b}', { method: 'POST', parameters }) }, 'desk.yaml');
  assert.ok(operation !== undefined);
  let sent = 0;
  fc.assert(
    fc.property(text, text, text, text, (a, b, q, r) => {
      let asked: ReturnType<typeof requestOf>;
      try {
        asked = requestOf(operation, { a, b, q, r }, '/v1');
      } catch (error) {
        assert.ok(error instanceof AppError && error.code === 'tool_arguments');
        assert.match(error.message, /^[ab]: expected a value without slashes/);
        return;
      }
      sent += 1;
      assert.match(asked.path, /^[\x21-\x7e]+$/);
      const url = new URL(`http://desk.example${asked.path}`);
      assert.equal(`${url.pathname}${url.search}`, asked.path);
      const [, v1, x, first = '', y, second = '', ...more] = url.pathname.split('/');
      assert.deepEqual(
        [v1, x, decodeURIComponent(first), y, decodeURIComponent(second), more],
        ['v1', 'x', a.toWellFormed(), 'y', b.toWellFormed(), []],
      );
      assert.deepEqual([...url.searchParams], [['q', q.toWellFormed()]]);
      assert.deepEqual(JSON.parse(asked.body ?? ''), { r });
    }),
    { numRuns },
  );
  assert.ok(sent > numRuns / 20);
});

const keyword = fc.constantFrom(
  'type',
  'properties',
  'items',
  'required',
  'enum',
  'const',
  'anyOf',
  'oneOf',
  'allOf',
  '$ref',
  'additionalProperties',
  'format',
  'pattern',
  'minimum',
  'maxLength',
  'nullable',
  'description',
  'default',
  '__proto__',
  'constructor',
  'x',
);
const { value: schema } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    fc.constantFrom<JsonValue>(
      'string',
      'object',
      'array',
      'integer',
      'null',
      'date',
      '^a+$',
      '(',
      '#',
      '#/properties/x',
      '#/$ref',
      'http://x',
      true,
      false,
      null,
      0,
      -1,
      1e300,
      '',
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(keyword, tie('value')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

test('whatever a schema is, it becomes parameters that can be shown and held against a value, or is refused', () => {
  let made = 0;
  fc.assert(
    fc.property(schema, fc.jsonValue(), (given, value) => {
      let parameters: z.ZodType;
      try {
        parameters = parametersOfJsonSchema({ type: 'object', properties: { x: given } }, { place: 'desk.yaml' });
      } catch (error) {
        assert.ok(error instanceof AppError && error.code === 'config_invalid', String(error));
        assert.match(error.message, /^desk\.yaml: #/);
        return;
      }
      made += 1;
      assert.equal(z.toJSONSchema(parameters, { io: 'input' }).type, 'object');
      parameters.safeParse({ x: value });
    }),
    { numRuns },
  );
  assert.ok(made > numRuns / 20);
});
