/** The commands of an order item that step its flow, and their replies; of a group's run, those of one of its items. */
import type { Facts, FlowEvent } from '../../domain/flows/run/state.ts';
import { actionOf, flowEventOf, type ItemState } from '../../domain/orders/machine.ts';
import { type ActionPayload, type FlowCommand, isBuyerCommand } from '../../domain/orders/messages.ts';
import { dispatchInput, handedInput, typedIdOf } from '../../domain/orders/platform.ts';
import type { CommandEnvelope } from '../../workflows/kernel/messages.ts';
import { consumeText } from '../runs/text.ts';
import { nameUploadIds } from '../uploads/commands.ts';
import { advance, applyAllDue } from './flows/advance.ts';
import { auditedCancel, type Canceled, cancelItem } from './cancel.ts';
import { type EffectResults, factsOf, movingFlowOf, stateOf, type TransitionContext } from './flows/context.ts';
import type { Order, OrderItem } from './entities.ts';
import type { Handover } from './flows/itemRecord.ts';
import { shortened } from './shortened.ts';
import { viewBuyerItem, viewItem } from './views.ts';

type Sent = FlowCommand & Pick<CommandEnvelope, 'actor' | 'requestId' | 'isPart'>;

/** Refusals are Faults. Returns the reply: the item, what an action did, or the amounts of a cancel. */
export async function carryOutCommand(context: TransitionContext, command: Sent): Promise<object> {
  const { item, tx } = context;
  const payload = await payloadOf(context, command);
  const event = flowEventOf(itemState(context), command, command.requestId, { at: tx.at, facts: factsOf(context), payload });
  if (event.type === 'reduced' && command.name === 'cancel') return cancel(context, command, event);
  const handover = handoverOf(context, command, event, payload);
  const details = command.name === 'move' ? { reason: payload.input?.['reason'] ?? null } : {};
  const moved = await advance(context, event, { command, facts: sentFacts(payload), details, ...(handover && { handover }) });
  await nameUploadIds(tx, Object.values(payload.uploads ?? {}));
  const shown = isBuyerCommand(command) ? viewBuyerItem(item, tx.at) : viewItem(item);
  return replyOf(command, payload, item, moved, command.isPart ? shortened(shown) : shown);
}

/**
 * The item as a command finds it: a deadline whose time has come goes first, however late the run is for it. What moves with a group is
 * stepped by the group's run.
 */
export async function viewBefore(context: TransitionContext): Promise<ReturnType<typeof viewItem>> {
  if (context.group || !context.item.groupId) await applyAllDue(context);
  return viewItem(context.item);
}

/** The item as the commands judge it: in a group, flow and state are the group's. */
const itemState = (context: TransitionContext): ItemState => ({
  ...context.item,
  flowState: stateOf(context),
  flow: movingFlowOf(context),
});

function replyOf(command: Sent, { name }: ActionPayload, item: OrderItem, moved: readonly OrderItem[], shown: object): object {
  const { orderItemId } = item;
  const affectedOrderItemIds = moved.map((one) => one.orderItemId);
  if (command.name === 'act') return { orderItemId, key: command.input.key, result: 'COMPLETED', affectedOrderItemIds, item: shown };
  return command.name === 'receive' ? { orderItemId, event: name, affectedOrderItemIds, item: shown } : shown;
}

/** What a person typed was passed by its id. */
async function payloadOf({ tx }: TransitionContext, command: Sent): Promise<ActionPayload> {
  if (command.name === 'act' || command.name === 'receive') {
    const text = await consumeText(tx, command.input.payloadId);
    return text === null ? {} : (JSON.parse(text) as ActionPayload);
  }
  const input = handedInput(command, await consumeText(tx, typedIdOf(command)));
  return input ? { input } : {};
}

const sentFacts = ({ uploads }: ActionPayload): Partial<Facts> => (uploads ? { uploads: new Set(Object.keys(uploads)) } : {});

/** Whichever way it came: an action that is a dispatch or a provision does what its endpoint does (F21). */
function handoverOf(context: TransitionContext, command: Sent, event: FlowEvent, { input = {} }: ActionPayload): Handover | undefined {
  const platform = command.name === 'act' ? actionOf(itemState(context), event)?.platform : command.name;
  if (platform === 'dispatch') return { type: 'dispatch', ...dispatchInput(input) };
  if (platform !== 'fulfill') return undefined;
  return { type: 'fulfill', note: typeof input['note'] === 'string' ? input['note'] : null };
}

/** A seller's cancel; its record in the flow is what the audit log reads. */
async function cancel(
  context: TransitionContext,
  command: Extract<Sent, { readonly name: 'cancel' }>,
  event: Extract<FlowEvent, { readonly type: 'reduced' }>,
): Promise<Canceled> {
  const { tx, item } = context;
  let canceled: Canceled | undefined;
  const depart = async (order: Order): Promise<EffectResults> => {
    canceled = await cancelItem({ tx, item, order }, command.input, event.quantity);
    return { recorded: auditedCancel(command.input, canceled), canceled };
  };
  await advance(context, event, { command, depart });
  return canceled!;
}
