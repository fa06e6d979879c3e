import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toApiMessages } from '../../models/openai-messages.ts';
import { createTextProtocol, readAction, toTextMessages } from '../../models/text-protocol.ts';
import { lintRequest } from '../../simulator/model-linter.ts';
import { createScriptedModel, turnOf } from '../agent/fakes.ts';
import { setUp } from '../agent/harness.ts';

const FORM = 'The form is: Action: name with input {"argument": "value"}';

describe('an Action line', () => {
  const CALLS: readonly (readonly [string, string, string, string])[] = [
    ['alone', 'Action: search with input {"query":"x"}', 'search', '{"query":"x"}'],
    ['behind a thought', 'I look it up.\nAction: search with input {"query":"x"}\n', 'search', '{"query":"x"}'],
    ['in other letters and spaces', 'action :  search  WITH INPUT {"a":{"b":[1]}}', 'search', '{"a":{"b":[1]}}'],
    ['with braces in a text', 'Action: search with input {"query":"} \\" {"}', 'search', '{"query":"} \\" {"}'],
  ];
  for (const [what, text, name, args] of CALLS) {
    test(`${what} is a call`, () => {
      assert.deepEqual(readAction(text)?.call, { name, arguments: args });
    });
  }

  const BAD: readonly (readonly [string, string, string])[] = [
    ['without "with input"', 'Action: search {"query":"x"}', `The Action line could not be read. ${FORM}`],
    ['with cut JSON', 'Action: search with input {"query":"x', `The input is not complete JSON. ${FORM}`],
    [
      'with an observation that the model made up',
      'Action: search with input {"query":"x"}\nObservation: two years',
      `Nothing may stand behind the input, and no Observation may be written by you. ${FORM}`,
    ],
    [
      'with single quotes',
      "Action: search with input {'query':'x'}",
      `The arguments are not complete JSON. Send them again as one JSON object. ${FORM}`,
    ],
  ];
  for (const [what, text, problem] of BAD) {
    test(`${what} is told so`, () => {
      assert.equal(readAction(text)?.call.problem, problem);
    });
  }

  test('is none where the word stands within a sentence', () => {
    assert.equal(readAction('The right Action: ask your lead.'), undefined);
  });
});

test('calls and results are sent as text, results of one turn together', () => {
  const sent = toTextMessages(
    [
      { role: 'system', content: 'S' },
      { role: 'user', content: 'Q' },
      {
        role: 'assistant',
        content: 'I look.',
        toolCalls: [
          { id: 'a', name: 't', arguments: '{}' },
          { id: 'b', name: 'u', arguments: '{}' },
        ],
      },
      { role: 'tool', callId: 'a', name: 't', content: '1' },
      { role: 'tool', callId: 'b', name: 'u', content: '2' },
    ],
    [],
  );
  assert.deepEqual(sent.slice(2), [
    { role: 'assistant', content: 'I look.\nAction: t with input {}\nAction: u with input {}', toolCalls: [] },
    { role: 'user', content: 'Observation (t): 1\nObservation (u): 2' },
  ]);
});

test('a run over text searches, reads a format error as an observation, and answers with a citation', async () => {
  const inner = createScriptedModel(
    turnOf({ text: 'Action: search_knowledge {"query":"warranty"}' }),
    turnOf({ text: 'I try again.\nAction: search_knowledge with input {"query":"warranty"}' }),
    turnOf({ text: 'It lasts two years [1].' }),
  );
  const { run, input } = setUp(createTextProtocol(inner));
  const { answer, tools } = await run();
  assert.equal(answer.text, 'It lasts two years [1].');
  assert.deepEqual([answer.citations[0]?.chunkId, tools], ['warranty', ['action', 'search_knowledge']]);
  for (const request of inner.requests) {
    assert.deepEqual(request.tools, []);
    assert.deepEqual(lintRequest({ messages: toApiMessages(request.messages) }), []);
  }
  assert.match(inner.requests[0]?.messages[0]?.content ?? '', /- search_knowledge: Searches\. \{/);
  assert.match(inner.requests[1]?.messages.at(-1)?.content ?? '', /^Observation \(action\): .*The form is/);
  const shown = input.events.map((event) => (event.type === 'text_delta' ? event.delta : '')).join('');
  assert.ok(!shown.includes('Action'), shown);
});
