/** The part of the register (register.ts) about tables that have nothing of a customer. */

/** Lists of columns, separated by spaces. */
interface OtherEntry {
  /** Of people who work for the store. */
  readonly staff?: string;
  /** Nobody's: ids, times, amounts, settings. */
  readonly none?: string;
}

export const people = {
  user_account: { staff: 'email name issuer subject', none: 'user_id created_at' },
  member: { staff: 'user_id role', none: 'store_id created_at' },
  invitation: {
    staff: 'email role invited_by',
    none: `store_id invitation_id status token_hash token_sealed send_no send_attempts next_send_at delivery_status delivery_error_code
      expires_at created_at`,
  },
  invitation_send: { staff: 'sender recipient', none: 'send_id store at' },
  login: { staff: 'user_id', none: 'login_id client_id scopes resource authenticated_at created_at revoked_at' },
  login_request: {
    none: 'request_id client_id redirect_uri scopes state code_challenge resource verifier_sealed nonce browser_hash expires_at',
  },
  consent_request: {
    staff: 'user_id',
    none: 'consent_id client_id redirect_uri scopes state code_challenge resource authenticated_at browser_hash expires_at',
  },
  auth_code: { none: 'code_hash login_id redirect_uri code_challenge expires_at used_at' },
  refresh_token: { none: 'token_hash login_id expires_at created_at used_at' },
  api_token: {
    staff: 'created_by',
    none: 'store_id token_id name scopes purpose token_hash token_prefix created_at expires_at last_used_at revoked_at',
  },
  client: {
    staff: 'created_by',
    none: `store_id client_id name secret_hash secret_prefix scopes auth_method grant_types redirect_uris status created_at revoked_at`,
  },
  api_request_log: {
    staff: 'actor_id actor_name ip user_agent',
    none: 'store_id request_id created_at method path operation_id status_code status_class error_code duration_ms actor_type',
  },
  audit_request: {
    staff: 'actor_id actor_name',
    none: `store_id audit_id created_at actor_type action target_type target_id outcome status_code error_code request_id trace_id
      idempotency_key approval_id metadata listed`,
  },
  audit_domain: {
    staff: 'actor_id actor_name',
    none: 'store_id audit_id created_at actor_type action target_type target_id request_id approval_id refund_id transaction_id metadata',
  },
  seller_address: {
    staff: 'receiver mobile zip_code address detail_address',
    none: 'store_id address_id type name is_default created_at',
  },
  approval_notice: { staff: 'mails', none: 'store_id last_at round' },
  payment_credential: {
    staff: 'updated_by_name',
    none: `store_id credential_id provider environment seq status public_halves hints secret_sealed webhook_secret_sealed is_newest
      is_serving created_at updated_at verified_at rejected_at retired_at`,
  },
} satisfies Readonly<Record<string, OtherEntry>>;

const NOBODYS = {
  ai_usage: 'store_id month used',
  category: 'store_id category_id name parent_id depth is_leaf flow_id created_at',
  holiday_year: 'year version days created_at',
  commerce_flow: 'store_id flow_id key name preset_key default_for draft_graph draft_updated_at latest_version created_at',
  flow_version: 'store_id flow_id version key graph bundle progression published_at',
  flow_secret: 'store_id name url header_name value_sealed updated_at',
  claim_step: 'store_id claim_id seq name by at detail',
  customer_count: 'store_id joined_on marketing n',
  event: 'store_id event_id type event_no body created_at',
  feed: 'store_id changed_at event_no',
  guest_session: 'store_id session_id token_hash created_at used_at expires_at',
  list_count: 'store_id list status is_test n',
  night_movement: 'store_id movement_id variant_id night quantity reason reference at',
  order_bundle: `store_id order_id bundle_no base_fee_won surcharge_won point_allocation_won conditional_free_won rule_fee_won
    fee_refunded_won shortfall_charged_won shortfall_charged_point_won`,
  outbox: `outbox_id store_id message workflow_type workflow_id entity_id order_no status wake_at created_at attempts not_before
    yields traceparent`,
  payment_circuit: 'store_id provider environment failed_at open_until',
  payment_provider: 'store_id provider enabled methods notification_token version updated_at',
  payment_settings: 'store_id sandbox_mode live_payments routing priority payment_domains version updated_at',
  pickup_location: 'store_id pickup_location_id name address contact available_hours is_active created_at',
  point_movement: 'store_id history_id lot_id amount_won',
  point_policy: `store_id review_enabled text_won photo_won earn_enabled earn_rate_bp use_enabled min_balance_won min_amount_won use_unit
    max_ratio_bp includes_delivery_fee expiry_days opened_at updated_at`,
  product: `store_id product_id product_no name description images sale_price_won original_price_won category_id status inventory_mode
    delivery_type delivery_fee_won conditional_free_won fulfillment_type methods shipping_address_id return_address_id option_groups
    refund_policy point_earn_rate_bp flow_id discount version next_variant_seq created_at updated_at deleted_at`,
  product_gram: 'store_id gram product_id',
  product_list_count: 'store_id product_id list value n',
  rate_limit: 'key used_at expires_at',
  refund: `store_id refund_id payment_id order_id order_item_id amount_won cause status failure_code provider_message key_seq absences
    is_answered call_count requested_at created_at settled_at`,
  reviewed_item: 'store_id order_item_id reviewed_at',
  run: `store_id workflow_id workflow_type entity_id order_no wake_at is_poll_only loaded_at done_at created_at woken_at wakes
    grace_from`,
  sales_sum: 'store_id day pg method is_test slot payment_count payment_won point_won refund_count refund_won',
  signing_key: 'kid public_jwk private_sealed status created_at replaced_at',
  stock_movement: 'store_id movement_id variant_id quantity unsellable_quantity reason reference note at',
  store: `store_id store_code name sandbox clock_offset_ms clock_lease clock_lease_until next_product_no auto_deliver_days
    auto_confirm_days base_delivery_fee_won free_threshold_won jeju_surcharge_won isolated_surcharge_won refund_policy
    guest_checkout_enabled terms_version privacy_version terms_url privacy_url analytics_allowed_origins plan ai_actions_limit created_at
    ever_public_at first_live_order_at tax_registration_number`,
  temporal_namespace: 'namespace namespace_id recovery_store recovery_run',
  variant: `store_id variant_id product_id variant_no seq option_values stock_quantity additional_price_won is_sellable sku barcode
    seller_code cost_price_won weight_gram attributes deleted_at`,
  variant_night: 'store_id variant_id night stock price_won',
  webhook: `store_id webhook_id url event_types status secret_sealed secret_prefix old_secret_sealed old_secret_expires_at suspended_at
    first_failure_at last_failure_at epoch deleted_at created_at`,
  webhook_delivery: `store_id delivery_id webhook_id event_id event_type url status error_code attempt_count attempted_at
    next_attempt_at response_status_code response_time_ms response_body_excerpt redelivery_of redelivered_as epoch created_at`,
};

export const nobodys = Object.fromEntries(Object.entries(NOBODYS).map(([table, none]) => [table, { none }])) as Readonly<
  Record<keyof typeof NOBODYS, OtherEntry>
>;
