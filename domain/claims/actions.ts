/** What a buyer may do about claims of an item, and why not (docs/contract.md#claims). */
import { MAX_ITEM, Meter } from '../flows/expressions/meter.ts';
import { permits } from '../flows/run/permissions.ts';
import { type ClaimableItem, filingRefusal, permissionsOf } from './filing.ts';
import { CLAIM_TYPES, type ClaimSummary, type ClaimType, isOpen } from './rules.ts';

export interface ClaimAction {
  readonly key: 'cancel' | 'return' | 'exchange' | 'withdraw';
  readonly label: string;
  /** Null: it is enabled. */
  readonly reason: string | null;
}
const ACTIONS: Readonly<Record<ClaimType, { readonly key: ClaimAction['key']; readonly label: string }>> = {
  CANCEL: { key: 'cancel', label: '취소 신청' },
  RETURN: { key: 'return', label: '반품 신청' },
  EXCHANGE: { key: 'exchange', label: '교환 신청' },
};

/**
 * The claims that the item's state offers, of all that remains and without a fault of the seller, and the withdrawal of its open claim.
 * `at`: business milliseconds. `meter`: what the limits of its flow may cost.
 */
export function claimActions(item: ClaimableItem, claims: readonly ClaimSummary[], at: number, meter = new Meter(MAX_ITEM)): ClaimAction[] {
  const quantity = item.quantity - item.canceledQuantity;
  const offered = CLAIM_TYPES.flatMap((type): ClaimAction[] => {
    if (!permissionsOf(type).some((permission) => permits(item.flow, item.flowState, permission))) return [];
    return [{ ...ACTIONS[type], reason: filingRefusal(item, { type, quantity, reason: 'CHANGE_OF_MIND' }, at, meter) }];
  });
  const open = claims.find(({ status }) => isOpen(status));
  if (!open) return offered;
  const reason = open.status === 'REQUESTED' || open.status === 'HELD' ? null : 'NOT_IN_STATE';
  return [...offered, { key: 'withdraw', label: '신청 철회', reason }];
}
