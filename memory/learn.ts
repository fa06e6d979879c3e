/**
 * What a turn leaves behind: what the person said that is worth keeping, what the assistant promised, and standing wishes. Said
 * again it is kept once; a newer statement that contradicts an older one closes it and erases nothing.
 */
import { createHash } from 'node:crypto';
import type { StopReason, Turn } from '../agent/conversation.ts';
import type { MemoryPlace } from '../agent/ports/memory.ts';
import type { IndexedObservation, LearntTurn, MemoryStore, ObservationRecord, PinRecord } from '../agent/ports/memory-store.ts';
import { wordQuery } from '../agent/words.ts';
import type { AudienceRules } from './audience.ts';
import { MAX_BEFORE_CHARACTERS, termsOf } from './observation-terms.ts';
import type { ObservationDraft, TurnText } from './significance.ts';

/** What is significant, and what says the same: decided by the form of the words, see significance.ts. */
export interface Significance {
  findObservations(message: TurnText): readonly ObservationDraft[];
  detectStanding(text: string): readonly { readonly kind: string; readonly text: string }[];
  isSameObservation(a: { readonly text: string }, b: { readonly text: string }): boolean;
  contradicts(newer: { readonly text: string }, older: { readonly text: string }): boolean;
  scrubSecrets(text: string): string;
  holdsSecret(text: string): boolean;
  /** Gives orders about the rules, or to somebody else. */
  isUnfit(text: string): boolean;
}

/** Picks out of one message what is worth remembering. Rejects with a signal's reason only. */
export type Extract = (message: TurnText) => Promise<readonly ObservationDraft[]>;

/** Nothing was said to the assistant that it took in. */
const UNHEARD: ReadonlySet<StopReason> = new Set([
  'empty_question',
  'question_too_long',
  'cancelled',
  'rate_limited',
  'not_allowed',
  'failed',
]);
const MAX_KNOWN = 40;
/** They stand in every window. */
const MAX_PINS = 20;
const QUOTING_MODEL = 'extractive';
const CITATION = /\[\d+\]/u;
const NO_BEFORE = { before: '', beforeTurnId: null } as const;
const NOTHING: Omit<LearntTurn, 'turnId'> = { observations: [], replaced: [], pins: [] };

/** Short enough to be typed; the same again for the same turn. */
export const memoryId = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 8);

export interface LearnOptions {
  readonly store: MemoryStore;
  readonly rules: AudienceRules;
  readonly significance: Significance;
  /** The latest turns of a conversation, oldest first. */
  readonly readTurns: (conversationId: string) => Promise<readonly Turn[]>;
}

/** Resolves with what is to be stored. Throws `AppError('store_*')`. */
export const createLearn = ({ store, rules, significance, readTurns }: LearnOptions) => {
  const { findObservations, detectStanding, isSameObservation, contradicts, scrubSecrets } = significance;

  const byRules: Extract = async (message) => findObservations(message);

  /** The question before, where it is short. Answers quote documents, which not everybody may read. */
  const readBefore = async ({ turnId, conversationId }: Turn): Promise<Pick<ObservationRecord, 'before' | 'beforeTurnId'>> => {
    const turns = await readTurns(conversationId);
    const at = turns.findIndex((turn) => turn.turnId === turnId);
    const earlier = at < 1 ? undefined : turns[at - 1];
    const before = scrubSecrets(earlier?.question ?? '');
    if (earlier === undefined || before === '' || before.length > MAX_BEFORE_CHARACTERS) return NO_BEFORE;
    return { before, beforeTurnId: earlier.turnId };
  };

  /** What is remembered for the same audience about the same. */
  const readKnown = async (turn: Turn, audience: string): Promise<readonly ObservationRecord[]> => {
    const reader = { audiences: [audience], labels: turn.labels ?? [] };
    const roles: readonly ObservationRecord['role'][] = ['user', 'assistant', 'tool'];
    const hits = await store.searchWords(wordQuery(`${turn.question}\n${turn.answer.text}`), roles, reader, MAX_KNOWN);
    return store.readObservations(
      hits.map(({ id }) => id),
      reader,
    );
  };

  /** Of an answer, only what it promised in words of its own. */
  const draftsOf = async (
    turn: Turn,
    known: readonly ObservationRecord[],
    extract: Extract,
  ): Promise<readonly { role: 'user' | 'assistant'; draft: ObservationDraft }[]> => {
    const texts = known.map(({ text }) => text);
    const said = await extract({ text: turn.question, role: 'user', speaker: turn.speaker, origin: 'person', known: texts });
    return [
      ...said.map((draft) => ({ role: 'user' as const, draft })),
      ...promisesOf(turn)
        .filter(({ kind, quote }) => kind === 'commitment' && !CITATION.test(quote))
        .map((draft) => ({ role: 'assistant' as const, draft })),
    ];
  };

  /** The keyless model quotes; it promises nothing. */
  const promisesOf = ({ model, answer }: Turn): readonly ObservationDraft[] =>
    model === QUOTING_MODEL
      ? []
      : findObservations({ text: answer.text, role: 'assistant', speaker: 'assistant', origin: 'untrusted' });

  /** Most turns are questions: by the rules they leave nothing, whatever is known, and need not be compared with it. */
  const isIdle = (turn: Turn): boolean =>
    findObservations({ text: turn.question, role: 'user', speaker: turn.speaker, origin: 'person' }).length === 0 &&
    detectStanding(turn.question).length === 0 &&
    promisesOf(turn).length === 0;

  const findPins = async (turn: Turn, at: MemoryPlace, audience: string): Promise<readonly PinRecord[]> => {
    const wishes = detectStanding(turn.question);
    if (wishes.length === 0) return [];
    const there = await store.listPins([audience]);
    return wishes
      .filter(({ text }) => !there.some((pin) => isSameObservation({ text: pin.text }, { text })))
      .slice(0, Math.max(0, MAX_PINS - there.length))
      .map(({ kind, text }) => ({
        id: memoryId('pin', turn.turnId, text),
        audience,
        text,
        // What others will read as well waits for a yes, and so does what nobody asked for.
        state: at.place.kind !== 'channel' && kind === 'instruction' ? ('active' as const) : ('proposed' as const),
        authorId: turn.userId,
        turnId: turn.turnId,
        pinnedAt: turn.askedAt,
      }));
  };

  return async (turn: Turn, at: MemoryPlace, extract: Extract = byRules): Promise<LearntTurn> => {
    const { turnId } = turn;
    // A fixed reply: a wish to memory, a refusal.
    if (turn.steps === 0 || UNHEARD.has(turn.answer.stopReason)) return { turnId, ...NOTHING };
    if (extract === byRules && isIdle(turn)) return { turnId, ...NOTHING };
    const audience = rules.audienceOf(at);
    const [known, before, pins] = await Promise.all([readKnown(turn, audience), readBefore(turn), findPins(turn, at, audience)]);
    const observations: IndexedObservation[] = [];
    const replaced: LearntTurn['replaced'][number][] = [];
    for (const [index, { role, draft }] of (await draftsOf(turn, known, extract)).entries()) {
      if ([...known, ...observations].some((other) => other.validUntil === null && isSameObservation(other, draft))) continue;
      const id = memoryId(turnId, role, String(index));
      const contradicted = known.filter((older) => older.validUntil === null && contradicts(draft, older));
      const newer = contradicted.find(({ observedAt }) => observedAt > turn.askedAt);
      const record: ObservationRecord = {
        id,
        audience,
        kind: draft.kind,
        text: draft.text,
        quote: draft.quote,
        ...(role === 'user' ? before : NO_BEFORE),
        role,
        authorId: turn.userId,
        speaker: role === 'user' ? turn.speaker : 'assistant',
        turnId,
        conversationId: turn.conversationId,
        place: at.place,
        labels: role === 'user' ? [] : (turn.labels ?? []),
        observedAt: turn.askedAt,
        validUntil: newer?.observedAt ?? null,
        replacedBy: newer?.id ?? null,
        significance: draft.significance,
        explicit: draft.explicit,
      };
      observations.push({ ...record, terms: termsOf(record) });
      if (newer !== undefined) continue;
      replaced.push(...contradicted.map((older) => ({ id: older.id, validUntil: turn.askedAt, replacedBy: id })));
    }
    return { turnId, observations, replaced, pins };
  };
};
