/** How English tells decisions, preferences, commitments, corrections, opinions and facts. */
import { type KindCue, starting, words } from './cues.ts';

const DEADLINE =
  '(?:tomorrow|tonight|later today|next week|(?:by|before|until|till|on|no later than|this|next|end of|within|in) (?:the |next |this |end of |close of |early |late |mid-?)*(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|wed|thu|fri|tomorrow|tonight|noon|today|week|weekend|month|quarter|year|sprint|morning|afternoon|evening|end|january|february|march|april|may|june|july|august|september|october|november|december|q[1-4]|eod|eow|\\d))';
const LASTING =
  'from now on|going forward|moving forward|henceforth|from here on|in (?:the )?future|all (?:our |my |the )?future|until further notice|any ?more|no longer|permanently|by default';
/** An opinion about a thing, and not about "it": the noun phrase follows. */
const ABOUT =
  "(?:that )?(?!(?:it|that|this|i|we|you|they|he|she|there|so|about|of|if|what|when|how|my|maybe|not|in|like)(?:'|\\b))";
const THING = "(?:that )?(?:the|our|this|these|those|his|her|their|its|using|most|[\\p{L}-]+'s) ";

export const englishKinds: readonly KindCue[] = [
  {
    kind: 'correction',
    weight: 0.7,
    pattern: starting(
      'correction|scratch that|i stand corrected|i misspoke|my (?:mistake|bad)[,:] (?:it|the|that|we|i)|erratum|i was wrong',
    ),
  },
  {
    kind: 'correction',
    weight: 0.7,
    pattern: words(
      "i meant|i mis(?:spoke|typed|stated|remembered)|i (?:was|were) wrong|was (?:a mistake|incorrect|mistaken)|got (?:that|it|this) wrong|should (?:have )?(?:read|been|say|said)|(?:isn't|wasn't|aren't|is not|was not|are not|not) (?:on |at |in |by |from |to |until |the )?(?:[^,.; ]{0,12}\\d|(?<=(?:on|at|in|by|from|to|until|the) )\\p{L})[^,.;]{0,40}(?:,? but| —|,) (?:it's |it is |it was |but |on |at |in |by |from |to |until |the )",
    ),
  },
  {
    kind: 'correction',
    weight: 0.6,
    pattern: starting("actually,? (?:it|the|our|my|that|this|we|i|he|she|they)|no, (?:it|the|our|my|that)(?:'s| is| was)?"),
  },
  {
    kind: 'decision',
    weight: 0.75,
    pattern: starting(
      "decision|decided|agreed(?! to)|resolved|we(?:'ve| have)? (?:decided|agreed|chose|chosen|settled|voted|opted|picked)|i(?:'ve| have)? (?:decided|chose|chosen|settled|opted|picked)",
    ),
  },
  {
    kind: 'decision',
    weight: 0.7,
    pattern: words(
      "(?:have |has |had |'ve |'s |finally |just |also |both |all )?(?:decided|chose|chosen|opted|settled on|went with|ruled out|voted (?:to|for|against)|resolved to|signed off|green-?lit|landed on|concluded that we)|decision (?:is|was|made|on|has)|made the (?:call|decision)|the call is|verdict",
    ),
  },
  {
    kind: 'decision',
    weight: 0.6,
    pattern: words(
      "(?:we|i|they|he|she|team|board)(?:'re| are|'m| am| is|'ll| will|'s)? (?:all )?(?:agreed (?:on|that)|going with|go with|going to (?:switch|use|move|drop|stop|adopt|replace|migrate|keep|go)|switching|moving to|dropping|sticking with|stick with|adopting|replacing|migrating|standardi[sz]ing|postponing|cancell?ing|us(?:e|ing) [^.]{1,80} (?:instead|rather))|switch(?:ed|ing)? (?:[\\p{L}-]+ )?(?:from|to|over)|no more [\\p{L}-]+|(?:instead of|rather than) [^.]{1,60} (?:from now on|going forward)|approved|rejected|postponed|cancelled|canceled|adopted|replaced [^.]{1,60} with",
    ),
  },
  {
    kind: 'decision',
    weight: 0.55,
    pattern: starting(
      '(?:switching|going with|building|adopting|adjusting|moving|dropping|migrating|standardi[sz]ing|retiring|routing|replacing|pushing|reserving|using)(?! is| was)',
    ),
  },
  { kind: 'decision', weight: 0.56, pattern: new RegExp(`^(?:will|we will|we'll) [^.]{3,120}(?:${LASTING})`, 'iu') },
  {
    kind: 'decision',
    weight: 0.62,
    pattern: new RegExp(
      `^(?:${LASTING})(?!\\p{L})[^?]{12}|(?<!\\p{L})(?:we|they|i)(?:'ll| will| are|'re)? (?:no longer|not [^.]{1,60} any ?more|stopped)(?!\\p{L})`,
      'iu',
    ),
  },
  {
    kind: 'preference',
    weight: 0.75,
    pattern: words(
      "(?:strongly |really |generally |always |much |usually |also )?prefers?|preferred|preferences? (?:is|for)|would rather|\\p{L}+'d (?:rather|prefer)(?! not(?: to)?$)|favou?rs?|partial to|insists? (?:on|that)|(?:is|am|are|\\p{L}+'[ms]) (?:not )?(?:a )?(?:big )?(?:fan of|fond of|allergic to)|can't stand",
    ),
  },
  {
    kind: 'preference',
    weight: 0.6,
    pattern: words(
      "wants (?:me|us|you|it|them|the|all|her|his|their|no|every|to)|(?:asked|asks|told) (?:me|us) (?:not )?to|(?:my|our|her|his|their|\\p{L}+'s) (?:favou?rite|go-to|preferred|personal preference)|(?:he|she|\\p{Lu}\\p{L}+) (?:really |absolutely )?(?:likes|loves|hates|dislikes|enjoys|avoids|appreciates|needs)",
    ),
  },
  {
    kind: 'decision',
    weight: 0.6,
    pattern: starting(
      '(?:dropped|scrapped|shelved|picked|chose|moved|postponed|cancell?ed|switched|replaced|adopted|approved|rejected|kept|hired|merged|split|renamed|closed|retired|paused|frozen?) (?:the|our|all|both|a|an|it|from|to)',
    ),
  },
  {
    kind: 'commitment',
    weight: 0.6,
    pattern: words("told [\\p{L}']+ (?:that )?(?:i|we)(?:'d|'ll| would| will)"),
  },
  { kind: 'preference', weight: 0.75, pattern: /(?<!\p{L})please,? (?:don't|do not|never|always|only)(?!\p{L})/iu },
  {
    kind: 'preference',
    weight: 0.58,
    pattern: words(
      "i (?:really |absolutely |also |just |still |usually |generally |tend to )*(?:hate|dislike|avoid)|i (?:don't|do not|never) (?:like|eat|drink|enjoy)",
    ),
  },
  {
    kind: 'preference',
    weight: 0.42,
    pattern: words(
      "i (?:really |absolutely |also |do |just |still |usually |generally |tend to |occasionally )*(?:like|love|enjoy|favou?r)|i(?:'m| am) (?:really |more |primarily |very )?(?:into|keen on|a [\\p{L}-]+ (?:person|drinker|lover|fan|guy))|i (?:don't|do not|never) (?:want|use|work)",
    ),
  },
  {
    kind: 'commitment',
    weight: 0.75,
    pattern: words(
      "promised|promise to|(?:has |have |'ve |'s |am |'m |is |are )?committ?(?:ed|ing|s)? to|pledged?|vow(?:ed|s)?|guaranteed?(?: to| that)|volunteered to|signed up (?:to|for)|said yes|agreed to|on my (?:list|plate|to-?do)|took on|owes? (?:me|us|you|him|her|them)|you have my word",
    ),
  },
  {
    kind: 'commitment',
    weight: 0.6,
    pattern: new RegExp(
      `(?:(?:i|we|he|she|they)(?:'ll| will| am going to|'m going to|'re going to| are going to| plan to| intend to)|(?:^|[ ,;])\\p{Lu}\\p{L}+(?: \\p{Lu}\\p{L}+)? (?:will|is going to|plans to)|^will|^plan to|^aiming to) [^.?!]{2,160}(?:${DEADLINE}|${LASTING})`,
      'iu',
    ),
  },
  {
    kind: 'commitment',
    weight: 0.6,
    pattern: words(
      "(?:i've|we've|i have|we have) (?:already )?(?:blocked|set aside|reserved|booked|scheduled) (?:\\p{L}+ )?\\p{L}+",
    ),
  },
  {
    kind: 'commitment',
    weight: 0.58,
    pattern: words(
      "i(?:'ll| will) (?:make sure|take care|get back|follow up|be there|send|share|write|review|fix|prepare|draft|email|e-mail|schedule|update|check|deliver|finish|restructure|handle|look into|report|set up|move|call|bring|join|attend|ping|route|file|open|ship|respect)|confirmed i'll be|will (?:share|send|route|start|re-?run|update|review|follow up|deliver|ship|restructure|take)",
    ),
  },
  {
    kind: 'commitment',
    weight: 0.55,
    pattern: starting(
      '(?:updating|re-?running|sending|writing|preparing|putting|scheduling|reviewing|starting|working on|filing|drafting|restructuring|tracking)(?! is| was)',
    ),
  },
  {
    kind: 'opinion',
    weight: 0.72,
    pattern: words(
      "(?:my|our|her|his|their) (?:take|read|view|opinion|sense|impression|hunch|gut feeling|guess|verdict|two cents)|in (?:my|our) (?:view|opinion|experience)|imo|imho|if you ask me|(?:am|i'm|is|are|remain) (?:\\p{L}+ )?(?:not convinced|skeptical|sceptical|convinced|unconvinced|doubtful|bullish|bearish|wary)|(?:over|under)rated|i (?:doubt|suspect|reckon)|i'd argue|i would argue|strikes me as|frankly",
    ),
  },
  {
    kind: 'opinion',
    weight: 0.66,
    pattern: words(
      `(?:i|we) (?:honestly |really |still |also |personally |do |don't |do not )?(?:(?:think|believe) ${ABOUT}|(?:feel|find|consider) ${THING})\\p{L}+`,
    ),
  },
  { kind: 'opinion', weight: 0.55, pattern: starting('honestly|to be honest|personally') },
  {
    kind: 'opinion',
    weight: 0.4,
    pattern: words(
      'i (?:honestly |really |still |also |personally )?(?:think|believe|feel|find)|seems? (?:to me|like)|feels? (?:like|wrong|right)',
    ),
  },
  {
    kind: 'fact',
    weight: 0.72,
    pattern: starting(
      '(?:just |quick(?:ly)? )?(?:confirmed|verified|measured|facts?|fyi|note|noted|heads[- ]up|reminder|update|status|deadline|for the record|turns out|it turns out|according to|per|as of|two facts|one fact|(?:three|four|a few|some) facts)',
    ),
  },
  {
    kind: 'fact',
    weight: 0.6,
    pattern: /^\p{Lu}\p{Ll}+ (?:\p{Lu}\p{Ll}+ )?(?:is|was) (?:the|our|a|an|my|head|responsible|from|based) \p{L}+/u,
  },
  {
    kind: 'fact',
    weight: 0.55,
    pattern: words(
      'deadline|is due|are due|due (?:on|by|date)|confirmed|expires?|turns out|according to|is (?:located|based|called|named|scheduled|owned|hosted|managed|responsible)|are (?:located|based|called|scheduled|owned|hosted|managed)|reports to|is only|are only|consists of|stands for|useful to know|good to know',
    ),
  },
];
