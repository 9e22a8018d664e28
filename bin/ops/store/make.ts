import type { MikroORM } from '@mikro-orm/postgresql';
import { addMember } from '../../../db/identity/members.ts';
import { createProduct } from '../../../db/products/registration.ts';
import { createCategory } from '../../../db/categories/commands.ts';
import { createKeyring } from '../../../db/kernel/keyring.ts';
import { PaymentCredentialEntity } from '../../../db/paymentSettings/entities.ts';
import { useSimulator } from '../../../db/paymentSettings/operator.ts';
import { withOrm } from '../../../db/orm.ts';
import { sqlOn } from '../../../db/kernel/sql.ts';
import { inTenant, realTime, REQUEST, type Tx } from '../../../db/kernel/tx.ts';
import { createServerClient } from '../../../db/identity/clients.ts';
import { type CreatedStore, createStore, newStoreId } from '../../../db/identity/createStore.ts';
import { findTenant, type Tenant } from '../../../db/stores/queries.ts';
import { CLIENT_SCOPES } from '../../../domain/identity/rules.ts';
import { UserError } from '../../kernel/cli.ts';

export interface StoreRequest {
  readonly code: string;
  readonly name: string;
  readonly sandbox: boolean;
  readonly withProduct: boolean;
  /** The e-mail address of its OWNER. */
  readonly owner?: string | null;
  /** AI actions a month; null: the default. */
  readonly aiActionsLimit?: number | null;
  /** A store of real payments at the simulator, without the live gate; development only. */
  readonly live?: boolean;
  /** If a store has this code already, it gets one more client instead of an error. */
  readonly mayExist?: boolean;
}

/**
 * Creates a store with a client that has all scopes of clients, and optionally a first product and an OWNER. `sealingKeys`: of a
 * development system, whose stores are paid at the simulator from the beginning; null: no provider is configured.
 */
export const makeStore = (databaseUrl: string, request: StoreRequest, sealingKeys: string | null = null): Promise<CreatedStore> =>
  withOrm(databaseUrl, 1, (orm) => makeStoreIn(orm, request, sealingKeys));

/** The same on connections that stay open. */
export async function makeStoreIn(orm: MikroORM, request: StoreRequest, sealingKeys: string | null): Promise<CreatedStore> {
  const { code, mayExist = false } = request;
  if (!/^[a-z][a-z0-9-]{1,39}$/.test(code))
    throw new UserError('A store code is 2 to 40 of a-z, 0-9 and hyphen, and begins with a letter.');
  const at = Date.now();
  const known = mayExist ? await findTenant(sqlOn(orm), 'storeCode', code) : null;
  const storeId = known?.storeId ?? newStoreId(at);
  try {
    return await inTenant(orm, realTime(storeId, at), REQUEST, async (tx) =>
      known ? addClient(tx, known, request) : insertStore(tx, request, sealingKeys),
    );
  } catch (error) {
    if ((error as { code?: string }).code === '23505') throw new UserError(`There is a store ${code} already: choose another code.`);
    throw error;
  }
}

async function addClient(tx: Tx, { storeId, sandbox }: Tenant, { code, name }: StoreRequest): Promise<CreatedStore> {
  return { storeCode: code, storeId, sandbox, ...createServerClient(tx, `${name} server`, CLIENT_SCOPES) };
}

/** Stores that `npm start` made before there were credential sets are paid at the simulator, too. */
export const useSimulatorIn = (databaseUrl: string, storeIds: readonly string[], sealingKeys: string): Promise<void> =>
  withOrm(databaseUrl, 1, async (orm) => {
    const keyring = createKeyring(sealingKeys);
    for (const storeId of storeIds)
      await inTenant(orm, realTime(storeId, Date.now()), REQUEST, async (tx) => {
        if ((await tx.em.count(PaymentCredentialEntity, { storeId })) === 0) await useSimulator(tx, keyring, false);
      });
  });

async function insertStore(tx: Tx, request: StoreRequest, sealingKeys: string | null): Promise<CreatedStore> {
  const { em } = tx;
  const { code, name, sandbox, withProduct, owner = null, aiActionsLimit = null } = request;
  const store = await createStore(tx, { storeCode: code, name, sandbox, scopes: CLIENT_SCOPES, aiActionsLimit });
  if (sealingKeys !== null) await useSimulator(tx, createKeyring(sealingKeys), request.live === true);
  if (owner !== null) await addMember(tx, owner, 'OWNER');
  if (withProduct) {
    const { categoryId } = await createCategory(tx, { name: '패션 잡화' });
    await em.flush();
    await createProduct(tx, { name: '양모 머플러', salePrice: 10_000, originalPrice: 15_000, categoryId, stockQuantity: 1_000_000 }, code);
  }
  return store;
}
