/** An item with what commands are judged with, before its run carries them out. */
import type { Facts } from '../../domain/flows/run/state.ts';
import { PLATFORM_FIELDS } from '../../domain/orders/platform.ts';
import { flowFacts } from '../flows/facts.ts';
import type { Tx } from '../kernel/tx.ts';
import { readStore } from '../stores/queries.ts';
import type { OrderItem } from './entities.ts';
import { readGroup, readItem } from './queries.ts';

export interface ItemWithFacts {
  readonly item: OrderItem;
  readonly facts: Facts;
}
/** ORDER_ITEM_NOT_FOUND. A flow of the code reads nothing but its own state: no setting refuses an action. */
export async function readItemWithFacts(tx: Tx, orderItemId: string): Promise<ItemWithFacts> {
  const item = await readItem(tx, orderItemId);
  const members = item.groupId ? await readGroup(tx, item.groupId) : [item];
  const settings = item.flowFacts ? await readStore(tx) : { autoDeliverDays: 0, autoConfirmDays: 0 };
  return { item, facts: flowFacts(item, members, settings, { platformFields: PLATFORM_FIELDS }) };
}
