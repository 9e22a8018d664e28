/** The entities, and MikroORM with its connection pool. Transactions: kernel/tx.ts. */
import { MikroORM } from '@mikro-orm/postgresql';
import { SellerAddressEntity } from './addresses/entities.ts';
import { PickupLocationEntity } from './pickupLocations/entities.ts';
import { ProductEntity, VariantEntity } from './products/entities.ts';
import { CategoryEntity } from './categories/entities.ts';
import { CartItemEntity } from './cart/entities.ts';
import { CheckoutEntity } from './checkout/entities.ts';
import { ApiTokenEntity, ClientEntity, GuestSessionEntity, MemberEntity, SigningKeyEntity, UserEntity } from './identity/entities.ts';
import { InvitationEntity } from './invitations/entities.ts';
import { FlowStepEntity, OrderBundleEntity, OrderEntity, OrderItemEntity } from './orders/entities.ts';
import { PaymentAttemptEntity, PaymentEntity, RefundEntity } from './payments/entities.ts';
import { OutboxEntity, RunEntity } from './runs/entities.ts';
import { actingAs, type ActingRole, KEEPALIVE } from './kernel/connection.ts';
import { lazyBegin } from './kernel/lazyBegin.ts';
import { parameterDriver } from './kernel/parameters.ts';
import { UploadEntity } from './uploads/entities.ts';
import { StoreEntity } from './stores/entities.ts';
import { EventEntity, WebhookDeliveryEntity, WebhookEntity } from './webhooks/entities.ts';

/** Parents before children: MikroORM inserts in this order. */
const entities = [
  StoreEntity,
  UserEntity,
  MemberEntity,
  ClientEntity,
  ApiTokenEntity,
  InvitationEntity,
  SigningKeyEntity,
  GuestSessionEntity,
  CategoryEntity,
  SellerAddressEntity,
  PickupLocationEntity,
  UploadEntity,
  ProductEntity,
  VariantEntity,
  CartItemEntity,
  CheckoutEntity,
  PaymentEntity,
  PaymentAttemptEntity,
  OrderEntity,
  OrderBundleEntity,
  OrderItemEntity,
  FlowStepEntity,
  RefundEntity,
  WebhookEntity,
  EventEntity,
  WebhookDeliveryEntity,
  RunEntity,
  OutboxEntity,
];

/** Without these timeouts a black-holed connection hangs forever, even after the network recovers (measured). */
const LIMITS = { ...KEEPALIVE, connectionTimeoutMillis: 2000, query_timeout: 3000, statement_timeout: 2500 };

/** Creates a pool, which connects at the first query. `actAs`: a role with fewer rights that the owner acts as. */
export const openOrm = (clientUrl: string, poolSize: number, actAs?: ActingRole): Promise<MikroORM> =>
  MikroORM.init({
    driver: parameterDriver,
    clientUrl,
    entities,
    pool: { min: 0, max: poolSize },
    driverOptions: { ...LIMITS, ...lazyBegin, ...(actAs && { options: actingAs(actAs) }) },
    forceUtcTimezone: true,
    allowGlobalContext: false,
    ensureDatabase: false,
  });

/** Runs `work` with a pool of its own, which is closed at the end: for commands. */
export async function withOrm<T>(clientUrl: string, poolSize: number, work: (orm: MikroORM) => Promise<T>, actAs?: ActingRole): Promise<T> {
  const orm = await openOrm(clientUrl, poolSize, actAs);
  try {
    return await work(orm);
  } finally {
    await orm.close();
  }
}
