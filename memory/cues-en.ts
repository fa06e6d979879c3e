/** English forms of what is worth remembering, and of what is not. */
import { type Cues, starting, wordSet, words } from './cues.ts';

const DEADLINE =
  '(?:tomorrow|tonight|later today|next week|(?:by|before|until|till|on|no later than|this|next|end of|within|in) (?:the |next |this |end of |close of |early |late |mid-?)*(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|wed|thu|fri|tomorrow|tonight|noon|today|week|weekend|month|quarter|year|sprint|morning|afternoon|evening|end|january|february|march|april|may|june|july|august|september|october|november|december|q[1-4]|eod|eow|\\d))';
const LASTING =
  'from now on|going forward|moving forward|henceforth|from here on|in (?:the )?future|all (?:our |my |the )?future|until further notice|any ?more|no longer|permanently|by default';
const MONTH =
  'january|february|march|april|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec';
const DAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)days?';
const PERIOD =
  '(?:second|minute|hour|day|week|month|quarter|semester|year|decade|sprint|season|summer|winter|spring|autumn|fall)s?';
/** An opinion about a thing, and not about "it": the noun phrase follows. */
const ABOUT =
  "(?:that )?(?!(?:it|that|this|i|we|you|they|he|she|there|so|about|of|if|what|when|how|my|maybe|not|in|like)(?:'|\\b))";
const THING = "(?:that )?(?:the|our|this|these|those|his|her|their|its|using|most|[\\p{L}-]+'s) ";

const OPENER = "and|but|so|ok|okay|hey|hi|hello|um|well|also|sorry|i'm sorry|by the way|please";
/** "When the build breaks, …" and "What matters is …" say something. */
const ASKING_WORD =
  "who(?:'s|s)?|whom|whose|which|where(?:'s|s)?|why|how(?:'s|s|'ve)?|what(?:'s|s)?(?! (?:i|we|matters|counts|works|worked|helps) )|when(?! [^,]{1,120},)|any (?:idea|chance|news|update)s?|do you mind|you could tell";
const AUXILIARY =
  "do|does|is|are|am|was|were|can|could|will|would|should|may|might|has|isn't|aren't|don't|doesn't|didn't|can't|won't|wouldn't|shouldn't|have(?= you| i| we| they| any)|did(?= you| i| we| they| he| she| it| any)|had(?= you| we| they)";
const ASKED_SUBJECT =
  'you|i|we|they|it|he|she|there|this|that|these|those|the|your|my|our|any|anyone|anybody|someone|somebody|everyone|one|a|an|thou|people|humans';

/** As a wish to the listener: "I remember" is none. */
const REMEMBER =
  "remember|memori[sz]e|note|keep in mind|bear in mind|make a note|take note|write down|jot down|save (?:this|that|it)|don't forget|do not forget|never forget|for (?:the|your) (?:record|records|memory|file)|for future reference";

export const english: Cues = {
  kinds: [
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
  ],
  question: new RegExp(
    `\\?["')\\]]*$|^[\\s"'(]*(?:${OPENER},? )*(?:${ASKING_WORD}|(?:${AUXILIARY}) (?:${ASKED_SUBJECT}))(?![\\p{L}\\p{N}])`,
    'iu',
  ),
  request:
    /(?<![\p{L}])(?:tell (?:me|us)|let (?:me|us) (?:know|hear)|give (?:me|us)|show (?:me|us)|read (?:me|us)|find (?:me|us)|(?:i|we)(?:'d| would| really would)? (?:really |just |also )?(?:want|need|like|love|wanna|appreciate|would like) (?:you |to (?:know|hear|ask|see|learn|understand|find out|get|confirm|make sure)|the name|a |an |some |any |if |your )|(?:i|we)'d (?:love|like|appreciate|hate|be (?:happy|grateful|thrilled|interested))|(?:i am|i'm|i was|just|really|kind of|super|also) (?:also |really |super |just |a bit )?(?:curious|wondering|interested in (?:hearing|knowing)|hoping)|can i|could you|can you|would you|will you|do you|are you|help me|please)(?![\p{L}])|^[\s"']*(?:switch|swap|toss|adjust|set|go ahead|move over|change|explain|describe|define|translate|list|calculate|compute|search|look up|remind me|repeat|say|tell|give|show|find|flip|roll|play|stop|turn|call|text|provide|specify|open|close|change|help|summari[sz]e|draft|make|read|convert|compare|check) /iu,
  smallTalk:
    /(?<![\p{L}])(?:thank(?:s|ful| you)?|thx|cheers|bye|goodbye|good ?night|good (?:morning|evening|afternoon|day|talk|job)|see (?:you|ya)|hello|hey there|hi there|welcome|nice (?:chat|talk|to meet)|(?:a |my )pleasure|appreciate(?:d)?|gratitude|grateful|congrat\p{L}*|sorry|lol|haha\p{L}*|have a (?:nice|good|great)|(?:our|good|great|nice|lovely|fun) (?:chat|talk|conversation)|talk(?:ing)? (?:to|with) you|speak(?:ing)? (?:to|with) you|chatting with you|owe you one|take care(?! of)|how are you|what's up|happy (?:birthday|friday|holidays)|you did (?:that|it)|you've (?:been|helped)|looking forward|crossing my fingers|no worries|my friend|peace out|farewell)(?![\p{L}])|^[\s"']*(?:hi|hey|hiya|heyo|yo)(?![\p{L}])/iu,
  explicit: new RegExp(
    `^[\\s"'(*–—-]*(?:(?:hey|hi|ok|okay|oh|and|also|so|please|pls|just|by the way|btw|can you|could you|i want you to|i need you to|you should|important:?)[,!]? ){0,4}(?:${REMEMBER})(?: (?:this|that|it|down|of|the following|for (?:later|me|us|next time|future reference))(?![\\p{L}]))*\\s*[:,–—-]?(?! (?:to|when|how|if|the time|why|what|who|where|me)(?![\\p{L}]))(?![\\p{L}])|[,;–—-] ?(?:please |and )*(?:${REMEMBER})(?: (?:this|that|it))?[.!]*$`,
    'iu',
  ),
  leadIn:
    /^(?:(?:oh|hey|hi|hello|ok|okay|well|so|also|and|but|anyway|plus|btw|by the way|actually|honestly|quick (?:fact|note|update)(?: for the (?:file|record))?|just|fyi|for the record|for the file|note|fact)(?:[,:!–—-]+\s*| (?=(?:i|we|the|my|our|a|an|he|she|they|it) ))\s*)+/iu,
  anaphor: starting(
    "(?:it|this|that|these|those|they|he|she|its|their|his|her|them|him|both|such|otherwise|there|here|which)(?:'s|'re|'ll|'d|'ve)?",
  ),
  hypothetical: words(
    "if|would|could|might|maybe|perhaps|hopefully|suppose|supposedly|whether|guess|probably|i'm not sure|possibly|imagine|\\p{L}+'d(?! rather| prefer)",
  ),
  addressed: words("you|your|yours|yourself|you're|you've|you'll|you'd|u"),
  negation: words(
    "not|no|never|none|nothing|nobody|neither|nor|without|cannot|(?:is|are|was|were|do|does|did|ca|wo|would|could|should|has|have|had|must|ai)n't",
  ),
  vague: words(
    'really|super|pretty|kind of|sort of|just|definitely|things?|stuff|everything|something|anything|somehow|a lot|lots|amazing|awesome|great|fun|feel|feeling|overall|basically|literally|all in all|life|journey',
    'giu',
  ),
  time: words(
    `${DAY}|${MONTH}|may \\d+|\\d+ may|tomorrow|yesterday|tonight|(?:last|next|this|every|each) (?:${PERIOD}|morning|evening|night|weekend|freshman|sophomore|junior|senior)|${PERIOD} ago|weekends?|once a ${PERIOD}|\\d+ ?(?:am|pm|a\\.m|p\\.m)|(?:freshman|sophomore|junior|senior) year|(?:19|20)\\d\\d|q[1-4]|(?:week|month|year|quarter)[- ]end|daily|weekly|monthly|yearly|quarterly`,
  ),
  numeral: words(
    'two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|half|dozen|third|fourth|fifth|twice',
  ),
  attribute: words(
    "(?:my|our|the|his|her|their|\\p{L}+'s) (?:[\\p{L}\\p{N}-]+ ){1,6}(?:is|are|was|were|starts|ends|costs|takes|lives|runs|uses|opens|closes|sits|expires|contains|belongs|\\p{L}{3,}s(?= (?:\\p{N}|every|at|on|in|from|a|only|over|up|until)(?![\\p{L}])))(?! not (?:sure|that))|(?:the|our|my) [^.?!]{3,60} (?:at|every|until|from|for|after|within|up to) \\p{N}+",
  ),
  event: words(
    "(?:i|we|he|she|they|\\p{L}+'ve|i have|we have)(?:'ve)? (?:also |just |recently |already |then |actually |eventually |finally |first )?(?:\\p{L}{3,}ed|went|got|took|came|began|met|saw|lost|told|built|made|found|spent|ran|won|led|bought|sold|sent|wrote|left|moved|was (?:born|diagnosed|told|given)|had)",
  ),
  superlative: words(
    'most|best|worst|favou?rite|biggest|largest|smallest|first|main|latest|only|key|primary|\\p{L}{3,}iest|highest|lowest|earliest|oldest|youngest|closest|newest|one of (?:my|our|the|his|her)',
  ),
  habit: words('usually|always|typically|every|each|daily|weekly|often|regularly|never|once a|twice a|\\d+x|times a'),
  stopWords: wordSet(
    "a an the and or but so if then than as at be been being by can could do does did for from had has have he her here him his how i in into is it its i'm i'd i'll i've me my no not of off on or our out over she should some such that the their them then there these they this those to too up us very was we were what when where which while who will with would you your yours just also really",
  ),
};
