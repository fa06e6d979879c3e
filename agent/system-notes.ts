/** What the loop tells a model about the run it is in. Said in the system prompt, so that the last message stays the person's or a result. */
const NOTES = {
  shorter: 'Your last answer was cut off at its length limit. Answer in at most five sentences.',
  circling:
    'Notice: your last tool calls brought nothing new. Do not repeat them: change your approach, or answer with what you have.',
  unknown_tools:
    'Notice: you called tools that do not exist. Call only the tools that are offered, or answer with what you have.',
  tools_failed:
    'Notice: tools failed. Answer now with what was found, and say plainly what could not be looked up and that you tried.',
} as const;

export type SystemNote = keyof typeof NOTES;

/** The prompt, byte for byte, as long as nothing happened. */
export const withNotes = (prompt: string, notes: ReadonlySet<SystemNote>): string =>
  [prompt, ...[...notes].map((note) => NOTES[note])].filter((part) => part !== '').join('\n\n');
