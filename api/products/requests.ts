/** Schemas of product requests (docs/contract.md#products). Closed: unknown fields are refused. */
import { INVENTORY_MODES } from '../../domain/products/calendar.ts';
import { fulfillmentProblems } from '../../domain/products/fulfillment.ts';
import { MAX_AXES, MAX_VARIANTS, optionProblems } from '../../domain/products/options.ts';
import { DELIVERY_TYPES, FULFILLMENT_METHODS, FULFILLMENT_TYPES, METHODS, SALES_STATUSES } from '../../domain/products/rules.ts';
import type { FieldError } from '../../domain/kernel/errors.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Caller } from '../declare/caller.ts';
import { closed, Id, Name, nullable, oneOf, type Static, Type, Won, type Fitting } from '../declare/schema.ts';
import { imageProblems, ImageUrl } from '../uploads/images.ts';
import { Attributes, Code, OptionGroup, SalePrice, SentStock } from './schemas.ts';

/** A variant in a request. Read-only fields of responses are accepted; the id must be that of the combination. */
const VariantRequest = closed(
  {
    optionValues: Type.Array(Type.String({ maxLength: 50, 'x-trimmed': true }), { maxItems: MAX_AXES }),
    stockQuantity: Type.Optional(SentStock),
    additionalPrice: Type.Optional(
      Type.Integer({ minimum: -2_000_000_000, maximum: 2_000_000_000, description: 'Won, added to salePrice' }),
    ),
    isSellable: Type.Optional(Type.Boolean()),
    sku: Type.Optional(nullable(Code)),
    barcode: Type.Optional(nullable(Code)),
    sellerCode: Type.Optional(nullable(Code)),
    costPrice: Type.Optional(nullable(Won)),
    weightGram: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 10_000_000 }))),
    attributes: Type.Optional(nullable(Attributes)),
    variantId: Type.Optional(Id),
    variantNo: Type.Optional(Type.String({ maxLength: 40 })),
    price: Type.Optional(Type.Integer()),
    isSoldOut: Type.Optional(Type.Boolean()),
  },
  { title: 'VariantRequest' },
);
const optionFields = {
  optionGroups: Type.Optional(Type.Array(OptionGroup, { maxItems: MAX_AXES })),
  variants: Type.Optional(Type.Array(VariantRequest, { maxItems: MAX_VARIANTS })),
};
export const OptionsRequest = closed(
  { optionGroups: Type.Array(OptionGroup, { maxItems: MAX_AXES }), variants: optionFields.variants },
  { title: 'OptionsRequest' },
);
const shippingFields = {
  deliveryType: Type.Optional(oneOf(DELIVERY_TYPES)),
  deliveryFee: Type.Optional(Won),
  conditionalFreeAmount: Type.Optional(nullable(Won)),
  shippingAddressId: Type.Optional(nullable(Id)),
  returnAddressId: Type.Optional(nullable(Id)),
};
const methods = Type.Array(oneOf(FULFILLMENT_METHODS), { minItems: 1, maxItems: 4 });
/** The combinations of a whole delivery rule; PAID by default. */
const RATES = {
  anyOf: [
    { properties: { deliveryType: { const: 'PAID' }, conditionalFreeAmount: { type: 'null' } } },
    {
      required: ['deliveryType'],
      properties: { deliveryType: { const: 'FREE' }, deliveryFee: { const: 0 }, conditionalFreeAmount: { type: 'null' } },
    },
    {
      required: ['deliveryType', 'conditionalFreeAmount'],
      properties: { deliveryType: { const: 'CONDITIONAL_FREE' }, conditionalFreeAmount: { type: 'integer' } },
    },
  ],
};
/** Each fulfillment type has its own methods, and only SHIPPING has a delivery rule; SHIPPING by default. */
const KINDS = {
  anyOf: [
    { properties: { type: { const: 'SHIPPING' }, methods: { items: { enum: METHODS.SHIPPING } } } },
    {
      required: ['type'],
      properties: { type: { const: 'MANUAL' }, methods: { items: { enum: METHODS.MANUAL } }, shipping: { type: 'null' } },
    },
  ],
};
/** The same for a partial request: without a type it follows that of the product. */
const KINDS_OF_PART = { anyOf: [...KINDS.anyOf, { properties: { type: { not: {} } } }] };
/** Only a product without options that is not sold by the night has a stock of its own. */
const STOCKED = {
  anyOf: [
    { properties: { inventoryMode: { const: 'STANDARD' }, optionGroups: { maxItems: 0 } } },
    { properties: { stockQuantity: { not: {} } } },
  ],
};
const RefundPolicyRequest = closed(
  {
    preShipmentDeliveryFeeRefund: Type.Optional(nullable(Type.Boolean())),
    returnDeliveryFee: Type.Optional(nullable(Won)),
    exchangeDeliveryFee: Type.Optional(nullable(Won)),
    sellerFaultFreeShipping: Type.Optional(nullable(Type.Boolean())),
    conditionalFreeShortfallCharge: Type.Optional(nullable(Type.Boolean())),
  },
  { title: 'ProductRefundPolicyRequest' },
);
const optional = {
  description: Type.Optional(nullable(Type.String({ maxLength: 20_000 }))),
  images: Type.Optional(Type.Array(ImageUrl, { maxItems: 10 })),
  originalPrice: Type.Optional(nullable(Won)),
  stockQuantity: Type.Optional(SentStock),
  inventoryMode: Type.Optional(oneOf(INVENTORY_MODES)),
  ...optionFields,
  refundPolicy: Type.Optional(nullable(RefundPolicyRequest)),
  pointEarnRateBp: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 3000, description: '100 is 1 %; null: the store’s' }))),
  flowId: Type.Optional(nullable(Id)),
};

/** The body of POST and PUT. A PUT clears some omitted fields and keeps others (D57). */
export const ProductRequest = closed(
  {
    name: Name(100),
    salePrice: SalePrice,
    categoryId: Id,
    ...optional,
    fulfillment: Type.Optional(
      closed(
        {
          type: Type.Optional(oneOf(FULFILLMENT_TYPES)),
          methods: Type.Optional(methods),
          shipping: Type.Optional(nullable(closed(shippingFields, { 'x-document': RATES }))),
        },
        { 'x-document': KINDS },
      ),
    ),
  },
  { title: 'ProductRequest', 'x-document': STOCKED },
);
/** PATCH: merges by key; null clears. */
export const ProductPatch = closed(
  {
    name: Type.Optional(Name(100)),
    salePrice: Type.Optional(SalePrice),
    categoryId: Type.Optional(Id),
    status: Type.Optional(oneOf(SALES_STATUSES)),
    ...optional,
    fulfillment: Type.Optional(
      closed(
        {
          type: Type.Optional(oneOf(FULFILLMENT_TYPES)),
          methods: Type.Optional(methods),
          shipping: Type.Optional(nullable(closed(shippingFields))),
        },
        { 'x-document': KINDS_OF_PART },
      ),
    ),
  },
  { title: 'ProductPatch', 'x-document': STOCKED },
);

type Sent = Fitting<Omit<Static<typeof ProductPatch>, 'status'>>;

/** Field errors of a whole request whose fields contradict each other. */
export const wholeProblems = async (sent: Sent, deps: ApiDeps, caller: Caller): Promise<readonly FieldError[]> => [
  ...(sent.fulfillment ? fulfillmentProblems({ type: 'SHIPPING', ...sent.fulfillment }) : []),
  ...(await patchProblems(sent, deps, caller)),
];
/** Field errors of a partial request whose fields contradict each other, whatever the product is. */
export const patchProblems = async (sent: Sent, deps: ApiDeps, caller: Caller): Promise<readonly FieldError[]> => [
  ...(await imageProblems(sent.images ?? [], deps, caller)),
  ...(sent.optionGroups === undefined ? [] : optionProblems(sent)),
  ...(sent.inventoryMode === 'DATED' ? datedProblems(sent) : []),
];

/** Refuses stock fields of a product that is sold by the night: its stock is in the calendar. */
function datedProblems({ stockQuantity, variants = [] }: Sent): FieldError[] {
  const problem = (field: string): FieldError => ({ field, code: 'INVALID', message: 'Its stock is in the calendar.' });
  return [
    ...(stockQuantity === undefined ? [] : [problem('stockQuantity')]),
    ...variants.flatMap((variant, i) => (variant?.stockQuantity ? [problem(`variants[${i}].stockQuantity`)] : [])),
  ];
}
