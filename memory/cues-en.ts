/** English forms of what is worth remembering, and of what is not. */

import { type Cues, starting, wordSet, words } from './cues.ts';
import { englishKinds } from './cues-en-kinds.ts';

const MONTH =
  'january|february|march|april|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec';
const DAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)days?';
const PERIOD =
  '(?:second|minute|hour|day|week|month|quarter|semester|year|decade|sprint|season|summer|winter|spring|autumn|fall)s?';

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
  kinds: englishKinds,
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
