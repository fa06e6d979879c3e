/** What a solved thread teaches, in the words that were written there: the asker's question, the team's answer, and its steps. */
import { AppError } from '../agent/errors.ts';
import { sentencesOf } from '../agent/sentences.ts';
import type { Ticket, TicketEvent, TicketMessage } from '../agent/ticket.ts';
import { MAX_ARTICLE_CHARS } from '../agent/ticket-article.ts';
import { graphemeBoundary } from '../agent/unicode.ts';
import { maskPersonal } from './read-text.ts';

export interface SolvedThread {
  readonly question: string;
  /** What the team said, in order, without its questions; the last one solved it. */
  readonly answers: readonly string[];
  /** A person of the team wrote one of them, or said what solved it. */
  readonly isByTeam: boolean;
  /** Somebody said that it is solved; silence says nothing. */
  readonly isSaidSolved: boolean;
  readonly messages: readonly Pick<TicketMessage, 'from' | 'text'>[];
  /** Of everyone who wrote. */
  readonly names: readonly string[];
}

const MAX_TITLE = 150;
const GREETING =
  /^\s*(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|guten (?:tag|morgen|abend)|liebe[r]?|moin|sehr geehrte[r]?|你好|您好)[^\n,，!！.。]{0,40}[,，!！.。\n]\s*/iu;
const SIGN_OFF =
  /\n\s*(?:(?:best|kind|many|warm)\s+(?:regards|wishes|thanks)|regards|cheers|thanks|viele(?:n)? (?:grüße|dank)|(?:mit )?freundliche[nr]? grü(?:ß|ss)en?|lg|祝好|谢谢)[\s\S]{0,80}$/iu;

const bare = (text: string): string => text.replace(SIGN_OFF, '').replace(GREETING, '').trim();
const isQuestion = (text: string): boolean => /[?？]\s*$/u.test(text.trim());

/** Of the ticket's last episode. */
export const threadOf = (ticket: Ticket, events: readonly TicketEvent[]): SolvedThread => {
  const episode = events.slice(events.findLastIndex(({ change }) => change.kind === 'reopened') + 1);
  const messages = episode.flatMap(({ change }) => (change.kind === 'message_added' ? [change.message] : []));
  // What was written after the thanks solved nothing, unless they came in the wrong order.
  const thanked = messages.findLastIndex(({ from, asksNothing }) => from === 'asker' && asksNothing === true);
  const before = messages.slice(0, Math.max(0, thanked));
  const until = before.some(({ from }) => from === 'team') ? before : messages;
  const saidBy = (from: TicketMessage['from']): readonly string[] =>
    until.filter((one) => one.from === from && one.asksNothing !== true && !isQuestion(one.text)).map(({ text }) => bare(text));
  const resolution = ticket.resolution?.trim() ?? '';
  const byTeam = [...saidBy('team'), ...(resolution === '' ? [] : [resolution])].filter((text) => text !== '');
  return {
    question: bare([ticket.subject, ticket.text].filter((text) => text.trim() !== '').join('\n')) || ticket.text.trim(),
    answers: byTeam.length > 0 ? byTeam : saidBy('assistant').slice(-1),
    isByTeam: byTeam.length > 0,
    isSaidSolved: episode.some(
      ({ change }) => change.kind === 'solved' || (change.kind === 'closed' && change.reason === 'asker'),
    ),
    messages: messages.filter(({ asksNothing }) => asksNothing !== true),
    names: [...new Set([ticket.author.displayName, ...messages.map(({ author }) => author.displayName)])].filter(
      (name) => name.trim().length > 1,
    ),
  };
};

/** `Done.` teaches nobody. */
export const saysEnough = ({ answers }: SolvedThread): boolean =>
  answers.some((text) => text.length >= 25 || (text.match(/\p{Script=Han}/gu)?.length ?? 0) >= 8);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');
/** A word of its own, where the script has words. */
const wordOf = (text: string): RegExp =>
  new RegExp(/\p{Script=Han}/u.test(text) ? escaped(text) : `(?<![\\p{L}\\p{N}])${escaped(text)}(?![\\p{L}\\p{N}])`, 'gu');

const partsOf = (name: string): readonly string[] => name.split(/[\s,._-]+/u).filter((part) => /^\p{Lu}\p{L}{2,}$/u.test(part));

export interface Scrub {
  readonly names: readonly string[];
  /** As they stand in the text: order and account numbers. */
  readonly numbers: readonly string[];
  /** Takes out keys, tokens and passwords. */
  readonly scrubSecrets: (text: string) => string;
}

const LONG_NUMBER = /(?<![\p{L}\p{N}.])#?\d{7,}(?![\p{L}\p{N}])/gu;
const MENTION = /(?<![\p{L}\p{N}@/.])@[\p{L}\p{N}][\p{L}\p{N}._-]*/gu;

/** Without whoever wrote it, whom it was about, their numbers and addresses, and whatever is secret. */
export const scrubArticle = (text: string, { names, numbers, scrubSecrets }: Scrub): string => {
  const people = [...names, ...names.flatMap(partsOf)].toSorted((a, b) => b.length - a.length);
  const unnamed = people.reduce(
    (rest, name) => rest.replace(wordOf(name), '[name]'),
    scrubSecrets(text).replace(MENTION, '[name]'),
  );
  const uncounted = numbers.reduce((rest, number) => rest.replace(wordOf(number), '[number]'), unnamed);
  return maskPersonal(uncounted)
    .text.replace(/[^\s<>]*\*\*\*@[^\s<>,;)]+/gu, '[e-mail]')
    .replace(/\*\*\*\d{0,2}/gu, '[number]')
    .replace(LONG_NUMBER, '[number]');
};

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, graphemeBoundary(text, max - 1)).trimEnd()}…`;

/** One heading on one line, and what stands below. */
export const articleText = (title: string, body: string): string => {
  const heading = cut(title.replaceAll(/\s+/gu, ' ').replace(/^[#\s]+/u, ''), MAX_TITLE);
  const below = body.replace(/^#{1,6}\s+/gmu, '').trim();
  return `# ${heading}\n\n${cut(below, MAX_ARTICLE_CHARS - heading.length - 4)}`.trim();
};

/** Without a language model: the question as it was asked, the answer as it was given. */
export const extractArticle = ({ question, answers }: SolvedThread): string => {
  const whole = question.replaceAll(/\s+/gu, ' ');
  const title = whole.length <= MAX_TITLE ? whole : (sentencesOf(whole).find(isQuestion) ?? sentencesOf(whole)[0] ?? whole);
  const body =
    answers.length > 1 ? answers.map((step, n) => `${n + 1}. ${step.replaceAll(/\s+/gu, ' ')}`).join('\n') : (answers[0] ?? '');
  return articleText(title, body);
};

/** Throws `AppError('ticket_refused')` for a text that no card has room for. */
export const checkedArticle = (text: string): string => {
  const trimmed = text.trim();
  if (trimmed.length <= MAX_ARTICLE_CHARS) return trimmed;
  throw new AppError(
    'ticket_refused',
    `an article was expected to have at most ${MAX_ARTICLE_CHARS} characters, got ${trimmed.length}; say it shorter.`,
  );
};
