/** German forms of what is worth remembering, and of what is not. */

import { type Cues, starting, wordSet, words } from './cues.ts';
import { DAY, germanKinds, MONTH, PERIOD } from './cues-de-kinds.ts';

/** As a wish to the listener: "ich merke" is none. */
const REMEMBER =
  'merk(?:e|t|en)? (?:dir|euch|sie sich)|(?:das )?merken|behalte?(?: bitte)?(?: das)? im (?:kopf|hinterkopf)|denk(?:e|t)? (?:daran|dran)|notier(?:e|t|en)?(?: sie)?|vergiss nicht|vergesst nicht|halte? (?:bitte )?fest|speicher(?:e|n)?|zur erinnerung|nimm (?:bitte )?auf|für (?:die akte|später|das protokoll)';

export const german: Cues = {
  kinds: germanKinds,
  question:
    /\?["')\]“”»]*$|^[\s"'(„]*(?:(?:und|aber|also|ok|okay|hey|hallo|hi|äh|sorry|entschuldigung|bitte|sag mal|ach),? )*(?:wer|wen|wem|wessen|was(?! (?:mir|uns|zählt))|welche[rsnm]?|wann|wo|woher|wohin|warum|wieso|weshalb|wie(?! (?:besprochen|vereinbart|gesagt|gewünscht|immer))|womit|wofür|wodurch|wozu|worum|(?:bist|hast|kannst|könntest|weißt|willst|möchtest|magst|machst|arbeitest|gibst|darfst|würdest|sprichst|lebst|kennst|findest|glaubst|denkst|heißt) du|(?:sind|haben|können|könnten|wissen|wollen|möchten|würden|kennen|glauben) sie|(?:hätten|wären|würden|könnten|sollten|sollen|dürfen|müssen|wollen|gehen|treffen|machen|nehmen) wir|(?:ist|sind|hat|haben|gibt|kann|darf|soll|muss|war|waren|wird|werden) (?:es|das|der|die|ich|wir|er|man|denn|hier|da|jemand|dieser|diese|dieses|dein|deine|mein|meine|ihr))(?![\p{L}\p{N}])/iu,
  request:
    /(?<![\p{L}])(?:sag(?:e|en)? (?:mir|uns|sie)|erzähl(?:e|en)? (?:mir|uns|sie)?|gib (?:mir|uns)|geben sie|zeig(?:e|en)? (?:mir|uns|sie)|lass(?:t|en)? (?:mich|uns|sie mich) (?:wissen|hören)|ich (?:will|möchte|würde gern(?:e)?|hätte gern(?:e)?|muss|wüsste gern(?:e)?) (?:\p{L}+ )?(?:wissen|hören|fragen|sehen|erfahren|einen? |etwas|was|deine[nrs]?|ihre[nrs]?)|kannst du|könntest du|können sie|könnten sie|würdest du|hilf mir|bitte|frage mich|ich frage mich|würde mich interessieren|neugierig)(?![\p{L}])|^[\s"'„]*(?:erkläre?|beschreibe?|übersetze?|berechne|suche?|wiederhole?|nenne?|finde?|spiele?|stopp|öffne|schließe?|vergleiche?|lies|wirf|rufe? (?:an)?|mach(?:e)?|schreib(?:e)?|fasse?|zeig|sag|gib|erzähl) /iu,
  smallTalk:
    /(?<![\p{L}])(?:danke(?:schön)?|dank|dankbar|vielen dank|merci|tschüss|tschüs|ciao|servus|moin|grüß (?:gott|dich)|auf wiedersehen|bis (?:bald|später|dann|morgen)|gute[nr]? (?:morgen|tag|abend|nacht)|schöne[ns]? (?:tag|abend|wochenende|feierabend|gruß|grüße)|hallo|hey|hi|willkommen|war (?:nett|schön|toll|super)|(?:nettes|gutes|tolles|schönes) gespräch|freut mich|gern geschehen|keine ursache|entschuldigung|sorry|haha\p{L}*|lol|glückwunsch|alles gute|wie geht|was geht|mach's gut|geholfen|hilfe von dir|tut mir leid|kein problem|viel (?:spaß|glück|erfolg)|super gemacht|gut gemacht)(?![\p{L}])/iu,
  explicit: new RegExp(
    `^[\\s"'„(*–—-]*(?:(?:hey|hi|ok|okay|ach|und|auch|also|bitte|übrigens|kannst du|könntest du|du sollst)(?: dir)?[,!]? ){0,4}(?:${REMEMBER})(?: (?:bitte|mal|das|dir|folgendes|im kopf|im hinterkopf)(?![\\p{L}]))*\\s*[:,–—-]?(?: dass(?![\\p{L}]))?(?![\\p{L}])|[,;–—-] ?(?:bitte |und )*(?:${REMEMBER})(?: (?:bitte|das|dir|merken))*[.!]*$`,
    'iu',
  ),
  leadIn:
    /^(?:(?:ach|oh|hey|hallo|ok|okay|also|und|aber|übrigens|jedenfalls|außerdem|ehrlich gesagt|kurze info(?: für die akte)?|info|zur info|fakt|hinweis|notiz)[,:!–—-]+\s*)+/iu,
  anaphor: starting(
    '(?:es|das|dies|diese[rsmn]?|sie|er|ihre?|ihren|ihrem|sein|seine[rsmn]?|ihnen|ihm|beide|dort|dadurch|deshalb|daher|damit|sonst|hier|dabei)',
  ),
  hypothetical: words(
    'wenn|falls|würde|würden|könnte|könnten|vielleicht|möglicherweise|eventuell|hoffentlich|ob|vermutlich|wahrscheinlich|wäre|wären|hätte|irgendwie|bin mir nicht sicher',
  ),
  addressed: words('du|dir|dich|dein|deine[rsmn]?|ihnen|euch|euer|eure'),
  negation: words('nicht|nie|niemals|kein|keine[rsmn]?|nichts|niemand|ohne|weder|noch nie'),
  vague: words(
    'wirklich|echt|ziemlich|irgendwie|einfach|halt|mal|dinge|sachen|alles|etwas|toll|super|schön|klasse|gefühl|insgesamt|eigentlich|total|leben',
    'giu',
  ),
  time: words(
    `${DAY}|${MONTH}|gestern|heute|morgen|übermorgen|vorgestern|(?:letzte|nächste|diese|jede|kommende|vorige)[nrsm]? ${PERIOD}|vor (?:\\p{L}+|\\d+) ${PERIOD}|\\p{L}*wochenende|\\p{L}{0,16}(?:ende|anfang)|\\d+ uhr|um \\d+|täglich|wöchentlich|monatlich|jährlich|quartalsweise|seit \\d+|(?:19|20)\\d\\d|im jahr \\d+|q[1-4]|seit (?:\\p{L}+ )?${PERIOD}`,
  ),
  numeral: words(
    'zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig|hundert|tausend|million(?:en)?|milliarden?|halb|halbe[nrs]?|dutzend|zweite[nrs]?|dritte[nrs]?|vierte[nrs]?|zweimal|dreimal',
  ),
  attribute: words(
    '(?:mein|unser|der|die|das|sein|ihr|dein)(?:e|er|es|en|em)? (?:[\\p{L}\\p{N}-]+ ){1,6}(?:ist|sind|war|waren|beginnt|endet|kostet|dauert|liegt|heißt|lautet|beträgt|läuft|nutzt|gehört|steht|findet|trifft|öffnet|schließt|sitzt|enthält|verwendet|hat)',
  ),
  event: words(
    '(?:ich|wir|er|sie|\\p{Lu}\\p{L}+) (?:habe|haben|hat|hatte|bin|ist|sind|wurde|wurden|war|waren|ging|kam|bekam|begann|traf|sah|verlor|baute|fand|gewann|kaufte|verkaufte|schickte|schrieb|zog)|habe [^.]{1,80}(?:ge\\p{L}+(?:t|en)|\\p{L}+iert)',
  ),
  superlative: words(
    'am \\p{L}+sten|\\p{L}{3,}ste[nrsm]?|erste[nrsm]?|einzige[nrsm]?|wichtigste[nrsm]?|haupt\\p{L}+|lieblings\\p{L}+|eine[rsm]? (?:meiner|unserer|der)|nur',
  ),
  habit: words(
    'immer|meistens|normalerweise|jede[nrsm]?|täglich|wöchentlich|oft|regelmäßig|nie|einmal (?:im|pro|die|am)|zweimal (?:im|pro|die|am)|montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags',
  ),
  stopWords: wordSet(
    'der die das den dem des ein eine einen einem einer eines und oder aber wenn dann als wie zu zum zur im in am an auf aus bei mit von vom für über um nach vor durch gegen ohne bis ist sind war waren sein hat haben hatte habe bin wird werden werde wurde wurden kann können ich du er sie es wir ihr mich dich mir dir ihm ihn ihnen uns euch mein meine unser unsere sein seine ihre ihren sich dass ob nicht kein keine auch nur noch schon so sehr da hier es man denn doch ja nein',
  ),
};
