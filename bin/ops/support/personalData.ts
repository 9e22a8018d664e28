/** Everything personal that the store has of a customer, as JSON; of one who withdrew, the records that stay. */
import { inTenant, realTime, REQUEST } from '../../../db/kernel/tx.ts';
import { withOrm } from '../../../db/orm.ts';
import { type PersonalData, readPersonalData } from '../../../db/personalData/commands.ts';
import { UserError } from '../../kernel/cli.ts';
import type { Support } from './context.ts';

export interface Export {
  readonly customerId: string;
  readonly storeCode: string;
  /** By table of the database. */
  readonly data: PersonalData;
}
/** Read as the store itself reads it: the operator role sees no buyer. */
export async function exportPersonalData({ sql, databaseUrl }: Support, customerId: string): Promise<Export> {
  const [store] = await sql<{ store_id: string; store_code: string }>`
    SELECT store_id, store_code FROM store WHERE store_id = lookup_customer(${customerId})`;
  if (!store) throw new UserError(`There is no customer ${customerId}, and never was.`);
  const tenancy = realTime(store.store_id, Date.now());
  const read = (tx: Parameters<typeof readPersonalData>[0]) => readPersonalData(tx, customerId);
  const data = await withOrm(databaseUrl, 1, (orm) => inTenant(orm, tenancy, REQUEST, read), 'sangjeom_app');
  return { customerId, storeCode: store.store_code, data };
}
