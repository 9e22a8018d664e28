/** Claims of an order item pause its deadlines, in the transaction of the claim (docs/contract.md#flow). */
import { LockMode } from '@mikro-orm/core';
import { Fault } from '../../domain/kernel/errors.ts';
import { orderItemRun } from '../../workflows/kernel/messages.ts';
import type { Tx } from '../kernel/tx.ts';
import { enqueueWake } from '../runs/commands.ts';
import { readStore } from '../stores/queries.ts';
import { advance } from './advance.ts';
import { OrderItemEntity } from './entities.ts';

export interface ClaimChange {
  readonly type: 'claim.opened' | 'claim.closed';
  readonly claimId: string;
}

/** Pauses the item's deadlines or resumes them with their remaining time, and wakes its run. ORDER_ITEM_NOT_FOUND. */
export async function applyClaim(tx: Tx, orderItemId: string, change: ClaimChange): Promise<void> {
  const { em, storeId } = tx;
  const item = await em.findOne(OrderItemEntity, { storeId, orderItemId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!item) throw new Fault('ORDER_ITEM_NOT_FOUND');
  const store = await readStore(tx);
  const event = change.type === 'claim.opened' ? { ...change, type: change.type, member: orderItemId } : { ...change, type: change.type };
  await advance({ tx, item, store }, event, null);
  enqueueWake(tx, orderItemRun(item));
}
