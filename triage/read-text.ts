/**
 * A ticket as the readers see it: without control characters, without the quoted lines of earlier mails, of bounded length, and with
 * the personal data of whoever is named in it masked. What is masked here reaches neither a reading, nor an example, nor a model.
 */
import type { TicketText } from '../agent/ports/ticket-reader.ts';
import type { ReadingNote, TicketEntity } from '../agent/ticket-reading.ts';
import { cutMiddle, unpairedRemoved } from '../agent/unicode.ts';

export interface ReadableText {
  /** Subject and text, masked. Empty for what cannot be read. */
  readonly text: string;
  /** What was quoted below few words of its own, masked: what they are about. Else empty. */
  readonly quoted: string;
  /** The masked addresses and numbers, as they may be stored. */
  readonly personal: readonly TicketEntity[];
  readonly notes: readonly ReadingNote[];
}

const MAX_CHARACTERS = 16_000;
const MIN_LETTERS = 2;
/** Of the characters: more that no one types, and it is no text. */
const MAX_ODD_SHARE = 0.1;
const MIN_OWN_LETTERS = 10;
/** With fewer of its own a text speaks of what it quotes. */
const FEW_OWN_LETTERS = 80;

const ODD = /[\p{Cc}\p{Co}\p{Cn}\ufffd]/gu;
const SPACES = /[\t\r\n]/gu;
const LETTER = /\p{L}/gu;
const QUOTED = /^[ \t]*>.*$/gmu;
const QUOTE_MARKS = /^[ \t>]+/u;

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

const EMAIL = /[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}\p{L}{2,24}/gu;
/** ISO 13616: country, two check digits, groups of four. */
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/gu;
const LONG_NUMBER = /(?<![\w+.-])\d(?:[ -]?\d){11,18}(?![\w-])/gu;
const PHONE =
  /(?<![\w.-])(?:\+|00)\d{1,3}(?:[ ./-]?\(?\d{1,5}\)?){2,6}(?![\w-])|(?<![\w.-])0\d{2,5}[ /-]\d{3,9}(?:[ -]?\d{1,6})?(?![\w-])|(?<!\d)1[3-9]\d{9}(?!\d)/gu;

/** Luhn's sum: card numbers pass it, one in ten of other numbers does. */
const isCardNumber = (digits: string): boolean => {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return digits.length >= 13 && sum % 10 === 0;
};

const maskedEmail = (address: string): string => `${address.slice(0, 1)}***${address.slice(address.lastIndexOf('@'))}`;
const maskedNumber = (number: string): string => `***${number.replace(/\D/gu, '').slice(-2)}`;

/** Idempotent: a mask holds nothing to mask. */
export const maskPersonal = (text: string): { readonly text: string; readonly personal: readonly TicketEntity[] } => {
  const personal: TicketEntity[] = [];
  const replace = (
    from: string,
    pattern: RegExp,
    kind: TicketEntity['kind'],
    mask: (match: string) => string,
    holds: (match: string) => boolean = () => true,
  ): string =>
    from.replace(pattern, (match) => {
      if (!holds(match)) return match;
      const masked = mask(match);
      personal.push({ kind, text: masked.slice(0, 80) });
      return masked;
    });
  let masked = replace(text, EMAIL, 'email', maskedEmail);
  masked = replace(masked, IBAN, 'account_number', maskedNumber);
  masked = replace(masked, LONG_NUMBER, 'account_number', maskedNumber, (match) => isCardNumber(match.replace(/\D/gu, '')));
  return { text: replace(masked, PHONE, 'phone', maskedNumber), personal };
};

/** What speaks to the software that reads it instead of to a person. */
const INSTRUCTIONS = [
  /\b(?:ignore|disregard|forget)\b.{0,30}\b(?:previous|prior|above|earlier|all|your)\b.{0,30}\b(?:instructions?|rules?|prompts?)\b/iu,
  /\b(?:system prompt|you are now|act as|as an ai|respond only with|output only|set (?:the )?(?:category|priority) to|classify (?:this|it) as)\b/iu,
  /\b(?:ignoriere|vergiss|missachte)\b.{0,40}\b(?:anweisung|anweisungen|regeln|vorgaben)\b/iu,
  /(?:忽略|无视|忘记).{0,12}(?:指令|规则|提示|要求)|你现在是|系统提示/u,
  /<\/?(?:system|assistant|instructions?)>|"role"\s*:\s*"system"|\[INST\]/iu,
];

/** Bounded work for any text of any length. */
export const readableText = ({ subject, text }: TicketText): ReadableText => {
  const whole = `${subject.trim() === '' ? '' : `${subject.trim()}\n`}${text}`;
  const isCut = whole.length > MAX_CHARACTERS;
  const bounded = unpairedRemoved(cutMiddle(whole, MAX_CHARACTERS));
  const plain = bounded.replace(SPACES, ' ');
  const isOdd = countOf(plain, ODD) > plain.length * MAX_ODD_SHARE;
  if (isOdd || countOf(plain, LETTER) < MIN_LETTERS)
    return { text: '', quoted: '', personal: [], notes: isCut ? ['unreadable', 'cut'] : ['unreadable'] };
  const clean = bounded.replace(SPACES, (space) => (space === '\n' ? space : ' ')).replace(/(?!\n)\p{Cc}/gu, '');
  const own = clean.replace(QUOTED, '');
  const ownLetters = countOf(own, LETTER);
  const { text: masked, personal: ofOwn } = maskPersonal((ownLetters >= MIN_OWN_LETTERS ? own : clean).trim());
  const isAboutQuoted = ownLetters >= MIN_OWN_LETTERS && ownLetters < FEW_OWN_LETTERS;
  const quotes = isAboutQuoted ? (clean.match(QUOTED) ?? []).map((line) => line.replace(QUOTE_MARKS, '')).join('\n') : '';
  const { text: quoted, personal: ofQuoted } = maskPersonal(quotes);
  const personal = [...ofOwn, ...ofQuoted];
  const notes: ReadingNote[] = [];
  if (isCut) notes.push('cut');
  if (INSTRUCTIONS.some((form) => form.test(masked))) notes.push('instructions');
  if (personal.length > 0) notes.push('personal_data');
  return { text: masked, quoted, personal, notes };
};
