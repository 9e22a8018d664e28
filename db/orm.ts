/** The entities, and MikroORM with its connection pool. Transactions: kernel/tx.ts. */
import { MikroORM } from '@mikro-orm/postgresql';
import { AiUsageEntity } from './aiActions/entities.ts';
import { SellerAddressEntity } from './addresses/entities.ts';
import { ApiRequestLogEntity } from './apiRequestLogs/entities.ts';
import { AuditDomainEntity, AuditRequestEntity } from './audit/entities.ts';
import { ApprovalNoticeEntity, ApprovalRequestEntity } from './approvals/entities.ts';
import { PickupLocationEntity } from './pickupLocations/entities.ts';
import {
  NightMovementEntity,
  ProductEntity,
  ProductGramEntity,
  StockMovementEntity,
  VariantEntity,
  VariantNightEntity,
} from './products/entities.ts';
import { ClaimEntity, ClaimStepEntity } from './claims/entities.ts';
import { CategoryEntity } from './categories/entities.ts';
import { CartItemEntity } from './cart/entities.ts';
import { CheckoutEntity } from './checkout/entities.ts';
import {
  CustomerAddressEntity,
  CustomerConsentEntity,
  CustomerCountEntity,
  CustomerEntity,
  CustomerGramEntity,
  CustomerStatsEntity,
  CustomerWithdrawalEntity,
  WishlistItemEntity,
} from './customers/entities.ts';
import { FeedEntity, ListCountEntity, ProductListCountEntity } from './feeds/entities.ts';
import {
  ApiTokenEntity,
  AuthCodeEntity,
  ClientEntity,
  ConsentRequestEntity,
  GuestSessionEntity,
  LoginEntity,
  LoginRequestEntity,
  MemberEntity,
  RefreshTokenEntity,
  SigningKeyEntity,
  UserEntity,
} from './identity/entities.ts';
import { InvitationEntity, InvitationSendEntity } from './invitations/entities.ts';
import {
  CommerceFlowEntity,
  FlowCallEntity,
  FlowCallWaitingEntity,
  FlowGroupEntity,
  FlowSecretEntity,
  FlowVersionEntity,
  HolidayYearEntity,
} from './flows/entities.ts';
import { FlowStepEntity, OrderBundleEntity, OrderEntity, OrderItemEntity } from './orders/entities.ts';
import { PaymentCircuitEntity, PaymentCredentialEntity, PaymentProviderEntity, PaymentSettingsEntity } from './paymentSettings/entities.ts';
import { PaymentAttemptEntity, PaymentEntity, RefundEntity } from './payments/entities.ts';
import { CommandTextEntity, OperationEntity, OutboxEntity, RunEntity, TemporalNamespaceEntity } from './runs/entities.ts';
import { ReviewedItemEntity, ReviewEntity } from './reviews/entities.ts';
import { InquiryEntity } from './inquiries/entities.ts';
import { RateLimitEntity } from './limits/entities.ts';
import { PointAccountEntity, PointHistoryEntity, PointLotEntity, PointMovementEntity, PointPolicyEntity } from './points/entities.ts';
import { actingAs, type ActingRole, KEEPALIVE } from './kernel/connection.ts';
import { lazyBegin } from './kernel/lazyBegin.ts';
import { parameterDriver } from './kernel/parameters.ts';
import type { RegisteredTable } from './personalData/register.ts';
import { SalesSumEntity } from './salesReport/entities.ts';
import { UploadEntity } from './uploads/entities.ts';
import { StoreEntity } from './stores/entities.ts';
import {
  VisitBatchEntity,
  VisitClockEntity,
  VisitDistinctEntity,
  VisitDropEntity,
  VisitEventEntity,
  VisitMemberEntity,
  VisitSessionEntity,
  VisitSumEntity,
  VisitUseEntity,
} from './visits/entities.ts';
import { EventEntity, WebhookDeliveryEntity, WebhookEntity } from './webhooks/entities.ts';

/** Parents before children: MikroORM inserts in this order. An entity whose table has no entry in the register does not compile. */
const entities = [
  StoreEntity,
  PaymentSettingsEntity,
  PaymentProviderEntity,
  PaymentCredentialEntity,
  PaymentCircuitEntity,
  UserEntity,
  MemberEntity,
  ClientEntity,
  ApiTokenEntity,
  LoginRequestEntity,
  LoginEntity,
  AuthCodeEntity,
  RefreshTokenEntity,
  ConsentRequestEntity,
  InvitationSendEntity,
  InvitationEntity,
  ApprovalRequestEntity,
  ApprovalNoticeEntity,
  SigningKeyEntity,
  GuestSessionEntity,
  CustomerEntity,
  CustomerConsentEntity,
  CustomerAddressEntity,
  CustomerGramEntity,
  CustomerStatsEntity,
  CustomerCountEntity,
  CustomerWithdrawalEntity,
  PointPolicyEntity,
  PointAccountEntity,
  PointHistoryEntity,
  PointLotEntity,
  PointMovementEntity,
  CommerceFlowEntity,
  FlowVersionEntity,
  FlowSecretEntity,
  HolidayYearEntity,
  CategoryEntity,
  SellerAddressEntity,
  PickupLocationEntity,
  UploadEntity,
  ProductEntity,
  ProductGramEntity,
  VariantEntity,
  StockMovementEntity,
  VariantNightEntity,
  NightMovementEntity,
  WishlistItemEntity,
  CartItemEntity,
  CheckoutEntity,
  PaymentEntity,
  PaymentAttemptEntity,
  OrderEntity,
  OrderBundleEntity,
  FlowGroupEntity,
  OrderItemEntity,
  FlowStepEntity,
  FlowCallEntity,
  FlowCallWaitingEntity,
  ClaimEntity,
  ClaimStepEntity,
  ReviewEntity,
  ReviewedItemEntity,
  InquiryEntity,
  RefundEntity,
  FeedEntity,
  ListCountEntity,
  SalesSumEntity,
  ProductListCountEntity,
  WebhookEntity,
  EventEntity,
  WebhookDeliveryEntity,
  RunEntity,
  OutboxEntity,
  OperationEntity,
  CommandTextEntity,
  TemporalNamespaceEntity,
  RateLimitEntity,
  AiUsageEntity,
  ApiRequestLogEntity,
  AuditRequestEntity,
  AuditDomainEntity,
  VisitEventEntity,
  VisitBatchEntity,
  VisitClockEntity,
  VisitSessionEntity,
  VisitMemberEntity,
  VisitDistinctEntity,
  VisitSumEntity,
  VisitUseEntity,
  VisitDropEntity,
] satisfies readonly { readonly tableName: RegisteredTable }[];
/** The tables that have an entity. */
export type TableName = (typeof entities)[number]['tableName'];

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
