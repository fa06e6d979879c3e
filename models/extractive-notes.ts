/** What people pinned, had remembered or said before, as something to answer from where no document does. */
import { z } from 'zod';
import { withoutMarkers } from '../agent/citations.ts';
import type { ChatMessage } from '../agent/messages.ts';
import { linesUnder, PINS_HEAD, RECALL_TOOL } from '../agent/recalled.ts';
import { sentencesOf } from '../agent/sentences.ts';
import type { Texts } from '../agent/texts.ts';
import type { Wanted } from './extractive-follow-up.ts';
import { selectExcerpts } from './extractive-select.ts';
import { readJson } from './read-json.ts';

export interface Note {
  readonly text: string;
  readonly origin: 'pin' | 'memory' | 'conversation';
  /** ISO, or empty. */
  readonly date: string;
}

const recalled = z.object({ remembered: z.array(z.object({ date: z.string(), text: z.string() })) });
const QUESTION =
  /[?？]\s*$|[吗呢么]\s*[。！]?$|^\s*(?:who|what|when|where|which|why|how|is|are|do|does|did|can|could|may|should|will)\b/iu;
const MAX_EARLIER_CHARS = 4_000;

/** Pins first, then what was recalled, then what was said in the turns shown, newest first. Questions tell nothing. */
export const notesOf = (messages: readonly ChatMessage[]): readonly Note[] => {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const prompt = messages[0]?.role === 'system' ? messages[0].content : '';
  const results = messages
    .slice(at + 1)
    .flatMap((message) => (message.role === 'tool' && message.name === RECALL_TOOL ? [message] : []));
  const said = messages.slice(0, Math.max(at, 0)).flatMap((message) => (message.role === 'user' ? [message.content] : []));
  return [
    ...linesUnder(prompt, PINS_HEAD).map((text): Note => ({ text, origin: 'pin', date: '' })),
    ...results.flatMap(({ content }) =>
      (recalled.safeParse(readJson(content)).data?.remembered ?? []).map(
        ({ text, date }): Note => ({ text, origin: 'memory', date }),
      ),
    ),
    ...said
      .reverse()
      .flatMap((text) => sentencesOf(text.slice(0, MAX_EARLIER_CHARS)))
      .filter((sentence) => !QUESTION.test(sentence))
      .map((text): Note => ({ text, origin: 'conversation', date: '' })),
  ];
};

/** The note that answers best, with where it is from; undefined when none does. */
export const answerFromNotes = (wanted: Wanted, notes: readonly Note[], texts: Texts): string | undefined => {
  const passages = notes.map(({ text, date }, index) => ({ n: index + 1, title: '', heading: '', location: '', date, text }));
  const [best] = selectExcerpts(wanted, passages).excerpts;
  const note = best && notes[best.n - 1];
  if (note === undefined) return undefined;
  const text = withoutMarkers(best?.text ?? '');
  return note.origin === 'pin' ? texts.pinned(text) : texts.remembered(text, note.date);
};
