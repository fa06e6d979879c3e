/**
 * Words by which somebody wishes for a person instead of the assistant, in English, German and Chinese. Who wishes so is handed over
 * and gets no answer, so only what is plainly a wish is one. Everything in doubt is answered, with the button under the answer.
 */

/** Long messages are about something: they are answered. */
const MAX_CHARS = 200;

const words = (list: string): string =>
  `(?:${list
    .trim()
    .split(/\s*\n\s*|\s*\|\s*/u)
    .join('|')})`;
const maybe = (list: string): string => `(?:${words(list)}\\s+)*`;

/** A clause in which one of these comes first asks about something, or tells what somebody else said. */
const ASKS_ABOUT = new RegExp(
  `(?<!\\p{L})${words(`
    how | who | whom | whose | where | what | which | why | when | if | whether | do | does | did | should | says? | said | wrote | asks? | asked | told
    wie | wer | wem | wen | wo | was | welche[mnrs]? | warum | wieso | wann | wenn | ob | falls | sagt | sagte | schrieb | schreibt | fragt
  `)}(?!\\p{L})|怎么|怎麼|怎样|如何|什么|什麼|哪|谁|誰|几点|多少|多久|多长|是否|如果|为何`,
  'iu',
);
const REFUSES =
  /(?<!\p{L})(?:don't|do not|doesn't|does not|didn't|never|no need|without|nicht|kein\p{L}*|nie|ohne)(?!\p{L})|不要|不想|不用|不需要|别|无需|没有?必要/iu;

const REAL = maybe('real | actual | live | living | human | proper | physical');
const EN_PERSON = `(?:(?:an?|some|the|your|any|one of your)\\s+)?${REAL}${words(`
  human(?: being)? | humans | person | people | agents? | operator | (?:representative|rep) | someone | somebody | anyone | anybody | staff(?: member)? | member of (?:the|your)?\\s*(?:staff|support|team)
  (?:customer|technical|tech|live)?\\s*support(?: (?:team|staff|agent|person|rep|representative))? | customer (?:service|care)(?: (?:team|agent|rep|representative))? | service desk | help ?desk
`)}`;
/** What may follow: not the rest of a longer noun, as in "agent dashboard", and no time or way, which would be a question about those. */
const EN_AFTER = `(?=\\s*(?:$|[^\\p{L}\\s-]|${words('please | now | about | regarding | concerning | instead | here | today | who | that | because | asap | right | immediately | directly | from | in | at your | rather')}(?!\\p{L})))`;
const EN_ALONE = `(?=\\s*(?:$|[^\\p{L}\\s-]|${words('please | pls | now | here | instead | asap | right now | to (?:talk|speak|chat|help) | who can help | not a (?:ro)?bot | rather')}(?!\\p{L})))`;
const EN_SOFT = maybe('please | just | really | also | rather | now | finally | directly | actually | to');
const EN_I_WISH = `(?:i|we)(?:\\s+(?:really|just|also|still))*(?:\\s+(?:want|wanna|need|prefer|wish|demand|would like|would love|would prefer|would rather|have|must)|'d (?:like|love|prefer|rather))`;
const EN_TALK = '(?:talk|speak|chat)\\s+(?:to|with)';
const EN_CONNECT = `(?:(?:connect|pass|put|transfer|hand|forward|redirect|send|switch|escalate|get|route)\\s+(?:me|us|this|it|that|my (?:question|request|issue|case))\\s+(?:over |through |on |across )?(?:to|with)|escalate to)`;

const DE_A = '(?:(?:einem|einen|einer|eine|ein|nem|nen|dem|den|der|die|euren|eurem|ihren|ihrem)\\s+)?';
const DE_REAL = maybe('echten? | echter | echtem | richtigen? | realen? | lebenden | menschlichen | menschliche');
const DE_HUMAN = `${DE_A}${DE_REAL}${words('menschen? | person | jemand(?:e[mn])? | (?:kunden)?support | kundendienst | kundenservice | ansprechpartner(?:in)? | service-?team | support-?team | helpdesk')}`;
/** Those that one also leads, pays and works with. */
const DE_STAFF = `${DE_A}${DE_REAL}${words('(?:service-?|support-?|kunden)?(?:mitarbeiter(?:in)?|berater(?:in)?) | sachbearbeiter(?:in)?')}`;
const DE_SOFT = maybe('bitte | gerne? | jetzt | lieber | sofort | direkt | mal | einfach | endlich | doch | nur | auch | mir');
const DE_I_WISH = `(?:ich|wir)\\s+(?:möchten?|moechten?|will|wollen|würden?|wuerden?|muss|müssen|hätten?|brauchen?|wünschen?)`;
const DE_OF = '(?:\\s+(?:aus|vom|von|im|in)\\s+[^,]{1,30})?';
const DE_ABOUT = '(?:\\s+(?:über|ueber|wegen|zu|zum|zur|bezüglich)\\s+[^,]{1,40})?';
const DE_TALK = '\\s+(?:sprechen|reden|chatten|telefonieren|verbunden werden)(?!\\p{L})';

const ZH_PERSON =
  '(?:人工客服|人工服务|人工坐席|人工(?!智能|費|费|成本|审|操作|录入|标注)|真人客服|真人|活人|客服人员|客服|工作人员)';
const ZH_A = '(?:到|入|给|給|至|一下|你们的|您的|一?[个個位名])*';

/** Anywhere in a clause, unless something before it asks about it. */
const WISHES: readonly RegExp[] = [
  // I want to talk to a person; can I speak to someone about my invoice?
  `(?:${EN_I_WISH}|(?:can|could|may|might) (?:i|we)|let (?:me|us)|is it possible|^${maybe('please | just | ok | okay | no | hi | hello | hey')})\\s*${EN_SOFT}${EN_TALK}\\s+${EN_PERSON}${EN_AFTER}`,
  `${EN_I_WISH}\\s+(?:to\\s+)?(?:contact|reach|see|meet)\\s+${EN_PERSON}${EN_ALONE}`,
  // Connect me with support; can you pass this to a colleague?
  `(?<!(?:can|could|may|will) (?:i|we|it|they|customers|users) )${EN_CONNECT}\\s+(?:${EN_PERSON}|(?:a|one of your) colleagues?)${EN_AFTER}`,
  // Get me a human; I need a real person.
  `(?:(?:get|give|find|bring|call) (?:me|us)|${EN_I_WISH}(?:\\s+to have)?)\\s+(?:an?\\s+)?${REAL}(?:human(?: being)?|person|agent|representative|operator|human support|human help)${EN_ALONE}`,
  // Is there a person I can talk to about my invoice?
  `(?:is|isn't) there (?:${EN_PERSON}|anyone|anybody)(?: here| there| available)?(?:,? (?:that|who|whom))? (?:i|we) (?:can|could|may) ${EN_TALK}(?!\\p{L})`,
  `^(?:is|are) there (?:an? )?${REAL}(?:human|person|people|humans) (?:here|there|available|around)`,
  '^(?:please )?ask an? (?:human|person|agent)(?!\\p{L})',
  // Ich will einen Mitarbeiter sprechen; kann ich mit jemandem über meine Rechnung reden?
  `(?:${DE_I_WISH}|(?:kann|könnte|koennte|darf|dürfte) (?:ich|man)|lass(?:en|t)? (?:sie )?mich|^${DE_SOFT})\\s*${DE_SOFT}(?:mit\\s+)?(?:${DE_HUMAN}${DE_OF}${DE_ABOUT}|${DE_STAFF}${DE_OF})${DE_TALK}`,
  // Bitte verbinden Sie mich mit dem Support; können Sie mich an einen Menschen weiterleiten?
  `(?:verbinden?|leiten?|stellen?|übergeben?|geben?|gib)\\s+(?:sie\\s+)?(?:mich|uns|mir|das|es|dies)\\s+${DE_SOFT}(?:mit|zu|zum|an|durch zu|durch zum|weiter an)?\\s*(?:${DE_HUMAN}|${DE_STAFF}|einem kollegen|einen kollegen|einer kollegin|eine kollegin)(?!\\p{L}|-)`,
  `(?:können|könnten|kannst|könntest|würden|würdest) (?:sie|du|ihr) (?:mich|uns|das) ${DE_SOFT}(?:mit|an|zu|zum)\\s+(?:${DE_HUMAN}|${DE_STAFF}|einem kollegen|einen kollegen|einer kollegin|eine kollegin)${DE_OF}\\s+(?:verbinden|weiterleiten|weitergeben|übergeben|durchstellen)`,
  `(?:ich (?:will|möchte|moechte|brauche)|gib mir|geben sie mir|hol mir|holen sie mir)\\s+${DE_SOFT}(?:ein(?:en|e)?\\s+)?${DE_REAL}(?:menschen|person|mitarbeiter(?:in)?|ansprechpartner(?:in)?)(?=\\s*(?:$|[^\\p{L}\\s-]|(?:bitte|jetzt|sofort|haben)(?!\\p{L})))`,
  `(?:gibt es|ist (?:da|hier|dort)) (?:hier )?(?:${DE_HUMAN}|${DE_STAFF}),? (?:mit (?:dem|der)|den) ich ${DE_ABOUT.trim()}\\s*(?:sprechen|reden) (?:kann|könnte)`,
  // 转人工；请帮我接客服
  `[转轉接换換找叫](?:接|通|回)?${ZH_A}${ZH_PERSON}(?=$|[^\\p{L}]|[吗嗎吧呢啊了]|处理|帮|来|聊|谈|说|沟通|解决|投诉|谢|一下)`,
  `(?:请|帮我|麻烦|我[要想]|需要)(?:您|你)?(?:帮我)?(?:联系|聯繫|聯絡|接通|安排)${ZH_A}${ZH_PERSON}(?=$|[^\\p{L}]|[吗嗎吧呢啊了]|处理|帮|来|聊|谈|说|沟通|解决|谢|一下)`,
  `(?:想|要|希望|需要|可以|可不可以|能|能不能|能否|让我|讓我)(?:直接)?(?:和|跟|与|與|同)${ZH_A}(?:你们的)?(?:${ZH_PERSON}|人(?!事|力|员|类))(?:直接)?(?:说|說|聊|谈|談|讲|講|沟通|溝通|对话|對話|交流|通话)`,
  `(?:我[要想]|需要|给我|請?给我来)${ZH_A}${ZH_PERSON}(?:服务|帮助|支持)?(?=$|[^\\p{L}]|[吗嗎吧呢啊了]|谢|来|帮)`,
  `有(?:没有|沒有)?${ZH_PERSON}(?:可以|能)(?:和我|跟我|帮我)?(?:说|說|聊|谈|談|沟通)`,
].map((pattern) => new RegExp(pattern, 'iu'));

/** A sentence of its own. */
const BARE = new RegExp(
  `^(?:${maybe('please | just | ok | okay | hi | hello | hey | no')}(?:an?\\s+)?${REAL}(?:human(?: being)?|person|agent|operator|representative|human agent)(?:[\\s,]+(?:please|pls|now))*|(?:customer )?(?:support|service)[\\s,]+please|${DE_SOFT}(?:(?:ein(?:en|e)?\\s+)?${DE_REAL}(?:mensch(?:en)?|mitarbeiter(?:in)?|kundenservice|kundendienst)[\\s,]+bitte|(?:ein(?:en)?\\s+)?echter?n? mensch(?:en)?)|(?:请|請)?(?:人工|真人|人工客服|人工服务|真人客服|客服)(?:谢谢|，谢谢)?)$`,
  'iu',
);

const QUOTED = /["“”„«»「『][^"“”„«»」』]*["“”«»」』]/gu;
/** Its comma ends no clause: what comes after it is asked for that case. */
const CONDITION = /(?<=^|[.!?]\s*)((?:if|when|once|wenn|falls|sobald)(?!\p{L})[^,.!?]*),/giu;
/** A comma before what belongs to the person stays. */
const CLAUSE_END =
  /[.!?;:…\n。！？；：，、]+|,(?!\s*(?:mit (?:dem|der)|den ich|who|whom|that))|\s[–—-]\s|\s(?:but|sondern|aber)\s|而是|但是?/giu;

const isWish = (clause: string): boolean => {
  return WISHES.some((pattern) => {
    const found = pattern.exec(clause);
    if (found === null) return false;
    return !ASKS_ABOUT.test(clause.slice(0, found.index)) && !REFUSES.test(clause.slice(0, found.index + found[0].length));
  });
};

/** True for a plain wish, not for a question about how, where or when one reaches somebody. */
export const asksForPerson = (text: string): boolean => {
  if (text.length > MAX_CHARS) return false;
  const said = text
    .trim()
    .replaceAll('’', "'")
    .replaceAll(QUOTED, ' ')
    .replaceAll(/[^\S\n]+/gu, ' ')
    .replaceAll(CONDITION, '$1');
  const sentences = said.split(/[.!?\n。！？]+/u).map((sentence) => sentence.trim());
  return sentences.some((sentence) => BARE.test(sentence)) || said.split(CLAUSE_END).some((clause) => isWish(clause.trim()));
};
