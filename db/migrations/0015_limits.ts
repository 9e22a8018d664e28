import { Migration } from '@mikro-orm/migrations';

/**
 * Uses that are counted over a sliding window, for all processes together: wrong passwords, uploads. Of no store: an address is
 * counted over all of them, and a key is a digest that tells nobody what it stands for. Real time.
 */
export class Limits0015 extends Migration {
  override name = '0015_limits';

  override up(): void {
    this.addSql(`CREATE TABLE rate_limit (key bytea PRIMARY KEY, used_at timestamptz(3)[] NOT NULL, expires_at timestamptz(3) NOT NULL)
      WITH (fillfactor = 70)`);
    this.addSql('CREATE INDEX rate_limit_expires ON rate_limit (expires_at)');
    this.addSql('GRANT SELECT, INSERT, UPDATE, DELETE ON rate_limit TO sangjeom_app');
  }
}
