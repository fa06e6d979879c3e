import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Resvg } from '@resvg/resvg-js';
import { systemClock } from '../../ops/clock.ts';
import { chartDataOf } from '../../tools/chart-data.ts';
import { drawPng } from '../../tools/chart-draw.ts';
import { createDrawChart } from '../../tools/chart-process.ts';
import { FONTS } from '../../tools/chart-spec.ts';
import { cutToWidth, textWidth } from '../../tools/chart-text-width.ts';
import { svgOf, tableOf, textsOf, ticksOf, WORDS } from './chart-reading.ts';

const FONT_FILES = ['chart-sans.ttf', 'chart-cjk.otf'].map((name) =>
  fileURLToPath(new URL(`../../tools/fonts/${name}`, import.meta.url)),
);
const signal = new AbortController().signal;

/** What the renderer makes of a text: its box, and whether it is drawn as the box of a missing character. */
const rendered = (text: string) => {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="60"><text x="10" y="40" font-family="${FONTS}" font-size="20">${escaped}</text></svg>`;
  const image = new Resvg(svg, { font: { loadSystemFonts: false, fontFiles: FONT_FILES }, logLevel: 'off' });
  return { box: image.getBBox(), pixels: image.render().pixels };
};

describe('the font of charts', () => {
  it('has Latin, Greek, Cyrillic, Chinese of both scripts, Japanese and Korean', () => {
    const missing = rendered('\ue000').pixels;
    const texts = [
      'Äßçøžğ',
      'Ωλ',
      'Жизнь',
      '北京订单数量',
      '臺灣銷售額',
      '東京都の売上ヶ',
      'ひらがなカタカナ',
      '서울특별시 매출',
      '€£¥–…%°−×',
    ];
    for (const char of texts.join('').replaceAll(' ', ''))
      assert.ok(!rendered(char).pixels.equals(missing), `${char} is missing`);
    assert.ok(rendered('ก').pixels.equals(missing) || rendered('ก').box === undefined, 'the check can fail');
  });

  it('is as wide as it is taken for', () => {
    for (const text of ['Revenue by month', 'WWWWiiii', '1,234,567.89', '各城市订单数', '서울특별시', 'ひらがな', 'A & B < C']) {
      // The box leaves out the space beside the first and the last letter.
      const width = rendered(text).box?.width ?? 0;
      assert.ok(Math.abs(textWidth(text, 20) - width) <= 5, `${text}: ${textWidth(text, 20)} for ${width}`);
    }
    for (const text of ['Äßçøžğ Ünïcödé', 'Жизнь и судьба', 'Ωμέγα'])
      assert.ok(
        textWidth(text, 20) / (rendered(text).box?.width ?? 0) < 1.5 &&
          textWidth(text, 20) >= (rendered(text).box?.width ?? 0) * 0.95,
      );
  });

  it('a text that is cut keeps both ends and splits no character', () => {
    assert.equal(cutToWidth('short', 11, 100), 'short');
    const cut = cutToWidth('A customer whose name is long, branch 12', 11, 110);
    assert.match(cut, /^A cust.*….*12$/);
    assert.ok(textWidth(cut, 11) <= 110);
    assert.ok(cutToWidth('👩‍👩‍👧'.repeat(40), 11, 100).isWellFormed());
  });
});

const sizeOf = (svg: string): readonly number[] => /width="(\d+)" height="(\d+)"/.exec(svg)?.slice(1).map(Number) ?? [];

describe('the picture', () => {
  it('is a PNG of twice the size, with colours in it', async () => {
    const svg = await svgOf(
      tableOf(
        ['城市', '订单'],
        [
          ['北京', 3],
          ['서울', 2],
        ],
      ),
      {},
    );
    const [width = 0, height = 0] = sizeOf(svg);
    const bytes = Buffer.from(drawPng(svg));
    assert.deepEqual([...bytes.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [width * 2, height * 2]);
    const pixels = new Resvg(svg).render().pixels;
    const blue = [...new Uint32Array(new Uint8Array(pixels).buffer)].filter((pixel) => pixel === 0xffb27200).length;
    assert.ok(blue > 1000, `${blue} pixels of the bars`);
  });

  it('holds all its labels: none hangs over an edge', async () => {
    const long = (at: number): string => `上海市浦东新区 a very long name of a customer ${at}`;
    const rows = Array.from({ length: 30 }, (_, at) => [long(at), long(at % 5), 123_456_789 + at]);
    for (const wish of [{}, { kind: 'stacked', series: 'b' }, { kind: 'line' }] as const) {
      const svg = await svgOf(tableOf(['a', 'b', 'n'], rows, { title: long(1).repeat(6) }), wish);
      const [width = 0, height = 0] = sizeOf(svg);
      const box = new Resvg(svg.replace(/<rect [^>]*fill="#ffffff"\/>/, ''), {
        font: { loadSystemFonts: false, fontFiles: FONT_FILES },
      }).getBBox();
      assert.ok(box !== undefined && box.x >= 0 && box.y >= 0, JSON.stringify(wish));
      assert.ok(box.x + box.width <= width && box.y + box.height <= height, JSON.stringify(wish));
    }
  });

  it('level labels do not touch each other', async () => {
    for (const labels of [
      ['北京', '上海市浦东新区', '서울특별시'],
      ['January', 'February', 'March', 'April'],
      Array.from({ length: 200 }, (_, at) => `${at}`),
    ]) {
      const ticks = ticksOf(
        await svgOf(
          tableOf(
            ['x', 'n'],
            labels.map((label, at) => [label, at]),
          ),
        ),
        'X',
      );
      for (const [at, { text, x }] of ticks.entries()) {
        const before = ticks[at - 1];
        const room = before === undefined ? Number.POSITIVE_INFINITY : x - before.x;
        assert.ok(room > (textWidth(text, 11) + textWidth(before?.text ?? '', 11)) / 2, `${before?.text} and ${text}`);
      }
    }
  });

  it('names that look like fields, expressions, markup and addresses are shown as they are', async () => {
    const names = [
      'a.b',
      'a[0]',
      "it's",
      '"quoted"',
      '\\',
      'datum.x',
      "') + alert(1) + ('",
      '<script>alert(1)</script>',
      '&lt;&amp;',
      '{{x}}',
      '${1}',
      'https://example.com/x.png',
      'file:///etc/passwd',
      '__proto__',
      'constructor',
      'data(0)',
      '@x',
      'null',
    ];
    const svg = await svgOf(
      tableOf(
        ['constructor', 'a.b[0]"\'', '__proto__'],
        names.map((name, at) => [name, 'toString', at + 1]),
      ),
      { kind: 'bar', y: ['__proto__'] },
    );
    const texts = textsOf(svg);
    for (const name of names) assert.ok(texts.includes(cutToWidth(name, 11, 130)), name);
    // Once as a bar's name, once as an axis's.
    for (const name of ['constructor', '__proto__']) assert.equal(texts.filter((text) => text === name).length, 2, name);
    for (const name of Object.getOwnPropertyNames(Object.prototype))
      await svgOf(tableOf([name, 'n'], [['a', 1]], { title: name }));
    assert.ok(!/<(?:script|image|a|use|foreignObject)\b/.test(svg));
    const legend = textsOf(await svgOf(tableOf(['x', '</text><script>', 'a.b'], [['r', 1, 2]])));
    assert.ok(legend.includes('</text><script>') && legend.includes('a.b'));
  });
});

describe('the process that draws', () => {
  const request = {
    data: chartDataOf(tableOf(['x', 'n'], [['a', 1]]), {}),
    words: WORDS,
  };

  it('draws the same picture each time, and the thread that asks stays free', async () => {
    const draw = createDrawChart({ clock: systemClock });
    const rows = Array.from({ length: 2400 }, (_, at) => [`label ${at % 200}`, `s${Math.floor(at / 200)}`, at % 97]);
    const data = chartDataOf(tableOf(['a', 's', 'n'], rows), { kind: 'stacked', series: 's' });
    const worksMs: number[] = [];
    for (let at = 0; at < 2; at += 1) {
      const before = process.threadCpuUsage();
      assert.ok((await draw({ data, words: WORDS }, signal)).byteLength > 10_000);
      const { user, system } = process.threadCpuUsage(before);
      worksMs.push((user + system) / 1000);
    }
    // All the work of one chart here; what the test runner does meanwhile is in it.
    assert.ok(Math.min(...worksMs) < 50, `${worksMs.join(', ')} ms`);
    assert.deepEqual(await draw(request, signal), await draw(request, signal));
  });

  it('is ended at the limit and with the signal, and the next chart is drawn', async () => {
    await assert.rejects(createDrawChart({ clock: systemClock, drawMs: 1 })(request, signal), { code: 'tool_too_large' });
    const stop = new AbortController();
    const draw = createDrawChart({ clock: systemClock });
    const stopped = draw(request, stop.signal);
    stop.abort(new Error('stopped'));
    await assert.rejects(stopped, /stopped/);
    assert.ok((await draw(request, signal)).byteLength > 1000);
  });

  it('tells of a drawing that fails', async () => {
    const broken = { ...request, data: { ...request.data, points: undefined } } as unknown as typeof request;
    await assert.rejects(createDrawChart({ clock: systemClock })(broken, signal), { code: 'tool_failed' });
  });
});
