/** The entities, and the pool that they are read and written through. Transactions: kernel/tx.ts. */
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
import { UploadEntity } from './uploads/entities.ts';
import { StoreEntity } from './stores/entities.ts';
import { EventEntity, WebhookDeliveryEntity, WebhookEntity } from './webhooks/entities.ts';

/** Parents before children: rows are written in this order. */
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

/** Without these limits a black-holed connection hangs for ever, even after the network heals (measured). */
const LIMITS = { ...KEEPALIVE, connectionTimeoutMillis: 2000, query_timeout: 3000, statement_timeout: 2500 };

/** Opens a pool. Nothing is connected before the first query. Whoever logs in as the owner may act as a role that may do less. */
export const openOrm = (clientUrl: string, poolSize: number, actAs?: ActingRole): Promise<MikroORM> =>
  MikroORM.init({
    clientUrl,
    entities,
    pool: { min: 0, max: poolSize },
    driverOptions: { ...LIMITS, ...lazyBegin, ...(actAs && { options: actingAs(actAs) }) },
    forceUtcTimezone: true,
    allowGlobalContext: false,
    ensureDatabase: false,
  });
