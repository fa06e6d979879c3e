/** Vectors by label, each label's in one growing block of floats: what is scanned, and what an index is rebuilt from. */
import type { VectorEntry } from '../agent/ports/vector-index.ts';

export interface Block {
  /** `ids[row]` stands at `data[row * dimensions]`. Longer than its rows. */
  readonly data: Float32Array;
  readonly ids: readonly string[];
}

export interface VectorRows {
  size(): number;
  /** Replaces an entry of the same id, under whichever label it was. */
  put(entry: VectorEntry): void;
  delete(id: string): boolean;
  labels(): readonly string[];
  block(label: string): Block | undefined;
}

const FIRST_ROWS = 64;

export const createVectorRows = (dimensions: number): VectorRows => {
  const blocks = new Map<string, { data: Float32Array; ids: string[] }>();
  const places = new Map<string, { readonly label: string; row: number }>();

  const remove = (id: string): boolean => {
    const place = places.get(id);
    const block = place && blocks.get(place.label);
    if (place === undefined || block === undefined) return false;
    places.delete(id);
    // The last row fills the gap.
    const lastRow = block.ids.length - 1;
    const lastId = block.ids.pop();
    const last = lastId === undefined ? undefined : places.get(lastId);
    if (lastId !== undefined && last !== undefined) {
      block.data.copyWithin(place.row * dimensions, lastRow * dimensions, (lastRow + 1) * dimensions);
      block.ids[place.row] = lastId;
      last.row = place.row;
    }
    if (block.ids.length === 0) blocks.delete(place.label);
    return true;
  };

  return {
    size: () => places.size,
    put: ({ id, label, vector }) => {
      remove(id);
      let block = blocks.get(label);
      if (block === undefined) {
        block = { data: new Float32Array(FIRST_ROWS * dimensions), ids: [] };
        blocks.set(label, block);
      }
      const row = block.ids.length;
      if ((row + 1) * dimensions > block.data.length) {
        const grown = new Float32Array(block.data.length * 2);
        grown.set(block.data);
        block.data = grown;
      }
      block.data.set(vector, row * dimensions);
      block.ids.push(id);
      places.set(id, { label, row });
    },
    delete: remove,
    labels: () => [...blocks.keys()],
    block: (label) => blocks.get(label),
  };
};
