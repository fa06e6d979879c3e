/** The protocol by which a model says that it does not know: the answer begins with a marker that no reader sees. */
import { UNKNOWN_MARKER } from './system-prompt.ts';

export const stripUnknown = (text: string): { readonly text: string; readonly unknown: boolean } => {
  const trimmed = text.trimStart();
  const unknown = trimmed.toLowerCase().startsWith(UNKNOWN_MARKER);
  return unknown ? { text: trimmed.slice(UNKNOWN_MARKER.length).trimStart(), unknown } : { text, unknown };
};

/** Passes streamed text on, holding back its beginning while that may still become the marker. */
export const createTextGate = (emit: (delta: string) => void): { push(delta: string): void; flush(): void } => {
  let held = '';
  let open = false;
  const release = (): void => {
    open = true;
    const { text } = stripUnknown(held);
    held = '';
    if (text !== '') emit(text);
  };
  return {
    push: (delta) => {
      if (open) return emit(delta);
      held += delta;
      const start = held.trimStart().toLowerCase();
      // After a whole marker the text's first character is waited for, so that the space between them is not shown.
      if (UNKNOWN_MARKER.startsWith(start) || (start.startsWith(UNKNOWN_MARKER) && start.trimEnd() === UNKNOWN_MARKER)) return;
      release();
    },
    flush: () => {
      if (!open) release();
    },
  };
};
