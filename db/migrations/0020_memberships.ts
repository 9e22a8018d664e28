import { Migration } from '@mikro-orm/migrations';
import { lookup } from './tenancy.ts';

/** When a membership began is read with everything else that may have changed since a person's token was signed (X25). */
export class Memberships0020 extends Migration {
  override name = '0020_memberships';

  override up(): void {
    for (const sql of person) this.addSql(sql);
  }
}

const person = [
  'DROP FUNCTION lookup_person(text, text, text, text)',
  ...lookup(
    'lookup_person(of_client text, of_login text, of_user text, in_store text)',
    `TABLE (store_id text, sandbox boolean, clock_offset_ms bigint, role text, client_status text, client_store_id text, is_live boolean,
       user_name text, joined_at timestamptz)`,
    `SELECT s.store_id, s.sandbox, s.clock_offset_ms, m.role, c.status, c.store_id,
       EXISTS (SELECT 1 FROM login l WHERE l.login_id = of_login AND l.user_id = of_user AND l.client_id = of_client AND l.revoked_at IS NULL),
       u.name, m.created_at
     FROM user_account u LEFT JOIN client c ON c.client_id = of_client LEFT JOIN store s ON s.store_id = in_store
       LEFT JOIN member m ON m.store_id = s.store_id AND m.user_id = u.user_id
     WHERE u.user_id = of_user`,
    'sangjeom_app',
  ),
];
