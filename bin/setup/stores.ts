import { SCOPES } from '../../api/kernel/scopes.ts';
import { createProduct } from '../../db/catalog/products.ts';
import { createCategory } from '../../db/catalog/store.ts';
import { inStore, openOrm, REQUEST } from '../../db/orm.ts';
import { createClient } from '../../db/identity/store.ts';
import { type CreatedStore, createStore, newStoreId } from '../../db/stores/create.ts';
import { findTenant } from '../../db/stores/store.ts';
import { Remedy } from './say.ts';

export interface StoreRequest {
  readonly code: string;
  readonly name: string;
  readonly sandbox: boolean;
  readonly withProduct: boolean;
  /** A store of that code gets one more client instead of an error. */
  readonly mayExist?: boolean;
}

/** Creates a store with a client that holds every scope, and where wanted a first product. */
export async function makeStore(
  databaseUrl: string,
  { code, name, sandbox, withProduct, mayExist = false }: StoreRequest,
): Promise<CreatedStore> {
  if (!/^[a-z][a-z0-9-]{1,39}$/.test(code)) throw new Remedy('A store code is 2 to 40 of a-z, 0-9 and hyphen, and begins with a letter.');
  const orm = await openOrm(databaseUrl, 1);
  const at = Date.now();
  const known = mayExist ? await findTenant(orm.em.fork(), 'lookup_store', code) : null;
  const storeId = known?.storeId ?? newStoreId(at);
  try {
    return await inStore(orm, storeId, REQUEST, async (em) => {
      if (known) return { storeCode: code, storeId, sandbox: known.sandbox, ...createClient(em, storeId, `${name} server`, SCOPES, at) };
      const store = await createStore(em, storeId, { storeCode: code, name, sandbox, scopes: SCOPES }, at);
      if (withProduct) {
        const { categoryId } = await createCategory(em, storeId, { name: '패션 잡화' }, at);
        await em.flush();
        await createProduct(
          em,
          storeId,
          { name: '양모 머플러', salePrice: 10_000, originalPrice: 15_000, categoryId, stockQuantity: 1_000_000 },
          at,
        );
      }
      return store;
    });
  } catch (error) {
    if ((error as { code?: string }).code === '23505') throw new Remedy(`There is a store ${code} already: choose another code.`);
    throw error;
  } finally {
    await orm.close();
  }
}
