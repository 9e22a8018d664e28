/** Commands to order items: an early refusal, then the command to the item's run. */
import type { OrderItem } from '../../db/orders/entities.ts';
import { readItemWithFacts } from '../../db/orders/itemWithFacts.ts';
import { ruled } from '../../db/orders/flows/states.ts';
import type { StoredReply } from '../../db/runs/operations.ts';
import type { viewBuyerItem, viewItem } from '../../db/orders/views.ts';
import type { ErrorCode } from '../../domain/kernel/errors.ts';
import { checkCommand } from '../../domain/orders/machine.ts';
import {
  type ActionPayload,
  type BuyerCommand,
  isRecordCommand,
  type ItemCommand,
  type OrderItemMessages,
} from '../../domain/orders/messages.ts';
import { handedInput } from '../../domain/orders/platform.ts';
import { type CommandContent, orderGroupRun, orderItemRun } from '../../workflows/kernel/messages.ts';
import type { Customer } from '../../db/customers/queries.ts';
import type { Commands } from '../declare/commands.ts';
import { checkOwner } from './owners.ts';

export interface CommandContext {
  readonly commands: Commands;
  readonly at: number;
}
type Inputs = OrderItemMessages['commands'];
/** `text`: text that a person typed. It is stored in Postgres and never passes through Temporal (X24); `field` gets its id. */
export type ItemCommandRequest = {
  readonly [N in keyof Inputs]: {
    readonly name: N;
    readonly input: Inputs[N];
    readonly text?: { readonly field: Extract<keyof Inputs[N], `${string}Id`>; readonly value: string };
    /** Of an action or an event; it is stored as one text. */
    readonly payload?: ActionPayload;
  };
}[keyof Inputs];
/** The refusals that every action of the flow may have. */
export const COMMAND_ERRORS = [
  'ORDER_ITEM_NOT_FOUND',
  'INVALID_STATUS',
  'CLAIM_IN_PROGRESS',
  'FLOW_ACTION_INPUT_INVALID',
] as const satisfies readonly ErrorCode[];

/** Refuses early what the transition would refuse, sends the command, and returns the stored reply. */
export async function sendItemCommand(
  { commands, at }: CommandContext,
  orderItemId: string,
  { name, input, text, payload }: ItemCommandRequest,
): Promise<unknown> {
  const { item, facts } = await commands.read((tx) => readItemWithFacts(tx, orderItemId));
  const command = { name, input } as ItemCommand;
  const uploads = payload?.uploads ? { uploads: new Set(Object.keys(payload.uploads)) } : {};
  const handed = handedInput(command, text?.value ?? null);
  const given = payload ?? (handed && { input: handed });
  checkCommand(ruled(item), command, at, { facts: { ...facts, ...uploads }, ...(given && { payload: given }) });
  const textIds = text ? { [text.field]: await commands.storeText(text.value) } : {};
  const payloadId = payload ? { payloadId: await commands.storeText(JSON.stringify(payload)) } : {};
  const content = { ...command, input: { ...command.input, ...textIds, ...payloadId } } as ItemCommand;
  return (await sendTo(commands, item, content)).body;
}

/** What moves a group goes to the group's run, which locks all its items (F32). */
function sendTo(commands: Commands, item: OrderItem, content: ItemCommand): Promise<StoredReply> {
  const { groupId, orderItemId } = item;
  if (!groupId || isRecordCommand(content)) return commands.send(orderItemRun(item), content);
  const ofMember = { ...content, input: { ...content.input, orderItemId } } as CommandContent<'orderGroup'>;
  return commands.send(orderGroupRun({ ...item, groupId }), ofMember);
}

/** The tracking number is passed as text. */
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

/** Sends a command whose reply is the item. */
export const sendSellerCommand = async (
  call: CommandContext,
  orderItemId: string,
  command: ItemCommandRequest,
): Promise<ReturnType<typeof viewItem>> => (await sendItemCommand(call, orderItemId, command)) as ReturnType<typeof viewItem>;

/** A customer's command to an item of their own; ORDER_ITEM_NOT_FOUND for any other. */
export async function sendBuyerCommand(
  call: CommandContext & { readonly customer: Customer | null },
  orderItemId: string,
  name: BuyerCommand,
): Promise<ReturnType<typeof viewBuyerItem>> {
  await checkOwner(call, orderItemId);
  return (await sendItemCommand(call, orderItemId, { name, input: {} })) as ReturnType<typeof viewBuyerItem>;
}
