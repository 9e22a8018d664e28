import { Migration } from '@mikro-orm/migrations';

/**
 * Rate limits over a sliding window, shared by all processes: wrong passwords, uploads. Without a store: a client address is counted over
 * all stores. A key is a keyed digest without personal data. Real time.
 */
export class Limits0015 extends Migration {
  override up(): void {
    this.addSql(`CREATE TABLE rate_limit (key bytea PRIMARY KEY, used_at timestamptz(3)[] NOT NULL, expires_at timestamptz(3) NOT NULL)
      WITH (fillfactor = 70)`);
    this.addSql('CREATE INDEX rate_limit_expires ON rate_limit (expires_at)');
    this.addSql('GRANT SELECT, INSERT, UPDATE, DELETE ON rate_limit TO sangjeom_app');
  }
}
