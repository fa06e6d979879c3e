/**
 * Wishes and facts that should stand in every answer: "always answer in German", "our fiscal year starts in April". They cannot be
 * found again by searching for what is asked, so they are proposed as pins; a person says yes.
 */
import { holdsSecret } from './secrets.ts';
import { isErrand, isOverride } from './significance-orders.ts';
import { CUES } from './significance-score.ts';
import { cueLanguageOf, readSentences } from './significance-sentences.ts';
import { STANDING_CUES, type StandingCue } from './standing-cues.ts';

export interface PinProposal {
  readonly kind: StandingCue['kind'];
  /** The sentence as it was said, a verbatim piece of the text; it is shown to the person before it is pinned. */
  readonly text: string;
}

const MAX_PROPOSALS = 5;
const MAX_PIN_CHARS = 300;
/** True of today only, so no standing fact. */
const PASSING =
  /(?<!\p{L})(?:today|tomorrow|yesterday|tonight|this (?:week|morning|afternoon|evening|time|month)|right now|at the moment|for now|just now|next week|last (?:week|month|year)|heute|morgen|gestern|diese woche|diesmal|gerade|momentan|im moment|nächste woche|letzte woche)(?!\p{L})|今天|明天|昨天|这次|这周|目前|暂时|刚才|下周|上周|现在(?!起)/iu;
const QUESTION_END = /[?？]["”»)]*$/u;

/**
 * What a person says of themselves or wishes for good; call it with a person's own words only. Long sentences are no pins, and
 * neither are questions, secrets, orders about the rules, or errands to others.
 */
export const detectStanding = (text: string): readonly PinProposal[] => {
  const proposals: PinProposal[] = [];
  const sentences = readSentences(text);
  const turnLanguage = cueLanguageOf(sentences.slice(0, 20).join(' '));
  for (const sentence of sentences) {
    if (proposals.length >= MAX_PROPOSALS) break;
    const plain = sentence.replaceAll('’', "'");
    const language = turnLanguage ?? cueLanguageOf(plain);
    if (language === undefined || sentence.length > MAX_PIN_CHARS || QUESTION_END.test(plain)) continue;
    if (holdsSecret(sentence) || isOverride(plain) || isErrand(plain)) continue;
    const cue = STANDING_CUES[language].find(({ pattern }) => pattern.test(plain));
    if (cue === undefined) continue;
    if (cue.kind !== 'instruction' && (PASSING.test(plain) || CUES[language].question.test(plain))) continue;
    proposals.push({ kind: cue.kind, text: sentence });
  }
  return proposals;
};
