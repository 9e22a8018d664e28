import { Migration } from '@mikro-orm/migrations';

/** `npm run support -- explain` tells which items move together, and by which version of which flow. */
export class ExplainedGroups0038 extends Migration {
  override up(): void {
    this.addSql('GRANT SELECT (group_id, position, flow_key, flow_version) ON order_item TO sangjeom_operator');
  }
}
