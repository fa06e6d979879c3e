/** Who may decide about a call. Fixed when it is asked, so that the card names them; roles are looked up when they decide. */
import type { InboundMessage } from '../agent/conversation.ts';
import type { Access } from './access.ts';

export interface ApprovalRules {
  /** `asker`, `admins` and person ids, where the asker alone reads: direct messages, the web page, the terminal. */
  readonly direct: readonly string[];
  /** The same in channels and their threads. */
  readonly channels: readonly string[];
  /** The same for single tools, wherever they are asked for. */
  readonly tools: Readonly<Record<string, readonly string[]>>;
}

/** In a channel others may have led the run astray: whoever asked does not decide alone. */
export const SAFE_RULES: ApprovalRules = { direct: ['asker'], channels: ['admins'], tools: {} };

export const ASKER = 'asker';
export const ADMINS = 'admins';

export interface ApprovalPolicy {
  /** Person ids and `admins`; empty when nobody can be asked. */
  approversOf(tool: string, message: Pick<InboundMessage, 'place' | 'scope'>): readonly string[];
  mayDecide(approvers: readonly string[], userId: string): boolean;
}

export const createApprovalPolicy = (rules: ApprovalRules, access: Pick<Access, 'roleOf' | 'hasAdmins'>): ApprovalPolicy => ({
  approversOf: (tool, { place, scope }) => {
    const common = place.kind === 'channel' ? rules.channels : rules.direct;
    const named = Object.hasOwn(rules.tools, tool) ? (rules.tools[tool] ?? []) : common;
    const people = named.map((name) => (name === ASKER ? scope.userId : name));
    return [...new Set(people)].filter((name) => name !== ADMINS || access.hasAdmins);
  },
  mayDecide: (approvers, userId) =>
    approvers.includes(userId) || (approvers.includes(ADMINS) && access.roleOf(userId) !== 'user'),
});
