/** Names, ids and messages of the order-item run. */
import type { Call, Outcome } from '../kernel/messages.ts';

/** `order-item/{storeId}/{orderItemNo}`: the number, because people look for it (D69). */
export const orderItemWorkflowId = (storeId: string, orderItemNo: string): string => `order-item/${storeId}/${orderItemNo}`;

/** What a seller may wish of an order item. All but the cancel are actions of its flow. */
export type SellerCommand = 'confirm' | 'dispatch' | 'delivered' | 'fulfill' | 'cancel';
/** What a buyer may: actions of its flow. */
export type BuyerCommand = 'decide' | 'extend';
/** What changes the record and leaves the flow where it is. */
export type RecordCommand = 'hold' | 'correctTracking';
export type OrderItemCommand = SellerCommand | BuyerCommand | RecordCommand;
export const isBuyerCommand = (name: string): name is BuyerCommand => name === 'decide' || name === 'extend';
export const isRecordCommand = (name: string): name is RecordCommand => name === 'hold' || name === 'correctTracking';

/** The one call of an order item: asks the courier where its parcel is. The scans are kept in Postgres. */
export interface OrderCalls {
  trackShipment(call: Call): Promise<Outcome>;
}
