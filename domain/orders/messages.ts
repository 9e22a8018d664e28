/** What an order item's run is told, whom it asks, and what comes back. What a person typed waits in `command_text`; its id goes along (X24). */
import type { ContentOf } from '../kernel/messages.ts';
import type { CANCEL_REASONS } from './refunds.ts';
import type { DeliveryMethod } from './rules.ts';
import type { TrackingReading } from './tracking.ts';

export interface OrderItemMessages {
  readonly commands: {
    readonly confirm: object;
    readonly dispatch: { readonly deliveryMethod: DeliveryMethod; readonly carrierCode?: string; readonly trackingNumberId?: string };
    readonly delivered: object;
    readonly fulfill: { readonly noteId?: string };
    readonly cancel: {
      readonly reason: (typeof CANCEL_REASONS)[number];
      readonly detailId?: string;
      /** All that remain when absent. */
      readonly quantity?: number;
      readonly holdRefund?: boolean;
    };
    readonly decide: object;
    readonly extend: object;
    readonly hold: { readonly expectedDispatchDate: string; readonly reasonId?: string };
    readonly correctTracking: { readonly carrierCode: string; readonly trackingNumberId?: string };
  };
  readonly calls: {
    /** Asks the courier where the shipment is: poll `n` since its dispatch, at the business time `at`. The scans are kept in Postgres. */
    readonly pollShipment: {
      readonly input: { readonly orderItemId: string; readonly n: number; readonly at: number };
      readonly outcome: { readonly result: TrackingReading['result'] | 'STALE' };
    };
  };
}
export type ItemCommand = ContentOf<OrderItemMessages['commands']>;
export type OrderItemCommandName = keyof OrderItemMessages['commands'];
/** What a buyer may: actions of its flow. */
export type BuyerCommand = 'decide' | 'extend';
/** What changes the record and leaves the flow where it is. */
export type RecordCommand = Extract<ItemCommand, { readonly name: 'hold' | 'correctTracking' }>;
export const isRecordCommand = (command: ItemCommand): command is RecordCommand =>
  command.name === 'hold' || command.name === 'correctTracking';
export const isBuyerCommand = (name: OrderItemCommandName): name is BuyerCommand => name === 'decide' || name === 'extend';
