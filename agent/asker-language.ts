/** The language in which an asker is spoken to by fixed texts that there are in German as well. */
import { languageOf } from './texts.ts';

export type AskerLanguage = 'en' | 'de' | 'zh';

const GERMAN =
  /(?<!\p{L})(?:der|die|das|den|dem|ein|eine|einen|einem|und|oder|ist|sind|war|nicht|kein|keine|mit|für|auf|von|zu|im|bei|nach|wird|werden|kann|können|ich|wir|sie|mein|meine|bitte|wie|wo|wann|warum|es)(?!\p{L})/giu;
const ENGLISH =
  /(?<!\p{L})(?:the|a|an|and|or|is|are|was|not|no|with|for|on|of|to|in|at|by|will|can|i|we|you|my|please|how|where|when|why|it|this|that)(?!\p{L})/giu;
/** Both languages have words of this kind in about every other place. */
const MIN_GERMAN = 2;

export const askerLanguageOf = (text: string): AskerLanguage => {
  if (languageOf(text) === 'zh') return 'zh';
  const german = text.match(GERMAN)?.length ?? 0;
  return german >= MIN_GERMAN && german > (text.match(ENGLISH)?.length ?? 0) ? 'de' : 'en';
};
