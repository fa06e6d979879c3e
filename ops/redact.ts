/**
 * Takes secrets out of text: the known ones by their value in each form they travel in, unknown ones by the look of their
 * kind. Works on a line of JSON as well and leaves it valid.
 */

import type { Secret } from './secret.ts';

const MASK = '[redacted]';

/** A shorter value would black out ordinary words; the configuration accepts no shorter secret. */
const MIN_SECRET_CHARACTERS = 8;

/** Repetitions that a pattern may retry are bounded: a hostile line costs linear time. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s]|\\[nr])*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g, MASK],
  // https://docs.slack.dev/authentication/tokens
  [/\bxox[a-z](?:\.xox[a-z])?-[\w-]{8,}/g, MASK],
  [/\bxapp-[\w-]{8,}/g, MASK],
  [/\bhooks\.slack\.com\/[\w/-]{8,}/g, MASK],
  [/\bsk-[\w-]{16,}/g, MASK],
  // https://docs.discord.com/developers/reference#authentication: base64 id, time stamp, signature.
  [/\b[A-Za-z0-9_-]{23,28}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,}/g, MASK],
  [/\b(webhooks|interactions)\/(\d{1,20})\/[\w-]{20,}/g, `$1/$2/${MASK}`],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, MASK],
  [/\b(Bearer|Basic|Bot) [\w.~+/-]{12,}=*/gi, `$1 ${MASK}`],
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/"'@\\]{1,500}@/gi, `$1${MASK}@`],
  [/([?&](?:access_token|api_key|key|password|secret|sig|signature|ticket|token)=)[^\s&"'\\]{4,}/gi, `$1${MASK}`],
];

/** The forms in which a value may stand in a line: as it is, inside JSON, inside a URL, in base64. */
const formsOf = (value: string): readonly string[] => {
  const inJson = JSON.stringify(value).slice(1, -1);
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  return [value, inJson, encodeURIComponent(value.toWellFormed()), base64, Buffer.from(value).toString('base64url')];
};

export type Redact = (text: string) => string;

/** `secrets`: the values known to the configuration. A known value shorter than 8 characters is left to the patterns. */
export const createRedactor = (secrets: readonly Secret[]): Redact => {
  const values = secrets.map((secret) => secret.reveal()).filter((value) => value.length >= MIN_SECRET_CHARACTERS);
  const forms = [...new Set(values.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const form of forms) clean = clean.replaceAll(form, MASK);
    for (const [pattern, mask] of PATTERNS) clean = clean.replace(pattern, mask);
    return clean;
  };
};
