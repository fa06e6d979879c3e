/** A chart as SVG, and that as a picture. Neither reads anything but the fonts. For a process of its own: it takes long enough to be felt. */
import { fileURLToPath } from 'node:url';
import { Resvg } from '@resvg/resvg-js';
import * as vega from 'vega';
import { compile } from 'vega-lite';
import type { ChartData } from './chart-data.ts';
import { type ChartWords, chartSpec } from './chart-spec.ts';
import { textWidth } from './chart-text-width.ts';

const FONT_FILES = ['chart-sans.ttf', 'chart-cjk.otf'].map((name) => fileURLToPath(new URL(`./fonts/${name}`, import.meta.url)));
/** Pixels for each unit: sharp on a dense screen. */
const SCALE = 2;

const refuse = (): Promise<never> => Promise.reject(new Error('a chart loads nothing'));
const NO_LOADER: vega.Loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse };

/** Of what Vega exports and does not declare. Without a canvas it takes every character for 0.8 of the font's size. */
const measure = (vega as unknown as { textMetrics: { width(item: { fontSize?: number }, text: unknown): number } }).textMetrics;

export const drawSvg = async (data: ChartData, words: ChartWords): Promise<string> => {
  measure.width = ({ fontSize = 11 }, text) => textWidth(String(text), fontSize);
  const view = new vega.View(vega.parse(compile(chartSpec(data, words)).spec), {
    renderer: 'none',
    loader: NO_LOADER,
    logLevel: vega.None,
  });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
};

export const drawPng = (svg: string): Uint8Array =>
  new Resvg(svg, {
    fitTo: { mode: 'zoom', value: SCALE },
    font: { loadSystemFonts: false, fontFiles: FONT_FILES },
    logLevel: 'off',
  })
    .render()
    .asPng();
