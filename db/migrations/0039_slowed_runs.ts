import { Migration } from '@mikro-orm/migrations';
import { lookup } from './tenancy.ts';

/** `npm run support -- explain` tells until when a flow's next move is slowed (F44), and nothing else of its state. */
export class SlowedRuns0039 extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const OWNERS = [
  ['order_item', 'order_item_id'],
  ['flow_group', 'group_id'],
] as const;
const STATEMENTS = [
  ...OWNERS.flatMap(([table, id]) => [
    `GRANT SELECT (store_id, ${id}, flow_state) ON ${table} TO sangjeom_lookup`,
    `CREATE POLICY lookup_slowed ON ${table} FOR SELECT TO sangjeom_lookup USING (true)`,
  ]),
  ...lookup(
    'flow_slowed_until(of_store text, of_owner text)',
    'bigint',
    OWNERS.map(
      ([table, id]) => `SELECT (flow_state ->> 'slowedUntil')::bigint FROM ${table} WHERE store_id = of_store AND ${id} = of_owner`,
    ).join(' UNION ALL '),
    'sangjeom_operator',
  ),
];
