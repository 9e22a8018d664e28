import { Migration } from '@mikro-orm/migrations';

/**
 * Nobody empties the ledger of points, the owner of its tables neither: they refuse UPDATE and DELETE row by row, which TRUNCATE passes by.
 */
export class PointsTruncate0037 extends Migration {
  override up(): void {
    for (const table of ['point_history', 'point_movement', 'point_lot'])
      this.addSql(
        `CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION points_append_only()`,
      );
  }
}
