/**
 * Whether a mail is from whom it says. The header is believed of one server alone, the one that took the mail in for this mailbox: it
 * removes forged ones that bear its name. https://www.rfc-editor.org/rfc/rfc8601#section-5
 */

export type Verdict = 'verified' | 'forged' | 'unknown';

/** `headers`: each Authentication-Results of the mail, the topmost first, which the last server wrote. */
export const verdictOf = (headers: readonly string[], authserv: string | undefined): Verdict => {
  if (authserv === undefined) return 'unknown';
  // A comment may hold anything.
  const own = headers
    .map((header) => header.replaceAll(/\([^()]{0,500}\)/gu, ' '))
    .find((header) => header.trim().split(/[\s;]/u, 1)[0]?.toLowerCase() === authserv.toLowerCase());
  const result = own
    ?.split(';')
    .map((part) => /^\s*dmarc\s*=\s*([a-z]+)\b/iu.exec(part)?.[1]?.toLowerCase())
    .find((one) => one !== undefined);
  return result === 'pass' ? 'verified' : result === 'fail' ? 'forged' : 'unknown';
};
