/** What the present states allow buyers and sellers to claim, until when, and for which fee (F37). */
import { duration } from '../../kernel/time.ts';
import { ExpressionError } from '../expressions/errors.ts';
import { MAX_STEP, Meter } from '../expressions/meter.ts';
import type { Scope } from '../expressions/types.ts';
import { scopeAt } from './draft.ts';
import type { Flow } from './flow.ts';
import type { Permission, PermissionKey } from '../graph/graph.ts';
import { leaves, type Location } from './positions.ts';
import type { Facts, FlowState } from './state.ts';

/** The permission at each running position; null where one of them does not have it. Each of them decides (the strictest wins). */
function found(flow: Flow, state: FlowState, key: PermissionKey): readonly (readonly [Location, true | Permission])[] | null {
  if (state.done) return null;
  const permissions = leaves(flow, state).map((location) => {
    const { node } = location;
    return [location, node.type === 'state' ? node.permissions?.[key] : undefined] as const;
  });
  return permissions.every((one): one is readonly [Location, true | Permission] => one[1] !== undefined) ? permissions : null;
}

/** Whether every running position has this permission, whatever its limit. */
export const permits = (flow: Flow, state: FlowState, key: PermissionKey): boolean => found(flow, state, key) !== null;

/** What is claimed. `refundableWon`: its cash and points share after coupon. */
export interface Claimed {
  readonly quantity: number;
  readonly reason: string;
  readonly refundableWon: number;
}
export interface ClaimAt {
  readonly at: number;
  readonly facts: Facts;
  readonly member: string;
  /** Absent: only whether and until when. */
  readonly claim?: Claimed;
  /** Only whether and until when such a claim is accepted. */
  readonly withoutFee?: boolean;
  /** What the expressions may cost together; absent: what those of a step may. */
  readonly meter?: Meter | undefined;
}
export interface Allowance {
  readonly reason: 'NOT_IN_STATE' | 'PERIOD_EXPIRED' | null;
  /** The last moment, which still counts; null: there is none. */
  readonly until: number | null;
  /** Won, 0..refundable. */
  readonly deductWon: number;
  /** An expression failed: a cancel at once becomes a request, so that the seller decides. */
  readonly isUnsure: boolean;
}
const NOT_THERE: Allowance = { reason: 'NOT_IN_STATE', until: null, deductWon: 0, isUnsure: false };

/** The earliest limit and the highest fee of all running positions. */
export function allowance(flow: Flow, state: FlowState, key: PermissionKey, { meter = new Meter(MAX_STEP), ...claim }: ClaimAt): Allowance {
  const metered = { ...claim, meter };
  const permissions = found(flow, state, key);
  if (!permissions) return NOT_THERE;
  let [until, deductWon, isUnsure] = [Infinity, 0, false];
  const unsure = () => {
    isUnsure = true;
    return null;
  };
  for (const [location, permission] of permissions) {
    if (permission === true) continue;
    until = Math.min(until, limitOf(location, permission, state, metered, unsure) ?? Infinity);
    deductWon = Math.max(deductWon, metered.claim && !metered.withoutFee ? feeOf(location, permission, state, metered, unsure) : 0);
  }
  const limit = Number.isFinite(until) ? until : null;
  return { reason: limit !== null && metered.at > limit ? 'PERIOD_EXPIRED' : null, until: limit, deductWon, isUnsure };
}

function limitOf(location: Location, { within, until }: Permission, state: FlowState, metered: ClaimAt, unsure: () => null): number | null {
  if (within !== undefined) return location.position.enteredAt + (duration(within) ?? 0);
  return until === undefined ? null : valueOf(location, until, state, metered, unsure);
}

/** Rounded down, within 0..refundable. */
function feeOf(location: Location, { fee, deduct }: Permission, state: FlowState, metered: ClaimAt, unsure: () => null): number {
  const refundable = metered.claim?.refundableWon ?? 0;
  const deducted = (): number => (typeof deduct === 'string' ? valueOf(location, deduct, state, metered, unsure) : deduct) ?? 0;
  const value = feeAmount(fee, refundable) ?? deducted();
  return Math.min(refundable, Math.max(0, Math.floor(value)));
}
/** Null: the fee is not of a fixed kind. */
function feeAmount(fee: Permission['fee'], refundable: number): number | null {
  if (fee?.type === 'flat') return fee.amount;
  if (fee?.type !== 'ratio') return null;
  return Number((BigInt(refundable) * BigInt(Math.round(fee.percent * 100))) / 10_000n);
}

function valueOf(
  location: Location,
  source: string,
  state: FlowState,
  { at, facts, member, claim, meter }: ClaimAt,
  unsure: () => null,
): number | null {
  const more: Partial<Scope> = claim ? { refundable: claim.refundableWon, claim: { quantity: claim.quantity, reason: claim.reason } } : {};
  try {
    const scope = { ...scopeAt({ state, facts, at }, location.position, member), ...more };
    const value = location.graph.expressions.evaluate(source, scope, meter);
    return typeof value === 'number' ? value : unsure();
  } catch (error) {
    if (error instanceof ExpressionError) return unsure();
    throw error;
  }
}
