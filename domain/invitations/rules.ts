/** Members and invitations: who may change whom, how long a link lives, when a mail is tried again (docs/contract.md#members, D67). */
import type { Role } from '../identity/rules.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../kernel/time.ts';

export const INVITATION_STATUSES = ['PENDING', 'ACCEPTED', 'CANCELED', 'EXPIRED'] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];
export const LINK_MS = 7 * DAY;
/** Accepting needs a login this fresh. Real time. */
export const FRESH_LOGIN_MS = 10 * MINUTE;

/** How often mails may be sent, counted over all that were; real time. */
export const SEND_LIMITS = [
  { limit: 'STORE', most: 20, withinMs: HOUR },
  { limit: 'SENDER', most: 50, withinMs: DAY },
  { limit: 'RECIPIENT', most: 5, withinMs: DAY },
] as const;

export interface Actor {
  readonly userId: string;
  readonly role: Role;
}
export interface Member {
  readonly userId: string;
  readonly role: Role;
}
type MemberRefusal = 'INSUFFICIENT_ROLE' | 'OWNER_CANNOT_LEAVE';

/** Why somebody may not change a member's role (`to`) or remove them (null), or null. Everything about ADMINs is the OWNER's. */
export function changeProblem(actor: Actor, target: Member, to: Role | null): MemberRefusal | null {
  const isSelf = actor.userId === target.userId;
  // Anybody may leave, and an ADMIN may step down.
  if (isSelf && to === null) return target.role === 'OWNER' ? 'OWNER_CANNOT_LEAVE' : null;
  if (isSelf && actor.role === 'ADMIN' && to !== null) return to === 'OWNER' ? 'INSUFFICIENT_ROLE' : null;
  if (actor.role === 'STAFF') return 'INSUFFICIENT_ROLE';
  // The OWNER changes only by a transfer of ownership.
  if (target.role === 'OWNER') return actor.role === 'OWNER' ? 'OWNER_CANNOT_LEAVE' : 'INSUFFICIENT_ROLE';
  return mayHandle(actor.role, target.role) && (to === null || mayHandle(actor.role, to)) ? null : 'INSUFFICIENT_ROLE';
}

/** Inviting as, resending to and cancelling a role. */
export const mayHandle = (actor: Role, role: Role): boolean =>
  role !== 'OWNER' && (actor === 'OWNER' || (actor === 'ADMIN' && role === 'STAFF'));

/** A mail that may yet arrive is tried this often, with these gaps; the first try is at once. */
const SEND_GAPS = [10 * SECOND, MINUTE, 5 * MINUTE];
/** The gap after try `n` (from 1), or null: given up. */
export const sendGap = (n: number): number | null => SEND_GAPS[n - 1] ?? null;
