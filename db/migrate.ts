/** Migrations of roles and schema, as the owner of the tables; several processes may run them concurrently. */
import { MikroORM } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { Client } from 'pg';
import { realClock as clock } from './kernel/clock.ts';
import { KEEPALIVE, MIGRATION_SETTINGS, startOptions } from './kernel/connection.ts';
import { Stores0001 } from './migrations/0001_stores.ts';
import { Identity0002 } from './migrations/0002_identity.ts';
import { Invitations0003 } from './migrations/0003_invitations.ts';
import { Addresses0004 } from './migrations/0004_addresses.ts';
import { Products0005 } from './migrations/0005_products.ts';
import { Uploads0006 } from './migrations/0006_uploads.ts';
import { Customers0007 } from './migrations/0007_customers.ts';
import { Checkout0008 } from './migrations/0008_checkout.ts';
import { Payments0009 } from './migrations/0009_payments.ts';
import { Orders0010 } from './migrations/0010_orders.ts';
import { Refunds0011 } from './migrations/0011_refunds.ts';
import { Feeds0012 } from './migrations/0012_feeds.ts';
import { Webhooks0013 } from './migrations/0013_webhooks.ts';
import { Runs0014 } from './migrations/0014_runs.ts';
import { Limits0015 } from './migrations/0015_limits.ts';
import { Retention0016 } from './migrations/0016_retention.ts';
import { Operator0017 } from './migrations/0017_operator.ts';
import { ApiRequestLog0018 } from './migrations/0018_api_request_log.ts';
import { Audit0019 } from './migrations/0019_audit.ts';
import { Approvals0020 } from './migrations/0020_approvals.ts';
import { AiActions0021 } from './migrations/0021_ai_actions.ts';
import { Liveness0022 } from './migrations/0022_liveness.ts';
import { Resource0023 } from './migrations/0023_resource.ts';
import { BulkRecords0024 } from './migrations/0024_bulk_records.ts';
import { AuditedDecisions0025 } from './migrations/0025_audited_decisions.ts';
import { Claims0026 } from './migrations/0026_claims.ts';
import { PaymentSettings0027 } from './migrations/0027_payment_settings.ts';
import { ClaimFeed0028 } from './migrations/0028_claim_feed.ts';
import { Points0029 } from './migrations/0029_points.ts';
import { PointUse0030 } from './migrations/0030_point_use.ts';
import { Customers0031 } from './migrations/0031_customers.ts';
import { Reviews0032 } from './migrations/0032_reviews.ts';
import { Sales0033 } from './migrations/0033_sales.ts';
import { Analytics0034 } from './migrations/0034_analytics.ts';
import { Holidays0035 } from './migrations/0035_holidays.ts';
import { Flows0036 } from './migrations/0036_flows.ts';
import { PointsTruncate0037 } from './migrations/0037_points_truncate.ts';
import { ExplainedGroups0038 } from './migrations/0038_explained_groups.ts';
import { SlowedRuns0039 } from './migrations/0039_slowed_runs.ts';
import { SharedStates0041 } from './migrations/0041_shared_states.ts';
import { CallTurns0042 } from './migrations/0042_call_turns.ts';
import { FairOutbox0043 } from './migrations/0043_fair_outbox.ts';
import { Shortened0044 } from './migrations/0044_shortened.ts';
import { VisitUses0045 } from './migrations/0045_visit_uses.ts';
import { ApprovedPreviews0046 } from './migrations/0046_approved_previews.ts';
import { Prices0047 } from './migrations/0047_prices.ts';
import { TextForm0048 } from './migrations/0048_text_form.ts';
import { PaymentKeys0049 } from './migrations/0049_payment_keys.ts';
import { OperationSubject0050 } from './migrations/0050_operation_subject.ts';
import { AddressChanges0051 } from './migrations/0051_address_changes.ts';
import { Listed0052 } from './migrations/0052_listed.ts';
import { PendingApprovals0053 } from './migrations/0053_pending_approvals.ts';
import { maintainPartitions } from './kernel/partitions.ts';
import { ensureRoles, type Logins } from './roles.ts';

const MIGRATIONS = [
  Stores0001,
  Identity0002,
  Invitations0003,
  Addresses0004,
  Products0005,
  Uploads0006,
  Customers0007,
  Checkout0008,
  Payments0009,
  Orders0010,
  Refunds0011,
  Feeds0012,
  Webhooks0013,
  Runs0014,
  Limits0015,
  Retention0016,
  Operator0017,
  ApiRequestLog0018,
  Audit0019,
  Approvals0020,
  AiActions0021,
  Liveness0022,
  Resource0023,
  BulkRecords0024,
  AuditedDecisions0025,
  Claims0026,
  PaymentSettings0027,
  ClaimFeed0028,
  Points0029,
  PointUse0030,
  Customers0031,
  Reviews0032,
  Sales0033,
  Analytics0034,
  Holidays0035,
  Flows0036,
  PointsTruncate0037,
  ExplainedGroups0038,
  SlowedRuns0039,
  SharedStates0041,
  CallTurns0042,
  FairOutbox0043,
  Shortened0044,
  VisitUses0045,
  ApprovedPreviews0046,
  Prices0047,
  TextForm0048,
  PaymentKeys0049,
  OperationSubject0050,
  AddressChanges0051,
  Listed0052,
  PendingApprovals0053,
];
const MIGRATION_LOCK = 7_265_001;
/** Below idle_session_timeout. */
const HEARTBEAT_MS = 5000;

/**
 * Migrates a database to the newest schema; idempotent. The owner need not be a superuser: CREATEROLE and ownership of the database
 * suffice. `logins`: URLs whose passwords the login roles get.
 */
export async function migrate(databaseUrl: string, logins: Logins | null = null): Promise<void> {
  const owner = new Client({ ...KEEPALIVE, connectionString: databaseUrl, options: startOptions(MIGRATION_SETTINGS) });
  let lost: Error | undefined;
  owner.on('error', (error) => (lost = error));
  await owner.connect();
  const heartbeat = setInterval(() => void owner.query('SELECT 1').catch(() => {}), HEARTBEAT_MS);
  try {
    // Waits for another migration without a timeout; later lock waits have one, because everybody else queues behind them.
    await owner.query('SET lock_timeout = 0');
    await owner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await owner.query('RESET lock_timeout');
    await ensureRoles(owner, logins);
    const orm = await MikroORM.init({
      clientUrl: databaseUrl,
      entities: [],
      logger: () => {},
      discovery: { warnWhenNoEntities: false },
      extensions: [Migrator],
      driverOptions: { ...KEEPALIVE, options: startOptions(MIGRATION_SETTINGS) },
      migrations: { migrationsList: MIGRATIONS, snapshot: false, transactional: true },
    });
    await orm.migrator.up().finally(() => orm.close());
    await maintainPartitions(owner, clock.now());
  } catch (error) {
    throw lost ?? error;
  } finally {
    clearInterval(heartbeat);
    await owner.end();
  }
}
