/**
 * Who may read what was said. Every memory carries one audience: those who could read the place where it was said. An answer may
 * use a memory only where everyone who will read the answer belongs to that audience, so nothing private enters a channel.
 */
import type { MemoryPlace } from '../agent/ports/memory.ts';

export const personAudience = (userId: string): string => `person:${userId}`;
export const placeAudience = (placeId: string): string => `place:${placeId}`;
export const conversationAudience = (conversationId: string): string => `conversation:${conversationId}`;
export const tenantAudience = (tenantId: string): string => `tenant:${tenantId}`;

/** A direct message of Discord belongs to no server, so that nothing there is everyone's. */
export const hasWorkspace = ({ scope }: MemoryPlace): boolean => !scope.tenantId.endsWith(':dm');

export interface AudienceRules {
  /** What everyone who reads an answer there may read. `accounts` are the asker's, on all platforms. */
  readableAt(at: MemoryPlace, accounts: readonly string[]): readonly string[];
  /** Whom something said there belongs to. */
  audienceOf(at: MemoryPlace): string;
}

export const AUDIENCE_RULES: AudienceRules = {
  readableAt: ({ scope, place }, accounts) => [
    ...(place.kind === 'channel' ? [placeAudience(place.id)] : accounts.map(personAudience)),
    conversationAudience(scope.conversationId),
    ...(hasWorkspace({ scope, place }) ? [tenantAudience(scope.tenantId)] : []),
  ],
  audienceOf: ({ scope, place }) => {
    if (place.kind !== 'channel') return personAudience(scope.userId);
    // Fewer read a private thread than its channel.
    return place.isPrivateThread === true ? conversationAudience(scope.conversationId) : placeAudience(place.id);
  },
};
