/** What an order item is told of its claims, in the claim's own transaction: its deadlines rest while one is open (docs/contract.md#flow). */
import type { Moment } from '../kernel/clock.ts';
import { LockMode } from '@mikro-orm/core';
import { Fault } from '../../domain/kernel/errors.ts';
import { orderItemWorkflowId } from '../../workflows/kernel/messages.ts';
import type { Em } from '../kernel/tx.ts';
import { wakeLater } from '../runs/commands.ts';
import { readStore } from '../stores/queries.ts';
import { advance } from './advance.ts';
import { OrderItemEntity } from './entities.ts';

export interface ClaimNews {
  readonly type: 'claim.opened' | 'claim.closed';
  readonly claimId: string;
}

/** Pauses or resumes the item's deadlines with the time that was left, and asks its run to look again. */
export async function noteClaim(em: Em, storeId: string, orderItemId: string, news: ClaimNews, { at, realNow }: Moment): Promise<void> {
  const item = await em.findOne(OrderItemEntity, { storeId, orderItemId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!item) throw new Fault('ORDER_ITEM_NOT_FOUND');
  const store = await readStore(em, storeId);
  const event = news.type === 'claim.opened' ? { ...news, type: news.type, member: orderItemId } : { ...news, type: news.type };
  await advance({ em, item, store, at, realNow }, event, null);
  const workflowId = orderItemWorkflowId(storeId, item.orderItemNo);
  wakeLater(em, { storeId, workflowType: 'orderItem', workflowId, entityId: orderItemId, orderNo: item.orderItemNo.slice(0, 14) }, realNow);
}
