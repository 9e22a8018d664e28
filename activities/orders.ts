import { inStore, REQUEST } from '../db/orm.ts';
import { moveOrderItem } from '../db/orders/move.ts';
import { readParcel, recordReading } from '../db/orders/tracking.ts';
import type { Call, Outcome } from '../workflows/kernel/obligations.ts';
import type { OrderCalls } from '../workflows/orders/contract.ts';
import { alive } from './kernel/alive.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { transitionActivity } from './kernel/transition.ts';
import { developmentCourier, noCourier } from './providers/courier.ts';

export const orderActivities = (deps: ActivityDeps) => ({
  moveOrderItem: transitionActivity(deps, {
    kind: 'orderItem',
    move: (em, run, event, at) => moveOrderItem(em, run, event, at, deps.clock.now()),
  }),
});

/** A look at the courier: a reading, so that a second one does no harm. The number and the scans stay in Postgres. */
export function orderCalls({ orm, config }: ActivityDeps): OrderCalls {
  const courier = config.courier === 'development' ? developmentCourier : noCourier;
  return { trackShipment: (call) => alive(() => look(call)) };

  async function look({ storeId, input }: Call): Promise<Outcome> {
    const [orderItemId, n, at] = [String(input['orderItemId']), Number(input['n']), Number(input['at'])];
    const parcel = await inStore(orm, storeId, REQUEST, (em) => readParcel(em, storeId, orderItemId, n));
    // Corrected, delivered or canceled meanwhile.
    if (!parcel) return { kind: 'STALE' };
    const reading = await courier.track({ ...parcel, at });
    await inStore(orm, storeId, REQUEST, (em) => recordReading(em, storeId, orderItemId, n, reading));
    return { kind: reading.kind };
  }
}
