/** Requests for another shipping address, and what the seller decides (docs/contract.md#address-changes). */
import { LockMode } from '@mikro-orm/core';
import type { Address } from '../../domain/checkout/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { type AddressChange, type AddressedOrder, decide, request } from '../../domain/orders/addressChange.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
import { emit } from '../webhooks/events.ts';
import { type Order, OrderEntity, OrderItemEntity } from './entities.ts';

/** Items before their order, as transitions lock them: none is dispatched until this transaction ends. ORDER_NOT_FOUND. */
async function lockOrder({ em, storeId }: Tx, orderId: string): Promise<{ readonly order: Order; readonly addressed: AddressedOrder }> {
  const items = await em.find(OrderItemEntity, { storeId, orderId }, { lockMode: LockMode.PESSIMISTIC_READ, orderBy: { position: 'asc' } });
  const order = await em.findOne(OrderEntity, { storeId, orderId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!order) throw new Fault('ORDER_NOT_FOUND');
  const addressed = {
    remoteArea: order.delivery.remoteArea,
    items: items.map(({ status, fulfillmentSnapshot: { method } }) => ({ status, method })),
    addressChange: order.addressChange ?? null,
  };
  return { order, addressed };
}

/** The buyer asks. The same address again, while it waits, changes nothing. */
export async function requestAddressChange(tx: Tx, orderId: string, address: Address): Promise<void> {
  const { order, addressed } = await lockOrder(tx, orderId);
  const { at } = tx;
  const requested = request(addressed, address, { id: newId('adc', at), at });
  if (!requested) return;
  change(tx, order, requested);
  const { progressStatus: status, testPayment } = order;
  await emit(tx, [{ type: 'ORDER.ADDRESS_CHANGE_REQUESTED', at, data: { orderId, status, testPayment } }]);
}

/** The seller accepts (`reason` null), and goods are sent to that address; or rejects. */
export async function decideAddressChange(
  tx: Tx,
  orderId: string,
  decision: { readonly addressChangeId: string; readonly reason: string | null },
): Promise<void> {
  const { order, addressed } = await lockOrder(tx, orderId);
  const decided = decide(addressed, decision, tx.at);
  change(tx, order, decided);
  if (decided.status !== 'ACCEPTED') return;
  const { shippingAddress } = decided;
  Object.assign(order, { shippingAddress, delivery: { ...order.delivery, zipCode: shippingAddress.zipCode } });
}

function change({ feed, at }: Tx, order: Order, addressChange: AddressChange): void {
  Object.assign(order, { addressChange, lastChangedAt: new Date(at) });
  feed.changed(at, order.orderId, []);
}

/** The answer about an order that has changed: it will tell the final time of the change. */
export function answered<T extends { lastChangedAt: string }>({ feed }: Tx, order: T): T {
  feed.answered(order);
  return order;
}
