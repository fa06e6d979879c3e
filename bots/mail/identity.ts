/**
 * How a mail says which ticket it belongs to: by the ids of our mails and by a token in the subject. Both bear a code that only who has
 * read a mail of ours can know; the ticket's number alone can be guessed.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface MailIdentity {
  /** `<T12.KEY.CODE@example.com>`. */
  messageIdOf(ticketId: string, key: string): string;
  /** The ticket that one of our mails is about; undefined for ids of others. */
  ticketOf(messageId: string): string | undefined;
  /** Of each mail of ours that a text names, as the report of a failed delivery does. */
  ownIdsIn(text: string): readonly { readonly ticketId: string; readonly key: string }[];
  /** The subject of an answer: `Re: Kettle [#T12-ABCDEFGHIJ]`. */
  subjectOf(ticketId: string, subject: string): string;
  /** The ticket that the subject names, and whether with its code. */
  tokenIn(subject: string): { readonly ticketId: string; readonly isProven: boolean } | undefined;
  withoutToken(subject: string): string;
}

const CODE_CHARS = 10;
const MAX_SUBJECT = 200;
const TOKEN = /\[#(T\d{1,12})(?:-([A-Z2-7]{10}))?\]/u;
const OWN_ID = /<(T\d{1,12})\.([0-9a-f]{20})\.([A-Z2-7]{10})@[^\s<>]{1,190}>/gu;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const isEqual = (a: string, b: string): boolean => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

export const createMailIdentity = (secret: string, ownAddress: string): MailIdentity => {
  const domain = ownAddress.slice(ownAddress.lastIndexOf('@') + 1);

  const codeOf = (...parts: readonly string[]): string => {
    const bytes = createHmac('sha256', secret).update(parts.join('\n')).digest();
    return [...bytes.subarray(0, CODE_CHARS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  };

  const ownIdsIn = (text: string) =>
    [...text.matchAll(OWN_ID)].flatMap(([, ticketId = '', key = '', code = '']) =>
      isEqual(code, codeOf('mail', ticketId, key)) ? [{ ticketId, key }] : [],
    );

  const withoutToken = (subject: string): string =>
    subject.replaceAll(new RegExp(TOKEN, 'gu'), ' ').replaceAll(/\s+/gu, ' ').trim();

  return {
    messageIdOf: (ticketId, key) => `<${ticketId}.${key}.${codeOf('mail', ticketId, key)}@${domain}>`,
    ticketOf: (messageId) => ownIdsIn(messageId)[0]?.ticketId,
    ownIdsIn,
    withoutToken,
    subjectOf: (ticketId, subject) => {
      const words = withoutToken(subject).replace(/^(?:(?:re|aw|sv|回复|答复)\s*[:：]\s*)+/iu, '');
      return `Re: ${words === '' ? '' : `${words.slice(0, MAX_SUBJECT)} `}[#${ticketId}-${codeOf('subject', ticketId)}]`;
    },
    tokenIn: (subject) => {
      const [, ticketId, code] = TOKEN.exec(subject) ?? [];
      if (ticketId === undefined) return undefined;
      return { ticketId, isProven: code !== undefined && isEqual(code, codeOf('subject', ticketId)) };
    },
  };
};
