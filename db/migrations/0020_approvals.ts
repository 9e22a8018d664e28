import { Migration } from '@mikro-orm/migrations';
import { inEachStore, swept, sweeping } from './sweeping.ts';
import { tenantTable } from './tenancy.ts';

/** What agents ask for and people decide, and when a store was last mailed about it. */
export class Approvals0020 extends Migration {
  override up(): void {
    for (const sql of [...requests, ...notices, ...retention, ...operators]) this.addSql(sql);
  }
}

/**
 * Business time. `token_ref`: what must still live when the request is carried out, never a token. `headers`: those that the execution
 * needs. `preview`, `body`, `decision_note` and the result are nowhere else. `result_sealed`: the data of a result with a secret.
 */
const requests = [
  `CREATE TABLE approval_request (
    store_id text NOT NULL REFERENCES store, approval_id text NOT NULL, status text NOT NULL,
    operation_id text NOT NULL, reason text NOT NULL, principal text NOT NULL, token_ref jsonb NOT NULL,
    actor_type text NOT NULL, actor_id text NOT NULL, actor_name text, via text, on_behalf_of text,
    method text NOT NULL, path text NOT NULL, params jsonb NOT NULL, querystring text NOT NULL, body jsonb, headers jsonb NOT NULL,
    key text, fingerprint text NOT NULL, preview jsonb NOT NULL,
    required_scopes text[] NOT NULL, approver_role text NOT NULL CHECK (approver_role IN ('OWNER', 'ADMIN')),
    created_at timestamptz(3) NOT NULL, expires_at timestamptz(3) NOT NULL, notice_round integer,
    decision text CHECK (decision IN ('APPROVE', 'REJECT')), decided_at timestamptz(3), decided_via text, decision_note text,
    approver_user_id text, approver_scopes text[],
    executing_since timestamptz(3), attempts integer NOT NULL, next_attempt_at timestamptz(3),
    result_status smallint, result_code text, result_request_id text, result_data jsonb, result_error jsonb, result_sealed text,
    PRIMARY KEY (store_id, approval_id))`,
  `CREATE INDEX approval_request_newest ON approval_request (store_id, created_at DESC, approval_id DESC)`,
  `CREATE INDEX approval_request_status ON approval_request (store_id, status, created_at DESC, approval_id DESC)`,
  `CREATE INDEX approval_request_operation ON approval_request (store_id, operation_id, created_at DESC, approval_id DESC)`,
  `CREATE INDEX approval_request_key ON approval_request (store_id, principal, key) WHERE key IS NOT NULL`,
  `CREATE INDEX approval_request_unnoticed ON approval_request (store_id) WHERE status = 'PENDING' AND notice_round IS NULL`,
  ...tenantTable('approval_request'),
];

/** `mails`: those that have not gone yet. Business time. */
const notices = [
  `CREATE TABLE approval_notice (
    store_id text PRIMARY KEY REFERENCES store, last_at timestamptz(3), round integer NOT NULL, mails jsonb NOT NULL)`,
  ...tenantTable('approval_notice'),
];

const isEnded = `x.status NOT IN ('PENDING', 'EXECUTING') AND x.created_at < ended`;
/** With a request goes its idempotency key. */
const retention = [
  ...swept('approval_request', `status NOT IN ('PENDING', 'EXECUTING')`),
  ...sweeping({
    kind: 'approvals',
    due: inEachStore('x.store_id, x.approval_id', 'approval_request', isEnded, 'x.created_at'),
    remove: `gone AS (DELETE FROM approval_request a USING due WHERE a.store_id = due.store_id AND a.approval_id = due.approval_id
        RETURNING a.store_id, a.principal, a.key),
      keys AS (DELETE FROM operation o USING gone WHERE o.store_id = gone.store_id AND o.principal = gone.principal AND o.key = gone.key)`,
  }),
];

const operators = [
  `GRANT SELECT (store_id, approval_id, status, operation_id, expires_at, attempts, next_attempt_at, result_status, result_code)
     ON approval_request TO sangjeom_operator`,
  'CREATE POLICY operator ON approval_request FOR SELECT TO sangjeom_operator USING (true)',
  'GRANT SELECT (store_id, last_at, round) ON approval_notice TO sangjeom_operator',
  'CREATE POLICY operator ON approval_notice FOR SELECT TO sangjeom_operator USING (true)',
];
