/**
 * Visits in the register: pseudonyms that a shop gives its visitors. A customer's are those that their orders carried. They outlive a
 * withdrawal, as the orders do, and go by themselves (db/retention).
 */
import { type Fragment, fragment } from '../kernel/sql.ts';
import type { Entries } from './entry.ts';

const ofOrders = (customerId: string, id: Fragment): Fragment =>
  fragment`SELECT visit ->> ${id} FROM orders WHERE store_id = current_setting('app.store_id') AND customer_id = ${customerId}`;
const visitorsOf = (customerId: string): Fragment => ofOrders(customerId, fragment`'visitorId'`);
const sessionsOf = (customerId: string): Fragment => ofOrders(customerId, fragment`'sessionId'`);

export const visits = {
  visit_event: {
    record: 'visitor_id session_id path referrer utm_source utm_medium utm_campaign source medium created_at',
    none: 'store_id batch_id position type product_id quantity amount_won is_test',
    of: (customerId) => fragment`(visitor_id IN (${visitorsOf(customerId)}) OR session_id IN (${sessionsOf(customerId)}))`,
  },
  visit_session: {
    record: 'session first_at source medium',
    none: 'store_id batch_id position',
    of: (customerId) => fragment`session IN (SELECT visit_key(id) FROM (${sessionsOf(customerId)}) s (id))`,
  },
  visit_member: {
    record: 'who day created_at',
    none: 'store_id list key medium n',
    of: (customerId) => fragment`who IN (SELECT visit_key(id) FROM (${visitorsOf(customerId)} UNION ALL ${sessionsOf(customerId)}) v (id))`,
  },
  visit_batch: { none: 'store_id created_at batch_id event_count' },
  visit_clock: { none: 'store_id computed_at' },
  visit_use: { none: 'store_id day key events created_at' },
  visit_drop: { none: 'store_id day events' },
  visit_distinct: { none: 'store_id list key medium day day_before n' },
  visit_sum: {
    none: `store_id list key medium day is_test page_views product_views cart_adds payment_starts purchases quantity amount_won`,
  },
} satisfies Entries;
