/**
 * The commands of an order item's run, and of the run of a group of items; their calls and outcomes. Text that a person typed is
 * passed by its id: `payloadId` is that of the JSON of an `ActionPayload`.
 */
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
    /** An action of the item's flow, by its key. */
    readonly act: { readonly side: 'seller' | 'buyer'; readonly key: string; readonly payloadId?: string };
    /** An event from outside, `custom.*` (F30). */
    readonly receive: { readonly payloadId?: string };
    /** To another state directly. */
    readonly move: { readonly to: string; readonly reasonId?: string };
  };
  readonly calls: {
    /** Poll `n` of the courier for a shipment, at the business time `at`. The scans are stored in Postgres and never pass Temporal. */
    readonly pollShipment: {
      readonly input: { readonly orderItemId: string; readonly n: number; readonly at: number };
      readonly outcome: { readonly result: TrackingReading['result'] | 'STALE' };
    };
    readonly askExternal: ExternalCall;
  };
}
/** The one request of an external node's entry. What it answers is stored in Postgres. */
export interface ExternalCall {
  readonly input: { readonly ownerId: string; readonly nodeId: string; readonly call: string; readonly at: number };
  /** `waiting`: it was not made, and is asked for again at its turn. */
  readonly outcome: { readonly result: ExternalResult | 'waiting' };
}
export type ExternalResult = 'success' | 'skipped' | 'failed';

/** The commands that step the flow. */
export type FlowCommandName = Exclude<OrderItemCommandName, 'hold' | 'correctTracking'>;
/** Those of a group name the member that they are sent to. */
export interface OrderGroupMessages {
  readonly commands: {
    readonly [N in FlowCommandName]: OrderItemMessages['commands'][N] & { readonly orderItemId: string };
  };
  readonly calls: { readonly askExternal: ExternalCall };
}

/** What accompanies an action or an event; `uploads`: the upload ids of its addresses that are uploads of the store. */
export interface ActionPayload {
  readonly input?: Readonly<Record<string, unknown>>;
  readonly attachments?: readonly string[];
  readonly uploads?: Readonly<Record<string, string>>;
  /** Of an event: its name, and its data blocks. */
  readonly name?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export type ItemCommand = ContentOf<OrderItemMessages['commands']>;
export type FlowCommand = Exclude<ItemCommand, RecordCommand>;
export type OrderItemCommandName = keyof OrderItemMessages['commands'];
/** The commands of a buyer: actions of the item's flow. */
export type BuyerCommand = 'decide' | 'extend';
/** The commands that change the item but not its flow. */
export type RecordCommand = Extract<ItemCommand, { readonly name: 'hold' | 'correctTracking' }>;
export const isRecordCommand = (command: ItemCommand): command is RecordCommand =>
  command.name === 'hold' || command.name === 'correctTracking';
/** Whether a buyer sent it, who is answered with what buyers see. */
export const isBuyerCommand = (command: ItemCommand): boolean =>
  command.name === 'decide' || command.name === 'extend' || (command.name === 'act' && command.input.side === 'buyer');
