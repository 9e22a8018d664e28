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
import { type CommandRequest, createSender, trackingNumberText } from '../declare/sender.ts';
import { checkOwner } from './owners.ts';

export interface CommandContext {
  readonly commands: Commands;
  readonly at: number;
}
type Inputs = OrderItemMessages['commands'];
/** `payload`: of an action or an event; it is stored as one text. */
export type ItemCommandRequest = CommandRequest<Inputs> & { readonly payload?: ActionPayload };
/** The refusals that every action of the flow may have. */
export const COMMAND_ERRORS = [
  'ORDER_ITEM_NOT_FOUND',
  'INVALID_STATUS',
  'CLAIM_IN_PROGRESS',
  'FLOW_ACTION_INPUT_INVALID',
] as const satisfies readonly ErrorCode[];

const send = createSender({
  read: readItemWithFacts,
  check: ({ item, facts }, { name, input, texts = {}, payload }: ItemCommandRequest, { at }: CommandContext) => {
    const command = { name, input } as ItemCommand;
    const uploads = payload?.uploads ? { uploads: new Set(Object.keys(payload.uploads)) } : {};
    const [typed = null] = Object.values(texts);
    const handed = handedInput(command, typed);
    const given = payload ?? (handed && { input: handed });
    checkCommand(ruled(item), command, at, { facts: { ...facts, ...uploads }, ...(given && { payload: given }) });
  },
  send: (commands, { item }, content: ItemCommand) => sendTo(commands, item, content),
});
/** Refuses early what the transition would refuse, sends the command, and returns the stored reply. */
export async function sendItemCommand(call: CommandContext, orderItemId: string, request: ItemCommandRequest): Promise<unknown> {
  const { texts, payload } = request;
  const stored = { ...texts, ...(payload && { payloadId: JSON.stringify(payload) }) };
  return (await send(call, orderItemId, () => ({ ...request, texts: stored }) as ItemCommandRequest)).reply.body;
}

/** What moves a group goes to the group's run, which locks all its items (F32). */
function sendTo(commands: Commands, item: OrderItem, content: ItemCommand): Promise<StoredReply> {
  const { groupId, orderItemId } = item;
  if (!groupId || isRecordCommand(content)) return commands.send(orderItemRun(item), content);
  const ofMember = { ...content, input: { ...content.input, orderItemId } } as CommandContent<'orderGroup'>;
  return commands.send(orderGroupRun({ ...item, groupId }), ofMember);
}

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
