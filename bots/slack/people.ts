/** Who somebody is in Slack, asked once and remembered for a while. */
import type { WebClient } from '@slack/web-api';
import type { Author } from '../../agent/conversation.ts';
import { hasCode } from '../../agent/errors.ts';
import type { Clock } from '../../agent/ports/clock.ts';
import type { Logger } from '../../agent/ports/logger.ts';
import { callSlack } from './web-client.ts';

export interface Person {
  readonly displayName: string;
  readonly kind: Author['kind'];
}

export interface People {
  /** Throws `AppError('channel_unavailable')` when Slack cannot say now. Somebody whom Slack does not name is external. */
  describe(userId: string): Promise<Person>;
  /** The names that can be had at once or with one call each; those that fail are left out. */
  namesOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export interface PeopleOptions {
  readonly client: WebClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly teamId: string;
}

/** A guest who became a member, or a person who left, is known as such after so long. */
const REMEMBERED_MS = 10 * 60_000;
const MAX_REMEMBERED = 5000;
/** Mentions of more people than that keep their ids. */
const MAX_NAMES = 10;

/** Slackbot is a program that `users.info` shows as a person. */
const SLACKBOT = 'USLACKBOT';

export const createPeople = ({ client, clock, logger, teamId }: PeopleOptions): People => {
  const known = new Map<string, { readonly person: Promise<Person>; readonly until: number }>();

  const ask = async (userId: string): Promise<Person> => {
    try {
      const { user } = await callSlack('users.info', () => client.users.info({ user: userId }));
      const displayName = user?.profile?.display_name || user?.profile?.real_name || user?.real_name || user?.name || userId;
      const isOurs = user?.team_id === teamId || (user?.enterprise_user?.teams ?? []).includes(teamId);
      if (user?.is_bot === true || userId === SLACKBOT) return { displayName, kind: 'bot' };
      if (user?.is_stranger === true || !isOurs) return { displayName, kind: 'external' };
      const isGuest = user?.is_restricted === true || user?.is_ultra_restricted === true;
      return { displayName, kind: isGuest ? 'guest' : 'person' };
    } catch (error) {
      if (!hasCode(error, 'channel_rejected')) throw error;
      // Without `users:read`, or for somebody out of sight: nothing is known of them, so they are treated as strangers.
      logger.error('slack_person_unknown', { error });
      return { displayName: userId, kind: 'external' };
    }
  };

  const describe: People['describe'] = (userId) => {
    const entry = known.get(userId);
    if (entry !== undefined && entry.until > clock.monotonic()) return entry.person;
    known.delete(userId);
    const person = ask(userId);
    known.set(userId, { person, until: clock.monotonic() + REMEMBERED_MS });
    // What failed is asked again the next time.
    person.catch(() => known.delete(userId));
    const oldest = known.keys().next();
    if (known.size > MAX_REMEMBERED && oldest.done !== true) known.delete(oldest.value);
    return person;
  };

  return {
    describe,
    namesOf: async (userIds) => {
      const names = new Map<string, string>();
      await Promise.all(
        userIds.slice(0, MAX_NAMES).map(async (userId) => {
          try {
            names.set(userId, (await describe(userId)).displayName);
          } catch {
            // The id stands in the text instead.
          }
        }),
      );
      return names;
    },
  };
};
