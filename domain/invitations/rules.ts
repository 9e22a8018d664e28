/** Members and invitations: who may change whom, lifetime of links, retries of mails (docs/contract.md#members). */
import type { Role } from '../identity/rules.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../kernel/time.ts';

export const INVITATION_STATUSES = ['PENDING', 'ACCEPTED', 'CANCELED', 'EXPIRED'] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];
export const LINK_MS = 7 * DAY;
/** Accepting requires a login that is at most this old. Real time. */
export const FRESH_LOGIN_MS = 10 * MINUTE;

/** Limits of invitation mails over a sliding window; real time. */
export const SEND_LIMITS = [
  { limit: 'STORE', max: 20, withinMs: HOUR },
  { limit: 'SENDER', max: 50, withinMs: DAY },
  { limit: 'RECIPIENT', max: 5, withinMs: DAY },
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

/** Why `actor` may not change a member's role to `to`, or remove them (null); null when they may. Only the OWNER changes ADMINs. */
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

/** Whether an actor may invite somebody as `role`, and resend or cancel such an invitation. */
export const mayHandle = (actor: Role, role: Role): boolean =>
  role !== 'OWNER' && (actor === 'OWNER' || (actor === 'ADMIN' && role === 'STAFF'));

/** Gaps before the second, third and fourth send attempt; the first is immediate. */
const SEND_GAPS = [10 * SECOND, MINUTE, 5 * MINUTE];
/** The gap after attempt `n` (from 1), or null when that was the last. */
export const sendGap = (n: number): number | null => SEND_GAPS[n - 1] ?? null;
