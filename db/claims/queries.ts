/** Lists and reads of claims. */
import { OrderItemEntity } from '../orders/entities.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { ClaimStatus, ClaimType } from '../../domain/claims/rules.ts';
import { countOf } from '../feeds/counts.ts';
import type { Tx } from '../kernel/tx.ts';
import { afterPosition, type Listed } from '../orders/queries.ts';
import { type Claim, ClaimEntity } from './entities.ts';

export interface ClaimFilter {
  readonly statuses?: readonly ClaimStatus[];
  readonly type?: ClaimType;
  readonly orderId?: string;
  readonly orderItemId?: string;
  readonly page: number;
  readonly size: number;
  /** The place behind which to read on; instead of a page. */
  readonly after?: { readonly at: number; readonly id: string };
}

/** Newest first. The total without a filter but statuses comes from the maintained counts. */
export async function listClaims(tx: Tx, filter: ClaimFilter): Promise<Listed<Claim>> {
  const { em, storeId } = tx;
  const { statuses, type, orderId, orderItemId, after, page, size } = filter;
  const where = {
    storeId,
    ...(statuses !== undefined && { status: { $in: [...statuses] } }),
    ...(type !== undefined && { type }),
    ...(orderId !== undefined && { orderId }),
    ...(orderItemId !== undefined && { orderItemId }),
  };
  const found = await em.find(
    ClaimEntity,
    { ...where, ...afterPosition('requestedAt', 'claimId', '$lt', after) },
    { orderBy: { requestedAt: 'desc', claimId: 'desc' }, limit: size + 1, offset: after ? 0 : (page - 1) * size },
  );
  const isCounted = type === undefined && orderId === undefined && orderItemId === undefined;
  const total = isCounted ? await countOf(tx, 'claim', { statuses }) : await em.count(ClaimEntity, where);
  return { items: found.slice(0, size), total, hasMore: found.length > size };
}

/** CLAIM_NOT_FOUND. */
export async function readClaim({ em, storeId }: Tx, claimId: string): Promise<Claim> {
  const claim = await em.findOne(ClaimEntity, { storeId, claimId });
  if (!claim) throw new Fault('CLAIM_NOT_FOUND');
  return claim;
}

/** An item of this order, for a guest who has proved that the order is theirs. ORDER_ITEM_NOT_FOUND for any other. */
export async function checkItemOf({ em, storeId }: Tx, orderId: string, orderItemId: string): Promise<void> {
  if ((await em.count(OrderItemEntity, { storeId, orderItemId, orderId })) === 0) throw new Fault('ORDER_ITEM_NOT_FOUND');
}
