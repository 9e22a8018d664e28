import { Migration } from '@mikro-orm/migrations';
import { tenantTable } from './tenancy.ts';

/** A store's plan with its monthly limit of AI actions, and what was used of it in each Korean month (`2026-11`) of the store's clock. */
export class AiActions0021 extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE store ADD COLUMN plan text NOT NULL DEFAULT 'STANDARD',
      ADD COLUMN ai_actions_limit integer NOT NULL DEFAULT 1000 CHECK (ai_actions_limit >= 0)`);
    this.addSql(`CREATE TABLE ai_usage (store_id text NOT NULL REFERENCES store, month text NOT NULL, used integer NOT NULL,
      PRIMARY KEY (store_id, month)) WITH (fillfactor = 50)`);
    for (const sql of tenantTable('ai_usage', 'SELECT, INSERT, UPDATE')) this.addSql(sql);
  }
}
