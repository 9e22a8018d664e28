import { setLivePayments } from '../../../db/paymentSettings/operator.ts';
import { sqlOn } from '../../../db/kernel/sql.ts';
import { inTenant, realTime, REQUEST } from '../../../db/kernel/tx.ts';
import { withOrm } from '../../../db/orm.ts';
import { findTenant } from '../../../db/stores/queries.ts';
import { simulatorKeys } from '../environment.ts';
import { UserError } from '../../kernel/cli.ts';

/** Whether a store may take real payments. A store with a sandbox clock does so only at the simulator. */
export const switchLivePayments = (databaseUrl: string, storeCode: string, wanted: string | undefined) =>
  withOrm(databaseUrl, 1, async (orm) => {
    if (wanted !== 'on' && wanted !== 'off') throw new UserError('--live-payments is on or off.');
    const store = await findTenant(sqlOn(orm), 'storeCode', storeCode);
    if (!store) throw new UserError(`There is no store ${storeCode}.`);
    const { storeId, sandbox } = store;
    const livePayments = wanted === 'on';
    if (livePayments && sandbox && simulatorKeys() === null)
      throw new UserError(`${storeCode} has a sandbox clock: it takes no real payments.`);
    await inTenant(orm, realTime(storeId, Date.now()), REQUEST, (tx) => setLivePayments(tx, livePayments));
    return { storeCode, storeId, sandbox, livePayments };
  });
