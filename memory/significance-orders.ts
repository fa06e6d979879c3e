/**
 * Text that gives orders instead of telling something. Nobody's wish may lift the assistant's rules or send others a message out
 * of memory later; text of untrusted origin may wish nothing at all.
 */

/** Lifts or leaks the rules, in whatever language the rest is. */
const OVERRIDES: readonly RegExp[] = [
  /(?<!\p{L})(?:ignore|disregard|forget|override|bypass|overlook|drop|skip)(?!\p{L})[^.!?]{0,60}(?<!\p{L})(?:instructions?|rules?|prompts?|guidelines?|restrictions?|polic(?:y|ies)|safeguards?|everything (?:above|before)|previous|prior)(?!\p{L})/iu,
  /(?<!\p{L})(?:system prompt|developer mode|jailbreak|you are now|pretend (?:to be|you)|act as (?:if|an?|the)|new instructions|(?:reveal|leak|print|exfiltrate)[^.!?]{0,40}(?:prompt|secrets?|passwords?|keys?|tokens?))(?!\p{L})/iu,
  /(?<!\p{L})(?:ignorier|missacht|vergiss|umgeh|übergeh|überschreib)\p{L}*(?!\p{L})[^.!?]{0,60}(?:anweisung|regel|vorgabe|richtlinie|einschränkung|prompt|bisherige|vorherige)/iu,
  /(?<!\p{L})(?:systemprompt|du bist (?:jetzt|nun|ab sofort)|tu so,? als|verhalte dich wie)(?!\p{L})/iu,
  /(?:忽略|无视|忘记|忘掉|绕过|不要?遵守|违反|覆盖)[^。！？]{0,30}(?:指令|指示|规则|规定|提示|限制|之前|以上|设定)/u,
  /(?:系统提示词?|你现在是|假装(?:你|自己)|扮演|越狱|开发者模式)/u,
  /<\/?(?:system|assistant|instructions?|tool)(?:\s|>|\/)|\[\/?(?:INST|SYSTEM)\]|<\|[a-z_]{2,20}\|>|^\s*(?:system|assistant|developer)\s*:/iu,
];

/** Something to be told or sent to others: an errand of now, and no memory. */
const ERRANDS: readonly RegExp[] = [
  /(?<!\p{L})(?:tell|inform|notify|message|email|e-mail|dm|ping|warn|let|remind|convince|post|send|forward|write|say|announce|ask)(?:ing)? (?:to )?(?:everybody|everyone|all|anyone|anybody|people|others?|them|him|her|the (?:team|channel|group|others|whole|customers?|users?|staff))(?!\p{L})/iu,
  /(?<!\p{L})(?:sag|erzähl|schreib|schick|send|melde|teil|informier|benachrichtig|frag|erinner)(?:e|t|en)? (?:es |das )?(?:bitte )?(?:allen?|jedem|jeden|den anderen|dem team|ihm|ihr|ihnen|euch|der gruppe|dem kanal)(?!\p{L})/iu,
  /(?<!\p{L})(?:allen?|jedem|dem team|den anderen|den kunden) (?:\p{L}+ ){0,4}(?:zu sagen|mitzuteilen|zu schreiben|zu schicken|auszurichten|bescheid zu)/iu,
  // A name is told by its capital, so this one minds the case.
  /(?<!\p{L})(?:[Tt]ell|[Ii]nform|[Nn]otify|[Mm]essage|[Ee]mail|[Pp]ing|[Ww]arn|[Rr]emind|[Aa]sk|[Ss]ag|[Ff]rag|[Ii]nformiere|[Ee]rinnere) \p{Lu}\p{Ll}+(?!\p{L})/u,
  /(?:告诉|通知|转告|提醒|发给|发送给|群发|转发给|让)(?:所有人|大家|每个?人|全体|其他人|他们?|她们?|团队|客户|用户)/u,
];

/** "Remember to …" sets a task, where "remember that …" tells something. */
const REMINDER =
  /^[\s"'(*–—-]*(?:(?:please|and|also|bitte|und|auch)[,]? ){0,2}(?:remember to|(?:don't|do not) forget to|make sure (?:to|you)|be sure to|denk (?:daran|dran)|vergiss nicht|vergesst nicht|(?:请|一定要?|千万)*(?:记得|别忘了?|不要忘记|记住))/iu;

/** Speaks to whoever reads it, and wants something done. */
const ORDERS: readonly RegExp[] = [
  /(?<!\p{L})(?:you|the (?:assistant|ai|model|bot|agent|reader)|assistants?|any ai|ai (?:agents?|models?|systems?))(?:'re)? (?:must|should|shall|need to|have to|are (?:to|required|instructed)|will (?:now|always)|can only)(?!\p{L})/iu,
  /(?<!\p{L})(?:always|never) (?:answer|reply|respond|say|tell|mention|recommend|include|use|send|trust|ask|call|write|link|refer|forward|approve|treat)(?!\p{L})/iu,
  /^[\s"'*>-]*(?:please|kindly|now|first|then|important:|note:|remember|don't|do not|make sure|be sure|ensure|send|email|forward|click|open|visit|reply|respond|answer|delete|transfer|pay|approve|tell|say|post|share|call|run|execute|download|install|copy|paste|provide|submit|store|save|memori[sz]e|add|grant|give|invite|create|update|use)(?!\p{L})/iu,
  /(?<!\p{L})(?:du|sie|der assistent|die ki|das modell) (?:musst|müssen|muss|sollst|sollen|soll|sollte|darfst nur|hast zu)(?!\p{L})|(?:antworte|verwende|nutze|sende|schicke|sage|empfiehl|lösche|überweise|klicke|öffne|merke?|speichere|leite)(?: sie| dir| immer| nie| bitte| alle)/iu,
  /(?:你|您|助手|模型|AI|人工智能)(?:必须|应该|应当|需要|务必|只能|不得|要)|^(?:请|务必|必须|不要|别|记住|总是|始终|永远|立即|马上)/iu,
];

const someHold = (patterns: readonly RegExp[], sentence: string): boolean => patterns.some((pattern) => pattern.test(sentence));

export const isOverride = (sentence: string): boolean => someHold(OVERRIDES, sentence);
export const isErrand = (sentence: string): boolean => someHold(ERRANDS, sentence);
export const isReminder = (sentence: string): boolean => REMINDER.test(sentence);
export const isOrder = (sentence: string): boolean => someHold(ORDERS, sentence);
