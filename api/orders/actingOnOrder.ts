/** An action of all items of an order that have it. */
import { actions } from '../../domain/flows/run/actions.ts';
import { flowOf } from '../../db/flows/loaded.ts';
import type { OrderItem } from '../../db/orders/entities.ts';
import { readOrder } from '../../db/orders/queries.ts';
import { flowStateOf, viewEach } from '../../db/orders/flows/states.ts';
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

/** So many items or groups at a time: a hundred lines have to be done before the request is out of time. */
const AT_A_TIME = 8;

/**
 * A few at a time, those of a group one after the other; each item under an idempotency key of its own, so that a repeated request repeats
 * nothing and goes on with what has no outcome yet. One failure undoes no other. ACTION_NOT_AVAILABLE where no item has it enabled; where
 * all that have it refuse the input, that refusal, and nothing is done. Results are in item order.
 */
export async function actOnItems(call: Acting, orderId: string, wanted: Wanted) {
  const { items, reasons } = await call.commands.read(async (tx) => {
    const order = await readOrder(tx, orderId);
    return { items: order.items, reasons: await viewEach(tx, order.items, (item) => disabledReason(item, wanted)) };
  });
  const work: Work = { call, wanted, payload: await payloadOf(call, wanted.body), results: new Map(), refusals: new Map() };
  const lines = items.map((item, i) => ({ item, reason: reasons[i]! }));
  const units = [...Map.groupBy(lines, ({ item }) => item.groupId ?? item.orderItemId).values()];
  for (let i = 0; i < units.length; i += AT_A_TIME)
    await Promise.all(
      units.slice(i, i + AT_A_TIME).map(async (unit) => {
        for (const { item, reason } of unit) if (!work.results.has(item.orderItemId)) await actOnLine(work, item, reason);
      }),
    );
  const inOrder = items.flatMap(({ orderItemId }) => work.results.get(orderItemId) ?? []);
  const refusals = inOrder.flatMap(({ orderItemId, result }) => (result === 'FAILED' ? (work.refusals.get(orderItemId) ?? []) : []));
  const body = summaryOf(inOrder, refusals);
  if (!refusals.some(({ code }) => catalogue[code].status >= 500)) await call.commands.storeReply({ status: 200, body });
  return body;
}

interface Work {
  readonly call: Acting;
  readonly wanted: Wanted;
  readonly payload: object;
  /** By item. */
  readonly results: Map<string, Result>;
  readonly refusals: Map<string, Fault>;
}
/** `reason`: why the item does not offer the action; null: it does. */
async function actOnLine({ call, wanted, payload, results, refusals }: Work, item: OrderItem, reason: string | null): Promise<void> {
  const { orderItemId, groupId } = item;
  const record = (id: string, result: Result['result'], code: string | null = null, why: string | null = null) =>
    void results.set(id, { orderItemId: id, result, code, reason: why });
  const commands = call.commands.forPart(groupId ?? orderItemId);
  const done = movedBy(await commands.stored());
  const isDone = done.includes(orderItemId);
  if (reason && !isDone) return record(orderItemId, 'SKIPPED', 'ACTION_NOT_AVAILABLE', reason);
  try {
    for (const id of isDone ? done : await actOnOne({ ...call, commands }, item, wanted, payload)) record(id, 'COMPLETED');
    // A repeated request is answered with what moved the first time: this one stood still then, because of its claim.
    if (!results.has(orderItemId)) record(orderItemId, 'SKIPPED', 'ACTION_NOT_AVAILABLE', 'CLAIM_IN_PROGRESS');
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    refusals.set(orderItemId, error);
    const { details } = error.extra;
    record(orderItemId, 'FAILED', error.code, typeof details?.['reason'] === 'string' ? details['reason'] : null);
  }
}

/** What moved with a group is answered with it. */
const affectedBy = (body: unknown): readonly string[] => (body as Results['seller']).affectedOrderItemIds;
const movedBy = (reply: StoredReply | null): readonly string[] => (reply === null ? [] : affectedBy(reply.body));

const actOnOne = async (call: Acting, { orderItemId }: OrderItem, { side, key }: Wanted, payload: object): Promise<readonly string[]> =>
  affectedBy(await sendItemCommand(call, orderItemId, { name: 'act', input: { side, key }, payload }));

const disabledReason = (item: OrderItem, { side, key }: Wanted): string | null => {
  const state = flowStateOf(item);
  const view = actions(flowOf(item), state, side, item.orderItemId).find(({ action }) => action.key === key);
  if (view) return view.reason;
  return state.done ? 'FINISHED' : 'NOT_IN_STATE';
};

function summaryOf(results: readonly Result[], refusals: readonly Fault[]) {
  const count = (wanted: Result['result']) => results.filter(({ result }) => result === wanted).length;
  const [completed, skipped, failed] = [count('COMPLETED'), count('SKIPPED'), count('FAILED')];
  if (completed + failed === 0) throw new Fault('ACTION_NOT_AVAILABLE', { details: { reason: 'NOT_IN_STATE', results } });
  const [refusal] = refusals;
  if (completed === 0 && refusal && refusals.every(({ code }) => code === 'FLOW_ACTION_INPUT_INVALID')) throw refusal;
  return { results: [...results], completed, skipped, failed };
}
