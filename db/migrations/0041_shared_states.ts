import { Migration } from '@mikro-orm/migrations';

/**
 * What the members of a group share is in the group's row once (F46): inputs, data blocks and attachments leave the rows of its items,
 * where each had a copy. Their next step writes the rest of what they no longer need.
 */
export class SharedStates0041 extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE order_item NO FORCE ROW LEVEL SECURITY');
    this.addSql(`UPDATE order_item SET flow_state = flow_state - '{inputs,buyerKeys,data,earlierAttachments,uses,firedAtEntry}'::text[]
      WHERE group_id IS NOT NULL AND flow_state ?| '{inputs,buyerKeys,data,earlierAttachments,uses,firedAtEntry}'`);
    this.addSql('ALTER TABLE order_item FORCE ROW LEVEL SECURITY');
  }
}
