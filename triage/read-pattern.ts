/** The text as a pattern that matches it alone. */
export const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
