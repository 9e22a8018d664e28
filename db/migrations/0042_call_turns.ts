import { Migration } from '@mikro-orm/migrations';
import { tenantTable } from './tenancy.ts';

/** External calls of a store take turns by the real clock (F47): when each was begun, and which wait. */
export class CallTurns0042 extends Migration {
  override up(): void {
    // Null: nothing was sent, or it was begun before there were turns.
    this.addSql('ALTER TABLE flow_call ADD COLUMN begun_at timestamptz(3)');
    this.addSql('CREATE INDEX flow_call_begun ON flow_call (store_id, begun_at) WHERE begun_at IS NOT NULL');
    this.addSql(`CREATE TABLE flow_call_waiting (
      store_id text NOT NULL, owner_id text NOT NULL, call text NOT NULL, asked_at timestamptz(3) NOT NULL,
        retry_at timestamptz(3) NOT NULL,
      PRIMARY KEY (store_id, owner_id, call))`);
    this.addSql('CREATE INDEX flow_call_waiting_order ON flow_call_waiting (store_id, asked_at)');
    for (const sql of tenantTable('flow_call_waiting')) this.addSql(sql);
  }
}
