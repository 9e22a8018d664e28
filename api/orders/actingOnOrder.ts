/** An action of all items of an order that have it (F26). */
import { actions } from '../../domain/flows/actions.ts';
import { flowOf } from '../../db/flows/loaded.ts';
import type { OrderItem } from '../../db/orders/entities.ts';
import { readOrder } from '../../db/orders/queries.ts';
import type { StoredReply } from '../../db/runs/operations.ts';
import { catalogue, type ErrorCode, Fault } from '../../domain/kernel/errors.ts';
import { type Acting, type ActionBody, payloadOf, type Results } from './acting.ts';
import { sendItemCommand } from './sendCommand.ts';

/** ORDER_NOT_FOUND beside those of the single action. */
export const ORDER_ACTION_ERRORS = [
  'ORDER_NOT_FOUND',
  'ACTION_NOT_AVAILABLE',
  'FLOW_ACTION_INPUT_INVALID',
] as const satisfies readonly ErrorCode[];

interface Result {
  readonly orderItemId: string;
  readonly result: 'COMPLETED' | 'SKIPPED' | 'FAILED';
  readonly code: string | null;
  readonly reason: string | null;
}
interface Wanted {
  readonly side: 'seller' | 'buyer';
  readonly key: string;
  readonly body: ActionBody;
}

/**
 * In item order, each item under an idempotency key of its own, so that a repeated request repeats nothing and goes on with what has no
 * outcome yet. One failure undoes no other. ACTION_NOT_AVAILABLE where no item has it enabled; where all that have it refuse the input, that
 * refusal, and nothing is done.
 */
export async function actOnItems(call: Acting, orderId: string, wanted: Wanted) {
  const { items } = await call.commands.read((tx) => readOrder(tx, orderId));
  const payload = await payloadOf(call, wanted.body);
  const results = new Map<string, Result>();
  const refusals: Fault[] = [];
  for (const item of items) {
    const { orderItemId } = item;
    if (results.has(orderItemId)) continue;
    const commands = call.commands.forPart(item.groupId ?? orderItemId);
    const done = movedBy(await commands.stored());
    const isDone = done.includes(orderItemId);
    const reason = isDone ? null : disabledReason(item, wanted);
    if (reason) results.set(orderItemId, { orderItemId, result: 'SKIPPED', code: 'ACTION_NOT_AVAILABLE', reason });
    else
      try {
        for (const id of isDone ? done : await actOnOne({ ...call, commands }, item, wanted, payload))
          results.set(id, { orderItemId: id, result: 'COMPLETED', code: null, reason: null });
        // A repeated request is answered with what moved the first time: this one stood still then, because of its claim.
        if (!results.has(orderItemId))
          results.set(orderItemId, { orderItemId, result: 'SKIPPED', code: 'ACTION_NOT_AVAILABLE', reason: 'CLAIM_IN_PROGRESS' });
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        refusals.push(error);
        const { details } = error.extra;
        results.set(orderItemId, {
          orderItemId,
          result: 'FAILED',
          code: error.code,
          reason: typeof details?.['reason'] === 'string' ? details['reason'] : null,
        });
      }
  }
  const body = summaryOf(
    items.flatMap(({ orderItemId }) => results.get(orderItemId) ?? []),
    refusals,
  );
  if (!refusals.some(({ code }) => catalogue[code].status >= 500)) await call.commands.storeReply({ status: 200, body });
  return body;
}

/** What moved with a group is answered with it. */
const affectedBy = (body: unknown): readonly string[] => (body as Results['seller']).affectedOrderItemIds;
const movedBy = (reply: StoredReply | null): readonly string[] => (reply === null ? [] : affectedBy(reply.body));

const actOnOne = async (call: Acting, { orderItemId }: OrderItem, { side, key }: Wanted, payload: object): Promise<readonly string[]> =>
  affectedBy(await sendItemCommand(call, orderItemId, { name: 'act', input: { side, key }, payload }));

const disabledReason = (item: OrderItem, { side, key }: Wanted): string | null => {
  const view = actions(flowOf(item), item.flowState, side, item.orderItemId).find(({ action }) => action.key === key);
  return view ? view.reason : item.flowState.done ? 'FINISHED' : 'NOT_IN_STATE';
};

function summaryOf(results: readonly Result[], refusals: readonly Fault[]) {
  const count = (wanted: Result['result']) => results.filter(({ result }) => result === wanted).length;
  const [completed, skipped, failed] = [count('COMPLETED'), count('SKIPPED'), count('FAILED')];
  if (completed + failed === 0) throw new Fault('ACTION_NOT_AVAILABLE', { details: { reason: 'NOT_IN_STATE', results } });
  const [refusal] = refusals;
  if (completed === 0 && refusal && refusals.every(({ code }) => code === 'FLOW_ACTION_INPUT_INVALID')) throw refusal;
  return { results: [...results], completed, skipped, failed };
}
