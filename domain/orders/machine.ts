/** Commands of an order item and their refusals; the API's early refusal and the transition call the same functions. */
import { actions, platformAction } from '../flows/run/actions.ts';
import { MAX_DATA_BYTES } from '../flows/run/data.ts';
import type { Flow } from '../flows/run/flow.ts';
import type { Action, PlatformAction } from '../flows/graph/graph.ts';
import { step } from '../flows/run/step.ts';
import type { Facts, FlowEvent, FlowState, Refusal } from '../flows/run/state.ts';
import { Fault, invalid } from '../kernel/errors.ts';
import { type ActionPayload, type FlowCommand, isRecordCommand, type ItemCommand, type RecordCommand } from './messages.ts';
import { cancelQuantity, checkHandover, checkRecord, type Dispatch, type FulfillmentSnapshot, type Moment, refused } from './rules.ts';
import type { PublicStatus } from '../flows/graph/status.ts';

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
 * CLAIM_IN_PROGRESS, INVALID_STATUS, PERIOD_EXPIRED, INVALID_QUANTITY, ACTION_NOT_AVAILABLE.
 */
export function flowEventOf(item: ItemState, command: FlowCommand, refId: string, { at, facts, payload = {} }: Given & Moment): FlowEvent {
  const { orderItemId: member } = item;
  if (command.name === 'cancel') return cancelEvent(item, command.input, refId, { at, facts });
  if (command.name === 'act') return actionEvent(item, command.input, payload);
  if (command.name === 'move') return { type: 'move', to: command.input.to, member };
  if (command.name !== 'receive') return platformEvent(item, command.name, payload.input);
  const { name = '', data } = payload;
  return { type: 'event', name, member, ...(data && { data }) };
}

type CancelInput = Extract<FlowCommand, { readonly name: 'cancel' }>['input'];
function cancelEvent(
  { orderItemId: member, flow, flowState: state, ...item }: ItemState,
  input: CancelInput,
  refId: string,
  moment: Moment,
): FlowEvent {
  const { quantity: wanted = null, holdRefund: isHeld = false, reason } = input;
  const activeQuantity = item.quantity - item.canceledQuantity;
  const quantity = cancelQuantity({ flow, state, member, activeQuantity }, { wanted, isHeld, reason }, moment);
  return { type: 'reduced', member, quantity, cause: 'SELLER_CANCEL', refId };
}

type ActionInput = Extract<FlowCommand, { readonly name: 'act' }>['input'];
function actionEvent(item: ItemState, { side, key }: ActionInput, { input, attachments }: ActionPayload): FlowEvent {
  checkActionHandover(item, { side, key });
  const type = side === 'seller' ? 'seller.action' : 'buyer.action';
  return { type, key, member: item.orderItemId, ...(input && { input }), ...(attachments && { attachments }) };
}

/** The enabled action that the endpoint is, whatever its key. */
function platformEvent(item: ItemState, name: PlatformAction, input: ActionPayload['input']): FlowEvent {
  checkHandover(item.fulfillmentSnapshot, name);
  const { flow, flowState, orderItemId: member } = item;
  const key = platformAction(flow, flowState, name, member)?.key;
  const type = name === 'decide' || name === 'extend' ? 'buyer.action' : 'seller.action';
  // No action of the graph has this key.
  return { type, key: key ?? '', member, isPlatform: true, ...(input && { input }) };
}

/** The action that a command takes now; undefined where the state has none. */
export function actionOf({ flow, flowState }: Pick<ItemState, 'flow' | 'flowState'>, event: FlowEvent): Action | undefined {
  if (event.type !== 'seller.action' && event.type !== 'buyer.action') return undefined;
  return actions(flow, flowState, event.type === 'seller.action' ? 'seller' : 'buyer').find(({ action }) => action.key === event.key)
    ?.action;
}

/** A built-in action that does not fit the item is refused as at its endpoint (F11), after its state. */
function checkActionHandover(item: ItemState, { side, key }: { readonly side: 'seller' | 'buyer'; readonly key: string }): void {
  const view = actions(item.flow, item.flowState, side, item.orderItemId).find(({ action }) => action.key === key);
  if (!view || view.reason !== null || view.action.platform === undefined) return;
  try {
    checkHandover(item.fulfillmentSnapshot, view.action.platform);
  } catch (error) {
    throw error instanceof Fault ? new Fault('ACTION_NOT_AVAILABLE', { details: { reason: error.code } }) : error;
  }
}

/** A refusal of the flow as the Fault of a command: built-in endpoints have their own codes. */
export function faultOf(command: Pick<ItemCommand, 'name'> | null, refusal: Refusal): Fault {
  const { code, reason, issues } = refusal;
  if (code === 'FLOW_ACTION_INPUT_INVALID') return new Fault(code, { details: { issues } });
  if (code === 'VALIDATION_FAILED') return invalid('data', reason, `The flow keeps at most ${MAX_DATA_BYTES / 1024} KiB of data in all.`);
  const isOfFlows = command?.name === 'act' || command?.name === 'receive' || command?.name === 'move';
  return isOfFlows && code !== 'STALE' && code !== 'INVALID_QUANTITY' ? new Fault(code, { details: { reason } }) : refused(refusal);
}

/** The early refusal: throws what the transition would throw for the item's current state. */
export function checkCommand(item: ItemState, command: ItemCommand, at: number, given: Given): void {
  if (isRecordCommand(command)) return checkRecordCommand(item, command);
  const event = flowEventOf(item, command, '', { ...given, at });
  if (event.type === 'reduced') return;
  const result = step(item.flow, item.flowState, event, at, given.facts);
  if (!result.ok) throw faultOf(command, result);
}
/** What a command is judged with, besides the item. */
export interface Given {
  readonly facts: Facts;
  readonly payload?: ActionPayload;
}
