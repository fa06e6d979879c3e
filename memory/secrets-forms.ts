/**
 * What secrets look like, as data. Every pattern starts at a fixed mark or at the edge of a word and repeats one class of
 * characters up to a bound, so that a text is scanned in time linear to its length.
 */

export interface SecretForm {
  readonly name: string;
  /** The group `secret` is what is taken out; without it, the whole match. */
  readonly pattern: RegExp;
  /** Says of a match, or of its beginning up to a gap, whether it is one: a checksum. */
  readonly holds?: (match: string) => boolean;
}

const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** ISO/IEC 7812-1, annex B. */
export const hasLuhnChecksum = (text: string): boolean => {
  const digits = digitsOf(text);
  if (digits.length < 13 || digits.length > 19 || /^(\d)\1*$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
};

/** ISO 13616: the first four characters to the end, letters as 10 to 35, remainder 1 of 97. */
export const hasIbanChecksum = (text: string): boolean => {
  const iban = text.replace(/[^A-Za-z0-9]/g, '').toUpperCase();
  if (iban.length < 15 || iban.length > 34) return false;
  let remainder = 0;
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
};

/** What names a secret before its value, and never anything else. */
const STRONG_NAME =
  'pass(?:word|code|wort|wd)?|pwd?|kennwort|zugangscode|pin(?:[ -]?(?:code|nummer))?|tan|cvv2?|cvc2?|otp|client[ _-]?secret|secret[ _-]?key|api[ _-]?(?:key|token|schlüssel)|access[ _-]?(?:key|token)|auth[ _-]?token|bearer[ _-]?token|refresh[ _-]?token|private[ _-]?key';
/** What may name something else as well, so its value has to look like a secret. */
const WEAK_NAME = 'secret|token|key|geheimnis|schlüssel|recovery[ _-]?code|credentials?|zugangsdaten|login';
const PHRASE_NAME = '(?:pass|seed|recovery|mnemonic)[ -]?phrase|mnemonic|wiederherstellungsphrase';
const OWNER = '(?: (?:for|of|to|on|für|von|zum|zur|im)(?: [^\\s:=]{1,40}){1,4})?';
/** "The password is required" tells none. */
const NO_VALUE =
  '(?!(?:\\p{L}+(?:ed|ing)|for|from|with|to|of|as|and|or|but|lost|stolen|gone|known|unknown|here|there|that|this|my|your|our|für|von|mit|und|oder|weg|bekannt|dein|mein|unser|required|expired|wrong|correct|incorrect|invalid|valid|missing|needed|necessary|too|not|no|the|a|an|in|on|at|by|stored|saved|kept|reset|changed|long|short|weak|strong|secret|safe|case|optional|empty|rotated|managed|sent|set|yours?|ours?|mine|only|being|always|never|important|what|which|where|abgelaufen|falsch|richtig|nötig|notwendig|erforderlich|ungültig|zu|nicht|im|auf|bei|der|die|das|ein|eine|lang|kurz|geheim|gespeichert|geändert|wichtig|wo)(?![\\p{L}]))';
const JOINED = `${OWNER}(?:["'\`]?[^\\S\\n]{0,3}(?::|=|:=|=>|->)[^\\S\\n]{0,3}| (?:is|was|ist|lautet|war)(?: now| jetzt| still|:)? ${NO_VALUE})`;
const QUOTE = '["\'`“„]?';
const TOKEN = '[^\\s"\'`“”„,;，。；]';
const STRONG_VALUE = `${QUOTE}(?<secret>${TOKEN}{2,400}[^\\s"'\`“”„,;.!?，。；])`;
const WEAK_VALUE = `${QUOTE}(?<secret>(?=${TOKEN}{0,80}\\d)(?=${TOKEN}{0,80}[\\p{L}!@#$%^&*+=_~])${TOKEN}{4,400}[^\\s"'\`“”„,;.!?，。；])`;
const PHRASE_VALUE = `${QUOTE}(?<secret>[^\\s"'\`“”„,;.，。；]{2,40}(?: [^\\s"'\`“”„,;.，。；]{2,40}){1,23})`;

export const SECRET_FORMS: readonly SecretForm[] = [
  // Up to its end line, or as far as it looks like one.
  {
    name: 'private key',
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s:,]*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g,
  },
  { name: 'web token', pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/g },
  {
    name: 'key',
    pattern:
      /(?<![A-Za-z0-9])(?:sk|pk|rk|ak)[-_](?:live|test|proj|ant|or|svcacct|admin)?[-_]?[A-Za-z0-9_-]{16,}|(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{20,}|SG\.[A-Za-z0-9_-]{16,60}\.[A-Za-z0-9_-]{16,80}|dop_v1_[a-f0-9]{40,}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{30,}|eyJhbGciOi[A-Za-z0-9_-]{10,}|whsec_[A-Za-z0-9]{16,}|AGE-SECRET-KEY-1[A-Z0-9]{20,}|lin_api_[A-Za-z0-9]{20,}|secret_[A-Za-z0-9]{30,}|ntn_[A-Za-z0-9]{30,}|[MNO][A-Za-z\d]{23,27}\.[\w-]{6}\.[\w-]{27,60})/g,
  },
  {
    name: 'web hook',
    pattern:
      /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)|(?:ptb\.|canary\.)?discord(?:app)?\.com\/api\/webhooks)\/[A-Za-z0-9/_-]{8,}/g,
  },
  {
    name: 'password',
    pattern: /(?<![A-Za-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,100}:(?<secret>[^\s/@]{1,200})@(?=[^\s@])/giu,
  },
  {
    name: 'key',
    pattern:
      /(?<![\p{L}\p{N}])(?:bearer|basic)\s{1,3}(?<secret>(?=[A-Za-z0-9._~+/-]{0,80}[0-9=])[A-Za-z0-9._~+/-]{16,}={0,3})/giu,
  },
  ...(
    [
      [PHRASE_NAME, JOINED, PHRASE_VALUE],
      [STRONG_NAME, JOINED, STRONG_VALUE],
      // "The password hunter2 …": beside its name a value has to look like one.
      [STRONG_NAME, ' ', WEAK_VALUE],
      [WEAK_NAME, JOINED, WEAK_VALUE],
    ] as const
  ).map(([name, joined, value]) => ({
    name: 'password',
    pattern: new RegExp(`(?<![\\p{L}\\p{N}])(?:[A-Za-z0-9]{1,20}[_-]){0,4}(?:${name})${joined}${value}`, 'giu'),
  })),
  {
    name: 'password',
    pattern:
      /(?:密码|口令|密钥|私钥|令牌|验证码|暗号|助记词)(?:\s{0,2}(?:是|为|：|:|=|改成了?|改为)\s{0,2})["“「']?(?<secret>[A-Za-z0-9!-/:-@[-`{-~]{4,200})/gu,
  },
  {
    name: 'key',
    pattern:
      /(?<![A-Za-z0-9+/_=-])(?=[A-Za-z0-9+/_-]{0,200}[0-9])(?=[A-Za-z0-9+/_-]{0,200}[a-z])(?=[A-Za-z0-9+/_-]{0,200}[A-Z])[A-Za-z0-9+/_-]{32,}={0,2}/g,
    holds: (match) => !/[/_-][a-z]{3,}[/_-]/.test(match) && shannonBits(match) >= 4,
  },
  { name: 'key', pattern: /(?<![A-Za-z0-9])(?=[a-fA-F]*\d)[a-fA-F0-9]{48,}(?![A-Za-z0-9])/g },
  {
    name: 'bank account',
    pattern: /(?<![A-Za-z0-9])[A-Z]{2}\d{2}[ -]?(?:[A-Z0-9]{4}[ -]?){2,7}[A-Z0-9]{1,4}(?![A-Za-z0-9])/g,
    holds: hasIbanChecksum,
  },
  { name: 'card number', pattern: /(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d])/g, holds: hasLuhnChecksum },
];

/** Bits a character: random letters and digits have 5 and more, words and paths 3 to 4. */
function shannonBits(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
