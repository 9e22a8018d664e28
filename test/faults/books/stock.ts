/**
 * The books of stock: of each option and night, what it began with, what the seller's writes did to it, what orders took and what came back
 * is what there is. Orders and claims are read from outside. A plain write of an absolute count stands in the books as its movement says,
 * because only the system knows what it wrote over; every other write as the seller knows it.
 */
import type { Claim, Facts, Item, Movement } from './facts.ts';
import type { Departure, Shop } from './shop.ts';

export function stockBroken(shop: Shop, facts: Facts): string[] {
  const recorded = Map.groupBy(facts.movements, ({ key }) => key);
  const outside = movedByOrders(shop, facts);
  const seller = Map.groupBy(shop.stockWrites, ({ key }) => key);
  const found: string[] = [];
  for (const [key, now] of facts.stock) {
    const own = recorded.get(key) ?? [];
    const begun = sum(own.filter(({ reason }) => reason === 'INITIAL').map(({ quantity }) => quantity));
    const written = (seller.get(key) ?? []).map((write) => ({ ...write, moved: movedBy(own, write.requestId) }));
    for (const { known, moved, what, requestId } of written)
      if (known !== null && known !== moved)
        found.push(`${key}: a ${what} changed the stock by ${moved}, and what its seller saw and sent makes ${known} (${requestId})`);
    const changed = sum(written.map(({ known, moved }) => known ?? moved));
    const ordered = outside.get(key) ?? 0;
    if (begun + changed + ordered !== now)
      found.push(`${key}: it began with ${begun}, its seller changed ${changed}, orders and claims ${ordered}, and there are ${now}`);
    if (now < 0) found.push(`${key}: a stock of ${now}`);
  }
  for (const key of outside.keys()) if (!facts.stock.has(key)) found.push(`${key} was sold and is not there`);
  return [...found, ...strayWrites(shop, facts)];
}
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const movedBy = (own: readonly Movement[], requestId: string): number =>
  sum(own.filter(({ reason, reference }) => reason === 'SELLER' && reference === requestId).map(({ quantity }) => quantity));

/** Movements of a seller who sent no stock. */
function strayWrites({ stockWrites }: Shop, { movements }: Facts): string[] {
  const requested = new Set(stockWrites.map(({ requestId, key }) => `${requestId} ${key}`));
  return movements
    .filter(({ reason, reference, key }) => reason === 'SELLER' && !requested.has(`${reference} ${key}`))
    .map((movement) => `a write moved stock that it did not send: ${JSON.stringify(movement)}`);
}

/** What orders have taken of each option and night, and what came back. */
function movedByOrders(shop: Shop, { orders, claims }: Facts): ReadonlyMap<string, number> {
  const moved = new Map<string, number>();
  const items = new Map(orders.flatMap((order) => order.items).map((item) => [item.orderItemId, item]));
  const move = ({ optionId, stay }: Pick<Item, 'optionId' | 'stay'>, quantity: number) => {
    for (const key of stay ? stay.nights.map(({ date }) => `${optionId}/${date}`) : [optionId])
      moved.set(key, (moved.get(key) ?? 0) + quantity);
  };
  for (const item of items.values()) move(item, -item.quantity);
  for (const { orderItemId, quantity } of sellersCancels(shop)) move(items.get(orderItemId)!, quantity);
  for (const claim of claims) {
    const item = items.get(claim.orderItemId)!;
    const isShipped = shop.specOf(item.productId).shipping !== null;
    move(item, backOf(claim, isShipped));
    if (claim.redelivery) move({ optionId: claim.redelivery.optionId, stay: item.stay }, -claim.quantity);
  }
  return moved;
}
const sellersCancels = ({ departures }: Shop): Departure[] => departures.filter(({ claimId }) => claimId === null);

/**
 * Goods come back when they are collected, as far as they are sound, and are sent out again when the claim is rejected; all else at the
 * approval.
 */
function backOf({ type, status, quantity, collection, inspection, stockShortfall }: Claim, isShipped: boolean): number {
  if (type === 'CANCEL' || !isShipped) return status === 'COMPLETED' ? quantity : 0;
  if (!collection?.completedAt) return 0;
  const sound = inspection?.soundQuantity ?? quantity;
  return status === 'REJECTED' ? stockShortfall : sound;
}
