import { Migration } from '@mikro-orm/migrations';
import { audited } from './auditing.ts';
import { tenantTable } from './tenancy.ts';

/** Order flows that stores draw: drafts, published versions, connections to external services; groups of items and their calls. */
export class Flows0036 extends Migration {
  override up(): void {
    for (const sql of [...flows, ...builtIn, ...secrets, ...running, ...records, ...audit, ...assigned]) this.addSql(sql);
  }
}

const flows = [
  `CREATE TABLE commerce_flow (
    store_id text NOT NULL REFERENCES store, flow_id text NOT NULL, key text NOT NULL, name text NOT NULL, preset_key text,
    default_for text CHECK (default_for IN ('SHIPPING', 'MANUAL')), draft_graph jsonb, draft_updated_at timestamptz(3),
    latest_version integer NOT NULL DEFAULT 0, created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, flow_id), UNIQUE (store_id, key), CHECK ((draft_graph IS NULL) = (draft_updated_at IS NULL)))`,
  `CREATE INDEX commerce_flow_newest ON commerce_flow (store_id, default_for DESC NULLS LAST, created_at DESC, flow_id DESC)`,
  `CREATE UNIQUE INDEX commerce_flow_default ON commerce_flow (store_id, default_for) WHERE default_for IS NOT NULL`,
  ...tenantTable('commerce_flow', 'SELECT, INSERT, UPDATE'),
  // Nothing of a version ever changes. Without a bundle it is one of the code's.
  `CREATE TABLE flow_version (
    store_id text NOT NULL, flow_id text NOT NULL, version integer NOT NULL CHECK (version > 0), key text NOT NULL, graph jsonb,
    bundle jsonb, progression text NOT NULL CHECK (progression IN ('ITEM', 'ORDER_GROUP')), published_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, flow_id, version), UNIQUE (store_id, key, version), CHECK ((graph IS NULL) = (bundle IS NULL)),
    FOREIGN KEY (store_id, flow_id) REFERENCES commerce_flow DEFERRABLE INITIALLY DEFERRED)`,
  ...tenantTable('flow_version', 'SELECT, INSERT'),
];

/** The two default flows of every store, from its first moment on, and of those that exist. */
const idOf = (store: string, key: string) =>
  `'flw_' || substr(translate(encode(sha256((${store} || ${key})::bytea), 'base64'), '+/=', 'aZ'), 1, 22)`;
const DEFAULTS = `(VALUES ('shipping-standard', '일반 배송', 'SHIPPING'), ('manual-standard', '직접 제공', 'MANUAL')) AS d (key, name, kind)`;
const flowRows = (
  store: string,
  at: string,
) => `INSERT INTO commerce_flow (store_id, flow_id, key, name, preset_key, default_for, latest_version, created_at)
  SELECT ${store}, ${idOf(store, 'd.key')}, d.key, d.name, d.key, d.kind, 1, ${at} FROM`;
const versionRows = (store: string, at: string) => `INSERT INTO flow_version (store_id, flow_id, version, key, progression, published_at)
  SELECT ${store}, ${idOf(store, 'd.key')}, 1, d.key, 'ITEM', ${at} FROM`;
const builtIn = [
  `CREATE FUNCTION add_default_flows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     ${flowRows('NEW.store_id', 'NEW.created_at')} ${DEFAULTS};
     ${versionRows('NEW.store_id', 'NEW.created_at')} ${DEFAULTS};
     RETURN NULL; END $$`,
  `CREATE TRIGGER add_default_flows AFTER INSERT ON store FOR EACH ROW EXECUTE FUNCTION add_default_flows()`,
  'ALTER TABLE store NO FORCE ROW LEVEL SECURITY',
  `${flowRows('s.store_id', 's.created_at')} store s, ${DEFAULTS}`,
  `${versionRows('s.store_id', 's.created_at')} store s, ${DEFAULTS}`,
  'ALTER TABLE store FORCE ROW LEVEL SECURITY',
];

/** Connections to external services; the header's value is sealed. */
const secrets = [
  `CREATE TABLE flow_secret (
    store_id text NOT NULL REFERENCES store, name text NOT NULL, url text NOT NULL, header_name text NOT NULL, value_sealed text NOT NULL,
    updated_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, name))`,
  ...tenantTable('flow_secret'),
  `GRANT SELECT (store_id, name, value_sealed), UPDATE (value_sealed) ON flow_secret TO sangjeom_operator`,
  `CREATE POLICY operator ON flow_secret FOR SELECT TO sangjeom_operator USING (true)`,
  `CREATE POLICY operator_seals ON flow_secret FOR UPDATE TO sangjeom_operator USING (true) WITH CHECK (true)`,
];

/**
 * What items of an order in one grouped flow share (F32), and the calls of external nodes: one request for each entry of a node, marked
 * before it is sent (F17). `owner_id`: the order item, or the group.
 */
const running = [
  `CREATE TABLE flow_group (
    store_id text NOT NULL, group_id text NOT NULL, order_id text NOT NULL, order_no text NOT NULL, flow_key text NOT NULL,
    flow_version integer NOT NULL, flow_state jsonb NOT NULL, created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, group_id), UNIQUE (store_id, order_id, flow_key),
    FOREIGN KEY (store_id, order_id) REFERENCES orders DEFERRABLE INITIALLY DEFERRED)`,
  ...tenantTable('flow_group'),
  `CREATE TABLE flow_call (
    store_id text NOT NULL, owner_id text NOT NULL, call text NOT NULL, node_id text NOT NULL, idempotency_key text NOT NULL,
    sent_at timestamptz(3) NOT NULL, result text CHECK (result IN ('success', 'skipped', 'failed')), data jsonb,
    PRIMARY KEY (store_id, owner_id, call))`,
  ...tenantTable('flow_call'),
  // Nulls: a flow of the code, which needs none; an item that moves by itself.
  `ALTER TABLE order_item ADD COLUMN flow_facts jsonb, ADD COLUMN group_id text,
     ADD FOREIGN KEY (store_id, group_id) REFERENCES flow_group DEFERRABLE INITIALLY DEFERRED`,
  // For the orders in progress, which it counts in its order, and for migrations, which take an order's items together.
  `CREATE INDEX order_item_flow ON order_item (store_id, flow_key, flow_version, order_id, order_item_id)
     WHERE status IN ('PAID', 'CONFIRMED', 'DISPATCHED', 'DELIVERED')`,
  `CREATE INDEX order_item_group ON order_item (store_id, group_id) WHERE group_id IS NOT NULL`,
  // What the flow deducts from a claim's refund, fixed when it was filed (F38).
  `ALTER TABLE claim ADD COLUMN flow_fee_won integer NOT NULL DEFAULT 0 CHECK (flow_fee_won >= 0)`,
  // What a flow has done on the way is not done again: it has refunded the item, it has given its units back to stock (F40).
  `ALTER TABLE order_item ADD COLUMN is_settled boolean NOT NULL DEFAULT false, ADD COLUMN is_restocked boolean NOT NULL DEFAULT false`,
];

/** A record of a flow is found by its id; that of a group stands at every member (F31). */
const records = [
  'ALTER TABLE flow_step NO FORCE ROW LEVEL SECURITY',
  `ALTER TABLE flow_step ADD COLUMN run_id text, ADD COLUMN flow_key text, ADD COLUMN flow_version integer, ADD COLUMN status text`,
  `UPDATE flow_step SET run_id = 'flr_' || substr(translate(encode(sha256((order_item_id || seq)::bytea), 'base64'), '+/=', 'aZ'), 1, 22)`,
  `CREATE INDEX flow_step_run ON flow_step (store_id, run_id)`,
  'ALTER TABLE flow_step FORCE ROW LEVEL SECURITY',
];

/** What a flow cancels is in the audit log as a seller's cancel is, and so is what it refunds on the way (G46). */
const fieldOf = (field: string): string => `coalesce(NEW.event -> 'flowCancel' -> '${field}', NEW.event -> '${field}')`;
const ofRefund = (field: string): string => `NEW.event -> 'flowRefund' -> '${field}'`;
const audit = [
  'DROP TRIGGER audit_order_item_canceled ON flow_step',
  'DROP TRIGGER audited_order_item_canceled ON flow_step',
  'DROP FUNCTION audit_order_item_canceled()',
  ...audited({
    action: 'ORDER_ITEM_CANCELED',
    table: 'flow_step',
    on: 'INSERT',
    when: `(NEW.event ->> 'type' = 'reduced' AND NEW.event ->> 'cause' = 'SELLER_CANCEL') OR NEW.event ? 'flowCancel'`,
    target: ['ORDER_ITEM', 'order_item_id'],
    metadata: {
      quantity: fieldOf('quantity'),
      refundAmount: fieldOf('refundAmount'),
      pointRefundAmount: fieldOf('pointRefundAmount'),
      reason: fieldOf('reason'),
    },
    refundId: `coalesce(NEW.event -> 'flowCancel' ->> 'refundId', NEW.event ->> 'refundId')`,
  }),
  ...audited({
    action: 'FLOW_REFUNDED',
    table: 'flow_step',
    on: 'INSERT',
    when: `NEW.event ? 'flowRefund'`,
    target: ['ORDER_ITEM', 'order_item_id'],
    metadata: { refundAmount: ofRefund('refundAmount'), pointRefundAmount: ofRefund('pointRefundAmount') },
    refundId: `NEW.event -> 'flowRefund' ->> 'refundId'`,
  }),
];

const assigned = [
  `ALTER TABLE product ADD FOREIGN KEY (store_id, flow_id) REFERENCES commerce_flow DEFERRABLE INITIALLY DEFERRED`,
  `ALTER TABLE category ADD FOREIGN KEY (store_id, flow_id) REFERENCES commerce_flow DEFERRABLE INITIALLY DEFERRED`,
];
