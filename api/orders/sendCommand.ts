/** What every seller wish of an order item does: a cheap refusal first, then the command to the item's run. */
import { quantityOf } from '../../db/orders/cancel.ts';
import type { OrderItem } from '../../db/orders/entities.ts';
import { customerOf } from '../../db/orders/lookups.ts';
import { readItem } from '../../db/orders/queries.ts';
import type { viewBuyerItem, viewItem } from '../../db/orders/views.ts';
import { graphOf } from '../../domain/flows/presets/index.ts';
import { step } from '../../domain/flows/rules.ts';
import { type ErrorCode, Fault } from '../../domain/kernel/errors.ts';
import type { Command } from '../../workflows/kernel/messages.ts';
import {
  type BuyerCommand,
  isBuyerCommand,
  isRecordCommand,
  type OrderItemCommand,
  orderItemWorkflowId,
} from '../../workflows/orders/contract.ts';
import { checkHandover, checkRecord, refused } from '../../domain/orders/rules.ts';
import type { Customer } from '../../db/customers/queries.ts';
import type { Commands } from '../kernel/commands.ts';

export interface CommandContext {
  readonly commands: Commands;
  readonly storeId: string;
  readonly at: number;
}
export interface ItemCommand {
  readonly name: OrderItemCommand;
  readonly input: Command['input'];
  /** Free text: it is kept in Postgres for the transition and never passes through Temporal (X24). */
  readonly text?: { readonly field: 'noteId' | 'detailId' | 'reasonId' | 'trackingNumberId'; readonly value: string };
}
/** The refusals that every action of the flow may end in. */
export const COMMAND_ERRORS = ['ORDER_ITEM_NOT_FOUND', 'INVALID_STATUS', 'CLAIM_IN_PROGRESS'] as const satisfies readonly ErrorCode[];

const NO_SETTINGS = { settings: { autoDeliverDays: 0, autoConfirmDays: 0 } };

/** Dry-runs the rule, then asks the run; answers what the transition stored. */
export async function sendItemCommand(
  { commands, storeId, at }: CommandContext,
  orderItemId: string,
  { name, input, text }: ItemCommand,
): Promise<unknown> {
  const item = await commands.read((em) => readItem(em, storeId, orderItemId));
  dryRun(item, name, input, at);
  const kept = text ? { [text.field]: await commands.keepText(text.value) } : {};
  const workflowId = orderItemWorkflowId(storeId, item.orderItemNo);
  const run = { storeId, workflowType: 'orderItem', workflowId, entityId: orderItemId, orderNo: item.orderItemNo.slice(0, 14) } as const;
  return (await commands.send(run, { name, input: { ...input, ...kept } })).body;
}

/** A shipment as a wish says it: its number is text. */
export function shipmentCommand(name: 'dispatch' | 'correctTracking', { trackingNumber, ...input }: Shipment): ItemCommand {
  return { name, input, ...(trackingNumber !== undefined && { text: { field: 'trackingNumberId', value: trackingNumber } }) };
}
interface Shipment {
  readonly deliveryMethod?: string;
  readonly carrierCode?: string;
  readonly trackingNumber?: string;
}

/** A wish that answers the item. */
export const sendSellerCommand = async (
  call: CommandContext,
  orderItemId: string,
  command: ItemCommand,
): Promise<ReturnType<typeof viewItem>> => (await sendItemCommand(call, orderItemId, command)) as ReturnType<typeof viewItem>;

/** What a member wishes of an item of theirs; anybody else's is not there. */
export async function sendBuyerCommand(
  call: CommandContext & { readonly customer: Customer | null },
  orderItemId: string,
  name: BuyerCommand,
): Promise<ReturnType<typeof viewBuyerItem>> {
  const owner = await call.commands.read((em) => customerOf(em, call.storeId, orderItemId));
  if (owner === null || owner !== call.customer?.customerId) throw new Fault('ORDER_ITEM_NOT_FOUND');
  return (await sendItemCommand(call, orderItemId, { name, input: {} })) as ReturnType<typeof viewBuyerItem>;
}

function dryRun(item: OrderItem, name: OrderItemCommand, input: Command['input'], at: number): void {
  if (name === 'cancel') return void quantityOf(item, { input });
  checkHandover(item.fulfillmentSnapshot, name);
  if (isRecordCommand(name)) return checkRecord(name, item.status, item.dispatch ?? null);
  const type = isBuyerCommand(name) ? 'buyer.action' : 'seller.action';
  const dry = step(graphOf(item.flowKey, item.flowVersion), item.flowState, { type, key: name }, at, NO_SETTINGS);
  if (!dry.ok) throw refused(dry);
}
