/** What runs of flows hold of a customer: what was typed into actions, and what services answered. It stays with the order. */
import { type Fragment, fragment } from '../kernel/sql.ts';
import { byItem, type Entries } from './entry.ts';

const byOrder = (customerId: string): Fragment =>
  fragment`order_id IN (SELECT order_id FROM orders WHERE store_id = current_setting('app.store_id') AND customer_id = ${customerId})`;

export const flows = {
  flow_step: { record: 'event at', none: 'store_id order_item_id seq trace effects run_id flow_key flow_version status', of: byItem },
  flow_group: { record: 'flow_state created_at', none: 'store_id group_id order_id order_no flow_key flow_version', of: byOrder },
  // What external services answered of an item or a group.
  flow_call: {
    record: 'data sent_at',
    none: 'store_id owner_id call node_id idempotency_key begun_at result',
    of: (customerId) =>
      fragment`owner_id IN (SELECT unnest(ARRAY[i.order_item_id, i.group_id]) FROM orders o JOIN order_item i USING (store_id, order_id)
        WHERE o.store_id = current_setting('app.store_id') AND o.customer_id = ${customerId})`,
  },
  flow_call_waiting: { none: 'store_id owner_id call asked_at retry_at' },
} satisfies Entries;
