/** Progress on a terminal as one line that is drawn over, elsewhere as a plain line every tenth of the way. */

export interface ProgressBar {
  show(done: number, total: number, what: string): void;
  /** Takes the bar away. */
  end(): void;
}

const WIDTH = 24;

export const createProgressBar = (
  output: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number },
  unit: string,
): ProgressBar => {
  let lastTenth = 0;
  let isDrawn = false;
  return {
    show: (done, total, what) => {
      const share = total === 0 ? 1 : done / total;
      if (output.isTTY === true) {
        const filled = Math.round(share * WIDTH);
        const line = `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done}/${total} ${unit} ${what}`;
        output.write(`\r\u001b[K${line.slice(0, (output.columns ?? 80) - 1)}`);
        isDrawn = true;
        return;
      }
      const tenth = Math.floor(share * 10);
      if (tenth === lastTenth) return;
      lastTenth = tenth;
      output.write(`${done} of ${total} ${unit}\n`);
    },
    end: () => {
      if (isDrawn) output.write('\r\u001b[K');
      isDrawn = false;
    },
  };
};
