/** What an item may be claimed for at a moment: the six permissions for a claim that somebody thinks of. */
import type { Flow } from './flow.ts';
import { type PermissionKey, PERMISSIONS } from '../graph/graph.ts';
import { allowance, type ClaimAt } from './permissions.ts';
import { isHeld } from './positions.ts';
import type { FlowState } from './state.ts';

/** Absent: all that remains, and a change of mind. */
export interface ClaimedItem {
  readonly quantity?: number;
  readonly reason?: string;
  readonly refundableWon?: number;
}
export interface Permitted {
  readonly allowed: boolean;
  readonly reason: 'NOT_IN_STATE' | 'PERIOD_EXPIRED' | 'CLAIM_IN_PROGRESS' | null;
  /** The last moment, which still counts; null: there is none. */
  readonly until: number | null;
  /** The fee in won, 0..refundable. */
  readonly deductWon: number;
  /** An expression fails, so that the seller decides (F39). */
  readonly isUnsure: boolean;
}
const NOT_THERE: Permitted = { allowed: false, reason: 'NOT_IN_STATE', until: null, deductWon: 0, isUnsure: false };

export interface MemberClaim extends Omit<ClaimAt, 'claim'> {
  readonly claim: ClaimedItem;
}
export function permittedOf(flow: Flow, state: FlowState | null, memberClaim: MemberClaim): Readonly<Record<PermissionKey, Permitted>> {
  const permitted = PERMISSIONS.map((key) => [key, state === null ? NOT_THERE : permittedBy(flow, state, key, memberClaim)] as const);
  return Object.fromEntries(permitted) as Record<PermissionKey, Permitted>;
}

function permittedBy(flow: Flow, state: FlowState, key: PermissionKey, { claim, ...memberClaim }: MemberClaim): Permitted {
  const member = state.members.find(({ id }) => id === memberClaim.member);
  const active = member?.activeQuantity ?? 0;
  const { quantity = active, reason = 'CHANGE_OF_MIND' } = claim;
  const { unitPrice = 0 } = memberClaim.facts.items?.[memberClaim.member] ?? {};
  // What was refunded on the way is not paid again.
  const refundableWon = member?.settled ? 0 : (claim.refundableWon ?? quantity * unitPrice);
  const { reason: refused, ...terms } = allowance(flow, state, key, { ...memberClaim, claim: { quantity, reason, refundableWon } });
  const why = refused ?? (isHeld(flow, state, memberClaim.member) ? 'CLAIM_IN_PROGRESS' : null);
  return { ...terms, reason: why, allowed: why === null };
}
