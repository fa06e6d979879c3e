/**
 * What is recalled, listed, explained, exported or pinned in random worlds is within what the readers of the place may read, and
 * what they may not read moves nothing of it. Then each predicate of scope and audience is left out, one at a time, and the same
 * search has to find the leak.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemoryStore, Reader } from '../../agent/ports/memory-store.ts';
import { AUDIENCE_RULES, type AudienceRules, personAudience, placeAudience, tenantAudience } from '../../memory/audience.ts';
import { createExactIndex } from '../../memory/exact.ts';
import type { MemoryOptions } from '../../memory/memory.ts';
import { scaled, seed } from '../scale.ts';
import type { MemoryKit } from './memory-kit.ts';
import { ACCOUNTS, EVERYTHING, findLeak } from './memory-world.ts';

const WORLDS = scaled(100);
const WORLDS_PER_MUTANT = 30;

test(`nothing leaks in ${WORLDS} random worlds`, async () => {
  for (let world = 0; world < WORLDS; world += 1) assert.equal(await findLeak(seed * 1_000 + world, () => ({})), undefined);
});

type Mutant = (kit: MemoryKit) => Partial<MemoryOptions>;

const rules =
  (over: (right: AudienceRules) => Partial<AudienceRules>): Mutant =>
  () => ({
    rules: { ...AUDIENCE_RULES, ...over(AUDIENCE_RULES) },
  });
const readable = (more: readonly string[]): Mutant =>
  rules(({ readableAt }) => ({ readableAt: (at, accounts) => [...new Set([...readableAt(at, accounts), ...more])] }));
const store =
  (over: (right: MemoryStore) => Partial<MemoryStore>): Mutant =>
  ({ memories }) => ({ store: { ...memories, ...over(memories) } });
const of = (prefix: string): readonly string[] => EVERYTHING.audiences.filter((audience) => audience.startsWith(prefix));
const anyAudience = (reader: Reader): Reader => ({ ...reader, audiences: EVERYTHING.audiences });
const anyLabel = (reader: Reader): Reader => ({ ...reader, labels: EVERYTHING.labels });

const MUTANTS: Readonly<Record<string, Mutant>> = {
  'a place lets its readers read what anybody said in private': readable(of('person:')),
  'a place lets its readers read every channel': readable(of('place:')),
  'a place lets its readers read every private thread': readable(of('conversation:')),
  'a place lets its readers read every workspace': readable(of('tenant:')),
  'a channel shows what its asker said in private': rules(({ readableAt }) => ({
    readableAt: (at, accounts) => [...readableAt(at, accounts), ...accounts.map(personAudience)],
  })),
  'what is said in private belongs to the workspace': rules(({ audienceOf }) => ({
    audienceOf: (at) => (at.place.kind === 'channel' ? audienceOf(at) : tenantAudience(at.scope.tenantId)),
  })),
  'what is said in a channel belongs to the workspace': rules(({ audienceOf }) => ({
    audienceOf: (at) => (at.place.kind === 'channel' ? tenantAudience(at.scope.tenantId) : audienceOf(at)),
  })),
  'what is said in a private thread belongs to its channel': rules(({ audienceOf }) => ({
    audienceOf: (at) => (at.place.kind === 'channel' ? placeAudience(at.place.id) : audienceOf(at)),
  })),
  'everybody is one person': store(() => ({ listAccounts: async () => ACCOUNTS })),
  'words are searched in every audience': store((right) => ({
    searchWords: (terms, roles, reader, limit) => right.searchWords(terms, roles, anyAudience(reader), limit),
  })),
  'words are searched under every label': store((right) => ({
    searchWords: (terms, roles, reader, limit) => right.searchWords(terms, roles, anyLabel(reader), limit),
  })),
  'vectors are searched in every audience': store((right) => ({
    listShelves: (reader) => right.listShelves(anyAudience(reader)),
  })),
  'vectors are searched under every label': store((right) => ({ listShelves: (reader) => right.listShelves(anyLabel(reader)) })),
  'the index searches all shelves': ({ memories }) => ({
    createIndex: async (dimensions) => {
      const index = createExactIndex({ dimensions });
      const search: typeof index.search = async (vector, _labels, limit) =>
        index.search(vector, await memories.listShelves(EVERYTHING), limit);
      return { ...index, search };
    },
  }),
  'an observation is read in every audience': store((right) => ({
    readObservations: (ids, reader) => right.readObservations(ids, anyAudience(reader)),
  })),
  'an observation is read under every label': store((right) => ({
    readObservations: (ids, reader) => right.readObservations(ids, anyLabel(reader)),
  })),
  'observations are listed in every audience': store((right) => ({
    listObservations: (reader, filter) => right.listObservations(anyAudience(reader), filter),
  })),
  'observations are listed under every label': store((right) => ({
    listObservations: (reader, filter) => right.listObservations(anyLabel(reader), filter),
  })),
  'what others said where a person spoke is listed for that person': store((right) => ({
    listObservations: (reader, { limit }) => right.listObservations(reader, { limit }),
  })),
  'pins are listed in every audience': store((right) => ({ listPins: () => right.listPins(EVERYTHING.audiences) })),
  'a summary is read in every conversation': store((right) => ({
    readNote: async (_, name) => {
      for (const audience of [...of('conversation:'), ...ACCOUNTS.map((user) => `conversation:dm:${user}`)]) {
        const note = await right.readNote(audience.slice('conversation:'.length), name);
        if (note !== undefined) return note;
      }
      return undefined;
    },
  })),
  'a summary is read under every label': store((right) => ({
    readNote: async (conversationId, name) => {
      const note = (await right.readNote(conversationId, name)) as { sentences: { labels: string[] }[] } | undefined;
      return note && ({ ...note, sentences: note.sentences.map((sentence) => ({ ...sentence, labels: [] })) } as never);
    },
  })),
};

for (const [name, mutant] of Object.entries(MUTANTS)) {
  test(`it is found out when ${name}`, async () => {
    let leak: string | undefined;
    for (let world = 0; leak === undefined && world < WORLDS_PER_MUTANT; world += 1) leak = await findLeak(world, mutant);
    assert.notEqual(leak, undefined);
  });
}
