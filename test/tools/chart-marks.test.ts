import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ChartCell } from '../../tools/chart-data.ts';
import { scaled, seed } from '../scale.ts';
import { assertNear, barsOf, heightOf, linesOf, svgOf, tableOf, textsOf, ticksOf } from './chart-reading.ts';

const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

describe('the marks of a chart, read back from the picture', () => {
  it('one bar is as high as its value, and no wider than a bar should be', async () => {
    const svg = await svgOf(tableOf(['city', 'orders'], [['Berlin', 1234]]));
    const [bar, ...others] = barsOf(svg);
    assert.ok(bar !== undefined);
    assert.equal(others.length, 0);
    assertNear([heightOf(bar)], [1234], 1234);
    assert.equal(bar.width, 64);
    assert.deepEqual(textsOf(svg).slice(0, 1), ['Berlin']);
  });

  it('200 bars keep their order and values, and their labels stand apart', async () => {
    const values = range(200).map((at) => (at * 7919) % 1000);
    const svg = await svgOf(
      tableOf(
        ['product', 'sold'],
        values.map((value, at) => [`Product ${at + 1}`, value]),
      ),
    );
    const bars = barsOf(svg);
    assertNear(bars.map(heightOf), values, 1000);
    assert.ok(bars.every((bar, at) => at === 0 || bar.x > (bars[at - 1]?.x ?? 0) + (bars[at - 1]?.width ?? 0)));
    const ticks = ticksOf(svg, 'X');
    assert.equal(ticks[0]?.text, 'Product 1');
    // Slanted by 45 degrees, lines of 11 units are apart when their feet are 16 apart.
    for (const [at, { x }] of ticks.entries()) assert.ok(at === 0 || x - (ticks[at - 1]?.x ?? 0) >= 16, `label ${at}`);
  });

  it('negative bars hang from zero', async () => {
    const values = [-1200.5, 800, -300, 2400, 0];
    const bars = barsOf(
      await svgOf(
        tableOf(
          ['quarter', 'profit'],
          values.map((value, at) => [`Q${at + 1}`, value]),
        ),
      ),
    );
    assertNear(bars.map(heightOf), values, 4000);
    assertNear(
      bars.map(({ top, bottom }) => Math.min(Math.abs(top), Math.abs(bottom))),
      [0, 0, 0, 0, 0],
      4000,
    );
  });

  it('equal values and zeros alone have bars of one height', async () => {
    assertNear(
      barsOf(
        await svgOf(
          tableOf(
            ['a', 'n'],
            [
              ['x', 5],
              ['y', 5],
            ],
          ),
        ),
      ).map(heightOf),
      [5, 5],
      5,
    );
    assertNear(
      barsOf(
        await svgOf(
          tableOf(
            ['a', 'n'],
            [
              ['x', 0],
              ['y', 0],
            ],
          ),
        ),
      ).map(heightOf),
      [0, 0],
      1,
    );
    const [line] = linesOf(
      await svgOf(
        tableOf(
          ['a', 'n'],
          [
            ['x', 5],
            ['y', 5],
          ],
        ),
        { kind: 'line' },
      ),
    );
    assertNear(line?.stretches[0]?.map(({ value }) => value) ?? [], [5, 5], 5);
  });

  it('two columns are bars side by side, each with its colour and a name in the legend', async () => {
    const svg = await svgOf(
      tableOf(
        ['region', 'plan', 'actual'],
        [
          ['North', 100, 90],
          ['South', 120, 140],
        ],
      ),
    );
    const bars = barsOf(svg);
    const byColour = Map.groupBy(bars, ({ fill }) => fill);
    assert.deepEqual(
      [...byColour.values()].map((some) => some.map((bar) => Math.round(heightOf(bar)))),
      [
        [100, 120],
        [90, 140],
      ],
    );
    assert.equal(new Set(bars.map(({ x }) => x)).size, 4);
    assert.ok(textsOf(svg).includes('plan') && textsOf(svg).includes('actual'));
  });

  it('a stack of twelve series adds up, each part as high as its value', async () => {
    const rows = range(6).flatMap((month) =>
      range(12).map((team): ChartCell[] => [`M${month}`, `T${team}`, 1 + ((month * 5 + team * 3) % 11)]),
    );
    const svg = await svgOf(tableOf(['month', 'team', 'tickets'], rows), { kind: 'stacked' });
    const stacks = [...Map.groupBy(barsOf(svg), ({ x }) => x).values()];
    assert.equal(stacks.length, 6);
    for (const [month, stack] of stacks.entries()) {
      const values = rows.filter(([label]) => label === `M${month}`).map(([, , value]) => Number(value));
      const parts = [...stack].sort((a, b) => a.bottom - b.bottom);
      assertNear(
        parts.map(({ top, bottom }) => top - bottom),
        values,
        100,
      );
      assertNear(
        parts.map(({ bottom }) => bottom),
        values.map((_, at) => values.slice(0, at).reduce((sum, value) => sum + value, 0)),
        100,
      );
    }
    assert.equal(new Set(barsOf(svg).map(({ fill }) => fill)).size, 12);
  });

  it('a stack of values of both signs grows both ways from zero', async () => {
    const svg = await svgOf(
      tableOf(
        ['m', 'in', 'out'],
        [
          ['a', 5, -3],
          ['b', -2, 4],
        ],
      ),
      { kind: 'stacked' },
    );
    const ends = [...Map.groupBy(barsOf(svg), ({ x }) => x).values()].map((stack) => [
      Math.round(Math.min(...stack.map(({ bottom }) => bottom))),
      Math.round(Math.max(...stack.map(({ top }) => top))),
    ]);
    assert.deepEqual(ends, [
      [-3, 5],
      [-2, 4],
    ]);
  });

  it('a line over days has them in order, as far apart as they are, with a gap where there is no value', async () => {
    const rows = [
      ['2026-03-05', 4],
      ['2026-03-01', 1],
      ['2026-03-02', 2],
      ['2026-03-03', null],
      ['2026-03-04', 3],
    ];
    const svg = await svgOf(tableOf(['day', 'visits'], rows));
    const [line] = linesOf(svg);
    const xs = line?.stretches.map((stretch) => stretch.map(({ x }) => x)) ?? [];
    assertNear(line?.stretches.flatMap((stretch) => stretch.map(({ value }) => value)) ?? [], [1, 2, 3, 4], 4);
    assert.deepEqual(xs, [
      [0, 170],
      [510, 680],
    ]);
    assert.deepEqual(
      ticksOf(svg, 'X').map(({ text }) => text),
      ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05'],
    );
  });

  it('times with a zone stand where that moment is, and years keep their digits', async () => {
    const times = await svgOf(
      tableOf(
        ['at', 'n'],
        [
          ['2026-03-01T10:00:00+02:00', 1],
          ['2026-03-01 12:00', 2],
        ],
      ),
    );
    assert.deepEqual(
      ticksOf(times, 'X').map(({ text }) => text),
      ['08:00', '12:00'],
    );
    const years = await svgOf(
      tableOf(
        ['year', 'n'],
        [
          [2020, 5],
          [2022, 7],
        ],
      ),
      { kind: 'line', x: 'year' },
    );
    assert.deepEqual([ticksOf(years, 'X')[0]?.text, ticksOf(years, 'X').at(-1)?.text], ['2020', '2022']);
  });

  it('a histogram counts every value once, in bins of one width', async () => {
    const values = range(300).map((at) => 20 + 15 * Math.sin(at) + ((at * 31) % 17));
    const svg = await svgOf(
      tableOf(
        ['minutes'],
        values.map((value) => [value]),
      ),
    );
    const bars = barsOf(svg);
    const bounds = ticksOf(svg, 'X').map(({ text }) => Number(text));
    const expected = bounds.slice(1).map((to, at) => values.filter((value) => value >= (bounds[at] ?? 0) && value < to).length);
    assertNear(bars.map(heightOf), expected, 300);
    assert.equal(
      expected.reduce((sum, count) => sum + count, 0),
      300,
    );
    assertNear(barsOf(await svgOf(tableOf(['n'], [[7], [7], [7]]))).map(heightOf), [3], 3);
  });

  it(`random rows come back as they went in (seed ${seed})`, async () => {
    const value = fc.option(fc.integer({ min: -1_000_000, max: 1_000_000 }), { freq: 10, nil: null });
    const rows = fc
      .tuple(fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 40 }), fc.integer({ min: -12, max: 12 }))
      .map(([list, power]) => list.map((row) => row.map((one) => (one === null ? null : one * 10 ** power))))
      .filter((list) => list.flat().some((one) => one !== null));
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom('bar', 'line', 'stacked' as const), async (list, kind) => {
        const svg = await svgOf(
          tableOf(
            ['x', 'a', 'b'],
            list.map((row, at) => [`x${at}`, ...row]),
          ),
          { kind, y: ['a', 'b'] },
        );
        const numbers = list.flat().filter((one) => one !== null);
        const span = 2 * Math.max(...numbers.map(Math.abs), Number.MIN_VALUE);
        for (const [nth, colour] of ['#0072b2', '#e69f00'].entries()) {
          const expected = list.map((row) => row[nth] ?? null).filter((one) => one !== null);
          const bars = barsOf(svg).filter(({ fill }) => fill === colour);
          const line = linesOf(svg).find(({ stroke }) => stroke === colour);
          const read = {
            line: line?.stretches.flatMap((stretch) => stretch.map((point) => point.value)) ?? [],
            bar: bars.map(heightOf),
            stacked: bars.map(({ top, bottom }) => top - bottom),
          }[kind];
          assertNear(read, kind === 'stacked' ? expected.map(Math.abs) : expected, span);
        }
      }),
      { seed, numRuns: scaled(200) },
    );
  });
});
