/** What every seller action on an order item does: a cheap refusal first, then the command to the item's run. */
import { readItem } from '../../db/orders/store.ts';
import type { viewItem } from '../../db/orders/views.ts';
import { graphOf } from '../../workflows/flows/presets/index.ts';
import { step } from '../../workflows/flows/rules.ts';
import type { Command } from '../../workflows/kernel/obligations.ts';
import { type OrderItemWish, orderItemWorkflowId } from '../../workflows/orders/contract.ts';
import { refused } from '../../workflows/orders/rules.ts';
import type { Commands } from '../kernel/commands.ts';

const NO_SETTINGS = { settings: { autoDeliverDays: 0, autoConfirmDays: 0 } };

/** Dry-runs the flow's rule, then asks the run; answers the item as the transition left it. */
export async function wish(
  { commands, storeId, at }: { readonly commands: Commands; readonly storeId: string; readonly at: number },
  orderItemId: string,
  name: OrderItemWish,
  input: Command['input'],
): Promise<ReturnType<typeof viewItem>> {
  const item = await commands.read((em) => readItem(em, storeId, orderItemId));
  const dry = step(graphOf(item.flowKey, item.flowVersion), item.flowState, { type: 'seller.action', key: name }, at, NO_SETTINGS);
  if (!dry.ok) throw refused(dry);
  const workflowId = orderItemWorkflowId(storeId, item.orderItemNo);
  const run = { storeId, kind: 'orderItem', workflowId, runId: orderItemId, orderNo: item.orderItemNo.slice(0, 14) } as const;
  const { body } = await commands.send(run, { name, input });
  return body as ReturnType<typeof viewItem>;
}
