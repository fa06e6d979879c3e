/** The messages of one run as the model sees them, valid before each request and made smaller when they are too large for it. */
import { createNormaliser, type RepairRule } from './history.ts';
import type { ChatMessage } from './messages.ts';
import type { ArrivedMessage } from './run.ts';
import { type SystemNote, withNotes } from './system-notes.ts';
import { cutMiddle } from './unicode.ts';

export interface RunTranscript {
  /** What to send now. */
  messages(): readonly ChatMessage[];
  add(...messages: readonly ChatMessage[]): void;
  /** What people wrote meanwhile, below what they wrote before. */
  hear(arrived: readonly ArrivedMessage[]): void;
  note(note: SystemNote): void;
  /** Leaves the earlier turns out and cuts tool results; harder the second time. False when nothing is left to cut. */
  shrink(): boolean;
}

/** What a tool result may keep at the first and at the second shrinking. */
const SHRUNK_RESULT_CHARS = [4_000, 800] as const;

/** `window`: the system prompt, earlier turns, the question, and what was recalled for it. */
export const createTranscript = (
  window: readonly ChatMessage[],
  onRepairs: (repairs: readonly RepairRule[]) => void,
): RunTranscript => {
  const normalise = createNormaliser();
  const notes = new Set<SystemNote>();
  let messages: readonly ChatMessage[] = window;
  let questionAt = Math.max(
    0,
    window.findLastIndex(({ role }) => role === 'user'),
  );
  const prompt = window[0]?.role === 'system' ? window[0].content : '';
  let shrunk = 0;
  return {
    messages: () => {
      const before = messages.length;
      const { messages: valid, repairs } = normalise(messages);
      if (repairs.length > 0) {
        onRepairs(repairs);
        messages = valid;
        questionAt = Math.max(0, questionAt - (before - valid.length));
      }
      return messages;
    },
    add: (...added) => {
      messages = [...messages, ...added];
    },
    hear: (arrived) => {
      for (const { speaker, text } of arrived) {
        const last = messages.at(-1);
        const name = speaker === '' ? undefined : speaker;
        // Some providers refuse two messages of one speaker in a row.
        if (last?.role === 'user' && last.name === name) {
          messages = [...messages.slice(0, -1), { ...last, content: `${last.content}\n\n${text}` }];
        } else {
          messages = [...messages, { role: 'user', content: text, ...(name === undefined ? {} : { name }) }];
        }
      }
    },
    note: (note) => {
      notes.add(note);
      const [first, ...rest] = messages;
      const head: ChatMessage = { role: 'system', content: withNotes(prompt, notes) };
      messages = first?.role === 'system' ? [head, ...rest] : [head, ...messages];
    },
    shrink: () => {
      const maxChars = SHRUNK_RESULT_CHARS[shrunk];
      if (maxChars === undefined) return false;
      shrunk += 1;
      const head = messages.slice(0, 1);
      const run = messages
        .slice(questionAt)
        .map((message) =>
          message.role === 'tool' && message.content.length > maxChars
            ? { ...message, content: cutMiddle(message.content, maxChars) }
            : message,
        );
      const smaller = [...head, ...run];
      const changed = smaller.length < messages.length || run.some((message, i) => message !== messages[questionAt + i]);
      messages = smaller;
      questionAt = head.length;
      return changed;
    },
  };
};
