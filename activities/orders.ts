import { type Em, inStore, REQUEST } from '../db/orm.ts';
import { moveOrderItem } from '../db/orders/move.ts';
import { readParcel, recordReading } from '../db/orders/tracking.ts';
import type { KindOfRun } from '../db/runs/store.ts';
import type { Call, Outcome } from '../workflows/kernel/obligations.ts';
import type { OrderCalls } from '../workflows/orders/contract.ts';
import { alive } from './kernel/alive.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { owedAt, settle } from './kernel/settle.ts';
import { transitionActivity } from './kernel/transition.ts';
import { developmentCourier, noCourier } from './providers/courier.ts';

const orderItemKind = (deps: ActivityDeps): KindOfRun => ({
  kind: 'orderItem',
  move: (em, run, event, at) => moveOrderItem(em, run, event, at, deps.clock.now()),
});
export const orderActivities = (deps: ActivityDeps) => ({ moveOrderItem: transitionActivity(deps, orderItemKind(deps)) });

/** A look at the courier: a reading, so that a second one does no harm. The number and the scans stay in Postgres. */
export function orderCalls(deps: ActivityDeps): OrderCalls {
  const { orm, config } = deps;
  const courier = config.courier === 'development' ? developmentCourier : noCourier;
  return { trackShipment: (call) => alive(() => look(call)) };

  async function look(call: Call): Promise<Outcome> {
    const { storeId, input } = call;
    const [orderItemId, n] = [String(input['orderItemId']), Number(input['n'])];
    const at = owedAt(call, deps);
    const parcel = await inStore(orm, storeId, REQUEST, (em) => readParcel(em, storeId, orderItemId, n));
    // Corrected, delivered or canceled meanwhile.
    if (!parcel) return { kind: 'STALE' };
    const reading = await courier.track({ ...parcel, at });
    const record = (em: Em) => recordReading(em, storeId, orderItemId, n, reading);
    return settle(deps, orderItemKind(deps), call, { runId: orderItemId, outcome: { kind: reading.kind }, at, record });
  }
}
