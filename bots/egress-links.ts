/** Addresses: which one a spelling means, which ones may stand, where they hide in text, and how one is made harmless. */

import { cleanText } from './egress-text.ts';

/** Slack refuses longer ones, and no document needs them. */
const MAX_URL_LENGTH = 1_500;

/** Characters that a platform's markup, or a mention in a path, would read as its own. */
const encodeMarkup = (href: string): string =>
  href
    .replace(/[|<>()`"'\\^{}*~\s]/gu, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
    .replace(/@(?=everyone|here|channel)/giu, '%40');

/**
 * The address a browser would open: parsed by the WHATWG rules (backslashes, missing slashes, IDN to punycode). Undefined for
 * everything but http and https without a user name, and for what does not parse.
 */
export const normaliseUrl = (spelling: string): string | undefined => {
  const text = cleanText(spelling).trim();
  if (text.length > MAX_URL_LENGTH || !/^https?:/iu.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || url.hostname === '') return undefined;
  url.hostname = url.hostname.replace(/\.$/u, '');
  return encodeMarkup(url.href);
};

/** Tells the normalised address of a spelling that may stand, undefined for others. */
export type LinkRule = (spelling: string) => string | undefined;

/** Exactly the given addresses pass, in whatever spelling; without a scheme, an address is the one that https or http makes of it. */
export const allowLinks = (allowedLinks: readonly string[]): LinkRule => {
  const withScheme = (text: string): readonly string[] => {
    const bare = text.trim();
    return /^[a-z][a-z\d+.-]*:/iu.test(bare) && !/^[^:/]+\.[^:/]+:\d/u.test(bare)
      ? [bare]
      : [`https://${bare.replace(/^\/\//u, '')}`, `http://${bare.replace(/^\/\//u, '')}`];
  };
  const allowed = new Set(
    allowedLinks
      .flatMap(withScheme)
      .map(normaliseUrl)
      .filter((url) => url !== undefined),
  );
  return (spelling) =>
    withScheme(spelling)
      .map(normaliseUrl)
      .find((url) => url !== undefined && allowed.has(url));
};

/** Last labels that make a bare name an address; any other does where a path or a query follows. */
const COMMON_ENDINGS =
  'com|net|org|info|biz|edu|gov|mil|io|co|ai|dev|app|xyz|top|site|online|cloud|tech|website|space|icu|vip|onion|ly|gg|ru|cn|uk|eu|jp|kr|example|xn--[a-z\\d-]+';

const DOT = '[.\\u3002\\uff0e\\uff61]';
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}_-]{0,62})';
const REST = '[^\\s<>"]*';

/** What any chat client, terminal or browser could take for an address. Runs on folded text, where one unit stays one unit. */
const ADDRESS = new RegExp(
  [
    // Any scheme with a slash of either kind; `C:\` is a path.
    `(?<![a-z\\d])[a-z][a-z\\d+.-]{1,30}:[\\\\/]+[^\\s<>"]+`,
    // Schemes that need no slash.
    `(?<![a-z\\d])(?:https?|ftp|wss?|javascript|vbscript|data|file|blob|mailto|tel|sms|slack|discord|vscode|intent|view-source|tg|skype|zoommtg|ms-[a-z-]+):[^\\s<>"]+`,
    `(?<![a-z\\d])www\\d{0,3}${DOT}[^\\s<>"]+`,
    `(?<![:\\p{L}\\p{N}\\\\/])[\\\\/]{2,}[\\p{L}\\p{N}\\[]${REST}${DOT}${REST}`,
    // Behind an @ it is a name or a mail's host; behind `<@` it is neither once the @ is disarmed.
    `(?<bare>(?<![\\p{L}\\p{N}._\\\\/-]|(?<!<)@)(?!(?:asp|ado|vb|ml)\\.net(?![\\p{L}\\p{N}/:?#.-]))(?:${LABEL}${DOT})+(?:(?:${COMMON_ENDINGS})(?![\\p{L}\\p{N}_@-])(?:[:/?#\\\\]${REST})?|[a-z]{2,24}[/?#\\\\]${REST}))`,
  ].join('|'),
  'giu',
);

/** One unit in, one unit out: full-width and compatibility letters as their plain forms. */
const fold = (text: string): string =>
  text.replace(/[^\u0000-\u007f]/gu, (character) => {
    const plain = character.normalize('NFKC');
    return plain.length === character.length ? plain : character;
  });

export interface FoundAddress {
  readonly start: number;
  readonly end: number;
  /** Normalised and allowed; undefined where it must not stand. */
  readonly url: string | undefined;
  /** A name without scheme, slashes or `www`: in code it is a member access. */
  readonly bare: boolean;
}

/** The spelling, then without what a sentence put behind it: text of another script, closing punctuation. */
const shorterSpellings = (spelling: string): readonly string[] => {
  const spellings: string[] = [];
  for (let text of [spelling, spelling.replace(/[^\u0021-\u007e].*$/su, '')]) {
    spellings.push(text);
    while (/[.,;:!?'")\]}*_~|\u3002\uff0c\uff09\uff1f\uff01\uff1b\uff1a]$/u.test(text)) {
      text = text.slice(0, -1);
      spellings.push(text);
    }
  }
  return spellings;
};

/** Every address in the text, in order, without overlap. */
export const findAddresses = (text: string, rule: LinkRule): readonly FoundAddress[] => {
  const folded = fold(text);
  const found: FoundAddress[] = [];
  ADDRESS.lastIndex = 0;
  for (let match = ADDRESS.exec(folded); match !== null; match = ADDRESS.exec(folded)) {
    const start = match.index;
    const spelling = text.slice(start, start + match[0].length);
    const allowed = shorterSpellings(spelling).find((shorter) => rule(shorter) !== undefined);
    const end = start + (allowed ?? spelling).length;
    found.push({
      start,
      end,
      url: allowed === undefined ? undefined : rule(allowed),
      bare: match.groups?.['bare'] !== undefined,
    });
    ADDRESS.lastIndex = end;
  }
  return found;
};

/** Where a character must give way so that nobody links the address, and what takes its place. */
export const defangEdits = (text: string, address: FoundAddress): readonly { readonly at: number; readonly text: string }[] => {
  const edits: { at: number; text: string }[] = [];
  const part = fold(text.slice(address.start, address.end));
  for (const match of part.matchAll(/(?<=^[a-z][a-z\d+.-]*):|:(?=[\\/])|[.\u3002\uff61](?=[\p{L}\p{N}_-])/giu)) {
    edits.push({ at: address.start + match.index, text: match[0] === ':' ? '[:]' : '[.]' });
  }
  return edits;
};
