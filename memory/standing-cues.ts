/** How people word a wish that holds from now on, and a fact of their world that every answer should know. One list a language. */
import type { CueLanguage } from './cues.ts';

export interface StandingCue {
  readonly kind: 'instruction' | 'preference' | 'fact';
  readonly pattern: RegExp;
}

/** What an assistant can be told to do each time. */
const EN_DO =
  "(?:answer|reply|respond|write|speak|talk|use|show|give|include|add|put|start|end|begin|keep|format|call|address|cite|quote|mention|list|explain|translate|convert|round|sort|summari[sz]e|send|link|tag|assume|treat|ask|check|tell|say|prefer|avoid|don't|do not|stick|leave|skip|omit|be|wait|refer|spell|render|present|draw|number|label|mark)";
const EN_WHEN =
  'from now on|going forward|moving forward|in (?:the )?future|every time|each time|whenever|by default|as a (?:general )?rule|in all (?:your )?(?:answers|replies|responses|messages)|for all (?:future )?(?:answers|replies|questions|messages)|until further notice|henceforth';
const EN_OWN =
  '(?:fiscal|financial|business|working|reporting|school)? ?(?:year|week|quarter|month)|time ?zone|currency|(?:working|office|business|opening) hours|language|locale|units?|number format|date format|name|full name|nickname|pronouns|role|job title|title|team|department|manager|company|office|location|location|headquarters|stand-?up|sprints?|release cycle|lunch break|weekend|deadline|stack|tech stack|editor|default \\p{L}+';
const DE_WHEN =
  'ab sofort|von nun an|ab jetzt|künftig|in zukunft|zukünftig|jedes mal|immer wenn|grundsätzlich|standardmäßig|bis auf weiteres|in allen (?:deinen )?(?:antworten|nachrichten)|fortan';
const DE_DO =
  '(?:antworte?|schreibe?|sprich|rede|nutze?|verwende?|benutze?|zeige?|gib|nenne?|füge?|beginne?|ende|halte?|formatiere?|rede mich|sprich mich|zitiere?|erwähne?|liste?|erkläre?|übersetze?|rechne?|runde?|sortiere?|fasse?|schicke?|sende?|verlinke?|nimm|gehe? davon aus|frage?|prüfe?|sag|bevorzuge?|vermeide?|bleib|lass|verzichte|sei|stelle?|mach|duze?|sieze?)';
const DE_OWN =
  '(?:geschäfts|wirtschafts|haushalts|schul)?jahr|(?:arbeits|kalender)?woche|quartal|zeitzone|währung|(?:arbeits|büro|öffnungs|geschäfts)zeiten|sprache|einheiten?|zahlenformat|datumsformat|name|vorname|spitzname|pronomen|rolle|position|team|abteilung|vorgesetzte[rn]?|chefin?|firma|büro|standort|hauptsitz|stand-?up|sprints?|mittagspause|frist|editor';
const ZH_WHEN =
  '以后|今后|从现在起|从今以后|从今往后|往后|每次|每当|默认|一律|始终|总是|永远|凡是|所有(?:的)?(?:回答|回复|答案)|长期';
const ZH_DO =
  '(?:回答|回复|答复|说|用|使用|写|给|列|附|加|标|按|以|称呼|叫|翻译|换算|总结|保留|引用|提到|先|不要|别|避免|显示|输出|格式)';

const START =
  '^[\\s"\'“„*>-]*(?:(?:please|pls|ok|okay|hey|hi|so|and|also|oh|note|remember|note that|remember that|remember to|bitte|ok|hey|und|also|ach|merk dir|denk dran|denke daran)[,:!]? ){0,3}';
const en = (kind: StandingCue['kind'], source: string): StandingCue => ({
  kind,
  pattern: new RegExp(`${START}(?:${source})(?![\\p{L}])`, 'iu'),
});
const has = (kind: StandingCue['kind'], source: string): StandingCue => ({
  kind,
  pattern: new RegExp(`(?<![\\p{L}])(?:${source})(?![\\p{L}])`, 'iu'),
});
const zh = (kind: StandingCue['kind'], source: string): StandingCue => ({ kind, pattern: new RegExp(source, 'iu') });

export const STANDING_CUES: Readonly<Record<CueLanguage, readonly StandingCue[]>> = {
  en: [
    en('instruction', `(?:always|never) ${EN_DO}`),
    en('instruction', `(?:${EN_WHEN}),? (?:\\p{L}+,? ){0,6}?${EN_DO}`),
    en(
      'instruction',
      `(?:whenever|when|if|every time|each time) (?:i|we|you|someone|anyone|somebody) [^,.]{3,80}, (?:please |always |then |just )*${EN_DO}`,
    ),
    en(
      'instruction',
      `(?:please )?(?:do not|don't|stop) (?:ever )?(?:answer|reply|use|write|call|add|include|show|send|start|end|put|mention|using|writing|calling|adding|sending|replying|including|giving|ask|asking|ping|pinging)[^.?!]{0,120}(?:${EN_WHEN}|again|any ?more|ever)`,
    ),
    en('instruction', `(?:call|address) me(?: as)? \\p{L}+`),
    has('instruction', `${EN_DO} [^.?!]{2,120} (?:${EN_WHEN})`),
    has(
      'instruction',
      `(?:i|we)(?:'d| would)? (?:want|need|expect|like|prefer) you to (?:always|never) ${EN_DO}|you (?:should|must|can) (?:always|never) ${EN_DO}`,
    ),
    has('instruction', `${EN_DO} (?:to )?me (?:only |always )?in (?:\\p{Lu}\\p{L}+|short|plain|bullet|simple)`),
    has(
      'preference',
      "(?:i|we) (?:really |strongly |generally |always |much |usually |would |do )*prefer [^.?!]{0,60}(?:answers?|replies|responses|summaries|tables?|bullet|lists?|charts?|units?|format|tone|emails?|messages?|examples?|explanations?|short|brief|concise|detailed|plain|formal|informal)|i(?:'d| would) (?:rather|prefer) (?:you|short|brief|concise|plain|bullet|tables?|answers?)|i like (?:my |your |the )?(?:answers?|replies|responses|summaries) [^.?!]{2,}",
    ),
    has(
      'fact',
      `(?:my|our) (?:${EN_OWN})(?: (?:of|for|in) \\p{L}+)? (?:is|are|starts?|begins?|ends?|runs?|has|uses?)(?! not sure| the same| so | very| really| just )`,
    ),
    has(
      'fact',
      '(?:we|i) (?:always |usually |only |generally )?(?:use|work in|report in|bill in|invoice in|measure in|count in|pay in|operate in) (?:the )?(?:metric|imperial|euros?|dollars?|pounds?|swiss francs|yen|celsius|fahrenheit|\\p{Lu}{3}|utc|gmt|cet|\\p{Lu}\\p{L}+ time|british|american|iso|24-hour)',
    ),
    has(
      'fact',
      "i(?:'m| am) (?:a |an |the )?(?:colou?r-?blind|vegan|vegetarian|left-handed|deaf|dyslexic|based in \\p{L}+|on the \\p{L}+ team|responsible for \\p{L}+|in (?:charge of|the \\p{L}+ (?:team|department)))|i work (?:as an?|in|for|on) (?:the )?\\p{L}+ ?(?:team|department|engineer|designer|manager|office)?",
    ),
  ],
  de: [
    en(
      'instruction',
      `(?:immer|nie|niemals|stets) (?:\\p{L}+ ){0,6}(?:antworten|schreiben|nutzen|verwenden|angeben|nennen|zeigen|beginnen|duzen|siezen|zitieren|runden|sprechen|verzichten|benutzen)`,
    ),
    en(
      'instruction',
      `${DE_DO} (?:mir |mich |uns |bitte |dabei |es |das )*(?:immer|nie|niemals|stets|grundsätzlich|ausschließlich|nur noch|${DE_WHEN})`,
    ),
    en(
      'instruction',
      `(?:${DE_WHEN}),? (?:bitte |immer |nur |alle |\\p{L}+ ){0,4}?(?:${DE_DO}|(?:\\p{L}+ ){1,6}(?:antworten|schreiben|nutzen|verwenden|angeben|nennen|duzen|siezen))`,
    ),
    en(
      'instruction',
      `(?:wenn|immer wenn|jedes mal,? wenn|sobald|falls) (?:ich|wir|du|jemand) [^,.]{3,80}, (?:bitte |dann |immer )*${DE_DO}`,
    ),
    en('instruction', `(?:nenn(?:e)?|duze?|sieze?|sprich) mich(?: bitte)?(?: immer)?(?: mit \\p{L}+| \\p{L}+)?`),
    has('instruction', `${DE_DO} (?!sie )[^.?!]{2,120}(?:${DE_WHEN}|immer|nie wieder|nicht mehr|grundsätzlich)`),
    has('instruction', `du (?:sollst|musst|kannst|darfst) (?:mir |mich |uns )?(?:immer|nie|grundsätzlich|künftig|ab sofort)`),
    has(
      'preference',
      '(?:ich|wir) (?:bevorzuge|bevorzugen|hätte|hätten|möchte|möchten|mag|mögen|bekomme|bekommen|lese|lesen|ziehe|ziehen) [^.?!]{0,60}(?:antwort|zusammenfassung|tabelle|stichpunkt|liste|diagramm|format|ton|e-?mail|nachricht|beispiel|erklärung|kurz|knapp|ausführlich|förmlich|locker)[^.?!]{0,60}',
    ),
    has(
      'fact',
      `(?:mein|meine|unser|unsere) (?:${DE_OWN}) (?:ist|sind|heißt|lautet|beginnt|beginnen|endet|enden|läuft|laufen|hat|nutzt|dauert|dauern)(?! nicht sicher)`,
    ),
    has(
      'fact',
      '(?:wir|ich) (?:rechnen?|arbeiten?|messen?|zahlen?|fakturieren?|nutzen?|verwenden?) (?:immer |nur |grundsätzlich )?(?:in|mit|nach) (?:der |dem |den )?(?:metrisch\\p{L}*|imperial\\p{L}*|euro|dollar|franken|celsius|utc|mez|\\p{Lu}{3}|\\p{L}*zeit)',
    ),
    has(
      'fact',
      'ich (?:bin|arbeite) (?:\\p{L}+ )?(?:farbenblind|vegan|veganerin?|vegetarierin?|linkshänderin?|gehörlos|im \\p{L}*team|in der \\p{L}+abteilung|zuständig für|als \\p{Lu}\\p{L}+|für \\p{Lu}\\p{L}+ zuständig)',
    ),
  ],
  zh: [
    zh('instruction', `^(?:请|麻烦|你)?(?:${ZH_WHEN})[^？?]{0,24}${ZH_DO}`),
    zh('instruction', `^(?:请|你)?(?:都|只|一定要?|务必)?(?:始终|总是|永远|一律|每次都?|以后都?)${ZH_DO}`),
    zh(
      'instruction',
      `(?:当|如果|只要|凡是|每次|每当)(?:我|我们|有人|大家)[^，。]{2,30}(?:时|的时候|，)[^，。？]{0,4}(?:请|就|都)?(?:你)?${ZH_DO}`,
    ),
    zh('instruction', '(?:叫我|称呼我(?:为)?|喊我)[^，。？吗]{1,12}(?:就好|就行|吧|即可)?$|(?:不要|别)再[^，。？]{1,30}'),
    zh('instruction', `(?:用|使用|按|以)[^，。？]{1,16}(?:回答|回复|答复|输出|写)(?:我|我们)?(?:，?(?:${ZH_WHEN}))`),
    zh(
      'preference',
      '我们?(?:更|比较|还是|一直)?(?:喜欢|偏好|偏爱|倾向于?|习惯)[^，。？]{0,24}(?:回答|回复|答案|总结|表格|列表|要点|图表|格式|语气|例子|说明|简短|简洁|详细|正式)',
    ),
    zh(
      'fact',
      '(?:我|我们|我司|公司|本公司)的?(?:财年|财务年度|会计年度|工作时间|上班时间|营业时间|办公时间|时区|货币|语言|名字|姓名|昵称|职位|职务|岗位|角色|团队|部门|上级|主管|老板|公司|总部|办公室|例会|站会|迭代|午休|周会|单位|日期格式)[^，。？]{0,12}(?:是|在|从|为|叫|开始|结束|使用|用|到|有|点)',
    ),
    zh(
      'fact',
      '(?:我|我们)(?:都|一直|只|一律|统一)?(?:用|使用|采用|按)[^，。？]{0,6}(?:公制|英制|人民币|美元|欧元|摄氏|华氏|北京时间|UTC|[A-Z]{3})|我(?:是|在)(?:[^，。？]{0,10}(?:部|组|团队|部门|色盲|素食|左撇子|工程师|设计师|经理))|我(?:是)?(?:色盲|吃素|负责[^，。？]{2,20})',
    ),
  ],
};
