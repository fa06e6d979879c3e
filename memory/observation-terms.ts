/** What the indexes hold of an observation: its words, the short turn before it, and the day in words that a question may use. */
import type { ObservationRecord, ObservationTerms } from '../agent/ports/memory-store.ts';
import { indexColumns } from '../agent/words.ts';

/** A longer turn before swamps the words of the observation itself. */
export const MAX_BEFORE_CHARACTERS = 300;

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** `7 May 2026`, in UTC. */
export const dayInWords = (at: number): string => {
  const date = new Date(at);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`;
};

type Indexed = Pick<ObservationRecord, 'text' | 'quote' | 'before' | 'observedAt'>;

/** The derived form and the words it came from, without saying the same twice. */
const contentOf = ({ text, quote }: Indexed): string =>
  quote.includes(text) ? quote : text.includes(quote) ? text : `${text}\n${quote}`;

export const termsOf = (observation: Indexed): ObservationTerms => {
  const content = indexColumns(contentOf(observation));
  const before = indexColumns(observation.before);
  return {
    words: content.words,
    context: before.words,
    date: dayInWords(observation.observedAt),
    bigrams: [content.bigrams, before.bigrams].filter(Boolean).join(' '),
    embedded: [observation.before, contentOf(observation)].filter(Boolean).join('\n'),
  };
};
