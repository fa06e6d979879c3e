const DAY = /^(\d{4})-(\d{2})-(\d{2})/;

/** The day of a stated date as `2026-01-31`, or null when it states none. */
export const isoDate = (value: unknown): string | null => {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString().slice(0, 10);
  if (typeof value !== 'string') return null;
  const day = DAY.exec(value.trim())?.[0];
  return day === undefined || Number.isNaN(Date.parse(day)) ? null : day;
};
