import { Migration } from '@mikro-orm/migrations';
import { lookup, lookupReads, tenantTable } from './tenancy.ts';

/**
 * Payment settings, credential sets and circuits; a payment keeps the environment that it was started in, and an attempt the credential set
 * (docs/contract.md#payment-settings).
 */
export class PaymentSettings0027 extends Migration {
  override up(): void {
    for (const sql of [...tables, ...defaults, ...access, ...attempts, ...lookups]) this.addSql(sql);
  }
}

const tables = [
  `CREATE TABLE payment_settings (
    store_id text PRIMARY KEY REFERENCES store, sandbox_mode boolean NOT NULL DEFAULT true, live_payments boolean NOT NULL DEFAULT false,
    routing text NOT NULL DEFAULT 'AUTO_FAILOVER' CHECK (routing IN ('AUTO_FAILOVER', 'PRIORITY_DISPLAY')),
    priority text[] NOT NULL DEFAULT '{tosspayments,portone}', payment_domains text[] NOT NULL DEFAULT '{}',
    version integer NOT NULL DEFAULT 1, updated_at timestamptz(3) NOT NULL)`,
  `CREATE TABLE payment_provider (
    store_id text NOT NULL REFERENCES payment_settings, provider text NOT NULL CHECK (provider IN ('tosspayments', 'portone')),
    enabled boolean NOT NULL DEFAULT true, methods jsonb NOT NULL DEFAULT '[{"method": "CARD", "provider": null}]',
    notification_token text NOT NULL UNIQUE, version integer NOT NULL DEFAULT 1, updated_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, provider))`,
  // A set is never deleted: what was paid with it is refunded with it (Y9).
  `CREATE TABLE payment_credential (
    store_id text NOT NULL, credential_id text NOT NULL, provider text NOT NULL,
    environment text NOT NULL CHECK (environment IN ('TEST', 'LIVE')), seq integer NOT NULL,
    status text NOT NULL CHECK (status IN ('UNVERIFIED', 'VERIFIED', 'FAILED')), public_halves jsonb NOT NULL, hints jsonb NOT NULL,
    secret_sealed text NOT NULL, webhook_secret_sealed text, is_newest boolean NOT NULL, is_serving boolean NOT NULL,
    created_at timestamptz(3) NOT NULL, updated_at timestamptz(3) NOT NULL, updated_by_name text,
    verified_at timestamptz(3), rejected_at timestamptz(3), retired_at timestamptz(3),
    PRIMARY KEY (store_id, credential_id), UNIQUE (store_id, credential_id, provider, environment),
    UNIQUE (store_id, provider, environment, seq), FOREIGN KEY (store_id, provider) REFERENCES payment_provider,
    CHECK (NOT is_serving OR status = 'VERIFIED'), CHECK (retired_at IS NULL OR NOT (is_newest OR is_serving)))`,
  `CREATE UNIQUE INDEX payment_credential_newest ON payment_credential (store_id, provider, environment) WHERE is_newest`,
  `CREATE UNIQUE INDEX payment_credential_serving ON payment_credential (store_id, provider, environment) WHERE is_serving`,
  // Real times.
  `CREATE TABLE payment_circuit (
    store_id text NOT NULL, provider text NOT NULL, environment text NOT NULL CHECK (environment IN ('TEST', 'LIVE')),
    failed_at timestamptz(3)[] NOT NULL DEFAULT '{}', open_until timestamptz(3), PRIMARY KEY (store_id, provider, environment),
    FOREIGN KEY (store_id, provider) REFERENCES payment_provider)`,
];

/** Every store has its settings and both providers from its first moment on. 244 random bits make an address that nobody guesses (Y27). */
const TOKEN = `replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`;
const defaults = [
  `CREATE FUNCTION add_payment_settings() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO payment_settings (store_id, updated_at) VALUES (NEW.store_id, NEW.created_at);
     INSERT INTO payment_provider (store_id, provider, notification_token, updated_at)
     SELECT NEW.store_id, provider, ${TOKEN}, NEW.created_at FROM unnest('{tosspayments,portone}'::text[]) AS p (provider);
     RETURN NULL; END $$`,
  `CREATE TRIGGER add_payment_settings AFTER INSERT ON store FOR EACH ROW EXECUTE FUNCTION add_payment_settings()`,
  'ALTER TABLE store NO FORCE ROW LEVEL SECURITY',
  `INSERT INTO payment_settings (store_id, updated_at) SELECT store_id, created_at FROM store`,
  `INSERT INTO payment_provider (store_id, provider, notification_token, updated_at)
   SELECT store_id, provider, ${TOKEN}, created_at FROM store, unnest('{tosspayments,portone}'::text[]) AS p (provider)`,
  'ALTER TABLE store FORCE ROW LEVEL SECURITY',
];

/** The operator's switch `live_payments` is not the app's to turn (Y21). */
const access = [
  ...tenantTable('payment_settings', 'SELECT'),
  `GRANT UPDATE (sandbox_mode, routing, priority, payment_domains, version, updated_at) ON payment_settings TO sangjeom_app`,
  ...tenantTable('payment_provider', 'SELECT'),
  `GRANT UPDATE (enabled, methods, version, updated_at) ON payment_provider TO sangjeom_app`,
  ...tenantTable('payment_credential', 'SELECT, INSERT, UPDATE'),
  ...tenantTable('payment_circuit'),
  // Secrets are sealed anew under another key, in all stores.
  `GRANT SELECT (store_id, credential_id, secret_sealed, webhook_secret_sealed), UPDATE (secret_sealed, webhook_secret_sealed)
   ON payment_credential TO sangjeom_operator`,
  `CREATE POLICY operator ON payment_credential FOR SELECT TO sangjeom_operator USING (true)`,
  `CREATE POLICY operator_seals ON payment_credential FOR UPDATE TO sangjeom_operator USING (true) WITH CHECK (true)`,
];

/**
 * A payment started in TEST never meets a LIVE set, nor the reverse: attempts, payments and sets agree by foreign keys. The defaults are
 * for processes of before, which name no environment.
 */
const attempts = [
  `ALTER TABLE payment NO FORCE ROW LEVEL SECURITY`,
  `ALTER TABLE payment_attempt NO FORCE ROW LEVEL SECURITY`,
  `ALTER TABLE payment ADD COLUMN environment text NOT NULL DEFAULT 'TEST'`,
  `UPDATE payment SET environment = 'LIVE' WHERE NOT test_payment`,
  `ALTER TABLE payment ADD CHECK (test_payment = (environment = 'TEST')),
     ADD CHECK (environment IN ('TEST', 'LIVE')), ADD UNIQUE (store_id, payment_id, environment)`,
  `ALTER TABLE payment_attempt ADD COLUMN environment text NOT NULL DEFAULT 'TEST', ADD COLUMN credential_id text,
     ADD COLUMN payment_token text`,
  `UPDATE payment_attempt a SET environment = p.environment FROM payment p
     WHERE p.store_id = a.store_id AND p.payment_id = a.payment_id AND p.environment <> a.environment`,
  `ALTER TABLE payment_attempt ADD FOREIGN KEY (store_id, payment_id, environment) REFERENCES payment (store_id, payment_id, environment)
       DEFERRABLE INITIALLY DEFERRED,
     ADD FOREIGN KEY (store_id, credential_id, pg, environment)
       REFERENCES payment_credential (store_id, credential_id, provider, environment) DEFERRABLE INITIALLY DEFERRED`,
  `CREATE INDEX payment_attempt_credential ON payment_attempt (store_id, credential_id)`,
  `CREATE INDEX payment_blocked ON payment (store_id) WHERE (call ->> 'isBlocked') = 'true'`,
  `ALTER TABLE payment FORCE ROW LEVEL SECURITY`,
  `ALTER TABLE payment_attempt FORCE ROW LEVEL SECURITY`,
];

const lookups = [
  ...lookupReads('payment_provider'),
  ...lookup(
    'lookup_notification(token text)',
    'TABLE (store_id text, status text, sandbox boolean, clock_offset_ms bigint, provider text)',
    `SELECT store_id, 'ACTIVE', s.sandbox, s.clock_offset_ms, p.provider FROM payment_provider p JOIN store s USING (store_id)
     WHERE notification_token = token`,
    'sangjeom_app',
  ),
];
