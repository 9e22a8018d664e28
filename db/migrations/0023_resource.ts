import { Migration } from '@mikro-orm/migrations';

/** The resource that a login's tokens are for (RFC 8707); null: the API. */
export class Resource0023 extends Migration {
  override up(): void {
    for (const table of ['login_request', 'consent_request', 'login']) this.addSql(`ALTER TABLE ${table} ADD COLUMN resource text`);
  }
}
