/** What every command to an order item does: a cheap refusal first, then the command to the item's run. */
import type { OrderItem } from '../../db/orders/entities.ts';
import { customerOf } from '../../db/orders/lookups.ts';
import { readItem } from '../../db/orders/queries.ts';
import type { viewBuyerItem, viewItem } from '../../db/orders/views.ts';
import { type ErrorCode, Fault } from '../../domain/kernel/errors.ts';
import { checkCommand } from '../../domain/orders/machine.ts';
import type { BuyerCommand, ItemCommand, OrderItemMessages } from '../../domain/orders/messages.ts';
import { orderItemWorkflowId } from '../../workflows/kernel/messages.ts';
import type { Customer } from '../../db/customers/queries.ts';
import type { Commands } from '../kernel/commands.ts';

export interface CommandContext {
  readonly commands: Commands;
  readonly storeId: string;
  readonly at: number;
}
type Inputs = OrderItemMessages['commands'];
/** `text`: what a person typed. It waits in Postgres for the transition and never passes through Temporal (X24); `field` takes its id. */
export type ItemCommandRequest = {
  readonly [N in keyof Inputs]: {
    readonly name: N;
    readonly input: Inputs[N];
    readonly text?: { readonly field: Extract<keyof Inputs[N], `${string}Id`>; readonly value: string };
  };
}[keyof Inputs];
/** The refusals that every action of the flow may end in. */
export const COMMAND_ERRORS = ['ORDER_ITEM_NOT_FOUND', 'INVALID_STATUS', 'CLAIM_IN_PROGRESS'] as const satisfies readonly ErrorCode[];

/** Refuses what the transition would, then asks the run; answers what the transition stored. */
export async function sendItemCommand(
  { commands, storeId, at }: CommandContext,
  orderItemId: string,
  { name, input, text }: ItemCommandRequest,
): Promise<unknown> {
  const item = await commands.read((em) => readItem(em, storeId, orderItemId));
  const command = { name, input } as ItemCommand;
  checkCommand(item, command, at);
  const textIds = text ? { [text.field]: await commands.keepText(text.value) } : {};
  return (await commands.send(runOf(item), { ...command, input: { ...command.input, ...textIds } } as ItemCommand)).body;
}

const runOf = ({ storeId, orderItemId, orderItemNo }: OrderItem) =>
  ({
    storeId,
    workflowType: 'orderItem',
    workflowId: orderItemWorkflowId(storeId, orderItemNo),
    entityId: orderItemId,
    orderNo: orderItemNo.slice(0, 14),
  }) as const;

/** The tracking number is text. */
export const trackingNumberText = (trackingNumber: string | undefined) =>
  trackingNumber === undefined ? {} : { text: { field: 'trackingNumberId', value: trackingNumber } as const };

export const dispatchCommand = ({
  trackingNumber,
  ...input
}: Inputs['dispatch'] & { readonly trackingNumber?: string }): ItemCommandRequest => ({
  name: 'dispatch',
  input,
  ...trackingNumberText(trackingNumber),
});

/** A command that answers the item. */
export const sendSellerCommand = async (
  call: CommandContext,
  orderItemId: string,
  command: ItemCommandRequest,
): Promise<ReturnType<typeof viewItem>> => (await sendItemCommand(call, orderItemId, command)) as ReturnType<typeof viewItem>;

/** A member's command to an item of theirs; anybody else's is not there. */
export async function sendBuyerCommand(
  call: CommandContext & { readonly customer: Customer | null },
  orderItemId: string,
  name: BuyerCommand,
): Promise<ReturnType<typeof viewBuyerItem>> {
  const owner = await call.commands.read((em) => customerOf(em, call.storeId, orderItemId));
  if (owner === null || owner !== call.customer?.customerId) throw new Fault('ORDER_ITEM_NOT_FOUND');
  return (await sendItemCommand(call, orderItemId, { name, input: {} })) as ReturnType<typeof viewBuyerItem>;
}
