import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KnowledgeSearch, SearchRequest } from '../../agent/ports/knowledge.ts';
import { createSearchKnowledge } from '../../tools/search-knowledge.ts';
import { passageOf } from '../agent/fakes.ts';
import { toolContext } from './context.ts';

const setUp = (passages: ReturnType<typeof passageOf>[]) => {
  const requests: SearchRequest[] = [];
  const knowledge: KnowledgeSearch = {
    search: async (request) => {
      requests.push(request);
      return { passages, mode: 'words', documents: 3 };
    },
  };
  return { tool: createSearchKnowledge({ knowledge }), requests };
};

test('passages come back numbered, with where they stand and how old they are', async () => {
  const passage = passageOf('a', 'Two years.', { headingPath: ['Guide', 'Warranty'], location: 'page 3', date: '2026-01-02' });
  const { tool } = setUp([passage]);
  assert.deepEqual(await tool.run({ query: 'warranty' }, toolContext()), {
    documents: 3,
    passages: [
      {
        n: 1,
        title: 'Title a',
        heading: 'Guide > Warranty',
        source: 'a.md',
        location: 'page 3',
        date: '2026-01-02',
        text: 'Two years.',
      },
    ],
  });
});

test('the search runs under the labels and the signal of the run', async () => {
  const { tool, requests } = setUp([]);
  const context = toolContext({ labels: ['staff'] });
  assert.deepEqual(await tool.run({ query: 'warranty' }, context), { documents: 3, passages: [] });
  assert.deepEqual([requests[0]?.query, requests[0]?.labels, requests[0]?.signal], ['warranty', ['staff'], context.signal]);
});

test('an empty query is no valid argument', () => {
  const { tool } = setUp([]);
  assert.equal(tool.parameters.safeParse({ query: '  ' }).success, false);
  assert.equal(tool.parameters.safeParse({ query: 'x' }).success, true);
});
