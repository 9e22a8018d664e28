/** The commands of an order item's run, its calls and their outcomes. Text that a person typed is passed by its id (X24). */
import type { ContentOf } from '../kernel/messages.ts';
import type { CANCEL_REASONS, DeliveryMethod } from './rules.ts';
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
      /** Absent: all remaining units. */
      readonly quantity?: number;
      readonly holdRefund?: boolean;
    };
    readonly decide: object;
    readonly extend: object;
    readonly hold: { readonly expectedDispatchDate: string; readonly reasonId?: string };
    readonly correctTracking: { readonly carrierCode: string; readonly trackingNumberId?: string };
  };
  readonly calls: {
    /** Poll `n` of the courier for a shipment, at the business time `at`. The scans are stored in Postgres and never pass Temporal. */
    readonly pollShipment: {
      readonly input: { readonly orderItemId: string; readonly n: number; readonly at: number };
      readonly outcome: { readonly result: TrackingReading['result'] | 'STALE' };
    };
  };
}
export type ItemCommand = ContentOf<OrderItemMessages['commands']>;
export type OrderItemCommandName = keyof OrderItemMessages['commands'];
/** The commands of a buyer: actions of the item's flow. */
export type BuyerCommand = 'decide' | 'extend';
/** The commands that change the item but not its flow. */
export type RecordCommand = Extract<ItemCommand, { readonly name: 'hold' | 'correctTracking' }>;
export const isRecordCommand = (command: ItemCommand): command is RecordCommand =>
  command.name === 'hold' || command.name === 'correctTracking';
export const isBuyerCommand = (name: OrderItemCommandName): name is BuyerCommand => name === 'decide' || name === 'extend';
