/** Actions of an item's flow: what the operations of sellers, members and guests share. */
import type { viewBuyerItem, viewItem } from '../../db/orders/views.ts';
import { ownUploads } from '../../db/uploads/queries.ts';
import type { ErrorCode } from '../../domain/kernel/errors.ts';
import type { ActionPayload } from '../../domain/orders/messages.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { closed, Count, Id, nullable, oneOf, Type, valuesOf, VERBATIM } from '../declare/schema.ts';
import { BuyerOrderItem, OrderItem } from './schemas.ts';
import { type CommandContext, sendItemCommand } from './sendCommand.ts';

const Address = Type.String({ minLength: 1, maxLength: 2000, ...VERBATIM });
/** The flow judges how many it takes; this bounds what is looked up. */
const MAX_ATTACHMENTS = 100;
/** Values by field key; their forms are those of the action. Any JSON, which the limit of the whole body bounds. */
export const Input = valuesOf(Type.Unknown());
export const inputFields = { input: Type.Optional(Input) };
export const sellerFields = { ...inputFields, attachments: Type.Optional(Type.Array(Address, { maxItems: MAX_ATTACHMENTS })) };

export const ACTION_ERRORS = [
  'ORDER_ITEM_NOT_FOUND',
  'ACTION_NOT_AVAILABLE',
  'FLOW_ACTION_INPUT_INVALID',
] as const satisfies readonly ErrorCode[];
const done = { orderItemId: Id, key: Type.String(), result: oneOf(['COMPLETED']), affectedOrderItemIds: Type.Array(Id) };
export const ActionResult = closed({ ...done, item: OrderItem }, { title: 'FlowActionResult' });
export const BuyerActionResult = closed({ ...done, item: BuyerOrderItem }, { title: 'BuyerFlowActionResult' });
export const OrderActionResult = closed(
  {
    results: Type.Array(
      closed({
        orderItemId: Id,
        result: oneOf(['COMPLETED', 'SKIPPED', 'FAILED']),
        code: nullable(Type.String()),
        reason: nullable(Type.String()),
      }),
    ),
    completed: Count,
    skipped: Count,
    failed: Count,
  },
  { title: 'OrderFlowActionResult' },
);

export interface Acting extends CommandContext {
  readonly deps: ApiDeps;
}
export interface ActionBody {
  readonly input?: Readonly<Record<string, unknown>>;
  readonly attachments?: readonly string[];
}

/** What accompanies an action: with the store's own uploads among its addresses. */
export async function payloadOf({ commands, deps }: Acting, { input, attachments }: ActionBody): Promise<ActionPayload> {
  const inInput = Object.values(input ?? {}).flatMap((value) => (Array.isArray(value) ? value : []));
  const addresses = [...(attachments ?? []), ...inInput].filter((one): one is string => typeof one === 'string');
  const uploads = addresses.length === 0 ? {} : await commands.read((tx) => ownUploads(tx, addresses, deps.config.publicUrl));
  return { ...(input && { input }), ...(attachments && { attachments }), ...(Object.keys(uploads).length > 0 && { uploads }) };
}

/** What an action did, to sellers and to buyers. */
interface Done<Item> {
  readonly orderItemId: string;
  readonly key: string;
  readonly result: 'COMPLETED';
  readonly affectedOrderItemIds: string[];
  readonly item: Item;
}
export interface Results {
  readonly seller: Done<ReturnType<typeof viewItem>>;
  readonly buyer: Done<ReturnType<typeof viewBuyerItem>>;
}

/** Takes an action of one item. */
export async function act<S extends keyof Results>(
  call: Acting,
  orderItemId: string,
  { side, key, body }: { readonly side: S; readonly key: string; readonly body: ActionBody },
): Promise<Results[S]> {
  const payload = await payloadOf(call, body);
  return (await sendItemCommand(call, orderItemId, { name: 'act', input: { side, key }, payload })) as Results[S];
}
