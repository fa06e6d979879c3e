/** Whether a question wants its answer drawn, as what, and what it asks without that: `a bar chart of orders by month`. */

export interface ChartAsked {
  /** Undefined: whatever fits the rows. */
  readonly kind: 'bar' | 'line' | 'stacked' | 'histogram' | undefined;
  /** The question without the words about the chart. */
  readonly rest: string;
}

const KINDS: readonly (readonly [ChartAsked['kind'], RegExp])[] = [
  ['stacked', /\bstacked\b|gestapelt|堆叠|堆积/iu],
  ['histogram', /\bhistogramm?\b|直方图/iu],
  ['line', /\bline (?:chart|graph|plot|diagram)\b|liniendiagramm|折线图|线图/iu],
  ['bar', /\b(?:bar|column) (?:chart|graph|plot|diagram)\b|balkendiagramm|säulendiagramm|柱状图|条形图/iu],
];

const ENGLISH_NOUN = '(?:(?:stacked|bar|column|line|nice|simple|little)[ -])*(?:charts?|graphs?|plots?|diagrams?|histograms?)';
const GERMAN_NOUN = '(?:gestapelte[sn]? )?(?:(?:balken|säulen|linien)?diagramm|grafik|histogramm)';
const CHINESE_NOUN = '(?:堆叠|堆积)?(?:柱状图|条形图|折线图|直方图|图表|曲线图|线图|图)';

/** The frame that a chart is asked for in, with what is asked for in the group `rest`. */
const FRAMES: readonly RegExp[] = [
  new RegExp(
    `^(?:please )?(?:(?:can|could) you )?(?:please )?(?:(?:show|draw|make|give|create|plot|render|display)(?: me| us)? )?(?:an? |the )?${ENGLISH_NOUN} (?:of|for|showing|with|about) (?<rest>.+)$`,
    'iu',
  ),
  new RegExp(`^(?<rest>.+?),? (?:as|in|on|with) an? ${ENGLISH_NOUN}(?: please)?[?.!]*$`, 'iu'),
  /^(?:please )?(?:(?:can|could) you )?(?:please )?(?:plot|graph|chart|draw|visuali[sz]e) (?:me )?(?<rest>.+)$/iu,
  new RegExp(
    `^(?:bitte )?(?:(?:zeig|zeige|zeichne|mach|mache|erstelle|erstell)(?: mir| uns)? )?(?:ein|eine|das|die) ${GERMAN_NOUN} (?:der|des|von|zu|für|mit|über) (?<rest>.+)$`,
    'iu',
  ),
  new RegExp(`^(?<rest>.+?),? (?:als|in einem|in einer) ${GERMAN_NOUN}[?.!]*$`, 'iu'),
  new RegExp(`^(?:请|帮我|给我)*(?:用|以)(?:一?[个张])?${CHINESE_NOUN}(?:来)?(?:显示|展示|表示|画出?|看看?)(?<rest>.+)$`, 'u'),
  new RegExp(`^(?:请|帮我|给我)*(?:画出?|绘制|显示|展示|生成)?(?:一?[个张])?(?<rest>.+?)的?${CHINESE_NOUN}[。？！]*$`, 'u'),
];

const MAX_CHARS = 400;

export const chartAskedIn = (question: string): ChartAsked | undefined => {
  const text = question.trim();
  if (text.length > MAX_CHARS) return undefined;
  const rest = FRAMES.map((frame) => frame.exec(text)?.groups?.['rest']).find((one) => one !== undefined);
  return rest === undefined ? undefined : { kind: KINDS.find(([, pattern]) => pattern.test(text))?.[0], rest: rest.trim() };
};
