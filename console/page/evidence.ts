/** The passage behind a citation, with the quoted words marked in it. */

import { byId, make } from './dom.ts';
import { type Citation, Refused, readPassage } from './server.ts';
import { words } from './words.ts';

/** The quote in the passage whatever its line ends and spaces. */
const findQuote = (text: string, quote: string): { readonly start: number; readonly end: number } | undefined => {
  const pieces = quote
    .trim()
    .split(/\s+/u)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&'));
  if (pieces.length === 0 || pieces[0] === '') return undefined;
  const match = new RegExp(pieces.join('\\s+'), 'u').exec(text);
  return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
};

const markQuote = (text: string, quote: string): Node[] => {
  const found = findQuote(text, quote);
  if (found === undefined) return [make('blockquote', {}, make('mark', {}, quote)), document.createTextNode(text)];
  return [
    document.createTextNode(text.slice(0, found.start)),
    make('mark', {}, text.slice(found.start, found.end)),
    document.createTextNode(text.slice(found.end)),
  ];
};

const showFacts = (citation: Citation): void => {
  const source =
    citation.url === null
      ? citation.source
      : make('a', { href: citation.url, target: '_blank', rel: 'noopener noreferrer' }, citation.source);
  const facts: (readonly [string, Node | string | null])[] = [
    [words.from, source],
    [words.where, citation.location === '' ? null : citation.location],
    [words.date, citation.date],
  ];
  byId('evidence-facts').replaceChildren(
    ...facts.flatMap(([name, value]) => (value === null ? [] : [make('div', {}, make('dt', {}, name), make('dd', {}, value))])),
  );
};

export const openEvidence = async (citation: Citation): Promise<void> => {
  const dialog = byId<HTMLDialogElement>('evidence');
  const text = byId('evidence-text');
  byId('evidence-kind').textContent = `${words.source} ${citation.n}`;
  byId('evidence-title').textContent = citation.title;
  const heading = citation.heading.filter((part) => part !== citation.title);
  byId('evidence-path').textContent = heading.join(' › ');
  showFacts(citation);
  text.textContent = words.loading;
  dialog.dataset['chunk'] = citation.chunkId;
  if (!dialog.open) dialog.showModal();
  let shown: Node[];
  try {
    const passage = await readPassage(citation.chunkId);
    shown = markQuote(passage.text, citation.quote);
  } catch (error) {
    const message = error instanceof Refused && error.message !== '' ? error.message : words.failed;
    shown = [
      make('p', { class: 'problem' }, message),
      make('p', { class: 'quiet' }, words.quoted),
      make('blockquote', {}, make('mark', {}, citation.quote)),
    ];
  }
  // Another source may have been opened meanwhile.
  if (dialog.dataset['chunk'] !== citation.chunkId) return;
  text.replaceChildren(...shown);
  text.querySelector('mark')?.scrollIntoView({ block: 'center' });
};

export const prepareEvidence = (): void => {
  const dialog = byId<HTMLDialogElement>('evidence');
  byId('evidence-close').addEventListener('click', () => dialog.close());
  // The backdrop belongs to the dialog; its content to the sheet.
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
};
