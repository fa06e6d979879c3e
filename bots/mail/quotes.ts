/** What somebody wrote in a mail, apart from the history under it and the signature. By rules a line at a time: nobody quotes alike. */

/** Lines that begin what was written before, in the languages that people are answered in, and French. */
const HISTORY: readonly RegExp[] = [
  /^(?:On|Am|Le)\b.{5,250}\b(?:wrote|schrieb|a écrit)\b.{0,150}:$/iu,
  /^在.{3,150}写道[:：]$/u,
  /^-{2,}\s*(?:Original Message|Ursprüngliche Nachricht|Message d'origine|原始邮件|原始郵件)\s*-{2,}$/iu,
];
const HEADS: readonly RegExp[] = [
  /^\*?(?:From|Von|De|发件人)\s*[:：]/iu,
  /^\*?(?:Sent|Gesendet|Envoyé|Date|Datum|发送时间|日期)\s*[:：]/iu,
  /^\*?(?:To|An|À|收件人|Subject|Betreff|Objet|主题)\s*[:：]/iu,
];
/** What is passed on is what the mail is about. */
const FORWARDED =
  /^(?:-{2,}\s*(?:Forwarded message|Weitergeleitete Nachricht|转发邮件)\b.{0,40}|(?:Begin forwarded message|Anfang der weitergeleiteten Nachricht)\b.{0,20}|Forwarded: .{0,400}, by \S+)$/iu;
const FORWARD_SUBJECT = /^(?:fwd?|wg|tr|转发|轉寄)\s*[:：]/iu;
const DEVICE = /^(?:Sent from my |Get Outlook for |Von meinem .{1,40} gesendet|Gesendet von |发自我的)/iu;
const MAX_SIGNATURE_LINES = 15;
const MAX_LINE = 600;

const isQuoted = (line: string): boolean => /^\s*>/u.test(line);
const isEmpty = (line: string): boolean => line.trim() === '';

/** The first line of the history, which may be broken in two by the sender's program. */
const historyStart = (lines: readonly string[]): number =>
  lines.findIndex((line, at) => {
    const [one, two] = [line.trim().slice(0, MAX_LINE), `${line} ${lines[at + 1] ?? ''}`.trim().slice(0, MAX_LINE)];
    if (isQuoted(line)) return false;
    if (HISTORY.some((pattern) => pattern.test(one) || (/^(?:On|Am|Le|在)/iu.test(one) && pattern.test(two)))) return true;
    return HEADS.every((pattern, n) => pattern.test((lines[at + n] ?? '').trim().slice(0, MAX_LINE)));
  });

const withoutSignature = (lines: readonly string[]): readonly string[] => {
  const start = lines.findLastIndex((line) => /^--\s?$/u.test(line));
  const isOne = start >= 0 && lines.length - start <= MAX_SIGNATURE_LINES && !lines.slice(start).some(isQuoted);
  const kept = isOne ? lines.slice(0, start) : lines;
  const device = kept.findLastIndex((line) => !isEmpty(line));
  return device >= 0 && DEVICE.test((kept[device] ?? '').trim()) ? kept.slice(0, device) : kept;
};

/** Words under a quoted line, which they answer. */
const answersBetween = (lines: readonly string[]): boolean =>
  lines
    .slice(Math.max(lines.findIndex(isQuoted), 0))
    .some(
      (line) => !isQuoted(line) && !isEmpty(line) && !HISTORY.some((pattern) => pattern.test(line.trim().slice(0, MAX_LINE))),
    );

const withoutHistory = (lines: readonly string[]): readonly string[] => {
  const start = historyStart(lines);
  const below = start < 0 ? [] : withoutSignature(lines.slice(start + 1));
  const kept = start < 0 || (below.some(isQuoted) && answersBetween(below)) ? lines : lines.slice(0, start);
  const last = kept.findLastIndex((line) => !isQuoted(line) && !isEmpty(line));
  return kept.slice(0, last + 1);
};

const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** `text` itself where nothing else would be left, and where the mail passes another one on. */
export const saidIn = (text: string, subject: string): string => {
  const lines = text.split('\n');
  const isForward = FORWARD_SUBJECT.test(subject) || lines.some((line) => FORWARDED.test(line.trim().slice(0, MAX_LINE)));
  const said = withoutSignature(isForward ? lines : withoutHistory(withoutSignature(lines)))
    .join('\n')
    .trim();
  return hasWords(said) ? said : text;
};
