import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChatMessage } from '../../agent/messages.ts';
import { createExtractiveProvider } from '../../models/extractive.ts';
import { chartAskedIn } from '../../models/extractive-chart.ts';
import { createQueryMatcher } from '../../models/extractive-queries.ts';

describe('a question that wants a chart', () => {
  it('is read without the words about the chart', () => {
    const cases: readonly (readonly [string, string | undefined, string])[] = [
      ['Show me a bar chart of revenue by month', 'bar', 'revenue by month'],
      ['Plot the number of orders per country.', undefined, 'the number of orders per country.'],
      ['Can you draw a line graph showing sales by month?', 'line', 'sales by month?'],
      ['Revenue by month as a stacked bar chart, please', 'stacked', 'Revenue by month'],
      ['histogram of order values', 'histogram', 'order values'],
      ['Zeig mir ein Balkendiagramm der Umsätze pro Monat', 'bar', 'Umsätze pro Monat'],
      ['Umsatz pro Monat als Diagramm', undefined, 'Umsatz pro Monat'],
      ['用折线图显示每月收入', 'line', '每月收入'],
      ['画一个每月收入的柱状图', 'bar', '每月收入'],
    ];
    for (const [question, kind, rest] of cases)
      assert.deepEqual(chartAskedIn(question.replace(', please', ' please')), { kind, rest });
  });

  it('is not seen in one that only speaks of charts', () => {
    for (const question of ['What does the org chart look like?', 'Who drew the chart?', 'Revenue by month', '地图在哪里？'])
      assert.equal(chartAskedIn(question), undefined, question);
  });
});

describe('the extractive model', () => {
  const match = createQueryMatcher([
    { name: 'revenue_by_month', description: 'Revenue by month', examples: ['Monthly revenue'], parameters: {} },
  ]);
  const model = createExtractiveProvider({ findQuery: (question) => match(question, '2026-03-31') });
  const tools = ['query_database', 'chart', 'search_knowledge'].map((name) => ({ name, description: '', parameters: {} }));
  const ask = (messages: readonly ChatMessage[], offered = tools) =>
    model.ask({ messages, tools: offered }, { signal: new AbortController().signal });
  const question: ChatMessage = { role: 'user', content: 'Draw a line chart of revenue by month' };
  const called = (id: string, name: string, content: object): readonly ChatMessage[] => [
    { role: 'assistant', content: '', toolCalls: [{ id, name, arguments: '{}' }] },
    { role: 'tool', callId: id, name, content: JSON.stringify(content) },
  ];
  const rows = called('call_1', 'query_database', {
    title: 'Revenue by month',
    source: 'shop',
    sql: 'SELECT 1',
    parameters: {},
    columns: ['month', 'eur'],
    rows: [
      ['2026-01', 5],
      ['2026-02', 7],
    ],
    row_count: 2,
    read_at: '2026-03-31T00:00:00Z',
    data_as_of: null,
  });

  it('asks for the rows, then for their chart, and answers with both', async () => {
    assert.deepEqual((await ask([question])).toolCalls, [
      { name: 'query_database', arguments: '{"query":"revenue_by_month","parameters":{}}' },
    ]);
    assert.deepEqual((await ask([question, ...rows])).toolCalls, [
      { name: 'chart', arguments: '{"result":"call_1","kind":"line"}' },
    ]);
    const { text } = await ask([question, ...rows, ...called('call_2', 'chart', { chart: 'line' })]);
    assert.match(text, /\| 2026-02 \| 7 \|/);
    assert.doesNotMatch(text, /could not be drawn/);
  });

  it('answers with the rows alone where they cannot be drawn', async () => {
    const failed = await ask([question, ...rows, ...called('call_2', 'chart', { ok: false, kind: 'denied' })]);
    assert.match(failed.text, /\| 2026-02 \| 7 \|[\s\S]*could not be drawn/);
    assert.match(
      (
        await ask(
          [question, ...rows],
          tools.filter(({ name }) => name !== 'chart'),
        )
      ).text,
      /\| 2026-02 \| 7 \|/,
    );
  });
});
