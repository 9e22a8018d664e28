import { Migration } from '@mikro-orm/migrations';
import { inEachStore, swept, sweeping } from './sweeping.ts';
import { DEFINER } from './tenancy.ts';

/** Deletion of what has ended (db/retention/kinds.ts): the sweeper's rights, and a function for each kind. */
export class Retention0016 extends Migration {
  override up(): void {
    for (const sql of [...rights, ...kinds.flatMap((kind) => sweeping(kind)), ...known]) this.addSql(sql);
  }
}

/** Policies that exclude everything that an order, a customer or an open run needs: even a wrong function could not delete it. */
const rights = [
  `GRANT SELECT ON store, refund TO sangjeom_sweeper`,
  ...['store', 'refund'].map((table) => `CREATE POLICY sweep_read ON ${table} FOR SELECT TO sangjeom_sweeper USING (true)`),
  ...['login_request', 'consent_request', 'auth_code', 'refresh_token', 'login', 'invitation_send', 'rate_limit'].flatMap((table) =>
    swept(table, null),
  ),
  ...['operation', 'guest_session', 'command_text'].flatMap((table) => swept(table, 'true')),
  ...swept('run', 'done_at IS NOT NULL'),
  ...swept('cart_item', `starts_with(session_id, 'gst_')`),
  ...swept('checkout', `status = 'OPEN'`),
  ...swept('payment', `order_id IS NULL AND status IN ('failed', 'expired')`),
  ...swept('payment_attempt', `status <> 'APPROVED'`),
  ...swept('upload', `purpose = 'order-input' AND NOT is_named`),
];

const gone = (table: string, key: string): string =>
  `gone AS (DELETE FROM ${table} x USING due WHERE x.store_id = due.store_id AND x.${key} = due.${key} RETURNING 1)`;
const unbound = (table: string, key: string, which: string, by: string): string =>
  `SELECT ${key} FROM ${table} WHERE ${which} ORDER BY ${by}`;
/** Logins that have neither a code nor a token left. */
const emptyLogins = (other: string, key: string, table: string): string =>
  `empty AS (DELETE FROM login l USING (SELECT DISTINCT login_id FROM gone) g WHERE l.login_id = g.login_id
     AND NOT EXISTS (SELECT 1 FROM ${other} o WHERE o.login_id = l.login_id)
     AND NOT EXISTS (SELECT 1 FROM ${table} t WHERE t.login_id = l.login_id AND t.${key} NOT IN (SELECT ${key} FROM gone)))`;
const carts = `carts AS (DELETE FROM cart_item i USING due WHERE i.store_id = due.store_id AND i.session_id = due.session_id)`;
const guests = (which: string, by: string): string => inEachStore('x.store_id, x.session_id', 'guest_session', which, by);
const isUnused = 'x.used_at IS NULL AND x.created_at < ended AND x.expires_at >= ended';
const isUnpaid = `order_id IS NULL AND status IN ('failed', 'expired') AND coalesce(call, 'null') = 'null'`;

const kinds = [
  {
    kind: 'operations',
    due: 'SELECT store_id, principal, key FROM operation WHERE expires_at < before ORDER BY expires_at',
    remove: `gone AS (DELETE FROM operation o USING due WHERE o.store_id = due.store_id AND o.principal = due.principal AND o.key = due.key
      AND o.expires_at < before RETURNING 1)`,
  },
  { kind: 'runs', due: unbound('run', 'store_id, workflow_id', 'done_at < before', 'done_at'), remove: gone('run', 'workflow_id') },
  {
    kind: 'login_requests',
    due: unbound('login_request', 'request_id', 'expires_at < before', 'expires_at'),
    remove: 'gone AS (DELETE FROM login_request USING due WHERE login_request.request_id = due.request_id RETURNING 1)',
  },
  {
    // Consent requests that nobody answered, like login requests (X26).
    kind: 'consent_requests',
    due: unbound('consent_request', 'consent_id', 'expires_at < before', 'expires_at'),
    remove: 'gone AS (DELETE FROM consent_request c USING due WHERE c.consent_id = due.consent_id RETURNING 1)',
  },
  {
    kind: 'auth_codes',
    due: unbound('auth_code', 'code_hash', 'expires_at < before', 'expires_at'),
    remove: `gone AS (DELETE FROM auth_code c USING due WHERE c.code_hash = due.code_hash RETURNING c.code_hash, c.login_id),
      ${emptyLogins('refresh_token', 'code_hash', 'auth_code')}`,
  },
  {
    kind: 'refresh_tokens',
    due: unbound('refresh_token', 'token_hash', 'expires_at < before', 'expires_at'),
    remove: `gone AS (DELETE FROM refresh_token t USING due WHERE t.token_hash = due.token_hash RETURNING t.token_hash, t.login_id),
      ${emptyLogins('auth_code', 'token_hash', 'refresh_token')}`,
  },
  {
    // A tenth of the portion: each login has a refresh token per hour of its lifetime.
    kind: 'logins',
    due: `SELECT login_id FROM (${unbound('login', 'login_id', 'revoked_at < before', 'revoked_at')} LIMIT greatest(max_rows / 10, 1)) l`,
    remove: `tokens AS (DELETE FROM refresh_token t USING due WHERE t.login_id = due.login_id),
      codes AS (DELETE FROM auth_code c USING due WHERE c.login_id = due.login_id),
      gone AS (DELETE FROM login l USING due WHERE l.login_id = due.login_id RETURNING 1)`,
  },
  {
    kind: 'guest_sessions',
    due: `SELECT store_id, session_id FROM (${guests('x.expires_at < ended', 'x.expires_at')}
      UNION ALL ${guests(isUnused, 'x.created_at')}) g`,
    remove: `${carts}, ${gone('guest_session', 'session_id')}`,
  },
  {
    kind: 'checkouts',
    due: inEachStore(
      'x.store_id, x.checkout_id',
      'checkout',
      `x.status = 'OPEN' AND NOT x.is_tried AND x.expires_at < ended`,
      'x.expires_at',
    ),
    remove: `gone AS (DELETE FROM checkout c USING due WHERE c.store_id = due.store_id AND c.checkout_id = due.checkout_id
      AND c.status = 'OPEN' AND NOT c.is_tried RETURNING 1)`,
  },
  {
    kind: 'payments',
    due: `SELECT store_id, payment_id FROM payment WHERE ${isUnpaid} AND started_at < before
      AND NOT EXISTS (SELECT 1 FROM refund r WHERE r.store_id = payment.store_id AND r.payment_id = payment.payment_id)
      ORDER BY started_at`,
    remove: `attempts AS (DELETE FROM payment_attempt a USING due WHERE a.store_id = due.store_id AND a.payment_id = due.payment_id),
      gone AS (DELETE FROM payment p USING due WHERE p.store_id = due.store_id AND p.payment_id = due.payment_id
        RETURNING p.store_id, p.checkout_id, p.payment_id),
      checkouts AS (DELETE FROM checkout c USING (SELECT DISTINCT store_id, checkout_id FROM gone) g
        WHERE c.store_id = g.store_id AND c.checkout_id = g.checkout_id AND c.status = 'OPEN'
          AND NOT EXISTS (SELECT 1 FROM payment p WHERE p.store_id = c.store_id AND p.checkout_id = c.checkout_id
            AND p.payment_id NOT IN (SELECT payment_id FROM gone)))`,
  },
  {
    kind: 'texts',
    due: unbound('command_text', 'store_id, text_id', 'created_at < before', 'created_at'),
    remove: gone('command_text', 'text_id'),
  },
  {
    kind: 'rate_limits',
    due: unbound('rate_limit', 'key', 'expires_at < before', 'expires_at'),
    remove: `gone AS (DELETE FROM rate_limit l USING due WHERE l.key = due.key AND l.expires_at < before RETURNING 1)`,
  },
  {
    kind: 'invitation_sends',
    due: unbound('invitation_send', 'send_id', 'at < before', 'at'),
    remove: 'gone AS (DELETE FROM invitation_send i USING due WHERE i.send_id = due.send_id RETURNING 1)',
  },
  {
    // The row is deleted before the file: an order that refers to an upload locks its row first, or finds it deleted.
    kind: 'order_inputs',
    due: inEachStore(
      'x.store_id, x.upload_id',
      'upload',
      `x.purpose = 'order-input' AND NOT x.is_named AND x.created_at < ended`,
      'x.created_at',
    ),
    remove: `gone AS (DELETE FROM upload u USING due WHERE u.store_id = due.store_id AND u.upload_id = due.upload_id AND NOT u.is_named
      RETURNING u.store_id, u.upload_id, u.content_type)`,
    answers: {
      type: 'TABLE (store_id text, upload_id text, content_type text)',
      text: 'SELECT store_id, upload_id, content_type FROM gone',
    },
  },
];

/** Which of these uploads have a row: `store/upload`. */
const known = [
  `CREATE FUNCTION lookup_uploads(wanted text[]) RETURNS TABLE (name text) LANGUAGE sql STABLE ${DEFINER}
   AS $$ SELECT w.name FROM unnest(wanted) AS w (name)
     JOIN upload u ON u.store_id = split_part(w.name, '/', 1) AND u.upload_id = split_part(w.name, '/', 2) $$`,
  'ALTER FUNCTION lookup_uploads(text[]) OWNER TO sangjeom_sweeper',
  'REVOKE ALL ON FUNCTION lookup_uploads(text[]) FROM PUBLIC',
  'GRANT EXECUTE ON FUNCTION lookup_uploads(text[]) TO sangjeom_relay',
];
