import { realTime, type Tenancy } from '../../db/kernel/tx.ts';

/** A store at this time, or at another. */
export const tenancy = (storeId: string, at = Date.now()): Tenancy => realTime(storeId, at);
