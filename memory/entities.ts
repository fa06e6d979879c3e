/** Who and what a conversation is about, read off the form of the words: names, products, identifiers, dates. */
import type { Turn } from '../agent/conversation.ts';
import type { Entity } from '../agent/ports/memory.ts';

const MAX_ENTITIES = 12;
const MAX_READ_CHARS = 4_000;

const IDENTIFIER = /(?<![\w-])(?:#\d{2,12}|[A-Z]{1,6}-\d{2,12}|v\d+(?:\.\d+){1,3})(?![\w-])/gu;
const DATE = /(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)|(?<!\d)\d{4}年\d{1,2}月(?:\d{1,2}日)?/gu;
/** One or more capitalised words, the last of which may be a number: `Alpha 300`, `Harbour Road`. */
const NAMED =
  /(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{N}&’'-]{1,30}(?: (?:\p{Lu}[\p{L}\p{N}&’'-]{0,30}|\d{1,6}[A-Z]?)){0,3}(?![\p{L}\p{N}])/gu;
const TITLED = /《([^》\n]{1,40})》|“([\p{Script=Han}\p{L}\p{N} ]{2,24})”/gu;
const ORGANISATION = /(?:\b(?:Inc|Ltd|LLC|GmbH|AG|Corp|Department|Team)\b\.?|公司|部门|部|集团|大学)$/u;

const startsSentence = (text: string, at: number): boolean =>
  /(?:^|[.!?。！？:：\n"“(（-]\s*)$/u.test(text.slice(Math.max(0, at - 4), at));

/** A capital at the start of a sentence proves nothing: such a word counts where more of the name follows or it has a digit. */
const namesIn = (text: string): readonly Entity[] =>
  [...text.matchAll(NAMED)].flatMap((match): readonly Entity[] => {
    const name = match[0];
    if (startsSentence(text, match.index) && !/[ \d]/u.test(name)) return [];
    if (ORGANISATION.test(name)) return [{ kind: 'organisation', name }];
    return [{ kind: 'product', name }];
  });

const entitiesIn = (text: string): readonly Entity[] => [
  ...[...text.matchAll(IDENTIFIER)].map(([name]): Entity => ({ kind: 'identifier', name })),
  ...[...text.matchAll(DATE)].map(([name]): Entity => ({ kind: 'date', name })),
  ...namesIn(text),
  ...[...text.matchAll(TITLED)].map(([, titled, quoted]): Entity => ({ kind: 'product', name: titled ?? quoted ?? '' })),
];

/** Of the latest turns, newest first, each once; the speakers are the people. Pure; at most 12. */
export const entitiesOf = (turns: readonly Turn[]): readonly Entity[] => {
  const found = new Map<string, Entity>();
  for (const turn of [...turns].reverse()) {
    const people: readonly Entity[] =
      turn.speaker.trim() === '' ? [] : [{ kind: 'person', name: turn.speaker.trim().slice(0, 60) }];
    for (const entity of [...people, ...entitiesIn(turn.question.slice(0, MAX_READ_CHARS))]) {
      if (!found.has(entity.name)) found.set(entity.name, entity);
      if (found.size === MAX_ENTITIES) return [...found.values()];
    }
  }
  return [...found.values()];
};
