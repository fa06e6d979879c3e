/** What a mail says, whatever its charset and however broken its MIME. Everything in it is data from outside, its sender's name first. */
import { createHash } from 'node:crypto';
import { type AddressObject, type Attachment, type ParsedMail, simpleParser } from 'mailparser';
import { automaticReason, type HeaderOf } from './automatic.ts';

export interface MailPerson {
  /** In lower case. */
  readonly address: string;
  readonly name: string;
}

export interface MailFile {
  /** One line, as the sender calls it. */
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  /** Undefined where the mail was too large to be read whole. */
  readonly bytes: Uint8Array | undefined;
}

export interface ReadMail {
  /** With its angle brackets; made of the mail itself where that has none. */
  readonly messageId: string;
  /** Null where the mail names nobody. */
  readonly from: MailPerson | null;
  /** Where answers go. */
  readonly replyTo: MailPerson | null;
  /** Addresses under To and Cc. */
  readonly readers: readonly string[];
  readonly subject: string;
  /** Message ids, oldest first. */
  readonly references: readonly string[];
  readonly text: string;
  readonly files: readonly MailFile[];
  /** Why it is none that a person wrote; null for all others. */
  readonly automatic: string | null;
  readonly authentication: readonly string[];
}

const MAX_REFERENCES = 50;
const MAX_READERS = 50;
const MAX_FILES = 100;
const MAX_FORWARDS = 3;
/** Of a part. Half a second of conversion; a longer one is stripped of its tags instead. */
const MAX_HTML_CHARS = 500_000;
const MAX_TEXT_CHARS = 200_000;
const MAX_NAME_CHARS = 100;
const MESSAGE_ID = /<[^\s<>]{1,250}>/gu;
const ADDRESS = /^[^\s@<>,;"]{1,64}@[^\s@<>,;"]{1,190}$/u;

const onOneLine = (text: string, max: number): string =>
  text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, ' ')
    .trim()
    .slice(0, max);

const peopleOf = (objects: AddressObject | readonly AddressObject[] | undefined): readonly MailPerson[] =>
  (objects === undefined ? [] : ([objects].flat() as readonly AddressObject[]))
    .flatMap(({ value }) => value.flatMap((one) => one.group ?? [one]))
    .flatMap(({ address = '', name }) => {
      const lower = address.trim().toLowerCase();
      return ADDRESS.test(lower) ? [{ address: lower, name: onOneLine(name, MAX_NAME_CHARS) }] : [];
    });

const idsIn = (value: string): readonly string[] => value.match(MESSAGE_ID) ?? [];

/** As they stand in the mail, unfolded, in their order. */
const headersOf = ({ headerLines }: ParsedMail): HeaderOf & { all(name: string): readonly string[] } => {
  const all = (name: string): readonly string[] =>
    headerLines
      .filter(({ key }) => key === name)
      .map(({ line }) =>
        line
          .slice(line.indexOf(':') + 1)
          .replaceAll(/\s+/gu, ' ')
          .trim(),
      );
  return { first: (name) => all(name)[0], all };
};

const withoutTags = (html: string): string =>
  html
    .replaceAll(/<(style|script)\b[^>]{0,500}>[^<]*<\/\1>/giu, ' ')
    .replaceAll(/<br\b[^>]{0,500}>|<\/(?:p|div|tr|li|h\d)>/giu, '\n')
    .replaceAll(/<[^<>]{0,5000}>/gu, ' ')
    .replaceAll(
      /&(nbsp|amp|lt|gt|quot);/gu,
      (_, name: string) => ({ nbsp: ' ', amp: '&', lt: '<', gt: '>', quot: '"' })[name] ?? ' ',
    );

const textOf = ({ text = '', html, textConversionError }: ParsedMail): string => {
  const words =
    textConversionError !== undefined && typeof html === 'string'
      ? `${text}\n${withoutTags(html.slice(0, MAX_TEXT_CHARS))}`
      : text;
  return words
    .slice(0, MAX_TEXT_CHARS)
    .replaceAll(/\r\n?/gu, '\n')
    .replaceAll(/[ \t]+\n/gu, (end) => (end === ' \n' ? end : '\n'))
    .replaceAll(/\n{4,}/gu, '\n\n\n')
    .trim();
};

const parse = (source: Buffer): Promise<ParsedMail> =>
  simpleParser(source, {
    skipTextToHtml: true,
    skipImageLinks: true,
    keepCidLinks: true,
    checksumAlgo: false,
    maxHtmlLengthToParse: MAX_HTML_CHARS,
  });

const isMail = ({ contentType }: Attachment): boolean => contentType === 'message/rfc822';

const fileOf = ({ filename, contentType, content }: Attachment, n: number): MailFile => ({
  name: onOneLine(filename ?? '', MAX_NAME_CHARS) || `attachment ${n + 1}`,
  mediaType: onOneLine(contentType, MAX_NAME_CHARS),
  sizeBytes: content.length,
  bytes: content,
});

/** The text of mails that are attached to a mail, each under who wrote it, as deep as people forward. */
const forwardedIn = async (
  mail: ParsedMail,
  depth: number,
): Promise<{ readonly texts: string[]; readonly files: Attachment[] }> => {
  const found = { texts: [] as string[], files: mail.attachments.filter((file) => !isMail(file) || depth === 0) };
  if (depth === 0) return found;
  for (const attached of mail.attachments.filter(isMail)) {
    const inner = await parse(attached.content);
    const [author] = peopleOf(inner.from);
    const within = await forwardedIn(inner, depth - 1);
    const head = `Forwarded: ${onOneLine(inner.subject ?? '', 300)}, by ${author?.address ?? 'nobody named'}`;
    found.texts.push(`${head}\n\n${textOf(inner)}`, ...within.texts);
    found.files.push(...within.files);
  }
  return found;
};

/** A header of a source that no parser reads. */
const rawHeader = (source: Buffer, name: string): string => {
  const head =
    source
      .subarray(0, 65_536)
      .toString('latin1')
      .split(/\r?\n\r?\n/u, 1)[0] ?? '';
  return new RegExp(`^${name}:(.*)$`, 'imu').exec(head)?.[1]?.trim() ?? '';
};

/** The whole of a mail that cannot be read is in the mailbox; that there is one is not lost. */
const unreadable = (source: Buffer): ReadMail => {
  const address = /[^\s@<>,;"]{1,64}@[^\s@<>,;"]{1,190}/u.exec(rawHeader(source, 'from'))?.[0]?.toLowerCase();
  const from = address === undefined ? null : { address, name: '' };
  const headers: HeaderOf = { first: (name) => rawHeader(source, name) || undefined };
  return {
    messageId: idsIn(rawHeader(source, 'message-id'))[0] ?? `<${createHash('sha256').update(source).digest('hex')}@no.id>`,
    from,
    replyTo: from,
    readers: [],
    subject: onOneLine(rawHeader(source, 'subject'), 300),
    references: [],
    text: 'This mail could not be read: it is not written as mails are. It is in the mailbox.',
    files: [],
    automatic: automaticReason(headers, address ?? ''),
    authentication: [],
  };
};

/** Never throws for what is in a mail. */
export const readMail = async (source: Buffer): Promise<ReadMail> => {
  let mail: ParsedMail;
  let forwarded: Awaited<ReturnType<typeof forwardedIn>>;
  try {
    mail = await parse(source);
    forwarded = await forwardedIn(mail, MAX_FORWARDS);
  } catch {
    return unreadable(source);
  }
  const headers = headersOf(mail);
  const from = peopleOf(mail.from)[0] ?? null;
  const text = [textOf(mail), ...forwarded.texts].join('\n\n').slice(0, MAX_TEXT_CHARS).trim();
  const subject = onOneLine(mail.subject ?? '', 300);
  // Not of what servers on the way add: two copies of a mail differ in that.
  const written = [from?.address, headers.first('date'), subject, text].join('\n');
  return {
    messageId: idsIn(headers.first('message-id') ?? '')[0] ?? `<${createHash('sha256').update(written).digest('hex')}@no.id>`,
    from,
    replyTo: peopleOf(mail.replyTo)[0] ?? from,
    readers: [...new Set([...peopleOf(mail.to), ...peopleOf(mail.cc)].map(({ address }) => address))].slice(0, MAX_READERS),
    subject,
    references: [...new Set([...idsIn(headers.first('references') ?? ''), ...idsIn(headers.first('in-reply-to') ?? '')])].slice(
      -MAX_REFERENCES,
    ),
    text,
    files: forwarded.files.slice(0, MAX_FILES).map(fileOf),
    automatic: automaticReason(headers, from?.address ?? ''),
    authentication: headers.all('authentication-results'),
  };
};
