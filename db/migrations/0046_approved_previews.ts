import { Migration } from '@mikro-orm/migrations';

/** What a person approves is what happens (G51): `execution_round` counts the executions that would have done something else. */
export class ApprovedPreviews0046 extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE approval_request ADD COLUMN execution_round integer NOT NULL DEFAULT 0,
      ADD COLUMN executing_real timestamptz(3)`);
  }
}
