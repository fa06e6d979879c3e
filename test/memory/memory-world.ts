/**
 * A random world: people who say things privately, in channels and in private threads, link accounts, share memories and pin texts,
 * while labels come and go. It keeps its own account of who may read what, and tells where the memory shows anything else.
 */
import type { ObservationRecord, Reader } from '../../agent/ports/memory-store.ts';
import type { MemoryOptions } from '../../memory/memory.ts';
import { termsOf } from '../../memory/observation-terms.ts';
import { createFakeEmbedder } from '../knowledge/setup.ts';
import { direct, inChannel, type MemoryKit, openMemoryKit, type Spot } from './memory-kit.ts';

const PEOPLE = [
  { user: 'slack:U1', tenant: 'T1' },
  { user: 'slack:U2', tenant: 'T1' },
  { user: 'slack:U3', tenant: 'T2' },
  { user: 'discord:1', tenant: 'G1' },
  { user: 'discord:2', tenant: 'G1' },
] as const;
const CHANNELS = [
  { id: 'C1', tenant: 'T1' },
  { id: 'C2', tenant: 'T1' },
  { id: 'C3', tenant: 'T2' },
] as const;
const LABELS = ['finance', 'board'] as const;
const TOPICS = ['Orion', 'Vega', 'Lyra'] as const;
const STEPS = 40;

/** Everything there is, for a predicate that was left out. */
export const EVERYTHING: Reader = {
  audiences: [
    ...PEOPLE.map(({ user }) => `person:${user}`),
    ...CHANNELS.map(({ id }) => `place:slack:${id}`),
    ...CHANNELS.map(({ id, tenant }) => `conversation:slack:${tenant}:${id}:secret`),
    ...['slack:T1', 'slack:T2', 'discord:G1'].map((tenant) => `tenant:${tenant}`),
  ],
  labels: ['everyone', ...LABELS],
};
export const ACCOUNTS: readonly string[] = PEOPLE.map(({ user }) => user);

/** Whose labels come and go: a person's in private, a channel's. */
const OWNERS = [...ACCOUNTS, ...CHANNELS.map(({ id }) => `slack:${id}`)];

type Home = { readonly kind: 'person' | 'place' | 'conversation' | 'tenant'; readonly id: string };

interface Thing {
  /** A word that stands in it and nowhere else. */
  readonly marker: string;
  readonly author: string;
  home: Home;
  readonly labels: readonly string[];
}

const createRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

/** Undefined, or what was shown that should not have been. */
export const findLeak = async (
  seed: number,
  makeOptions: (kit: MemoryKit) => Partial<MemoryOptions>,
): Promise<string | undefined> => {
  const random = createRandom(seed);
  for (let n = 0; n < 10; n += 1) random();
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const kit = openMemoryKit({ embedder: createFakeEmbedder() });
  const memory = kit.restart(makeOptions(kit));
  const things: Thing[] = [];
  const accounts = new Map<string, string>(PEOPLE.map(({ user }) => [user, user]));
  const held = new Map<string, readonly string[]>();
  let count = 0;

  const relabel = (owner: string): void =>
    void held.set(
      owner,
      LABELS.filter(() => random() < 0.5),
    );
  for (const owner of OWNERS) relabel(owner);

  const accountsOf = (user: string): readonly string[] =>
    PEOPLE.map((one) => one.user).filter((one) => accounts.get(one) === accounts.get(user));
  const labelsAt = ({ place, scope }: Spot): readonly string[] => [
    'everyone',
    ...(held.get(place.kind === 'channel' ? place.id : scope.userId) ?? []),
  ];

  const privateSpot = (): Spot => {
    const { user, tenant } = pick(PEOPLE);
    return direct(user, tenant);
  };
  const channelSpot = (): Spot => {
    const { id, tenant } = pick(CHANNELS);
    const user = pick(PEOPLE.filter((one) => one.tenant === tenant)).user;
    if (random() < 0.3) {
      const thread = inChannel(user, id, 'secret', tenant);
      return { ...thread, place: { ...thread.place, isPrivateThread: true } };
    }
    return inChannel(user, id, pick(['t1', 't2']), tenant);
  };
  const spot = (): Spot => (random() < 0.5 ? privateSpot() : channelSpot());

  const homeOf = ({ place, scope }: Spot): Home => {
    if (place.kind === 'direct') return { kind: 'person', id: scope.userId };
    return place.isPrivateThread === true ? { kind: 'conversation', id: scope.conversationId } : { kind: 'place', id: place.id };
  };
  const mayRead = (at: Spot, { home, labels }: Thing): boolean => {
    if (!labels.every((label) => labelsAt(at).includes(label))) return false;
    switch (home.kind) {
      case 'person':
        return at.place.kind === 'direct' && accountsOf(at.scope.userId).includes(home.id);
      case 'place':
        return at.place.kind === 'channel' && at.place.id === home.id;
      case 'conversation':
        return at.scope.conversationId === home.id;
      case 'tenant':
        return at.scope.tenantId === home.id;
    }
  };
  /** In private, a person is also shown what that person said elsewhere. */
  const mayList = (at: Spot, thing: Thing): boolean =>
    mayRead(at, thing) ||
    (at.place.kind === 'direct' &&
      accountsOf(at.scope.userId).includes(thing.author) &&
      thing.labels.every((label) => labelsAt(at).includes(label)));

  const learn = async (at: Spot, text: string, options: Parameters<MemoryKit['answer']>[2] = {}) =>
    memory.learn(await kit.answer(at, text, { labels: labelsAt(at), ...options }), at);
  const wish = async (at: Spot, text: string): Promise<string> => {
    count += 1;
    const by = { ...at, turnId: `wish ${count}`, speaker: 'Somebody', isAdmin: false, labels: labelsAt(at) };
    return (await memory.command(text, by, 'en'))?.text ?? '';
  };
  const readAll = () => kit.memories.listObservations(EVERYTHING, { withReplaced: true, limit: 1_000 });
  const thingIn = (text: string): Thing | undefined => things.find(({ marker }) => text.includes(marker));
  const fresh = (at: Spot, labels: readonly string[]): string => {
    count += 1;
    const marker = `mark${String(count).padStart(4, '0')}`;
    things.push({ marker, author: at.scope.userId, home: homeOf(at), labels });
    return marker;
  };

  const steps: Readonly<Record<string, () => Promise<unknown>>> = {
    say: () => {
      const at = spot();
      return learn(at, `We decided that ${pick(TOPICS)} gets the ${fresh(at, [])} module.`);
    },
    promise: () => {
      const at = spot();
      const marker = fresh(at, labelsAt(at));
      return learn(at, `What about ${pick(TOPICS)}?`, {
        answer: { text: `I will send you the ${marker} report on ${pick(TOPICS)} by Friday.` },
      });
    },
    pin: async () => {
      const at = spot();
      const reply = await wish(at, `memory pin Mention ${fresh(at, [])} first.`);
      const id = /`memory pin yes ([0-9a-f]{8})`/.exec(reply)?.[1];
      if (id !== undefined) await wish(at, `memory pin yes ${id}`);
    },
    summarise: () => {
      const at = spot();
      const labels = labelsAt(at);
      const { conversationId } = at.scope;
      const sentence = { text: `It was about ${fresh(at, labels)}.`, turnIds: ['t'], labels };
      const last = things.at(-1);
      if (last !== undefined) last.home = { kind: 'conversation', id: conversationId };
      return kit.memories.putNote(conversationId, 'summary', {
        throughTurnId: 't',
        sentences: [{ ...sentence, labels: [...labels] }],
      });
    },
    share: async () => {
      const record = pick(await readAll());
      const thing = record && thingIn(record.quote);
      const to = random() < 0.5 ? 'workspace' : 'here';
      const at = spot();
      const isShared = thing !== undefined && (await wish(at, `memory share ${record.id} ${to} yes`)).startsWith('Shared');
      // Only who may read it, or said it, can share it; a refusal leaves it where it is.
      if (isShared) thing.home = to === 'here' ? { kind: 'place', id: at.place.id } : { kind: 'tenant', id: at.scope.tenantId };
    },
    link: async () => {
      const code = /`memory link (\w+)`/.exec(await wish(direct('slack:U1', 'T1'), 'memory link'))?.[1] ?? '';
      const reply = await wish(direct('discord:1', 'G1'), `memory link ${code}`);
      if (reply.startsWith('Linked')) accounts.set('discord:1', accounts.get('slack:U1') ?? '');
    },
    relabel: async () => relabel(pick(OWNERS)),
  };

  const leakIn = (what: string, at: Spot, text: string, may: (at: Spot, thing: Thing) => boolean): string | undefined => {
    const leaked = things.filter((thing) => text.includes(thing.marker) && !may(at, thing));
    return leaked.length === 0 ? undefined : `${what} in ${at.scope.conversationId} showed ${JSON.stringify(leaked)}`;
  };
  const settle = async (): Promise<void> => {
    await kit.clock.advance(2_000);
    for (let tries = 0; tries < 50 && (await kit.memories.countUnembedded()).size > 0; tries += 1)
      await new Promise(setImmediate);
    await kit.clock.advance(2_000);
  };

  const recallAt = (of: { recall: typeof memory.recall }, at: Spot, question: string) =>
    of.recall({ ...at, question, labels: labelsAt(at), history: [], signal: new AbortController().signal });

  /** The same question asked of a memory that holds nothing but what may be read here. */
  const differenceAt = async (at: Spot, question: string): Promise<string | undefined> => {
    const visible = (await readAll()).filter((record) => mayRead(at, thingIn(record.quote) as Thing));
    const alone = openMemoryKit({ embedder: createFakeEmbedder(), clock: kit.clock });
    try {
      const groups = Map.groupBy([...visible].reverse(), ({ turnId }) => turnId);
      for (const [turnId, records] of groups) {
        const observations = records.map((record: ObservationRecord) => ({ ...record, terms: termsOf(record) }));
        await alone.memories.learnTurn({ turnId, observations, replaced: [], pins: [] });
      }
      alone.memory.start();
      for (const { user } of PEOPLE) {
        const [, other] = await kit.memories.listAccounts(user);
        if (other === undefined) continue;
        await alone.memories.putLinkCode(user, user, Number.MAX_SAFE_INTEGER);
        await alone.memories.redeemLinkCode(user, accountsOf(user).find((one) => one !== user) ?? user, 0);
      }
      for (let tries = 0; tries < 50 && (await alone.memories.countUnembedded()).size > 0; tries += 1)
        await new Promise(setImmediate);
      const [here, there] = [await recallAt(memory, at, question), await recallAt(alone.memory, at, question)];
      const scores = (recalled: typeof here) =>
        JSON.stringify(recalled.observations.map(({ id, score }) => [id, score.toFixed(9)]));
      if (scores(here) === scores(there)) return undefined;
      return `hidden rows changed a recall in ${at.scope.conversationId}: ${scores(here)} instead of ${scores(there)}`;
    } finally {
      await alone.close();
    }
  };

  const look = async (): Promise<string | undefined> => {
    await settle();
    for (let n = 0; n < 3; n += 1) {
      const at = spot();
      const question = `What does ${pick(TOPICS)} get?`;
      const recalled = leakIn('recall', at, JSON.stringify(await recallAt(memory, at, question)), mayRead);
      if (recalled !== undefined) return recalled;
      for (const text of [
        'memory list',
        `memory list ${pick(TOPICS)}`,
        'memory pins',
        'memory export',
        'Why do you know this?',
      ]) {
        const shown = leakIn(text, at, await wish(at, text), mayList);
        if (shown !== undefined) return shown;
      }
      for (const { id } of (await readAll()).filter(() => random() < 0.3)) {
        const shown = leakIn(`memory why ${id}`, at, await wish(at, `memory why ${id}`), mayList);
        if (shown !== undefined) return shown;
      }
    }
    const at = spot();
    return differenceAt(at, `What does ${pick(TOPICS)} get?`);
  };

  const names = [
    'say',
    'say',
    'say',
    'promise',
    'promise',
    'pin',
    'summarise',
    'summarise',
    'share',
    'share',
    'relabel',
    'relabel',
  ];
  try {
    for (let step = 1; step <= STEPS; step += 1) {
      await steps[random() < 0.03 ? 'link' : pick(names)]?.();
      const leak = step % 10 === 0 ? await look() : undefined;
      if (leak !== undefined) return `seed ${seed}, step ${step}: ${leak}`;
    }
    return undefined;
  } finally {
    await memory.close();
    await kit.close();
  }
};
