/** Events that nothing else causes, many in one commit. */
import type { MikroORM } from '@mikro-orm/postgresql';
import { inTenant, REQUEST } from '../../../db/kernel/tx.ts';
import { emit, type NewEvent } from '../../../db/webhooks/events.ts';
import { tenancy } from '../../kernel/tenancy.ts';

interface Shop {
  readonly store: { readonly storeId: string };
}

const emitted = (orm: MikroORM, { store }: Shop, count: number, event: (n: number, at: number) => NewEvent): Promise<void> => {
  const events = Array.from({ length: count }, (_, n) => event(n, Date.now()));
  return inTenant(orm, tenancy(store.storeId), REQUEST, (tx) => emit(tx, events));
};
/** So many products are sold out. */
export const soldOut = (orm: MikroORM, shop: Shop, count: number): Promise<void> =>
  emitted(orm, shop, count, (n, at) => ({ type: 'PRODUCT.OUT_OF_STOCK', at, data: { productId: 'p', variantId: `v${n}` } }));
export const inquired = (orm: MikroORM, shop: Shop, count: number): Promise<void> =>
  emitted(orm, shop, count, (n, at) => ({ type: 'INQUIRY.CREATED', at, data: { productId: 'p', inquiryId: `i${n}` } }));
