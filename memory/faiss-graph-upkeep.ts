/** Which labels get a graph, and where their rows stand meanwhile: a graph is built over a label as a whole. */
import type { VectorEntry } from '../agent/ports/vector-index.ts';
import type { ExactIndex } from './exact.ts';
import type { FaissReply, FaissRequest } from './faiss-messages.ts';
import { type FaissParts, hereOf, thereOf } from './faiss-parts.ts';
import type { Turns } from './turns.ts';
import type { VectorPage } from './vector-rows.ts';

const BATCH_ROWS = 256;

/** Asks the process. Throws `ProcessDied`. */
type Ask = (request: FaissRequest) => Promise<FaissReply>;

export interface GraphUpkeep {
  /** Takes over what graphs a process read from its file. Call in order, while nothing asks that process. */
  adopt(ask: Ask): Promise<void>;
  /**
   * Builds the graphs that are worth it, and gives the rows back where one was not good enough: then true. Rows may change
   * meanwhile. Throws `ProcessDied`.
   */
  build(ask: Ask, isWanted: () => boolean): Promise<boolean>;
}

export const createGraphUpkeep = (options: {
  readonly exact: ExactIndex;
  readonly parts: FaissParts;
  readonly turns: Turns;
  readonly graphRows: number;
  /** Call in order: puts entries where they belong, here and in the process. */
  readonly put: (entries: readonly VectorEntry[]) => Promise<void>;
}): GraphUpkeep => {
  const { exact, parts, turns, graphRows, put } = options;
  const { rows, dimensions } = exact;
  /** How many rows there were when a graph was not good enough: tried again at twice as many. */
  const refusedRows = new Map<string, number>();

  const entriesOf = ({ ids, vectors }: VectorPage, label: string): readonly VectorEntry[] =>
    ids.map((id, row) => ({ id, label, vector: vectors.subarray(row * dimensions, (row + 1) * dimensions) }));

  /** A page from the end, where a removal moves nothing. False when there is none. */
  const takePage = async (label: string, tell: (page: VectorPage) => Promise<unknown>): Promise<boolean> => {
    const page = rows.page(hereOf(label), Math.max(0, rows.count(hereOf(label)) - BATCH_ROWS), BATCH_ROWS);
    // The process has a row before it is taken away here, so that a search meanwhile finds it twice rather than not.
    await tell(page);
    await exact.add(entriesOf(page, thereOf(label)));
    return page.ids.length > 0;
  };

  const giveBack = async (label: string): Promise<void> => {
    parts.setWhole(label, false);
    for (let from = rows.count(thereOf(label)); from > 0; from -= BATCH_ROWS) {
      await turns.inOrder(() => put(entriesOf(rows.page(thereOf(label), Math.max(0, from - BATCH_ROWS), BATCH_ROWS), label)));
    }
  };

  return {
    adopt: async (ask) => {
      const { state } = await ask({ type: 'remove', ids: [] });
      for (const label of state.graphs) {
        parts.setWhole(label, true);
        while (await takePage(label, async () => undefined));
      }
    },
    build: async (ask, isWanted) => {
      let wasRefused = false;
      const { state } = await ask({ type: 'remove', ids: [] });
      const wanted = parts
        .labels()
        .filter((label) => !state.graphs.includes(label))
        .filter((label) => parts.count(label) >= Math.max(graphRows, 2 * (refusedRows.get(label) ?? 0)));
      for (const label of wanted) {
        parts.setWhole(label, true);
        const tell = (page: VectorPage): Promise<unknown> => ask({ type: 'add', label, ...page });
        while (await turns.inOrder(() => takePage(label, tell)));
        const total = rows.count(thereOf(label));
        for (let from = 0; from < rows.count(thereOf(label)); from += BATCH_ROWS) {
          if (!isWanted()) return wasRefused;
          const page = rows.page(thereOf(label), from, BATCH_ROWS);
          await ask({ type: 'grow', label, ...page, total, isFirst: from === 0 });
        }
        const reply = await ask({ type: 'finish', label });
        if (reply.state.graphs.includes(label)) continue;
        wasRefused = true;
        refusedRows.set(label, total);
        await giveBack(label);
      }
      return wasRefused;
    },
  };
};
