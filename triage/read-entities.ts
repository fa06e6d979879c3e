/** Order numbers, versions, error codes, amounts and links, by how they are written; products by the names that the team gave. */
import type { Judged, TicketEntity } from '../agent/ticket-reading.ts';
import { escapePattern } from './read-pattern.ts';
import type { Taxonomy } from './taxonomy.ts';

const MAX_ENTITIES = 50;
const MAX_TEXT_CHARS = 80;

type Form = { readonly kind: TicketEntity['kind']; readonly pattern: RegExp };

/** A match's group `value`, where there is one, is what is kept. */
const FORMS: readonly Form[] = [
  { kind: 'link', pattern: /https?:\/\/[^\s<>"')\]]{3,400}/giu },
  {
    kind: 'order_number',
    pattern:
      /(?:\b(?:order|purchase|invoice|shipment|ticket|bestellung|bestellnummer|auftrag|auftragsnummer|rechnung|rechnungsnummer)|订单号?|单号|发票号?)(?:[ \t]*(?:no\.?|number|nr\.?|nummer|id))?[ \t]*[#:：]{0,2}[ \t]*(?<value>(?=[A-Z0-9-]{0,12}\d{2})[A-Z0-9](?:-?[A-Z0-9]){2,23})\b/giu,
  },
  { kind: 'order_number', pattern: /(?<![\w#])#(?<value>\d{3,12})\b/gu },
  {
    kind: 'error_code',
    pattern:
      /(?:\b(?:error|fehler|fehlercode|code|status|exception)|错误码?|代码)(?:[ \t]*(?:code|no\.?|nr\.?))?[ \t]*[#:：]?[ \t]*(?<value>0x[0-9a-f]{2,16}|[A-Z]{1,6}[-_]?\d{1,6}|\d{3,6})\b/giu,
  },
  {
    kind: 'error_code',
    pattern: /\b(?<value>0x[0-9a-f]{4,16}|E(?:RR)?[-_]?\d{2,6}|ERR_[A-Z_]{3,40}|E[A-Z]{4,12})\b(?=[^\p{Ll}]|$)/gu,
  },
  {
    kind: 'version',
    pattern:
      /\b(?:v|version|release|firmware)[ \t]?(?<value>\d{1,4}(?:\.\d{1,5}){0,3}(?:-[a-z0-9.]{1,20})?)\b|版本[ \t]?(?<other>\d{1,4}(?:\.\d{1,5}){0,3})/giu,
  },
  { kind: 'version', pattern: /(?<![\d.])(?<value>\d{1,3}\.\d{1,4}\.\d{1,5})(?![\d.])/gu },
  {
    kind: 'amount',
    pattern: /[€$£¥]\s?\d{1,9}(?:[.,]\d{1,3}){0,3}|\b\d{1,9}(?:[.,]\d{1,3}){0,3}\s?(?:€|EUR\b|USD\b|GBP\b|CHF\b|CNY\b|元)/gu,
  },
];

/** `@` a letter, `#` a digit, the rest as it stands; never a part of a longer word. */
const formPattern = (form: string): RegExp => {
  const source = [...form].map((sign) => (sign === '#' ? '\\d' : sign === '@' ? '\\p{L}' : escapePattern(sign))).join('');
  return new RegExp(`(?<![\\p{L}\\p{N}])${source}(?![\\p{L}\\p{N}])`, 'giu');
};

export type ReadEntities = (text: string) => readonly TicketEntity[];

/** Reads the team's own forms first; the same text counts once. */
export const createEntityReader = ({ forms }: Pick<Taxonomy, 'forms'>): ReadEntities => {
  const own = Object.entries(forms).flatMap(([kind, list]) =>
    (list ?? []).map((form): Form => ({ kind: kind as TicketEntity['kind'], pattern: formPattern(form) })),
  );
  return (text) => {
    const found = new Map<string, TicketEntity>();
    for (const { kind, pattern } of [...own, ...FORMS]) {
      for (const { 0: match, groups } of text.matchAll(pattern)) {
        const value = (groups?.['value'] ?? groups?.['other'] ?? match).slice(0, MAX_TEXT_CHARS);
        if (!found.has(value)) found.set(value, { kind, text: value });
      }
    }
    return [...found.values()].slice(0, MAX_ENTITIES);
  };
};

const isNamed = (text: string, name: string): boolean => {
  const at = text.indexOf(name);
  if (at < 0) return false;
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(name)) return true;
  return new RegExp(`(?<![\\p{L}\\p{N}])${escapePattern(name)}(?![\\p{L}\\p{N}])`, 'u').test(text);
};

/** The one product that is named; abstains where none or several are. */
export const readProduct = (text: string, products: Taxonomy['products']): Judged<string> => {
  const lower = text.toLowerCase();
  const named = Object.entries(products).filter(([name, others]) =>
    [name, ...others].some((one) => isNamed(lower, one.toLowerCase())),
  );
  // `Alpha 300 Pro` names no `Alpha 300`.
  const longest = named.filter(
    ([name]) => !named.some(([other]) => other !== name && other.toLowerCase().includes(name.toLowerCase())),
  );
  const [only] = longest;
  return only === undefined || longest.length > 1
    ? { value: null, confidence: longest.length > 1 ? 1 / longest.length : 0, source: 'rule' }
    : { value: only[0], confidence: 0.97, source: 'rule' };
};
