/** Undefined for what is no JSON: a tool's result comes back from a window, which may have cut it. */
export const readJson = (content: string): unknown => {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
};
