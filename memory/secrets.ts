/**
 * Secrets never reach long-term memory: keys, tokens, passwords, card and account numbers are taken out of a text before it is
 * stored, and again out of what was stored when a new form is known. Scrubbing twice changes nothing more.
 */
import { SECRET_FORMS, type SecretForm } from './secrets-forms.ts';

const MARK = /\[(?:private key|web token|key|web hook|password|bank account|card number) removed\]/;
const MARK_INSIDE = /removed\]|\[(?:private|web|key|password|bank|card)/;

/** The match, or its longest beginning up to a gap, that holds: a card number may have a date behind it. */
const holdingPart = (match: string, holds: (match: string) => boolean): string => {
  let part = match;
  while (part !== '' && !holds(part)) part = part.slice(0, Math.max(0, part.lastIndexOf(' ')));
  return part;
};

const scrubForm = (text: string, { name, pattern, holds }: SecretForm): string =>
  text.replace(pattern, (match: string, ...rest: unknown[]) => {
    const groups = rest.at(-1);
    const secret = typeof groups === 'object' && groups !== null ? (groups as { readonly secret?: string }).secret : undefined;
    const whole = secret ?? match;
    if (MARK_INSIDE.test(whole)) return match;
    const found = holds === undefined ? whole : holdingPart(whole, holds);
    if (found === '') return match;
    const at = secret === undefined ? 0 : match.lastIndexOf(secret);
    return `${match.slice(0, at)}[${name} removed]${match.slice(at + found.length)}`;
  });

/** A secret taken out may leave another's edge free. Text made to need more rounds than this keeps no more than a scrap. */
const MAX_ROUNDS = 8;

/** The text with every secret replaced by a mark that names its form. Linear in the length of the text; idempotent. */
export const scrubSecrets = (text: string): string => {
  let scrubbed = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const before = scrubbed;
    for (const form of SECRET_FORMS) scrubbed = scrubForm(scrubbed, form);
    if (scrubbed === before) break;
  }
  return scrubbed;
};

/** True also where a secret was taken out before. */
export const holdsSecret = (text: string): boolean => text.search(MARK) >= 0 || scrubSecrets(text) !== text;
