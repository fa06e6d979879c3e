import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Attachment } from '../../agent/attachment.ts';
import type { Tool, ToolContext } from '../../agent/ports/tool.ts';
import { createChart } from '../../tools/chart.ts';
import { chartDataOf } from '../../tools/chart-data.ts';
import type { ChartRequest } from '../../tools/chart-messages.ts';
import { numbersSaid } from '../../tools/chart-said.ts';
import { describeChart } from '../../tools/chart-words.ts';
import type { ReadQuery } from '../../tools/database.ts';
import { callTurn, createScriptedModel, turnOf } from '../agent/fakes.ts';
import { lastTool, setUp, toolOf } from '../agent/harness.ts';
import { tableOf } from './chart-reading.ts';
import { toolContext } from './context.ts';

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** The tool with a painter that keeps what it was asked for. */
const setUpChart = (context: Partial<ToolContext> = {}, readQuery?: ReadQuery) => {
  const requests: ChartRequest[] = [];
  const files: Attachment[] = [];
  const tool = createChart({
    draw: async (request) => {
      requests.push(request);
      return PNG;
    },
    readQuery,
  });
  const full = toolContext({ attach: (file) => files.push(file), ...context });
  const run = async (args: object) =>
    (await tool.run(tool.parameters.parse(args), full)) as { description: string; note: string };
  return { tool, run, requests, files };
};

const RESULT = JSON.stringify({
  title: 'Revenue by month in euros',
  columns: ['month', 'revenue'],
  rows: [
    ['2026-01', '1200.50'],
    ['2026-02', '900'],
    ['2026-03', null],
  ],
  row_count: 3,
});
const readResult = (id: string): string | undefined => ({ call_1: RESULT, call_2: '{"value":"4"}' })[id];

describe('a chart of an earlier result', () => {
  it('is made of its rows, and described by them', async () => {
    const { run, requests, files } = setUpChart({ readResult });
    const told = await run({ result: 'call_1', unit: 'EUR' });
    assert.equal(
      told.description,
      'Line chart: Revenue by month in euros. Across (month): 3 values, 2026-01 to 2026-03. Up (revenue (EUR)): 900 to 1,200.5. Highest: 1,200.5 (2026-01). Lowest: 900 (2026-02). Without a value: 1.',
    );
    assert.deepEqual(files, [
      { name: 'chart-revenue-by-month-in-euros.png', mediaType: 'image/png', description: told.description, bytes: PNG },
    ]);
    const [request] = requests;
    assert.ok(request !== undefined && request.data.kind === 'line');
    assert.deepEqual(
      request.data.points.map(({ y }) => y),
      [1200.5, 900, null],
    );
  });

  it('may be of the records of another tool', async () => {
    const records = JSON.stringify({
      metric: 'errors',
      points: [
        { at: '2026-01-01', count: 3, tags: [] },
        { at: '2026-01-02', count: 5 },
      ],
    });
    const { run } = setUpChart({ readResult: () => records });
    assert.match((await run({ result: 'call_1' })).description, /^Line chart: count \/ at\. .* Highest: 5 \(2026-01-02\)\./);
  });

  it('of which a part is known says so', async () => {
    const part = JSON.stringify({ title: '', columns: ['a', 'n'], rows: [['x', 1]], row_count: 60, more_rows_exist: true });
    const { run, requests } = setUpChart({ readResult: () => part });
    const told = await run({ result: 'call_1' });
    assert.match(told.description, /The first rows only; there are more\.$/);
    assert.match(told.note, /a part of the rows/);
    assert.equal(requests[0]?.data.isPart, true);
  });

  it('that is not there or has no rows is told', async () => {
    const { run } = setUpChart({ readResult });
    await assert.rejects(run({ result: 'call_9' }), {
      code: 'tool_not_found',
      message: /no result "call_9" yet: call_1 is the first/,
    });
    await assert.rejects(run({ result: 'call_2' }), { code: 'tool_not_found', message: /call_2 has no rows/ });
    await assert.rejects(run({}), { code: 'tool_arguments', message: /exactly one of result, query and given/ });
    await assert.rejects(run({ result: 'call_1', given: [{ value: 1 }] }), { code: 'tool_arguments' });
    await assert.rejects(run({ query: 'revenue' }), { code: 'tool_not_found' });
  });

  it('is not drawn where no picture can be shown', async () => {
    const { tool } = setUpChart();
    const args = tool.parameters.parse({ result: 'call_1' });
    await assert.rejects(tool.run(args, toolContext({ readResult })), { code: 'tool_refused', message: /figures as a table/ });
  });

  it('has no number in its title that neither the data nor the person has', async () => {
    const { run } = setUpChart({ readResult, asked: ['Revenue of 2026, please'] });
    await run({ result: 'call_1', title: 'Revenue 2026, up to 1,200.50' });
    await assert.rejects(run({ result: 'call_1', title: 'Revenue grew by 40%' }), {
      code: 'tool_arguments',
      message: /^title: 40 stands/,
    });
    assert.equal(setUpChart().tool.parameters.safeParse({ result: 'call_1', unit: '1000 EUR' }).success, false);
  });
});

describe('a chart of a named query', () => {
  it('reads it for the readers of the answer, with up to 200 rows and covered columns as they are', async () => {
    const calls: unknown[] = [];
    const readQuery = (async (query: string, parameters: object, { labels }: ToolContext) => {
      calls.push({ query, parameters, labels });
      const rows = Array.from({ length: 200 }, (_, at) => [`P${at}`, at]);
      const table = {
        columns: [
          { name: 'product', origin: undefined },
          { name: 'sold', origin: undefined },
        ],
        rows,
        hasMore: false,
      };
      return { title: 'Sold', source: undefined, answer: { table, sql: '', arguments: {}, readAt: '', dataAsOf: null } };
    }) as unknown as ReadQuery;
    const { tool, run, requests } = setUpChart({}, readQuery);
    assert.equal(tool.readsSensitive, true);
    await run({ query: 'sold', parameters: { top: 3 } });
    assert.deepEqual(calls, [{ query: 'sold', parameters: { top: 3 }, labels: ['everyone'] }]);
    const [request] = requests;
    assert.ok(request !== undefined && request.data.kind === 'bar');
    assert.equal(request.data.points.length, 200);
    assert.equal(request.data.isPart, false);
  });
});

describe('a chart of numbers that a person gave', () => {
  const asked = ['Please plot 1,200 for Berlin, 3 million for Paris and -5 for Rome'];

  it('is drawn, with their names', async () => {
    const { run } = setUpChart({ asked });
    const given = [
      { label: 'Berlin', value: 1200 },
      { label: 'Paris', value: 3_000_000 },
      { label: 'Rome', value: -5 },
    ];
    assert.match((await run({ given })).description, /Highest: 3,000,000 \(Paris\)\. Lowest: -5 \(Rome\)\./);
  });

  it('is refused with the number that nobody wrote', async () => {
    const { run, files } = setUpChart({ asked });
    const message = /^given 2: 1300 does not stand in what the person wrote/;
    await assert.rejects(run({ given: [{ value: 1200 }, { value: 1300 }] }), { code: 'tool_arguments', message });
    await assert.rejects(run({ given: [{ label: 'in 2031', value: 1200 }] }), {
      code: 'tool_arguments',
      message: /^given 1: 2031/,
    });
    await assert.rejects(setUpChart().run({ given: [{ value: 1 }] }), { code: 'tool_arguments' });
    assert.deepEqual(files, []);
  });

  it('reads each way of writing a number, and nothing else', () => {
    const cases: readonly (readonly [string, readonly number[], readonly number[]])[] = [
      ['1,200', [1200, 1.2], [12, 120]],
      ['1.200,5', [1200.5], [1200, 12005]],
      ['1,234,567.89', [1_234_567.89], [1_234_567]],
      ['12,34,567', [1_234_567], []],
      ["1'200'000 and 1 200 000", [1_200_000], []],
      ['3 million, 2.5k, 4 bn', [3e6, 2500, 4e9, 3], [3e9]],
      ['3万，两百，1.5亿', [30_000, 200, 150_000_000], [3000]],
      ['twelve and 40%', [12, 40], [0.4]],
      ['-5, minus 7, (8) and −9', [-5, -7, -8, -9, 5], [-10]],
      ['a range 10-20', [10, 20], [1020]],
      ['３，４', [3, 4], []],
      ['1e3 and 2.5e-2', [1000, 0.025], []],
      ['1, 2, 3', [1, 2, 3], [123]],
      ['1,2,3', [1, 2, 3], [123]],
    ];
    for (const [text, said, unsaid] of cases) {
      const found = numbersSaid([text]);
      for (const value of said) assert.ok(found.has(value), `${value} in ${text}`);
      for (const value of unsaid) assert.ok(!found.has(value), `${value} not in ${text}`);
    }
  });
});

describe('what cannot be drawn', () => {
  const refusals: readonly (readonly [string, Parameters<typeof chartDataOf>, RegExp])[] = [
    ['no rows', [tableOf(['a', 'n'], []), {}], /no rows/],
    ['no numbers', [tableOf(['a', 'b'], [['x', 'y']]), {}], /^y: expected a column of numbers; the data have none/],
    [
      'text among numbers',
      [
        tableOf(
          ['a', 'n'],
          [
            ['x', 1],
            ['y', 'm•••'],
          ],
        ),
        { y: ['n'] },
      ],
      /the column "n"; row 2 holds something else/,
    ],
    [
      'a number that is none',
      [tableOf(['a', 'n'], [['x', Number.POSITIVE_INFINITY]]), { y: ['n'] }],
      /row 1 holds something else/,
    ],
    ['empty cells alone', [tableOf(['a', 'n'], [['x', null]]), { y: ['n'] }], /all cells are empty/],
    ['an unknown column', [tableOf(['a', 'n'], [['x', 1]]), { x: 'city' }], /^x: expected one of the columns "a", "n"/],
    [
      'a value twice',
      [
        tableOf(
          ['a', 'n'],
          [
            ['x', 1],
            ['x', 2],
          ],
        ),
        {},
      ],
      /row 2 repeats one/,
    ],
    ['a stack of one', [tableOf(['a', 'n'], [['x', 1]]), { kind: 'stacked' }], /^series: expected a column of series/],
    [
      'thirteen series',
      [
        tableOf(
          ['a', 's', 'n'],
          Array.from({ length: 13 }, (_, at) => ['x', `s${at}`, at]),
        ),
        {},
      ],
      /at most 12, received 13/,
    ],
    [
      '201 bars',
      [
        tableOf(
          ['a', 'n'],
          Array.from({ length: 201 }, (_, at) => [`x${at}`, at]),
        ),
        {},
      ],
      /at most 200 values, received 201/,
    ],
    ['a histogram of text', [tableOf(['a'], [['x']]), { kind: 'histogram' }], /^y: expected a column of numbers/],
  ];
  for (const [name, given, message] of refusals) {
    it(`${name} is told by name`, () => {
      assert.throws(() => chartDataOf(...given), { name: 'AppError', message });
    });
  }

  it('a description fits a platform whatever the names and numbers are', () => {
    const long = (at: number): string => `${at} ${'长名字 long'.repeat(30)}`;
    const rows = Array.from({ length: 12 }, (_, at) => [long(at), long(at + 20), (at - 6) * 1.234567890123e99]);
    for (const kind of ['bar', 'line', 'stacked', 'histogram'] as const) {
      const table = tableOf([long(1), long(2), long(3)], rows, { title: long(4), isPart: true });
      const data = chartDataOf(table, { kind, series: long(2), y: [long(3)] });
      for (const language of ['en', 'zh'] as const) assert.ok(describeChart(data, language).length <= 1_000, kind);
    }
  });

  it('words in Chinese for a question in Chinese', () => {
    const data = chartDataOf(
      tableOf(
        ['城市', '订单'],
        [
          ['北京', 3],
          ['上海', 5],
        ],
        { title: '各城市订单' },
      ),
      {},
    );
    assert.equal(
      describeChart(data, 'zh'),
      '柱状图：各城市订单。横轴 (城市)：2 个值，从 北京 到 上海。纵轴 (订单)：3 到 5。最高：5（上海）。最低：3（北京）。',
    );
  });
});

describe('in a run', () => {
  it('the chart of a result that the model names goes with the answer', async () => {
    const chart = createChart({ draw: async () => PNG });
    const model = createScriptedModel(
      callTurn('query_database', {}),
      callTurn('chart', { result: 'call_1' }),
      callTurn('chart', { given: [{ value: 7 }, { value: 8 }] }),
      turnOf({ text: 'Here it is.' }),
    );
    const { run } = setUp(model, {
      tools: [toolOf('query_database', async () => JSON.parse(RESULT)), chart as Tool],
      input: { question: 'A chart of revenue, and of 7 apples and 8 pears' },
    });
    const { answer, files } = await run();
    assert.equal(answer.text, 'Here it is.');
    assert.equal((lastTool(model, 2) as { chart: string }).chart, 'line');
    assert.deepEqual(
      files.map(({ name }) => name),
      ['chart-revenue-by-month-in-euros.png', 'chart-value.png'],
    );
  });
});
