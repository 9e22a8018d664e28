/** What the steps of flows work on, and what the functions beside them share. */
import { LockMode } from '@mikro-orm/core';
import type { Flow } from '../../../domain/flows/run/flow.ts';
import type { Facts, FlowState } from '../../../domain/flows/run/state.ts';
import type { FlowGroup } from '../../flows/entities.ts';
import { flowFacts } from '../../flows/facts.ts';
import { flowOf } from '../../flows/loaded.ts';
import type { Tx } from '../../kernel/tx.ts';
import { orderGroupRun, orderItemRun } from '../../../workflows/kernel/messages.ts';
import { enqueueDueWakes } from '../../runs/commands.ts';
import type { Store } from '../../stores/entities.ts';
import { type Order, OrderEntity, type OrderItem } from '../entities.ts';
import { flowStateOf } from './states.ts';

export interface TransitionContext {
  readonly tx: Tx;
  /** Locked, its flow loaded. */
  readonly item: OrderItem;
  readonly store: Store;
  /** The group that the item moves with: locked, with all its items. Absent: it moves by itself. */
  readonly group?: { readonly row: FlowGroup; readonly items: readonly OrderItem[] };
}

/** What leaves an item in a step: what its record in the flow says of it, and the event of a cancel. */
export interface EffectResults {
  readonly recorded: object;
  readonly canceled: { readonly quantity: number; readonly refundAmount: number; readonly pointRefundAmount: number } | null;
}
export const NO_EFFECT_RESULTS: EffectResults = { recorded: {}, canceled: null };

export const stateOf = ({ item, group }: TransitionContext): FlowState => group?.row.flowState ?? flowStateOf(item);
/** The flow that the state is in: items that left a group before a migration keep the version that they left. */
export const movingFlowOf = ({ item, group }: TransitionContext): Flow => flowOf(group?.row ?? item);
/** What the flow reads besides its state. */
export const factsOf = (context: TransitionContext, more: Partial<Facts> = {}): Facts =>
  flowFacts(context.group?.row ?? context.item, itemsOf(context), context.store, more);
export const itemsOf = ({ item, group }: TransitionContext): readonly OrderItem[] => group?.items ?? [item];

export const lockOrder = ({ tx, item: { storeId, orderId } }: TransitionContext): Promise<Order> =>
  tx.em.findOneOrFail(OrderEntity, { storeId, orderId }, { lockMode: LockMode.PESSIMISTIC_WRITE });

/** Sets the change time of an item and its order; the end of the transaction moves it where the feed has to grow (db/kernel/feed.ts). */
export function touch({ tx, item }: Pick<TransitionContext, 'tx' | 'item'>, order: Order): void {
  item.lastChangedAt = new Date(tx.at);
  order.lastChangedAt = item.lastChangedAt;
  tx.feed.changed(tx.at, order.orderId, [item.orderItemId]);
}

/** Wakes the runs whose deadlines this transaction has changed: the item's, and that of the group which it moves with. */
export async function wakeMoving(tx: Tx, item: OrderItem): Promise<void> {
  if (item.groupId) await enqueueDueWakes(tx, [orderGroupRun({ ...item, groupId: item.groupId })]);
  await enqueueDueWakes(tx, [orderItemRun(item)]);
}
