/** What a button carries: what it does, in which language, to which turn or approval. */
import type { Language } from '../../agent/texts.ts';

export type ButtonAction = 'up' | 'down' | 'why' | 'stop' | 'person' | 'approve' | 'deny' | 'show';

export const MAX_CUSTOM_ID = 100;

export const customId = (action: ButtonAction, language: Language, id: string): string => `tw:${action}:${language}:${id}`;

export const readCustomId = (
  value: string,
): { readonly action: ButtonAction; readonly language: Language; readonly id: string } | undefined => {
  const match = /^tw:(up|down|why|stop|person|approve|deny|show):(en|zh):(.+)$/.exec(value);
  if (match?.[3] === undefined) return undefined;
  return { action: match[1] as ButtonAction, language: match[2] as Language, id: match[3] };
};
