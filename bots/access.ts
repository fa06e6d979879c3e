/** Who may ask, where, and which audience labels the readers of a place hold. Platform ids only; names prove nothing. */

import type { InboundMessage, Place, Refusal } from '../agent/conversation.ts';

export interface PeopleRules {
  /** Person ids with their channel, as in `Scope.userId`: `slack:U1`. */
  readonly owners: readonly string[];
  readonly admins: readonly string[];
  /** Empty: everyone of the workspace who is a person. A person named here, an owner and an admin need no membership. */
  readonly allow: readonly string[];
  /** Place ids as in `Place.id`. Empty: every channel. Holds for everyone; direct messages are not concerned. */
  readonly allowChannels: readonly string[];
  readonly guests: boolean;
  readonly external: boolean;
  readonly questionsPerMinute: number;
}

export interface AudienceRule {
  /** Who holds the label in a direct message. */
  readonly people: readonly string[];
  /** The channels all of whose readers hold it. */
  readonly places: readonly string[];
}

export type Role = 'owner' | 'admin' | 'user';

export type Decision =
  | { readonly kind: 'allowed' }
  /** Not a word: an answer to a bot makes two bots talk for ever. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export interface Access {
  readonly questionsPerMinute: number;
  /** Somebody is an owner or an administrator. */
  readonly hasAdmins: boolean;
  decide(message: Pick<InboundMessage, 'author' | 'place' | 'scope'>): Decision;
  /** What everyone who reads the place may read: always `everyone`. */
  labelsFor(place: Place, userId: string): readonly string[];
  roleOf(userId: string): Role;
}

export interface AccessOptions {
  readonly people: PeopleRules;
  readonly audiences: Readonly<Record<string, AudienceRule>>;
}

export const EVERYONE = 'everyone';

export const createAccess = ({ people, audiences }: AccessOptions): Access => {
  const owners = new Set(people.owners);
  const admins = new Set(people.admins);
  const allowed = new Set(people.allow);
  const allowedChannels = new Set(people.allowChannels);
  const rules = Object.entries(audiences).map(([label, rule]) => ({
    label,
    people: new Set(rule.people),
    places: new Set(rule.places),
  }));

  const roleOf = (userId: string): Role => (owners.has(userId) ? 'owner' : admins.has(userId) ? 'admin' : 'user');

  const holds = (rule: (typeof rules)[number], place: Place, userId: string): boolean => {
    if (place.kind === 'local') return true;
    return place.kind === 'direct' ? rule.people.has(userId) : rule.places.has(place.id);
  };

  return {
    questionsPerMinute: people.questionsPerMinute,
    hasAdmins: owners.size + admins.size > 0,
    roleOf,
    labelsFor: (place, userId) => [
      ...new Set([EVERYONE, ...rules.filter((rule) => holds(rule, place, userId)).map((rule) => rule.label)]),
    ],
    decide: ({ author, place, scope: { userId } }) => {
      if (author.kind === 'bot') return { kind: 'ignored' };
      if (place.kind === 'local') return { kind: 'allowed' };
      const isNamed = allowed.has(userId) || roleOf(userId) !== 'user';
      const isMember =
        author.kind === 'person' || (author.kind === 'guest' && people.guests) || (author.kind === 'external' && people.external);
      if (!isNamed && !isMember) return { kind: 'refused', refusal: { reason: 'members_only' } };
      if (!isNamed && allowed.size > 0) return { kind: 'refused', refusal: { reason: 'not_allowed' } };
      if (place.kind === 'channel' && allowedChannels.size > 0 && !allowedChannels.has(place.id)) {
        return { kind: 'refused', refusal: { reason: 'not_allowed' } };
      }
      return { kind: 'allowed' };
    },
  };
};
