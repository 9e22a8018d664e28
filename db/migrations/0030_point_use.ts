import { Migration } from '@mikro-orm/migrations';

/** Points at checkout: the last preview, what an item earns and what left it in cash, orders without a provider. */
export class PointUse0030 extends Migration {
  override up(): void {
    for (const sql of uses) this.addSql(sql);
  }
}

/** Items of before earn nothing. What points paid for has no provider. */
const uses = [
  `ALTER TABLE checkout ADD point_preview jsonb`,
  `ALTER TABLE order_item ADD earn_rate_bp integer NOT NULL DEFAULT 0, ADD left_cash_won integer NOT NULL DEFAULT 0`,
  `ALTER TABLE orders ALTER pg DROP NOT NULL`,
];
