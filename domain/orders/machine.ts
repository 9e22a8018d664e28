/** Commands of an order item and their refusals (D71 … D73); the API's early refusal and the item's transition call the same functions. */
import type { Flow } from '../flows/flow.ts';
import { step } from '../flows/step.ts';
import type { FlowEvent, FlowState } from '../flows/state.ts';
import { isBuyerCommand, isRecordCommand, type ItemCommand, type RecordCommand } from './messages.ts';
import { cancelQuantity, checkHandover, checkRecord, type Dispatch, type FulfillmentSnapshot, refused } from './rules.ts';
import type { PublicStatus } from '../flows/status.ts';

/** The fields of an item that decisions depend on. */
export interface ItemState {
  readonly orderItemId: string;
  readonly status: PublicStatus;
  readonly flow: Flow;
  readonly flowState: FlowState;
  readonly quantity: number;
  readonly canceledQuantity: number;
  readonly fulfillmentSnapshot: FulfillmentSnapshot;
  readonly dispatch?: Dispatch | null | undefined;
}

/** Checks a command that changes the item but not its flow. Refusals are Faults: INVALID_STATUS, NOT_SHIPPABLE. */
export function checkRecordCommand(item: ItemState, command: RecordCommand): void {
  checkHandover(item.fulfillmentSnapshot, command.name);
  checkRecord(command.name, item.status, item.dispatch ?? null);
}

/**
 * The flow event of any other command. A cancel is no action of the flow graph: it reduces the item's units in whatever state it is.
 * `refId` identifies the request in the flow's trace. Refusals are Faults: SHIPPING_REQUIRED, NOT_SHIPPABLE, ALREADY_CANCELED,
 * CLAIM_IN_PROGRESS, INVALID_STATUS, INVALID_QUANTITY.
 */
export function flowEventOf(item: ItemState, command: Exclude<ItemCommand, RecordCommand>, refId: string): FlowEvent {
  if (command.name === 'cancel') {
    const { flow, flowState: state, quantity: all, canceledQuantity, orderItemId } = item;
    const cancelable = { flow, state, activeQuantity: all - canceledQuantity };
    const quantity = cancelQuantity(cancelable, command.input.quantity ?? null);
    return { type: 'reduced', member: orderItemId, quantity, cause: 'SELLER_CANCEL', refId };
  }
  const { name: key } = command;
  checkHandover(item.fulfillmentSnapshot, key);
  return { type: isBuyerCommand(key) ? 'buyer.action' : 'seller.action', key };
}

/** Refusals do not depend on the settings. */
const NO_SETTINGS = { settings: { autoDeliverDays: 0, autoConfirmDays: 0 } };

/** The early refusal: throws what the transition would throw for the item's current state. */
export function checkCommand(item: ItemState, command: ItemCommand, at: number): void {
  if (isRecordCommand(command)) return checkRecordCommand(item, command);
  const event = flowEventOf(item, command, '');
  if (event.type === 'reduced') return;
  const result = step(item.flow, item.flowState, event, at, NO_SETTINGS);
  if (!result.ok) throw refused(result);
}
