/**
 * What a person reads before they agree: all of it, as it will be used. A character that cannot be seen, or that makes others stand
 * in another order, is spelled out; a line of a text can never look like a line of ours.
 */
import type { JsonObject, JsonValue } from '../agent/json.ts';
import type { ApprovalRecord } from '../agent/ports/approval-store.ts';
import type { ApprovalCard, DecideOutcome, OutboundPart } from '../agent/ports/channel.ts';
import { type Language, type Texts, textsFor } from '../agent/texts.ts';
import { ADMINS } from './approvals-policy.ts';
import { safeLine } from './egress.ts';
import { cutText } from './question.ts';

/** Messages of one turn are numbered: the answer's from 0, its cards from here. */
export const FIRST_CARD = 1_000;

export const isCardIndex = (index: number): boolean => index >= FIRST_CARD;

const MAX_WORDS_UNITS = 300;
const MAX_NAMED = 8;

/** Control and format characters, line and paragraph separators, private use, halves of pairs, and spaces other than the plain one. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}]|(?! )\p{Zs}|[\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}\u{115f}\u{1160}\u{3164}\u{ffa0}]/gu;

const spellOut = (text: string): string =>
  text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

const valueText = (value: JsonValue): string => {
  if (typeof value !== 'string' || !value.includes('\n')) return spellOut(JSON.stringify(value));
  const lines = value.split('\n').map((line) => `  | ${spellOut(line)}`);
  return `\n${lines.join('\n')}`;
};

/** One line for each argument; of texts with several lines each stands behind a bar. */
export const renderArguments = (canonical: string): string => {
  const entries = Object.entries(JSON.parse(canonical) as JsonObject);
  return entries.map(([name, value]) => `${spellOut(name.replaceAll('\n', '\\n'))}: ${valueText(value)}`).join('\n') || '{}';
};

export const cardOf = (record: ApprovalRecord, language: Language): ApprovalCard => {
  const texts = textsFor(language).approval;
  const words = cutText(safeLine(record.words), MAX_WORDS_UNITS) || texts.unnamed;
  return {
    id: record.id,
    language,
    tool: record.tool,
    words: record.reason === 'provenance' ? `${words} ${texts.provenance}` : words,
    details: renderArguments(record.arguments),
    approvers: record.approvers,
    expiresAt: record.expiresAt,
    outcome: record.outcome,
    decidedBy: record.decidedBy,
  };
};

/** How a platform writes people and times. */
export interface CardStyle {
  person(userId: string): string;
  time(at: number): string;
}

/** The line under the arguments: who may decide until when, or what became of it. */
export const cardFoot = (card: ApprovalCard, style: CardStyle): string => {
  const texts = textsFor(card.language).approval;
  const by = card.decidedBy === null ? '' : style.person(card.decidedBy);
  switch (card.outcome) {
    case null: {
      const people = card.approvers.map((name) => (name === ADMINS ? texts.admins : style.person(name)));
      const named = people.length > MAX_NAMED ? [...people.slice(0, MAX_NAMED), '…'] : people;
      return `${texts.who(named.join(', '))} · ${texts.until(style.time(card.expiresAt))}`;
    }
    case 'approved':
      return texts.approvedBy(by);
    case 'denied':
      return texts.deniedBy(by);
    case 'expired':
      return texts.expired;
    case 'withdrawn':
      return texts.withdrawn;
  }
};

/** The answer to whoever decided. */
export const decisionText = (outcome: DecideOutcome, texts: Texts['approval']): string =>
  ({
    approved: texts.approved,
    denied: texts.denied,
    already_approved: texts.alreadyApproved,
    already_denied: texts.alreadyDenied,
    over: texts.over,
    not_yours: texts.notYours,
  })[outcome];

/** Cut where it ends within this, at no half of a character. */
export const cutInto = (text: string, size: number): readonly string[] => {
  const pieces: string[] = [];
  for (let rest = text; rest !== ''; rest = rest.slice(pieces.at(-1)?.length ?? size)) pieces.push(cutText(rest, size));
  return pieces;
};

/** For platforms without times of their own. */
export const utcTime = (at: number): string => `${new Date(at).toISOString().slice(11, 16)} UTC`;

export const cardPart = (card: ApprovalCard): OutboundPart => {
  const { title } = textsFor(card.language).approval;
  const foot = cardFoot(card, { person: (userId) => userId.slice(userId.indexOf(':') + 1), time: utcTime });
  return { text: [title(card.tool), card.words, card.details, foot].join('\n'), withFeedback: false, card };
};
