import assert from 'node:assert/strict';
import test from 'node:test';
import type { Author, Place } from '../../agent/conversation.ts';
import { createAccess, type PeopleRules } from '../../bots/access.ts';
import { createFakeClock } from '../fake-clock.ts';
import { messageOf, OPEN_HOUSE } from '../fakes/gateway-bench.ts';

const CHANNEL: Place = { kind: 'channel', id: 'slack:C1' };
const DIRECT: Place = { kind: 'direct', id: 'slack:D1' };
const LOCAL: Place = { kind: 'local', id: 'terminal' };

const decide = (rules: Partial<PeopleRules>, over: { user?: string; kind?: Author['kind']; place?: Place } = {}) => {
  const { user = 'slack:U1', kind = 'person', place = CHANNEL } = over;
  const message = messageOf(createFakeClock(), 'may I?', { user, place, author: { id: user, displayName: 'Ada', kind } });
  const decision = createAccess({ people: { ...OPEN_HOUSE, ...rules }, audiences: {} }).decide(message);
  return decision.kind === 'refused' ? decision.refusal.reason : decision.kind;
};

test('with empty lists every person of the workspace may ask, and no one else', () => {
  assert.deepEqual(
    (['person', 'guest', 'external', 'bot'] as const).map((kind) => decide({}, { kind })),
    ['allowed', 'members_only', 'members_only', 'ignored'],
  );
});

test('guests and external people may ask where the configuration says so, bots never', () => {
  const rules = { guests: true, external: true, allow: [], owners: ['slack:U1'] };
  assert.deepEqual(
    (['guest', 'external', 'bot'] as const).map((kind) => decide(rules, { kind })),
    ['allowed', 'allowed', 'ignored'],
  );
});

test('a list of people lets them, owners and admins ask, and nobody else', () => {
  const rules = { allow: ['slack:U1'], owners: ['slack:U2'], admins: ['slack:U3'] };
  assert.deepEqual(
    ['slack:U1', 'slack:U2', 'slack:U3', 'slack:U4'].map((user) => decide(rules, { user })),
    ['allowed', 'allowed', 'allowed', 'not_allowed'],
  );
  assert.equal(decide(rules, { kind: 'guest' }), 'allowed', 'a guest named by id');
});

test('a list of channels binds everyone in channels and nobody in direct messages', () => {
  const rules = { allowChannels: ['slack:C2'], owners: ['slack:U2'] };
  assert.deepEqual(
    [
      decide(rules),
      decide(rules, { user: 'slack:U2' }),
      decide(rules, { place: { kind: 'channel', id: 'slack:C2' } }),
      decide(rules, { place: DIRECT }),
    ],
    ['not_allowed', 'not_allowed', 'allowed', 'allowed'],
  );
});

test('the owner of the machine may ask in the terminal whatever the lists say', () => {
  assert.equal(decide({ allow: ['slack:U9'], allowChannels: ['slack:C9'] }, { user: 'terminal:local', place: LOCAL }), 'allowed');
});

test('roles are by id', () => {
  const access = createAccess({ people: { ...OPEN_HOUSE, owners: ['slack:U1'], admins: ['slack:U2'] }, audiences: {} });
  assert.deepEqual(
    ['slack:U1', 'slack:U2', 'slack:U3', 'discord:U1'].map((id) => access.roleOf(id)),
    ['owner', 'admin', 'user', 'user'],
  );
});

test('a label is held by its people in direct messages, by its channels, and by the owner of the machine', () => {
  const access = createAccess({
    people: { ...OPEN_HOUSE, owners: ['slack:U9'] },
    audiences: {
      finance: { people: ['slack:U1'], places: ['slack:C2'] },
      legal: { people: ['slack:U1', 'slack:U2'], places: [] },
    },
  });
  assert.deepEqual(
    [
      access.labelsFor(DIRECT, 'slack:U1'),
      access.labelsFor(DIRECT, 'slack:U2'),
      access.labelsFor(DIRECT, 'slack:U9'),
      access.labelsFor(CHANNEL, 'slack:U1'),
      access.labelsFor({ kind: 'channel', id: 'slack:C2' }, 'slack:U3'),
      access.labelsFor(LOCAL, 'terminal:local'),
    ],
    [
      ['everyone', 'finance', 'legal'],
      ['everyone', 'legal'],
      ['everyone'],
      ['everyone'],
      ['everyone', 'finance'],
      ['everyone', 'finance', 'legal'],
    ],
  );
});
