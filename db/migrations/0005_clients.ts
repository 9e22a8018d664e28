import { Migration } from '@mikro-orm/migrations';
import { lookup } from './tenancy.ts';

/**
 * Lookups before a store is known. A client in one look, for the token endpoint. A link whatever became of its invitation: an
 * acceptance whose answer was lost is asked for again.
 */
export class Clients0005 extends Migration {
  override name = '0005_clients';

  override up(): void {
    for (const sql of lookups) this.addSql(sql);
  }
}

const lookups = [
  ...lookup(
    'lookup_oauth_client(of_client text)',
    'TABLE (client_id text, store_id text, status text, auth_method text, secret_hash bytea, grant_types text[], redirect_uris text[], scopes text[])',
    `SELECT client_id, store_id, status, auth_method, secret_hash, grant_types, redirect_uris, scopes FROM client WHERE client_id = of_client`,
    'sangjeom_app',
  ),
  ...lookup(
    'lookup_link(hash text)',
    'TABLE (store_id text, sandbox boolean, clock_offset_ms bigint, invitation_id text, email text, send_no integer, status text)',
    `SELECT i.store_id, s.sandbox, s.clock_offset_ms, i.invitation_id, i.email, i.send_no, i.status FROM invitation i JOIN store s USING (store_id)
     WHERE i.token_hash = decode(hash, 'hex')`,
    'sangjeom_app',
  ),
];
