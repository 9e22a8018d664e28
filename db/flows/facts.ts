/** What the steps and the permissions of a flow read besides its state. Everything is in the rows: nothing is read for it. */
import type { Facts } from '../../domain/flows/run/state.ts';
import { isShipped } from '../../domain/checkout/rules.ts';
import type { FulfillmentMethod } from '../../domain/products/rules.ts';
import { lineShare, type PaidLine } from '../../domain/refunds/rules.ts';
import { type FlowRef, holidaysOf } from './loaded.ts';

/** Frozen at payment: the variant's attributes, and the order. */
export interface FlowFacts {
  readonly option: Readonly<Record<string, unknown>>;
  readonly order: NonNullable<Facts['order']>;
}
/** The row of an order item, as far as its flow reads it. */
export interface FactRow extends FlowRef, PaidLine {
  readonly orderItemId: string;
  readonly unitPriceWon: number;
  readonly canceledQuantity: number;
  readonly stay?: { readonly checkIn: string; readonly checkOut: string; readonly nights: readonly unknown[] } | null | undefined;
  /** Null where its flow is one of the code's, which read nothing but the settings. */
  readonly flowFacts?: FlowFacts | null | undefined;
  readonly isSettled: boolean;
  readonly fulfillmentSnapshot: { readonly method: FulfillmentMethod };
}

/**
 * The facts of the flow of `stepped`, an item or the group: its version tells which holidays it asks for, and `loadFlows` was called for
 * it. `items` are its members' rows, `more` what the event brings, as uploads. A flow of the code reads nothing but the settings.
 */
export function flowFacts(
  stepped: FlowRef,
  items: readonly FactRow[],
  { autoDeliverDays, autoConfirmDays }: Facts['settings'],
  more: Partial<Facts> = {},
): Facts {
  const settings = { autoDeliverDays, autoConfirmDays };
  const [first] = items;
  if (!first?.flowFacts) return { settings, ...more };
  return {
    settings,
    holidays: holidaysOf(stepped),
    order: first.flowFacts.order,
    items: Object.fromEntries(items.map((item) => [item.orderItemId, itemFacts(item)])),
    ...(items.length > 1 && { shipped: new Set(items.filter(isShippedRow).map(({ orderItemId }) => orderItemId)) }),
    refundableWon: Object.fromEntries(items.map((item) => [item.orderItemId, refundableWon(item, item.quantity - item.canceledQuantity)])),
    ...more,
  };
}

const isShippedRow = ({ fulfillmentSnapshot: { method } }: FactRow): boolean => isShipped({ fulfillmentMethod: method });

export const itemFacts = ({ quantity, unitPriceWon: unitPrice, stay, flowFacts: facts }: FactRow): NonNullable<Facts['items']>[string] => ({
  quantity,
  unitPrice,
  option: facts?.option ?? {},
  stay: stay ? { checkIn: stay.checkIn, checkOut: stay.checkOut, nights: stay.nights.length } : null,
});

/** The cash and points share after coupon of the next `quantity` units that leave; nothing of what its flow has refunded. */
export function refundableWon(item: FactRow, quantity: number): number {
  if (item.isSettled) return 0;
  const { cashWon, pointWon } = lineShare(item, item.canceledQuantity, quantity);
  return cashWon + pointWon;
}
