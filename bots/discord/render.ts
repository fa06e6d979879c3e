/** An answer as messages of Discord. */
import type { Answer } from '../../agent/conversation.ts';
import type { OutboundPart } from '../../agent/ports/channel.ts';
import type { Language } from '../../agent/texts.ts';
import { sanitiseAnswer } from '../egress.ts';
import { withSources } from '../egress-sources.ts';
import { toDiscordMarkdown } from '../markdown-discord.ts';
import { splitBlocks } from '../split.ts';

/** Under Discord's 2,000, so that an asker's name fits in front. */
const MAX_PART_UNITS = 1_900;

export const renderAnswer = (answer: Answer, language: Language): readonly OutboundPart[] => {
  const tree = withSources(sanitiseAnswer(answer), { language, withQuotes: true });
  const texts = splitBlocks(tree, MAX_PART_UNITS, toDiscordMarkdown);
  const hasFeedback = answer.stopReason === 'answered' || answer.stopReason === 'not_known';
  return texts.map((text, index) => ({ text, withFeedback: hasFeedback && index === texts.length - 1 }));
};
