import {
  ALL_CLAIM_REASONS,
  CLAIM_REASONS,
  CLAIM_STATUSES,
  CLAIM_TYPES,
  COLLECTION_METHODS,
  MAX_IMAGES,
  REJECT_REASONS,
} from '../../domain/claims/rules.ts';
import { CARRIERS } from '../../domain/orders/rules.ts';
import { type Cut, Truncated } from '../declare/shortened.ts';
import { ImageUrl } from '../uploads/images.ts';
import { closed, Count, Id, Name, nullable, oneOf, Timestamp, Type, Won } from '../declare/schema.ts';

export const CarrierCode = oneOf(Object.keys(CARRIERS), 'One of GET /v1/carriers');
export const TrackingNumber = Type.String({ minLength: 1, maxLength: 40, pattern: '^[0-9A-Za-z-]+$' });
export const Images = Type.Array(ImageUrl, { maxItems: MAX_IMAGES });
const Quantity = Type.Integer({ minimum: 1, maximum: 999, description: 'All that remain when omitted' });

/** What a buyer sends: claim and preview alike. */
export const requestFields = {
  type: oneOf(CLAIM_TYPES),
  reason: oneOf([...ALL_CLAIM_REASONS], 'Of its type; DEFECTIVE, WRONG_ITEM and DELIVERY_DELAY are the seller’s fault'),
  detail: Type.Optional(Type.String({ maxLength: 1000 })),
  quantity: Type.Optional(Quantity),
  exchangeOptionId: Type.Optional(Id),
  images: Type.Optional(Images),
};
/** The rules of `requestProblems` as JSON Schema, for the OpenAPI documents. */
export const REASON_OF_TYPE = {
  anyOf: CLAIM_TYPES.map((type) => ({
    properties: {
      type: { const: type },
      reason: { enum: [...CLAIM_REASONS[type]] },
      ...(type !== 'EXCHANGE' && { exchangeOptionId: { not: {} } }),
    },
  })),
};

const amounts = {
  refundAmount: Won,
  pointRefundAmount: Won,
  deliveryFeeRefundAmount: Won,
  deliveryFeeChargeAmount: Won,
  deliveryFeeChargeRefundAmount: Won,
  couponChargeAmount: Won,
  couponChargeRefundAmount: Won,
  deductAmount: Won,
};
/** The fields of `amounts`, as a dry run tells them. */
export const AMOUNTS = Object.keys(amounts);

export const ClaimRefund = closed({ claimId: Id, quantity: Count, ...amounts, refundId: nullable(Id) }, { title: 'ClaimRefund' });

export const ClaimPreview = closed(
  {
    type: oneOf(CLAIM_TYPES),
    quantity: Count,
    completesAtOnce: Type.Boolean({ description: 'Nobody has to approve it' }),
    expectedRefundAmount: Won,
    expectedDeliveryFeeRefundAmount: Won,
    expectedPointRefundAmount: Won,
    deliveryFeeChargeAmount: Won,
    deliveryFeeChargeRefundAmount: Won,
    couponChargeAmount: Won,
    couponChargeRefundAmount: Won,
    deductAmount: Type.Integer({ minimum: 0, description: 'The cancel fee of the flow' }),
    claimDeliveryFee: Type.Integer({ minimum: 0, description: 'Of an exchange: the seller bills it' }),
  },
  { title: 'ClaimPreview' },
);

const claimFields = {
  claimId: Id,
  claimNo: Type.String(),
  type: oneOf(CLAIM_TYPES),
  status: oneOf(CLAIM_STATUSES),
  orderId: Id,
  orderNo: Type.String(),
  orderItemId: Id,
  optionId: Id,
  quantity: Count,
  reason: oneOf([...ALL_CLAIM_REASONS]),
  detail: nullable(Type.String()),
  images: Type.Array(Type.String()),
  requestedBy: oneOf(['MEMBER', 'GUEST']),
  exchangeOptionId: nullable(Id),
  expectedRefundAmount: Won,
  expectedDeliveryFeeRefundAmount: Won,
  expectedPointRefundAmount: Won,
  claimDeliveryFee: Won,
  holdExpiresAt: nullable(Timestamp),
  holdUsed: Type.Boolean(),
  collection: nullable(
    closed({
      method: oneOf(COLLECTION_METHODS),
      carrierCode: nullable(Type.String()),
      trackingNumber: nullable(Type.String()),
      registeredAt: Timestamp,
      completedAt: nullable(Timestamp),
    }),
  ),
  inspection: nullable(
    closed({
      soundQuantity: Count,
      damagedQuantity: Count,
      missingQuantity: Count,
      note: nullable(Type.String()),
      images: Type.Array(Type.String()),
    }),
  ),
  redelivery: nullable(closed({ optionId: Id, carrierCode: Type.String(), trackingNumber: Type.String(), registeredAt: Timestamp })),
  rejection: nullable(
    closed({ reason: oneOf(REJECT_REASONS), explanation: Type.String(), evidenceImages: Type.Array(Type.String()), rejectedAt: Timestamp }),
  ),
  ...amounts,
  refundId: nullable(Id),
  testPayment: Type.Boolean(),
  history: Type.Array(closed({ at: Timestamp, name: Type.String(), by: oneOf(['BUYER', 'SELLER', 'SYSTEM']), message: Type.String() })),
  requestedAt: Timestamp,
  closedAt: nullable(Timestamp),
  lastChangedAt: Timestamp,
};
export const Claim = closed(
  {
    ...claimFields,
    holdReason: nullable(Type.String()),
    stockShortfall: Type.Integer({ minimum: 0, description: 'Restocked units that had been sold when the claim was rejected' }),
  },
  { title: 'Claim' },
);
/** Of lists: of each kind of photos the first. */
export const ListedClaim = closed(
  {
    ...claimFields,
    holdReason: nullable(Type.String()),
    stockShortfall: Count,
    truncated: Truncated,
  },
  { title: 'ListedClaim' },
);
/** The free texts of a claim. */
export const CLAIM_CUT: Cut = { texts: ['detail', 'note', 'explanation', 'holdReason'] };
/** Without what is the seller's own. */
export const BuyerClaim = closed(claimFields, { title: 'BuyerClaim' });

export const HoldRequest = closed({ reason: Name(500), until: Type.Optional(Timestamp) }, { title: 'ClaimHoldRequest' });
