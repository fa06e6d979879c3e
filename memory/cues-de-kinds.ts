/** How German tells decisions, preferences, commitments, corrections, opinions and facts. */
import { type KindCue, starting, words } from './cues.ts';

export const DAY =
  '(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)(?:s|abends?|morgens?|nachmittags?|mittags?|früh)?';
export const MONTH = 'januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember';
export const PERIOD =
  '(?:sekunden?|minuten?|stunden?|tag(?:en?|es)?|wochen?|monat(?:en?|s)?|quartal(?:en?|s)?|jahr(?:en?|es)?|semester|sprints?|sommer|winter|herbst|frühling|frühjahr)';
const DEADLINE = `(?:bis|vor|spätestens|noch|am|im|zum|nächste[nrs]?|diese[nrs]?|kommende[nrs]?|innerhalb|binnen|ab) (?:(?:zum|zur|am|ende|anfang|mitte|der|die|das|dem|den|des|nächste[nrs]?|diese[nrsm]?|kommende[nrs]?|spätestens) ){0,4}(?:${DAY}|${MONTH}|${PERIOD}|\\p{L}{0,20}(?:ende|schluss|beginn)|heute|morgen|übermorgen|mittag|abend|q[1-4]|\\d)`;
const LASTING =
  'ab sofort|von nun an|ab jetzt|künftig|zukünftig|in zukunft|in zukünftige|alle unsere zukünftigen|fortan|bis auf weiteres|dauerhaft|nicht mehr|standardmäßig';
/** The sentence's own subject, and not "es". */
const ABOUT = ',? (?:dass )?(?!(?:das|dies)(?! \\p{L}+ )|(?:es|ich|wir|du|sie|man|nicht|schon|auch|mal|nur|so)(?![\\p{L}]))';
const I_OR_WE = '(?:ich|wir)';

export const germanKinds: readonly KindCue[] = [
  {
    kind: 'correction',
    weight: 0.7,
    pattern: starting(
      'nein, (?:es|das|der|die) \\p{L}+|korrektur|berichtigung|richtigstellung|ich habe mich (?:geirrt|vertan|verschrieben|versprochen(?! zu))|mein fehler|tatsächlich ist|nein, (?:es|das|der|die)',
    ),
  },
  {
    kind: 'correction',
    weight: 0.7,
    pattern: words(
      'ich meinte|habe mich (?:geirrt|vertan|verschrieben|verrechnet)|war (?:falsch|ein fehler|ein irrtum)|(?:muss|sollte|müsste) [^.]{0,60}(?:heißen|lauten)|nicht (?!nur|bloß|allein)[^.;]{1,60},? sondern|stimmt nicht',
    ),
  },
  {
    kind: 'decision',
    weight: 0.75,
    pattern: words(
      'entschied(?:en)?|entscheidung(?:en)?|beschloss(?:en)?|beschluss|geeinigt|festgelegt|vereinbart|abgestimmt|gewählt|ausgewählt|entschlossen|verabschiedet|freigegeben|genehmigt|abgelehnt|verworfen|einig(?:ten)? (?:uns|sich)|legten fest|wählten|haben uns für|fiel die wahl|der entschluss',
    ),
  },
  {
    kind: 'decision',
    weight: 0.6,
    pattern: words(
      `(?:wechseln|wechselt|umgestiegen|steigen|stellen|stellt|umgestellt|umstellung|migrieren|ersetzen|verschoben|verschieben|verschiebt|abgesagt|gestrichen|eingeführt|übernehmen|übernehme|verzichten|setzen (?:künftig |jetzt |nun )?auf|nehmen|verwenden|nutzen|bauen) (?:[^.]{0,100})(?:statt|anstelle|von|auf|zu|ein|um|selbst|nicht mehr|weiterhin|${LASTING})|keine?n? [^.]{1,60} mehr|bleiben bei|(?:wird|werden|wurden?) [^!?]{0,60}(?:ersetzt|abgeschaltet|eingestellt|umgestellt|verschoben|gestrichen|abgesagt|eingeführt)`,
    ),
  },
  {
    kind: 'decision',
    weight: 0.56,
    pattern: words(
      'werden (?:künftig|ab sofort|in zukunft|von nun an|fortan|zukünftig)|wird (?:künftig|ab sofort|fortan|zukünftig)|(?:künftig|ab sofort|ab jetzt|von nun an) (?:werden|wird|gilt|gelten|nur|per|über)|nur (?:noch )?für [^.]{1,60} (?:reserviert|vorgesehen)',
    ),
  },
  {
    kind: 'decision',
    weight: 0.62,
    pattern: new RegExp(
      `^(?:${LASTING})(?!\\p{L})[^?]{12}|(?<!\\p{L})(?:wir|ich|sie)(?!\\p{L})[^.?]{0,60} nicht mehr(?!\\p{L})`,
      'iu',
    ),
  },
  {
    kind: 'decision',
    weight: 0.62,
    pattern: words(
      '(?:stellt|stellen) [^.]{1,80} (?:ein|um)|wir (?:nehmen|wählen|behalten|streichen|starten|stoppen|ersetzen|verschieben|kündigen|verwerfen|lassen) [^.?]{4,}',
    ),
  },
  {
    kind: 'preference',
    weight: 0.75,
    pattern: words(
      'bevorzug(?:e|en|t|te|ten)|vorzieh(?:e|en)|vorzuziehen|ziehe?n?t? [^.]{1,120} vor|präferier(?:e|en|t)|präferenz|vorliebe|lieber|am liebsten|lieblings\\p{L}+|legt (?:großen )?wert|besteht (?:darauf|auf)|bestehe (?:darauf|auf)|setzt sich (?:\\p{L}+ )?(?:dafür|für) ein|(?:ist|bin) (?:kein(?:e)? )?(?:großer |große )?(?:fan|freund|freundin) von|allergisch',
    ),
  },
  {
    kind: 'preference',
    weight: 0.6,
    pattern: words(
      '(?<!(?:ich|wir|du|gern) )(?:möchte|wünscht|verlangt|fordert) (?!wissen|gern)\\p{L}+|möchte,? dass|will,? dass|wünscht (?:sich|,)|hätte (?:\\p{L}+ )?gern|hätte lieber|bat (?:mich|uns)|(?:er|sie|\\p{Lu}\\p{L}+) (?:mag|liebt|hasst|schätzt|meidet|vermeidet|trinkt|isst)',
    ),
  },
  {
    kind: 'preference',
    weight: 0.58,
    pattern: words(
      'ich (?:hasse|meide|vermeide)|(?:mag|mögen|trinke|trinkt|esse|isst) [^.]{0,60}(?:nicht|kein\\p{L}*)(?: [^.]{0,40})?',
    ),
  },
  {
    kind: 'preference',
    weight: 0.42,
    pattern: words(
      'ich (?:mag|liebe|hasse|schätze|meide|vermeide|genieße|trinke|esse)|gefällt mir|(?:ich|wir) [^.]{1,60} (?:gern|gerne|ungern)',
    ),
  },
  {
    kind: 'commitment',
    weight: 0.75,
    pattern: words(
      'versprochen|verspreche|verspricht|versprach|versprechen(?=,|\\.)|verpflichte[tn]?|zugesagt|zugesichert|sage? [^.]{1,40} zu|sagte zu|vorgenommen|zusage|garantiere|garantiert|auf meine(?:r)? (?:liste|agenda)|mein wort|übernommen, ',
    ),
  },
  {
    kind: 'commitment',
    weight: 0.6,
    pattern: new RegExp(
      `(?:(?<![\\p{L}])(?:ich|wir) \\p{L}+ [^.?!]{0,120}(?=(?:bis|spätestens) )|(?<![\\p{L}])(?:ich|wir|er|sie|\\p{Lu}\\p{L}+) (?:werde|werden|wird|kann|liefere|schicke|sende|erledige|mache|kümmere)|(?:^|[ ,])(?:werde|werden|wird) ${I_OR_WE}|^(?:werde|will)|bin [^.]{1,80} (?:dabei|da))[^.?!]{0,160}(?:${DEADLINE}|${LASTING})`,
      'iu',
    ),
  },
  {
    kind: 'commitment',
    weight: 0.6,
    pattern: words('habe [^.]{1,80}(?:blockiert|reserviert|eingeplant|freigehalten|freigeschaufelt)'),
  },
  {
    kind: 'commitment',
    weight: 0.58,
    pattern: words(
      '(?:ich|wir) (?:werde|werden) (?:\\p{L}+ ){0,12}\\p{L}+(?:en|rn|ln)|ich (?:kümmere|melde|schicke|sende|schreibe|prüfe|liefere|bereite|aktualisiere|teile|setze|erledige|reiche|bringe|komme) (?:mich|dir|euch|ihnen|es|das|die|den|dem|ihm|ihr|das|eine?n?|\\p{Lu}\\p{L}+)',
    ),
  },
  {
    kind: 'commitment',
    weight: 0.55,
    pattern: starting(
      '(?:aktualisierung|überarbeitung|anpassung|vorbereitung|prüfung|umstellung|erstellung|planung|durchführung) (?:des|der|von|aller)|(?:übernehme|verschiebe|verschiebt|aktualisiere|prüfe|schicke|sende|bereite|erstelle|teste|plane|werde)',
    ),
  },
  {
    kind: 'opinion',
    weight: 0.72,
    pattern: words(
      'mein(?:e|er|es|em|en)? (?:\\p{L}+ )?(?:meinung|ansicht|einschätzung|eindruck|sicht|erachtens|gefühl|fazit|bauchgefühl|urteil)|meines erachtens|skeptisch|überzeugt|überschätzt|überbewertet|unterschätzt|unterbewertet|ich (?:bezweifle|vermute|schätze, )|finde ich|halte ich|halte (?:\\p{L}+ ){1,10}für|ehrlich gesagt|offen gesagt|persönlich finde',
    ),
  },
  {
    kind: 'opinion',
    weight: 0.66,
    pattern: words(`(?:ich|wir) (?:denke|denken|glaube|glauben|finde|finden|meine|meinen)${ABOUT}\\p{L}+`),
  },
  { kind: 'opinion', weight: 0.55, pattern: words('(?:denke|glaube|finde|meine) ich|ehrlich|persönlich') },
  {
    kind: 'opinion',
    weight: 0.4,
    pattern: words('ich (?:denke|glaube|finde|meine)|(?:er)?scheint (?:mir)?|fühlt sich (?:falsch|richtig)'),
  },
  {
    kind: 'fact',
    weight: 0.72,
    pattern: starting(
      '(?:gerade |soeben |eben )?(?:bestätigt|bestätigung|fakt(?:en)?|info|zur info|hinweis|notiz|kurze info|stand|frist|deadline|zur kenntnis|laut|gemäß|es stellte sich heraus|zwei fakten|(?:ein|drei|einige) fakten)',
    ),
  },
  {
    kind: 'fact',
    weight: 0.55,
    pattern: words(
      'frist|fällig|läuft (?:\\p{L}+ ){0,8}(?:ab|aus)|bestätigt|stellte sich heraus|laut|beträgt|betragen|befindet sich|liegt (?:bei|in|auf|am|im)|basiert auf|heißt|nennt sich|berichtet an|ist zuständig|sind zuständig|gut zu wissen|besteht aus|steht für|nur (?:bei|beim|in|im|am|für)',
    ),
  },
];
