/**
 * People's control over what is remembered. A wish is answered within what its place's readers may read; what a person said may be
 * changed by that person and by an admin alone, and becomes visible to more people only by a second yes.
 */
import { createHash } from 'node:crypto';
import type { Turn } from '../agent/conversation.ts';
import type { Clock } from '../agent/ports/clock.ts';
import type { Memory, MemoryReply, Wisher } from '../agent/ports/memory.ts';
import type { MemoryStore, ObservationRecord, PinRecord, Reader } from '../agent/ports/memory-store.ts';
import { type Texts, textsFor } from '../agent/texts.ts';
import { type AudienceRules, hasWorkspace, placeAudience, tenantAudience } from './audience.ts';
import { readWish, type Wish } from './command-words.ts';
import { createForget } from './forget.ts';
import { memoryId, type Significance } from './learn.ts';
import { termsOf } from './observation-terms.ts';
import type { RankMemories } from './recall.ts';
import { sourceOf } from './recall.ts';
import { isAbout } from './topic.ts';

export interface CommandOptions {
  readonly store: MemoryStore;
  readonly readTurns: (conversationId: string) => Promise<readonly Turn[]>;
  readonly rules: AudienceRules;
  readonly rank: RankMemories;
  readonly significance: Significance;
  readonly clock: Clock;
  readonly newCode: () => string;
  /** Makes missing vectors in the background. */
  readonly fill: () => Promise<void>;
}

const MAX_LISTED = 20;
const MAX_READ = 2_000;
const MAX_REASONS = 5;
const MAX_TEXT_CHARACTERS = 300;
const MAX_PINS = 20;
const CODE_TTL_MS = 10 * 60_000;

/** Who wishes, as far as memory knows. */
interface Person {
  readonly by: Wisher;
  readonly accounts: readonly string[];
  /** Nobody else reads the reply. */
  readonly isPrivate: boolean;
  readonly reader: Reader;
  readonly texts: Texts['memory'];
}

/** A wish that can be granted whatever was said before. */
type PlainWish = Exclude<Wish, { kind: 'yes' }>;

const hashOf = (code: string): string => createHash('sha256').update(code.toUpperCase()).digest('hex');
const timeOf = (at: number): string => new Date(at).toISOString();

/** Without what stood before: others may have said it. */
const asExported = ({ id, kind, text, quote, speaker, role, place, audience, observedAt, validUntil }: ObservationRecord) => ({
  id,
  kind,
  text,
  quote,
  speaker,
  role,
  place: place.id,
  audience,
  observedAt: timeOf(observedAt),
  validUntil: validUntil === null ? null : timeOf(validUntil),
});
const dayOf = (at: number): string => timeOf(at).slice(0, 10);

export const createCommands = (options: CommandOptions): Memory['command'] => {
  const { store, readTurns, rules, rank, significance, clock, newCode, fill } = options;
  const forget = createForget({ store });

  const owns = ({ by, accounts }: Person, authorId: string): boolean => by.isAdmin || accounts.includes(authorId);

  /** What the place's readers may read; to a person alone, also what that person said elsewhere. */
  const listAll = async ({ accounts, isPrivate, reader }: Person): Promise<readonly ObservationRecord[]> => {
    const here = await store.listObservations(reader, { limit: MAX_READ });
    if (!isPrivate) return here;
    const elsewhere = { audiences: await store.listAudiencesOf(accounts), labels: reader.labels };
    const said = await store.listObservations(elsewhere, { authorIds: accounts, limit: MAX_READ });
    return [...new Map([...here, ...said].map((record) => [record.id, record])).values()].sort(
      (a, b) => b.observedAt - a.observedAt || (a.id < b.id ? -1 : 1),
    );
  };

  /** Looked up the same way that it is listed. */
  const find = async (person: Person, id: string): Promise<ObservationRecord | undefined> => {
    const [readable] = await store.readObservations([id], person.reader);
    if (readable !== undefined || !person.isPrivate) return readable;
    return (await listAll(person)).find((record) => record.id === id);
  };

  const line = (record: ObservationRecord, { by }: Person): string =>
    `- \`${record.id}\` ${dayOf(record.observedAt)} ${record.speaker}: ${record.text} (${sourceOf(record, by.scope.conversationId)})`;

  const list = async (person: Person, topic: string): Promise<string> => {
    const { texts, isPrivate } = person;
    const all = (await listAll(person)).filter(({ text, quote }) => topic === '' || isAbout(topic, `${text}\n${quote}`));
    const lines = all.slice(0, MAX_LISTED).map((record) => line(record, person));
    return [
      all.length === 0 ? texts.nothing(topic) : texts.listed(all.length, topic),
      ...lines,
      ...(all.length > MAX_LISTED ? [texts.more(all.length - MAX_LISTED)] : []),
      ...(isPrivate ? [] : [texts.privateElsewhere]),
    ].join('\n');
  };

  const explain = (record: ObservationRecord, { texts, by }: Person): string =>
    texts.why(
      record.id,
      record.text,
      record.speaker,
      dayOf(record.observedAt),
      sourceOf(record, by.scope.conversationId),
      record.quote,
    );

  /** Without an id: what is remembered about the question before. */
  const why = async (person: Person, id: string): Promise<string> => {
    const { by, texts, reader } = person;
    if (id !== '') {
      const record = await find(person, id);
      return record === undefined ? texts.unknown(id) : explain(record, person);
    }
    const last = (await readTurns(by.scope.conversationId)).findLast(({ turnId, steps }) => steps > 0 && turnId !== by.turnId);
    if (last === undefined) return texts.noReason;
    const ranked = await rank({ question: last.question, reader, signal: new AbortController().signal });
    const reasons = ranked.filter(({ record }) => record.turnId !== last.turnId).slice(0, MAX_REASONS);
    if (reasons.length === 0) return texts.noReason;
    return [texts.reasons, ...reasons.map(({ record }) => explain(record, person))].join('\n\n');
  };

  /** Why a text cannot be kept, or undefined. */
  const refuse = (text: string, { texts }: Person): string | undefined => {
    if (text.length > MAX_TEXT_CHARACTERS) return texts.tooLong(text.length, MAX_TEXT_CHARACTERS);
    if (significance.holdsSecret(text)) return texts.secret;
    return significance.isUnfit(text) ? texts.unfit : undefined;
  };

  const edit = async (person: Person, id: string, text: string): Promise<string> => {
    const { texts } = person;
    const record = await find(person, id);
    if (record === undefined) return texts.unknown(id);
    if (!owns(person, record.authorId)) return texts.notYours;
    const refusal = refuse(text, person);
    if (refusal !== undefined) return refusal;
    await store.editObservation(id, text, termsOf({ ...record, text, quote: text }));
    void fill();
    return texts.edited(id, text);
  };

  const audienceHere = ({ by }: Person): string => rules.audienceOf(by);

  const pinText = async (person: Person, text: string): Promise<string> => {
    const { by, isPrivate, texts } = person;
    const refusal = refuse(text, person);
    if (refusal !== undefined) return refusal;
    const audience = audienceHere(person);
    const there = await store.listPins([audience]);
    if (there.length >= MAX_PINS) return texts.tooManyPins(MAX_PINS);
    const pin: PinRecord = {
      id: memoryId('pin', by.turnId, text),
      audience,
      text,
      state: isPrivate ? 'active' : 'proposed',
      authorId: by.scope.userId,
      turnId: by.turnId,
      pinnedAt: clock.now(),
    };
    await store.putPin(pin);
    return isPrivate ? texts.pinned(pin.id, text) : texts.proposed(pin.id, text);
  };

  const findPin = async (person: Person, id: string): Promise<PinRecord | undefined> =>
    (await store.listPins(person.reader.audiences)).find((pin) => pin.id === id);

  const changePin = async (person: Person, id: string, change: (pin: PinRecord) => Promise<string>): Promise<string> => {
    const pin = await findPin(person, id);
    if (pin === undefined) return person.texts.unknown(id);
    return owns(person, pin.authorId) ? change(pin) : person.texts.notYours;
  };

  const accept = async (person: Person, { id, text }: PinRecord): Promise<string> => {
    await store.activatePin(id);
    return person.texts.pinned(id, text);
  };

  /** To what was proposed under the message before, and nothing was said since. Undefined where that was nothing. */
  const acceptLast = async (person: Person): Promise<string | undefined> => {
    const { by, reader } = person;
    const last = (await readTurns(by.scope.conversationId)).findLast(({ turnId }) => turnId !== by.turnId);
    const pins = (await store.listPins(reader.audiences)).filter(
      (pin) => pin.state === 'proposed' && pin.turnId === last?.turnId && owns(person, pin.authorId),
    );
    if (pins.length === 0) return undefined;
    return (await Promise.all(pins.map((pin) => accept(person, pin)))).join('\n');
  };

  const listPins = async ({ reader, texts }: Person): Promise<string> => {
    const pins = await store.listPins(reader.audiences);
    if (pins.length === 0) return texts.noPins;
    return [
      texts.pinsListed(pins.length),
      ...pins.map(({ id, text, state }) => `- \`${id}\` ${text}${state === 'proposed' ? ` (${texts.waitsForYes(id)})` : ''}`),
    ].join('\n');
  };

  const share = async (person: Person, wish: Extract<Wish, { kind: 'share' }>): Promise<string> => {
    const { by, accounts, texts, reader } = person;
    const { id, to, isConfirmed } = wish;
    // The person's own memory may be named in a channel; its text is not shown there before the yes.
    const own = { audiences: await store.listAudiencesOf(accounts), labels: reader.labels };
    const record =
      (await store.readObservations([id], own)).find(({ authorId }) => accounts.includes(authorId)) ?? (await find(person, id));
    if (record === undefined) return texts.unknown(id);
    if (!owns(person, record.authorId)) return texts.notYours;
    if (to === 'here' && by.place.kind !== 'channel') return texts.shareHereInChannel;
    if (to === 'workspace' && !hasWorkspace(by)) return texts.shareHereInChannel;
    if (!isConfirmed) return texts.confirmShare(id, to);
    const audience = to === 'here' ? placeAudience(by.place.id) : tenantAudience(by.scope.tenantId);
    await store.moveObservation(id, audience, termsOf({ ...record, before: '' }));
    void fill();
    return texts.shared(id, to, record.text);
  };

  const link = async ({ by, isPrivate, texts }: Person, code: string): Promise<string> => {
    if (!isPrivate) return texts.linkInPrivate;
    if (code === '') {
      const fresh = newCode();
      await store.putLinkCode(hashOf(fresh), by.scope.userId, clock.now() + CODE_TTL_MS);
      return texts.linkCode(fresh, CODE_TTL_MS / 60_000);
    }
    const outcome = await store.redeemLinkCode(hashOf(code), by.scope.userId, clock.now());
    return outcome === 'linked' ? texts.linked : outcome === 'unknown' ? texts.linkUnknown : texts.linkSameChannel;
  };

  const exportAll = async (person: Person): Promise<string> => {
    const [observations, pins] = await Promise.all([listAll(person), store.listPins(person.reader.audiences)]);
    const exported = { exportedAt: timeOf(clock.now()), observations: observations.map(asExported), pins };
    const json = JSON.stringify(exported, null, 2);
    return [person.texts.exported(observations.length, pins.length), '```json', json, '```'].join('\n');
  };

  const forgetWhere = async (person: Person, has: (text: string) => boolean, hasPin = has): Promise<string> => {
    const { by, accounts, isPrivate, texts } = person;
    const mine = (await listAll(person)).filter(
      ({ text, quote, authorId }) => accounts.includes(authorId) && has(`${text}\n${quote}`),
    );
    const pins = (await store.listPins(person.reader.audiences)).filter(
      ({ text, authorId }) => accounts.includes(authorId) && hasPin(text),
    );
    const turns = (await store.listTurnsOf(accounts, isPrivate ? undefined : by.place.id)).filter(({ question }) =>
      has(question),
    );
    return texts.forgotten(await forget({ observations: mine, pins, turns, accounts, except: by.turnId }));
  };

  const forgetOne = async (person: Person, id: string): Promise<string> => {
    const { by, accounts, texts } = person;
    const record = await find(person, id);
    if (record === undefined) {
      return changePin(person, id, async (pin) =>
        texts.forgotten(await forget({ observations: [], pins: [pin], turns: [], accounts, except: by.turnId })),
      );
    }
    if (!owns(person, record.authorId)) return texts.notYours;
    return texts.forgotten(await forget({ observations: [record], pins: [], turns: [], accounts, except: by.turnId }));
  };

  const grant = async (wish: PlainWish, person: Person): Promise<string> => {
    const { by, texts } = person;
    switch (wish.kind) {
      case 'list':
        return list(person, wish.topic);
      case 'why':
        return why(person, wish.id);
      case 'edit':
        return edit(person, wish.id, wish.text);
      case 'forget':
        return forgetOne(person, wish.id);
      case 'forget_topic':
        return forgetWhere(person, (text) => isAbout(wish.topic, text));
      case 'forget_all':
        return forgetWhere(person, () => true);
      case 'export':
        return exportAll(person);
      case 'pin':
        return pinText(person, wish.text);
      case 'pins':
        return listPins(person);
      case 'accept':
        return changePin(person, wish.id, (pin) => accept(person, pin));
      case 'unpin':
        return changePin(person, wish.id, async (pin) => {
          await store.forget({ observationIds: [], turnIds: [], pinIds: [pin.id], bereft: [] });
          return texts.unpinned(pin.text);
        });
      case 'share':
        return share(person, wish);
      case 'link':
        return link(person, wish.code);
      case 'unlink':
        await store.unlink(by.scope.userId);
        return texts.unlinked;
      case 'help':
        return texts.help;
    }
  };

  return async (text, by, language): Promise<MemoryReply | undefined> => {
    const wish = readWish(text);
    if (wish === undefined) return undefined;
    const accounts = await store.listAccounts(by.scope.userId);
    const reader = { audiences: rules.readableAt(by, accounts), labels: by.labels };
    const isPrivate = by.place.kind !== 'channel';
    const person = { by, accounts, isPrivate, reader, texts: textsFor(language).memory };
    const reply = wish.kind === 'yes' ? await acceptLast(person) : await grant(wish, person);
    return reply === undefined ? undefined : { text: reply };
  };
};
