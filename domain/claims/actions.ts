/** What a buyer may do about claims of an item, and why not (F27 of the flows' decisions: docs/contract.md#claims). */
import type { PermissionKey } from '../flows/graph.ts';
import { permits } from '../flows/permissions.ts';
import { type ClaimableItem, filingOf } from './filing.ts';
import { type ClaimSummary, type ClaimType, isOpen } from './rules.ts';

export interface ClaimAction {
  readonly key: 'cancel' | 'return' | 'exchange' | 'withdraw';
  readonly label: string;
  /** Null: it is enabled. */
  readonly reason: string | null;
}
const ACTIONS: Readonly<
  Record<ClaimType, { readonly key: ClaimAction['key']; readonly label: string; readonly offeredBy: readonly PermissionKey[] }>
> = {
  CANCEL: { key: 'cancel', label: '취소 신청', offeredBy: ['buyerCancel', 'cancelRequest'] },
  RETURN: { key: 'return', label: '반품 신청', offeredBy: ['returnRequest'] },
  EXCHANGE: { key: 'exchange', label: '교환 신청', offeredBy: ['exchangeRequest'] },
};

/** The claims that the item's state offers, and the withdrawal of its open claim. `at`: business milliseconds. */
export function claimActions(item: ClaimableItem, claims: readonly ClaimSummary[], at: number): ClaimAction[] {
  const offered = (Object.keys(ACTIONS) as ClaimType[]).flatMap((type): ClaimAction[] => {
    const { key, label, offeredBy } = ACTIONS[type];
    if (!offeredBy.some((permission) => permits(item.flow, item.flowState, permission))) return [];
    const filing = filingOf(item, type, at);
    return [{ key, label, reason: 'refusal' in filing ? filing.refusal : null }];
  });
  const open = claims.find(({ status }) => isOpen(status));
  if (!open) return offered;
  const reason = open.status === 'REQUESTED' || open.status === 'HELD' ? null : 'NOT_IN_STATE';
  return [...offered, { key: 'withdraw', label: '신청 철회', reason }];
}
