/** The list of sources under an answer, the same words in every channel. */

import { type Language, textsFor } from '../agent/texts.ts';
import { type SafeAnswer, type SafeCitation, safeInlines } from './egress.ts';
import { type Block, type Inline, type SafeTree, withBlocks } from './markdown.ts';
import { toTerminalText } from './markdown-terminal.ts';

export interface SourcesStyle {
  readonly language: Language;
  /** The quoted words under each source. */
  readonly withQuotes: boolean;
}

const MAX_QUOTE_LENGTH = 300;

/** `title › heading (location, date) — source`. */
export const describeSource = (citation: SafeCitation, language: Language): string => {
  const texts = textsFor(language);
  const heading = citation.heading.filter((part) => part !== citation.title);
  const details = [citation.location, citation.date === null ? '' : texts.updatedOn(citation.date)].filter((part) => part !== '');
  const place = [citation.title, ...heading].filter((part) => part !== '').join(' › ');
  const source = citation.source === citation.title ? '' : ` — ${citation.source}`;
  return `${place}${details.length === 0 ? '' : ` (${details.join(', ')})`}${source}`;
};

const shorten = (quote: string): string =>
  quote.length > MAX_QUOTE_LENGTH ? `${quote.slice(0, MAX_QUOTE_LENGTH - 1).toWellFormed()}…` : quote;

const sourceItem = (citation: SafeCitation, style: SourcesStyle): readonly Block[] => {
  const links = citation.url === undefined ? [] : [citation.url];
  const line: Inline[] = [
    { type: 'marker', n: citation.n },
    { type: 'text', text: ' ' },
    ...safeInlines(describeSource(citation, style.language), links),
  ];
  const quote: Block[] =
    style.withQuotes && citation.quote !== ''
      ? [{ type: 'quote', children: [{ type: 'paragraph', children: [{ type: 'text', text: shorten(citation.quote) }] }] }]
      : [];
  return [{ type: 'paragraph', children: line }, ...quote];
};

/** Empty without citations. */
export const sourcesBlocks = (answer: SafeAnswer, style: SourcesStyle): readonly Block[] => {
  if (answer.citations.length === 0) return [];
  return [
    { type: 'paragraph', children: [{ type: 'strong', children: [{ type: 'text', text: textsFor(style.language).sources }] }] },
    {
      type: 'list',
      kind: 'plain',
      start: 1,
      items: answer.citations.map((citation) => ({ checked: null, children: sourceItem(citation, style) })),
    },
  ];
};

/** Says so where a fallback wrote the answer; empty otherwise. */
const fallbackNote = (answer: SafeAnswer, language: Language): readonly Block[] =>
  answer.fallback
    ? [
        {
          type: 'paragraph',
          children: [{ type: 'emphasis', children: [{ type: 'text', text: textsFor(language).fallbackNote }] }],
        },
      ]
    : [];

const fold = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/** An answer that quotes its source word for word need not quote it again below. */
const withoutRepeatedQuotes = (answer: SafeAnswer): SafeAnswer => {
  const shown = fold(toTerminalText(answer.tree, { colour: false, width: 0 }));
  return {
    ...answer,
    citations: answer.citations.map((each) => (shown.includes(fold(each.quote)) ? { ...each, quote: '' } : each)),
  };
};

/** The answer, the note where a fallback wrote it, and its sources. */
export const withSources = (answer: SafeAnswer, style: SourcesStyle): SafeTree =>
  withBlocks(answer.tree, [
    ...answer.tree.blocks,
    ...fallbackNote(answer, style.language),
    ...sourcesBlocks(withoutRepeatedQuotes(answer), style),
  ]);
