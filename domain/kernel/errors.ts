/**
 * Every failure the service can answer with: code → HTTP status and default message. docs/errors.md lists them with the operations that
 * raise them.
 */
export const catalogue = {
  VALIDATION_FAILED: { status: 400, message: 'The request is not valid.' },
  INVALID_PARAMETER: { status: 400, message: 'A query parameter is not valid.' },
  INVALID_PRICE_UNIT: { status: 400, message: 'The sale price must be a multiple of 10 won.' },
  CATEGORY_NOT_LEAF: { status: 400, message: 'The category has children.' },
  FLOW_SECRET_URL_INVALID: {
    status: 400,
    message: 'The connection needs a public https address without user information, query and fragment.',
  },
  STAY_REQUIRED: { status: 400, message: 'The product is sold by the night: send a stay.' },
  STAY_NOT_APPLICABLE: { status: 400, message: 'The product is not sold by the night.' },
  REFUND_POLICY_NOT_APPLICABLE: { status: 400, message: 'A product that is not shipped has no return or exchange fee.' },
  INVALID_ADDRESS_TYPE: { status: 400, message: 'The address is of the other type.' },
  FULFILLMENT_METHOD_NOT_ALLOWED: { status: 400, message: 'A product is not handed over that way.' },
  PICKUP_LOCATION_REQUIRED: { status: 400, message: 'Choose where it is picked up.' },
  PICKUP_LOCATION_NOT_FOUND: { status: 404, message: 'There is no such pickup location.' },
  PICKUP_LOCATION_NOT_APPLICABLE: { status: 400, message: 'Nothing here is picked up.' },
  INVALID_IMAGE: { status: 400, message: 'The file is no JPEG, PNG, WebP or GIF image.' },
  STORE_REQUIRED: { status: 400, message: 'The request must name a store.' },
  SHIPPING_ADDRESS_REQUIRED: { status: 400, message: 'An order with shipping needs a shipping address.' },
  INVALID_QUANTITY: { status: 400, message: 'The quantity is more than what remains.' },
  FLOW_ACTION_INPUT_INVALID: { status: 400, message: 'The input does not fit the fields of the action.' },
  FLOW_EVENT_KEY_INVALID: {
    status: 400,
    message: 'The name of an event is custom. and 1 to 60 letters, digits, dots, hyphens or underscores.',
  },
  RETURN_URL_NOT_ALLOWED: { status: 400, message: 'The return address is not allowed for this store.' },
  UNAUTHORIZED: { status: 401, message: 'The token is missing, expired, revoked or unknown.' },
  LOGIN_FAILED: { status: 401, message: 'The address or the password is wrong.' },
  INSUFFICIENT_SCOPE: { status: 403, message: 'The token lacks a required scope.' },
  RECENT_LOGIN_REQUIRED: { status: 403, message: 'Log in again: this needs a login within the last 10 minutes.' },
  INSUFFICIENT_ROLE: { status: 403, message: 'The role, or the way of logging in, does not allow this.' },
  AGENT_OPERATION_DENIED: { status: 403, message: 'Agents may not do this.' },
  TENANT_MISMATCH: { status: 403, message: 'The token belongs to another store.' },
  ORIGIN_NOT_ALLOWED: { status: 403, message: 'The store takes no visits from this origin.' },
  GUEST_CHECKOUT_DISABLED: { status: 403, message: 'The store does not sell to guests.' },
  NOT_FOUND: { status: 404, message: 'There is nothing at this address.' },
  STORE_NOT_FOUND: { status: 404, message: 'There is no such store.' },
  MEMBER_NOT_FOUND: { status: 404, message: 'There is no such member.' },
  INVITATION_NOT_FOUND: { status: 404, message: 'There is no such invitation, or its link is dead.' },
  AUDIT_NOT_FOUND: { status: 404, message: 'There is no such record in the audit log.' },
  APPROVAL_NOT_FOUND: { status: 404, message: 'There is no such approval request.' },
  CLIENT_NOT_FOUND: { status: 404, message: 'There is no such client.' },
  API_TOKEN_NOT_FOUND: { status: 404, message: 'There is no such API token.' },
  CATEGORY_NOT_FOUND: { status: 404, message: 'There is no such category.' },
  PRODUCT_NOT_FOUND: { status: 404, message: 'There is no such product.' },
  VARIANT_NOT_FOUND: { status: 404, message: 'There is no such variant.' },
  CHECKOUT_NOT_FOUND: { status: 404, message: 'There is no such checkout.' },
  PAYMENT_PROVIDER_NOT_FOUND: { status: 404, message: 'There is no such payment provider.' },
  PAYMENT_CREDENTIAL_NOT_FOUND: { status: 404, message: 'The provider has no credentials there.' },
  PAYMENT_NOT_FOUND: { status: 404, message: 'There is no such payment.' },
  ORDER_NOT_FOUND: { status: 404, message: 'There is no such order.' },
  ORDER_ITEM_NOT_FOUND: { status: 404, message: 'There is no such order item.' },
  CUSTOMER_NOT_FOUND: { status: 404, message: 'There is no such customer.' },
  CART_ITEM_NOT_FOUND: { status: 404, message: 'There is no such cart line.' },
  REFUND_NOT_FOUND: { status: 404, message: 'There is no such refund.' },
  SETTLEMENT_NOT_FOUND: { status: 404, message: 'There is no such settlement.' },
  CLAIM_NOT_FOUND: { status: 404, message: 'There is no such claim.' },
  FLOW_PRESET_NOT_FOUND: { status: 404, message: 'There is no such preset.' },
  FLOW_VERSION_NOT_FOUND: { status: 404, message: 'The flow has no such version.' },
  FLOW_DRAFT_NOT_FOUND: { status: 404, message: 'The flow has no draft: what was saved is published.' },
  FLOW_SECRET_NOT_FOUND: { status: 404, message: 'There is no such connection.' },
  REVIEW_NOT_FOUND: { status: 404, message: 'There is no such review.' },
  INQUIRY_NOT_FOUND: { status: 404, message: 'There is no such inquiry.' },
  WEBHOOK_NOT_FOUND: { status: 404, message: 'There is no such webhook.' },
  WEBHOOK_DELIVERY_NOT_FOUND: { status: 404, message: 'There is no such delivery.' },
  DISCOUNT_NOT_FOUND: { status: 404, message: 'The product has no discount.' },
  ADDRESS_NOT_FOUND: { status: 404, message: 'There is no such address.' },
  FLOW_RUN_NOT_FOUND: { status: 404, message: 'There is no such record of a flow.' },
  FLOW_NOT_FOUND: { status: 404, message: 'There is no such order flow.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This address does not take that method.' },
  FLOW_KEY_TAKEN: { status: 409, message: 'A flow of the store has this key already.' },
  FLOW_UNCHANGED: { status: 409, message: 'There is no draft to publish.' },
  FLOW_DEFAULT_LOCKED: { status: 409, message: 'The default flows cannot be edited: copy one.' },
  FLOW_NOT_PUBLISHED: { status: 409, message: 'The flow has not been published.' },
  FLOW_PROGRESSION_MISMATCH: { status: 409, message: 'The newest version moves items another way: items stay in theirs.' },
  PUBLISH_BLOCKED: { status: 409, message: 'The draft has problems that must be solved first.' },
  CATEGORY_IN_USE: { status: 409, message: 'The category has products, children or a flow of its own.' },
  CATEGORY_CYCLE: { status: 409, message: 'A category cannot lie below itself.' },
  FULFILLMENT_TYPE_LOCKED: { status: 409, message: 'The product has been sold: its type stays.' },
  INVENTORY_MODE_LOCKED: { status: 409, message: 'The product has been sold: its way of counting stock stays.' },
  INVENTORY_MODE_MISMATCH: { status: 409, message: 'The product counts its stock the other way.' },
  PRODUCT_CHANGED: { status: 409, message: 'The product was changed meanwhile; read it again.' },
  PRICE_CONFLICT: { status: 409, message: 'A price would fall below what is allowed.' },
  VARIANT_IN_ORDER: { status: 409, message: 'The variant has been ordered; switch it off instead.' },
  DATES_UNAVAILABLE: { status: 409, message: 'A night of the stay is not available.' },
  ADDRESS_LIMIT_EXCEEDED: { status: 409, message: 'The address book is full: 10 of a type for a store, 20 for a buyer.' },
  ADDRESS_CHANGE_LIMIT_EXCEEDED: { status: 409, message: 'Another address was asked for ten times.' },
  DELIVERY_AREA_MISMATCH: { status: 409, message: 'The delivery fee was charged for another area.' },
  DEFAULT_ADDRESS_UNDELETABLE: { status: 409, message: 'The default address cannot be deleted.' },
  ADDRESS_IN_USE: { status: 409, message: 'A product uses the address.' },
  PICKUP_LOCATION_LIMIT_EXCEEDED: { status: 409, message: 'A store has at most 20 pickup locations.' },
  OUT_OF_STOCK: { status: 409, message: 'There is not enough stock.' },
  CONCURRENT_UPDATE: { status: 409, message: 'The record was changed meanwhile.' },
  INVALID_STATUS: { status: 409, message: 'The action is not allowed in the current status.' },
  ALREADY_MEMBER: { status: 409, message: 'This person is a member already.' },
  INVITATION_PENDING: { status: 409, message: 'An invitation to this address is pending.' },
  INVITATION_NOT_PENDING: { status: 409, message: 'The invitation was accepted or canceled.' },
  APPROVAL_NOT_PENDING: { status: 409, message: 'The approval request was decided already.' },
  APPROVAL_STALE: {
    status: 409,
    message: 'What would happen is not what was shown: decide on the preview of the details, under another Idempotency-Key.',
  },
  APPROVAL_EXPIRED: { status: 409, message: 'The approval request has expired.' },
  OWNER_CANNOT_LEAVE: { status: 409, message: 'The owner changes only by a transfer of ownership.' },
  CONSENT_REQUIRED: { status: 409, message: 'A customer agrees to the terms and to the privacy policy; to end that, withdraw.' },
  WITHDRAWAL_BLOCKED: { status: 409, message: 'Orders, claims or payments of the customer are in progress.' },
  EMAIL_TAKEN: { status: 409, message: 'There is a customer with this address.' },
  ACTION_NOT_AVAILABLE: { status: 409, message: 'The action is not available now.' },
  FLOW_EVENT_NOT_ACCEPTED: { status: 409, message: 'The state of the item does not take the event.' },
  FLOW_MOVE_NOT_ALLOWED: { status: 409, message: 'The item cannot be set to that state now.' },
  CLAIM_IN_PROGRESS: { status: 409, message: 'The buyer has asked for a cancel, return or exchange.' },
  PERIOD_EXPIRED: { status: 409, message: 'The period for it has ended.' },
  REVIEW_NOT_ALLOWED_FOR_TEST_ORDER: { status: 409, message: 'What was paid in sandbox mode is not reviewed.' },
  REVIEW_ALREADY_EXISTS: { status: 409, message: 'There is a review of the order item.' },
  ALREADY_HELD: { status: 409, message: 'A claim is held once.' },
  COLLECTION_NOT_REQUIRED: { status: 409, message: 'The item was not shipped: nothing is collected.' },
  EXCHANGE_NOT_SUPPORTED: { status: 409, message: 'The item is not shipped: return it instead.' },
  ALREADY_CANCELED: { status: 409, message: 'Nothing remains to be canceled.' },
  SHIPPING_REQUIRED: { status: 409, message: 'The item is shipped: dispatch it.' },
  NOT_SHIPPABLE: { status: 409, message: 'The item is not shipped: fulfill it.' },
  REFUND_NOT_HELD: { status: 409, message: 'The refund is not held.' },
  ALREADY_PAID: { status: 409, message: 'The checkout is already paid.' },
  AMOUNT_CHANGED: { status: 409, message: 'The amount to pay has changed.' },
  CHECKOUT_EXPIRED: { status: 409, message: 'The checkout has expired.' },
  CHECKOUT_STALE: { status: 409, message: 'A line of the checkout can no longer be sold as it was.' },
  PAYMENT_IN_PROGRESS: { status: 409, message: 'The payment is being approved.' },
  PAYMENT_EXPIRED: { status: 409, message: 'The payment has expired.' },
  LIVE_PAYMENTS_DISABLED: { status: 409, message: 'Live payments are not enabled for this store.' },
  LIVE_GATE_NOT_MET: { status: 409, message: 'Not every condition of live payments is met.' },
  PAYMENT_CREDENTIAL_ACTIVE: { status: 409, message: 'Payments use these credentials now: disable the provider first.' },
  PAYMENT_CREDENTIAL_CHANGED: { status: 409, message: 'The credentials were replaced or deleted meanwhile.' },
  PAYMENT_PROVIDER_CHANGED: { status: 409, message: 'The provider was changed meanwhile; read it again.' },
  PAYMENT_PROVIDER_VERIFICATION_FAILED: { status: 409, message: 'The provider refused the credentials.' },
  PAYMENT_NOT_CONFIGURED: { status: 409, message: 'The store offers no such way to pay.' },
  POINT_EXPIRY_REQUIRED: { status: 400, message: 'Points need an expiry: the policy has none, and none was sent.' },
  POINT_BALANCE_INSUFFICIENT: { status: 409, message: 'The balance is too small.' },
  POINT_BALANCE_CHANGED: { status: 409, message: 'The balance has changed since the preview.' },
  POINTS_UNAVAILABLE: { status: 409, message: 'Points cannot be used here.' },
  WEBHOOK_LIMIT_EXCEEDED: { status: 409, message: 'A store can have 10 webhooks.' },
  WEBHOOK_SUSPENDED: { status: 409, message: 'The webhook is suspended; resume it first.' },
  DELIVERY_NOT_FAILED: { status: 409, message: 'Only a delivery that failed is sent again.' },
  DELIVERY_ALREADY_REDELIVERED: { status: 409, message: 'The delivery was sent again already.' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, message: 'The idempotency key was used for another request.' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, message: 'A request with this idempotency key is still running.' },
  PRECONDITION_FAILED: { status: 412, message: 'The record is not the one that If-Match names.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is larger than this operation takes.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The body is of another type than this operation takes.' },
  TOO_MANY_REQUESTS: { status: 429, message: 'Too many requests; try again later.' },
  PLAN_AI_ACTIONS_EXCEEDED: { status: 429, message: 'The AI actions of this month are used up.' },
  INTERNAL: { status: 500, message: 'Unexpected failure.' },
  PAYMENT_PROVIDER_UNAVAILABLE: { status: 503, message: 'The payment provider cannot be reached now; try again later.' },
  TEMPORARILY_UNAVAILABLE: { status: 503, message: 'The request was carried out already or never will be; ask again with the same key.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof catalogue;

/** One problem of a request: `field` in dotted form (`items[2].quantity`). */
export interface FieldError {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

export interface FaultExtra {
  readonly details?: Readonly<Record<string, unknown>>;
  readonly fieldErrors?: readonly FieldError[];
}

/** An expected failure. Anything else that is thrown is a bug and is answered with INTERNAL. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: ErrorCode;
  readonly extra: FaultExtra;

  constructor(code: ErrorCode, extra: FaultExtra = {}) {
    super(catalogue[code].message);
    this.code = code;
    this.extra = extra;
  }
}

/** A refusal that tells when it ends, in seconds: the response has them as `Retry-After`. */
export class RetryLater extends Fault {
  readonly retryAfter: number;
  constructor(
    retryAfter: number,
    code: 'TOO_MANY_REQUESTS' | 'PAYMENT_PROVIDER_UNAVAILABLE' | 'TEMPORARILY_UNAVAILABLE' = 'TOO_MANY_REQUESTS',
  ) {
    super(code);
    this.retryAfter = retryAfter;
  }
}

/** VALIDATION_FAILED for one field. */
export const invalid = (field: string, code: string, message: string): Fault =>
  new Fault('VALIDATION_FAILED', { fieldErrors: [{ field, code, message }] });

export const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(catalogue, code);
