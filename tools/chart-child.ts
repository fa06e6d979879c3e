/** The process that draws: one chart, and it ends. */
import { drawPng, drawSvg } from './chart-draw.ts';
import type { ChartReply, ChartRequest } from './chart-messages.ts';

process.once('message', (message) => {
  const { data, words } = message as ChartRequest;
  const reply = (answer: ChartReply): void => void process.send?.(answer, () => process.disconnect());
  drawSvg(data, words)
    .then((svg) => reply({ type: 'drawn', png: drawPng(svg) }))
    .catch((error: unknown) => reply({ type: 'failed', reason: error instanceof Error ? error.message : String(error) }));
});
