/**
 * Every column of the schema, and whose data it has; test/system/db/personalData.test.ts holds it to the database, so that a new column has
 * to be entered. A table is one entry. What a withdrawal deletes, and what `npm run support -- personal-data` exports, comes from here.
 */
import { type Fragment, fragment } from '../kernel/sql.ts';
import { byItem, type Entries, type TableEntry } from './entry.ts';
import { flows } from './flows.ts';
import { visits } from './visits.ts';
import { nobodys, people } from './others.ts';

const byCustomer = (customerId: string): Fragment => fragment`customer_id = ${customerId}`;
const bySession = (customerId: string): Fragment => fragment`session_id = ${customerId}`;
const byPrincipal = (customerId: string): Fragment => fragment`principal = ${customerId}`;
const byBuyer = (customerId: string): Fragment => fragment`buyer ->> 'customerId' = ${customerId}`;
/**
 * Their own replies, and those of requests that name them in the path: a repeat under its key finds no customer any more. A request under
 * way has no reply yet. The replies of executions of approved requests stay, without content, so that none is carried out twice.
 */
const byReply = (customerId: string): Fragment =>
  fragment`(${byPrincipal(customerId)} OR customer_id = ${customerId} AND status IS NOT NULL AND principal NOT LIKE 'approval/%')`;
/**
 * What a withdrawal leaves of agents' requests about the customer: of a withdrawal no confirmation, of an adjustment of points neither its
 * reason nor any balance (N9). test/units/approvals/personalData.test.ts knows the operations that name a customer.
 */
const CLEARED_REQUEST = fragment`
  body = CASE operation_id WHEN 'customers.withdraw' THEN jsonb_set(body, '{confirmation}', 'null')
    WHEN 'points.adjust' THEN jsonb_set(body, '{reason}', 'null') ELSE body END,
  preview = CASE operation_id WHEN 'points.adjust' THEN preview || '{"changes": [], "facts": {}}' ELSE preview END - 'request',
  result_data = CASE operation_id WHEN 'points.adjust' THEN NULL ELSE result_data END,
  result_error = CASE operation_id WHEN 'points.adjust' THEN result_error - 'details' ELSE result_error END`;
/** The customer last: a withdrawal deletes in this order. */
const customers = {
  customer_address: {
    customer: 'name receiver_name phone zip_code address1 address2 is_default created_at',
    none: 'store_id address_id customer_id',
    of: byCustomer,
  },
  wishlist_item: { customer: 'product_id added_at', none: 'store_id customer_id', of: byCustomer },
  cart_item: {
    customer: 'product_id variant_id quantity check_in check_out visit created_at',
    none: 'store_id cart_item_id session_id',
    of: bySession,
  },
  customer_consent: { customer: 'kind action version url path at', none: 'store_id consent_id customer_id', of: byCustomer },
  customer_stats: {
    customer: 'order_count paid_won refunded_won purchase_won last_ordered_at',
    none: 'store_id customer_id with_test',
    of: byCustomer,
  },
  customer_gram: { hidden: 'gram', none: 'store_id customer_id', of: byCustomer },
  point_account: { customer: 'balance_won entry_count last_at', none: 'store_id customer_id', of: byCustomer, cascades: true },
  point_history: {
    customer: 'type amount_won balance_won memo expires_at created_at',
    none: 'store_id history_id customer_id seq order_id order_item_id payment_id review_id reference',
    of: byCustomer,
    cascades: true,
  },
  point_lot: {
    customer: 'type amount_won remaining_won earned_at expires_at',
    none: 'store_id lot_id customer_id history_id seq refills',
    of: byCustomer,
    cascades: true,
  },
  // Replies that are stored for 24 hours.
  operation: {
    hidden: 'key body',
    none: 'store_id principal operation_id fingerprint customer_id status location created_at expires_at',
    of: byReply,
  },
  customer: {
    customer: 'email name phone marketing_agreed created_at',
    hidden: 'password_hash',
    none: 'store_id customer_id token_generation',
    of: byCustomer,
  },
} satisfies Entries;

const records = {
  customer_withdrawal: { record: 'withdrawn_at reason', none: 'store_id customer_id', of: byCustomer },
  orders: {
    record: 'order_no buyer shipping_address address_change visit ordered_at amounts',
    hidden: 'order_password_hash',
    none: `store_id order_id checkout_id payment_id pg method approved_method customer_id delivery total_won coupon_min_order_won
      coupon_charged_won coupon_charged_point_won test_payment requires_shipping representative_status progress_status last_changed_at`,
    of: byCustomer,
  },
  order_item: {
    record: `order_item_no product_name option_label quantity stay dispatch fulfillment hold tracking tracking_reading seller_memo
      flow_state`,
    none: `store_id order_item_id order_id position product_id variant_id unit_price_won canceled_quantity exchanged_quantity
      total_price_won coupon_discount_won point_allocation_won status bundle_no ship_from return_to fulfillment_snapshot refund_policy
      auto_decision_at flow_key flow_version flow_facts group_id is_settled is_restocked claims last_changed_at earn_rate_bp left_cash_won`,
    of: byItem,
  },
  // Written for everybody to read; buyers see who wrote it until they withdraw.
  review: {
    record: 'product_name option_label rating content images reward_point created_at updated_at',
    none: 'store_id review_id product_id order_id order_item_id customer_id',
    of: byCustomer,
  },
  inquiry: {
    record: 'title content is_secret answer answered_at created_at',
    none: 'store_id inquiry_id product_id customer_id status',
    of: byCustomer,
  },
  claim: {
    record: 'claim_no type reason detail images hold_reason collection inspection redelivery rejection requested_at',
    none: `store_id claim_id status order_id order_no order_item_id variant_id quantity customer_id is_shipped exchange_option_id
      delivery_fee_won hold_until is_hold_used restocked_quantity flow_fee_won stock_shortfall amounts expected step_count test_payment
      closed_at last_changed_at`,
    of: byCustomer,
  },
  payment: {
    record: 'order_no buyer shipping_address visit return_url amounts created_at',
    hidden: 'order_password_hash',
    none: `store_id payment_id checkout_id status result lines delivery bundles total_won current_attempt_id attempt_count last_failure
      order_id test_payment environment expires_at wake_at call started_at completed_at pg method`,
    of: byBuyer,
  },
  checkout: {
    record: 'lines created_at',
    none: 'store_id checkout_id session_id status cart_item_ids pickup_location_id is_tried expires_at point_preview',
    of: bySession,
  },
  upload: {
    record: 'upload_id purpose content_type size created_at',
    none: 'store_id sha256 is_named',
    hidden: 'principal',
    of: byPrincipal,
  },
  payment_attempt: {
    record: 'return_url payment_key provider_message',
    none: `store_id attempt_id payment_id seq pg method provider pg_order_id amount_won status payment_token environment credential_id
      approved_method is_unknown unknown_since confirm_answered readings call_count failure started_at confirmed_at ended_at`,
    of: (customerId) =>
      fragment`payment_id IN (SELECT payment_id FROM payment WHERE store_id = current_setting('app.store_id') AND ${byBuyer(customerId)})`,
  },
  approval_request: {
    record: 'body preview result_data result_error created_at',
    // Computed from what stands there.
    hidden: 'listed',
    staff: 'actor_name decision_note approver_user_id',
    none: `store_id approval_id status operation_id reason principal token_ref actor_type actor_id via on_behalf_of method path params
      querystring headers key fingerprint required_scopes approver_role expires_at notice_round decision decided_at decided_via
      approver_scopes executing_since executing_real execution_round attempts next_attempt_at result_status result_code
      result_request_id result_sealed`,
    of: (customerId) => fragment`params ->> 'customerId' = ${customerId}`,
    clears: CLEARED_REQUEST,
  },
  // Deleted by the transition that it waits for, a day later at the latest.
  command_text: { record: 'text', none: 'store_id text_id created_at' },
} satisfies Entries;

const entries = { ...customers, ...records, ...flows, ...visits, ...people, ...nobodys } satisfies Entries;
/** `db/orm.ts` takes no entity of another table. */
export type RegisteredTable = keyof typeof entries;
export const REGISTER: Readonly<Record<RegisteredTable, TableEntry>> = entries;

/** The columns of a list. */
export const columnsOf = (list = ''): readonly string[] => list.split(/\s+/).filter((column) => column !== '');
