import { inTenant, REQUEST, type Tx } from '../db/kernel/tx.ts';
import { readShipment, recordReading } from '../db/orders/tracking.ts';
import { runTransition } from '../db/transitions.ts';
import type { Answer, Call, Calls } from '../workflows/kernel/messages.ts';
import { askExternal } from './externalCalls.ts';
import { withHeartbeat } from './kernel/heartbeat.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { completeCall, plannedAt } from './kernel/completeCall.ts';
import type { RunActivities } from './kernel/transition.ts';
import { developmentCourier, noCourier } from './providers/courier.ts';

export const orderItem: RunActivities<'orderItem'> = {
  calls: (deps) => ({ ...courierCalls(deps), askExternal: askExternal(deps) }),
};

/** The items of an order that move together. */
export const orderGroup: RunActivities<'orderGroup'> = {
  calls: (deps) => ({ askExternal: askExternal(deps) }),
};

/** Polls the courier, which changes nothing there. The tracking number and the scans stay in Postgres. */
function courierCalls(deps: ActivityDeps): Pick<Calls<'orderItem'>, 'pollShipment'> {
  const { orm, config, clock } = deps;
  const courier = config.courier === 'development' ? developmentCourier : noCourier;
  return { pollShipment: (call) => withHeartbeat(() => poll(call)) };

  async function poll(call: Call<'orderItem', 'pollShipment'>): Promise<Answer<'orderItem', 'pollShipment'>> {
    const { storeId } = call;
    const { orderItemId, n } = call.input;
    const at = plannedAt(call, deps);
    const shipment = await inTenant(orm, { storeId, at, realNow: clock.now() }, REQUEST, (tx) => readShipment(tx, orderItemId, n));
    // The item was corrected, delivered or canceled meanwhile.
    if (!shipment) return { result: 'STALE' };
    const reading = await courier.poll({ ...shipment, at });
    const record = (tx: Tx) => recordReading(tx, orderItemId, n, reading);
    const outcome = { result: reading.result };
    return (await completeCall(deps, runTransition('orderItem', deps), call, { entityId: orderItemId, outcome, at, record })) as Answer<
      'orderItem',
      'pollShipment'
    >;
  }
}
