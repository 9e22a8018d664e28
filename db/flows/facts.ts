/** What the steps and the permissions of a flow read besides its state. Everything is in the rows: nothing is read for it. */
import type { Facts } from '../../domain/flows/state.ts';
import { lineShare } from '../../domain/refunds/rules.ts';
import type { OrderItem } from '../orders/entities.ts';
import { holidaysOf } from './loaded.ts';

/**
 * The facts of a flow: `items` are its members' rows, for which `loadFlows` was called; `more` what the event brings, as uploads. A flow of
 * the code reads nothing but the settings.
 */
export function flowFacts(
  items: readonly OrderItem[],
  { autoDeliverDays, autoConfirmDays }: Facts['settings'],
  more: Partial<Facts> = {},
): Facts {
  const settings = { autoDeliverDays, autoConfirmDays };
  const [first] = items;
  if (!first?.flowFacts) return { settings, ...more };
  return {
    settings,
    holidays: holidaysOf(first),
    order: first.flowFacts.order,
    items: Object.fromEntries(items.map((item) => [item.orderItemId, itemFacts(item)])),
    refundableWon: Object.fromEntries(items.map((item) => [item.orderItemId, refundableWon(item, item.quantity - item.canceledQuantity)])),
    ...more,
  };
}

const itemFacts = ({ quantity, unitPriceWon: unitPrice, stay, flowFacts: facts }: OrderItem): NonNullable<Facts['items']>[string] => ({
  quantity,
  unitPrice,
  option: facts?.option ?? {},
  stay: stay ? { checkIn: stay.checkIn, checkOut: stay.checkOut, nights: stay.nights.length } : null,
});

/** The cash and points share after coupon of the next `quantity` units that leave (D49); nothing of what its flow has refunded (F40). */
export function refundableWon(item: OrderItem, quantity: number): number {
  if (item.isSettled) return 0;
  const { cashWon, pointWon } = lineShare(item, item.canceledQuantity, quantity);
  return cashWon + pointWon;
}
