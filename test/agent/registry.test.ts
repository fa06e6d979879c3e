import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { createAgent } from '../../agent/loop.ts';
import type { Tool } from '../../agent/ports/tool.ts';
import { createRegistry } from '../../agent/registry.ts';
import { createRouter } from '../../agent/router.ts';
import { callTurn, createScriptedModel, runInput, turnOf } from './fakes.ts';
import { settle, setUp, toolOf } from './harness.ts';

describe('the registry', () => {
  test('makes each schema once, as the model must fill it in', () => {
    const registry = createRegistry();
    registry.registerTool({
      ...toolOf('order', async () => null),
      parameters: z.object({ id: z.string(), withItems: z.boolean().default(false) }),
    });
    assert.deepEqual(registry.specs[0]?.parameters, {
      type: 'object',
      properties: { id: { type: 'string' }, withItems: { default: false, type: 'boolean' } },
      required: ['id'],
    });
    assert.equal(registry.specs[0], registry.specs[0]);
    assert.equal(registry.find('order')?.name, 'order');
  });

  const BAD: readonly (readonly [string, Partial<Tool>, RegExp])[] = [
    ['a name with spaces', { name: 'my tool' }, /expected 1 to 64 letters.*"my tool"/],
    ['a name that is taken', { name: 'a' }, /expected a name of its own/],
    ['no description', { description: ' ' }, /expected a description/],
    ['no time limit', { timeoutMs: 0 }, /expected timeoutMs/],
    ['parameters that are no object', { parameters: z.string() }, /JSON schema of an object/],
    ['parameters that JSON cannot describe', { parameters: z.object({ at: z.date() }) }, /JSON schema of an object/],
  ];
  for (const [what, parts, message] of BAD) {
    test(`refuses a tool with ${what}`, () => {
      const registry = createRegistry([toolOf('a', async () => null)]);
      assert.throws(() => registry.registerTool({ ...toolOf('b', async () => null), ...parts }), {
        code: 'config_invalid',
        message,
      });
      assert.equal(registry.tools.length, 1);
    });
  }
});

describe('with many tools', () => {
  const SUBJECTS = [
    'order',
    'invoice',
    'weather',
    'ticket',
    'holiday',
    'salary',
    'printer',
    'parking',
    'lunch',
    'badge',
    'laptop',
    'phone',
    'meeting',
    'travel',
    'visa',
    'training',
    'contract',
    'supplier',
    'warehouse',
    'shipment',
  ];
  const tools = SUBJECTS.map((subject) =>
    toolOf(`query_${subject}`, async () => subject, {
      description: `Looks up one ${subject}. Use it for a question about a ${subject}.`,
    }),
  );

  test('those are offered that fit the question, and those that always are', () => {
    const many = [...tools, toolOf('read_more', async () => null, { always: true })];
    const registry = createRegistry(many);
    const offered = createRouter(registry.tools, registry.specs).select('Where is the shipment of my laptops?', 4);
    const names = offered.map(({ name }) => name);
    assert.equal(names.length, 5);
    for (const name of ['query_laptop', 'query_shipment', 'read_more']) assert.ok(names.includes(name), name);
  });

  test('trigger phrases count as much as the name', () => {
    const triggered = toolOf('query_hr', async () => null, { description: 'Personnel.', triggers: ['days off', 'vacation'] });
    const registry = createRegistry([...tools, triggered]);
    const [first] = createRouter(registry.tools, registry.specs).select('How much vacation is left?', 1);
    assert.equal(first?.name, 'query_hr');
  });

  test('a run is offered eight of twenty, the same in every step, and may call any', async () => {
    const model = createScriptedModel(callTurn('query_visa', {}), turnOf({ text: 'Fine.' }));
    await setUp(model, { tools, input: { question: 'Where is my order?' } }).run();
    assert.equal(model.requests[0]?.tools.length, 8);
    assert.ok(model.requests[0]?.tools.some(({ name }) => name === 'query_order'));
    assert.deepEqual(model.requests[1]?.tools, model.requests[0]?.tools);
    assert.equal(model.requests[1]?.messages.at(-1)?.content, '"visa"');
  });

  test('all are offered once one of them is set aside', async () => {
    const broken = toolOf('query_order', () => Promise.reject(new Error('x')), { description: 'Looks up an order.' });
    const model = createScriptedModel(
      callTurn('query_order', { a: 1 }),
      callTurn('query_order', { a: 2 }),
      turnOf({ text: 'Fine.' }),
    );
    const others = tools.filter(({ name }) => name !== 'query_order');
    await setUp(model, { tools: [broken, ...others], input: { question: 'Where is my order?' } }).run();
    assert.equal(model.requests[2]?.tools.length, 20);
  });

  test('one that is registered later is offered with the next question', async () => {
    const registry = createRegistry(tools.slice(0, 14));
    const model = createScriptedModel(turnOf({ text: 'Fine.' }));
    const { clock, deps } = setUp(model, { deps: { tools: registry } });
    const agent = createAgent(deps);
    const run = () => settle(clock, agent.run(runInput({ question: 'Which contract is it?' })));
    const isOffered = (): boolean => model.requests.at(-1)?.tools.some(({ name }) => name === 'query_contract') === true;
    await run();
    assert.equal(isOffered(), false);
    for (const tool of tools.slice(14)) registry.registerTool(tool);
    await run();
    assert.equal(isOffered(), true);
  });
});
