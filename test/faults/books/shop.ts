/** The random shop: what it sells, who buys, and what is remembered of both until the books are balanced. */
import { type Buyer, Buyer as Guest, type Headers_, type Seller } from '../../../bin/dev/client.ts';
import type { CreatedStore } from '../../../db/identity/createStore.ts';
import { DAY, koreanDate } from '../../../domain/kernel/time.ts';
import type { Policy } from '../../system/claims/model/money.ts';
import { customerIdOf } from '../../kernel/points.ts';
import { type Answer, Desk, type Request } from './desk.ts';

export interface Shipping {
  readonly deliveryType: 'PAID' | 'FREE' | 'CONDITIONAL_FREE';
  readonly deliveryFee: number;
  readonly conditionalFreeAmount?: number;
}
/**
 * What a product is made of, and made of again after its deletion. Delivery and refund policy never change: the books know them by heart.
 */
export interface Spec {
  readonly name: string;
  readonly salePrice: number;
  /** Null: not shipped. */
  readonly shipping: Shipping | null;
  readonly refundPolicy: Partial<Policy>;
  /** Values of its one option with their additional prices; empty: no options. */
  readonly values: Readonly<Record<string, number>>;
  readonly stock: number;
  readonly kind: 'GOODS' | 'DATED' | 'CUSTOM';
}
export interface Variant {
  readonly variantId: string;
  readonly optionValues: readonly string[];
  readonly stockQuantity: number;
  readonly additionalPrice: number;
}
export interface Product {
  readonly productId: string;
  readonly spec: Spec;
  /** As some answer told last. */
  variants: readonly Variant[];
  isDeleted: boolean;
}
export interface Shopper {
  readonly buyer: Buyer;
  /** Null: a guest. */
  readonly customerId: string | null;
}
/** An order that was acknowledged. */
export interface Deal {
  readonly orderId: string;
  readonly shopper: Shopper;
  /** Nothing of it remains, or its buyer has decided. */
  isOver: boolean;
}
/** A product as the seller has read it, with its tag; sales and other writers go on while it is filled in. */
export interface Form {
  readonly product: Product;
  readonly path: '' | '/options';
  readonly etag: string;
  readonly data: ReadProduct;
}
export interface ReadProduct {
  readonly name: string;
  readonly salePrice: number;
  readonly categoryId: string;
  readonly fulfillment: object;
  readonly refundPolicy: object | null;
  readonly flowId: string | null;
  readonly optionGroups: readonly { readonly name: string; readonly values: readonly string[] }[];
  readonly variants: readonly Variant[];
}
/** A buyer at the provider's window, who has authenticated themselves and still has to return. */
export interface Return {
  readonly returnUrl: URL;
  readonly paymentId: string;
  readonly shopper: Shopper;
}
/** A payment that was started, with the amounts that its buyer was told. */
export interface Started {
  readonly paymentId: string;
  readonly amounts: Readonly<Record<string, number>>;
  readonly customerId: string | null;
}
/**
 * A write of the seller to the stock of an option (of a night: `variantId/date`); `known`: by how much it changed, where that is known from
 * outside.
 */
export interface StockWrite {
  readonly requestId: string;
  readonly key: string;
  readonly known: number | null;
  readonly what: string;
}
/** Units that left an order, from request to answer; `claimId` null: by the seller's cancel, with what the answer told. */
export interface Departure {
  readonly orderItemId: string;
  readonly claimId: string | null;
  readonly quantity: number;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly reported: Readonly<Record<string, number>> | null;
}

export const POLICY: Policy = {
  preShipmentDeliveryFeeRefund: true,
  returnDeliveryFee: 2500,
  exchangeDeliveryFee: 4000,
  sellerFaultFreeShipping: true,
  conditionalFreeShortfallCharge: true,
  couponShortfallCharge: true,
};
export const JEJU = { zipCode: '63100', surcharge: 2000 };
const PAID: Shipping = { deliveryType: 'PAID', deliveryFee: 2500 };
const CONDITIONAL: Shipping = { deliveryType: 'CONDITIONAL_FREE', deliveryFee: 3000, conditionalFreeAmount: 30_000 };
const GOODS = { kind: 'GOODS', refundPolicy: {} } as const;
const SPECS: readonly Spec[] = [
  { ...GOODS, name: '양모 머플러', salePrice: 10_010, shipping: CONDITIONAL, values: { 회색: 0, 남색: 500, 검정: -1000 }, stock: 25 },
  { ...GOODS, name: '가죽 장갑', salePrice: 3330, shipping: PAID, values: {}, stock: 40 },
  {
    ...GOODS,
    name: '향초',
    salePrice: 7770,
    shipping: { deliveryType: 'FREE', deliveryFee: 0 },
    refundPolicy: { returnDeliveryFee: 0, sellerFaultFreeShipping: false },
    values: { 라벤더: 0, 레몬: 130 },
    stock: 15,
  },
  { ...GOODS, name: '입장권', salePrice: 5000, shipping: null, values: { 평일: 0, 주말: 2000 }, stock: 30 },
  { ...GOODS, kind: 'DATED', name: '한옥 객실', salePrice: 50_000, shipping: null, values: { 온돌: 0, 침대: 10_000 }, stock: 4 },
  { ...GOODS, kind: 'CUSTOM', name: '이름 반지', salePrice: 45_670, shipping: PAID, values: { '11호': 0, '13호': 1000 }, stock: 20 },
];
const MEMBERS = 5;
/** The nights that are sold: from tomorrow on. */
export const NIGHTS = 8;
const OPENED = Date.now();
export const day = (offset: number): string => koreanDate(OPENED + offset * DAY);

export class Shop {
  readonly desk: Desk;
  readonly base: string;
  readonly seller: Headers_;
  readonly storeCode: string;
  readonly storeId: string;
  readonly products: Product[] = [];
  readonly members: Shopper[] = [];
  readonly deals: Deal[] = [];
  readonly started: Started[] = [];
  readonly stockWrites: StockWrite[] = [];
  readonly departures: Departure[] = [];
  /** What an approval was asked to deduct, by claim. */
  readonly deductions = new Map<string, number>();
  /** Points that the seller has given and taken, by customer. */
  readonly granted = new Map<string, number>();
  readonly heldRefunds: string[] = [];
  readonly lateReturns: Return[] = [];
  /** Forms that somebody has not sent yet, the oldest first. */
  readonly forms: Form[] = [];
  attachment = '';
  #categoryId = '';
  #flowId = '';
  #values = 0;

  private constructor(seller: Seller, { storeCode, storeId }: CreatedStore) {
    this.desk = new Desk(seller.base);
    this.base = seller.base;
    this.seller = { authorization: `Bearer ${seller.bearer}` };
    this.storeCode = storeCode;
    this.storeId = storeId;
  }
  /** Sets the shop up, before anything happens at once. */
  static async open(seller: Seller, store: CreatedStore): Promise<Shop> {
    const shop = new Shop(seller, store);
    await shop.must('PATCH', '/v1/store', {
      refundPolicy: POLICY,
      shippingPolicy: { freeThreshold: null, jejuSurcharge: JEJU.surcharge },
    });
    const use = { enabled: true, minBalance: 0, minAmount: 0, unit: 1, maxRatioBp: 10_000, includeDeliveryFee: true };
    await shop.must('PUT', '/v1/store/point-policy', { use, expiryDays: 365 });
    shop.#categoryId = (await shop.must('POST', '/v1/categories', { name: '무작위 상점' })).categoryId as string;
    shop.#flowId = (await shop.must('POST', '/v1/commerce-flows', { key: 'custom', name: 'custom', presetKey: 'custom-made' }))
      .flowId as string;
    await shop.must('POST', `/v1/commerce-flows/${shop.#flowId}/draft/publish`, {});
    shop.attachment = await seller.attachment();
    for (const spec of SPECS) await shop.register(spec);
    for (let n = 0; n < MEMBERS; n++) {
      const buyer = await Guest.join(shop.base, shop.storeCode);
      const customerId = customerIdOf(buyer);
      shop.members.push({ buyer, customerId });
      await shop.adjust(customerId, 40_000 + 777 * n);
    }
    return shop;
  }
  async must(method: Request['method'], path: string, body: unknown): Promise<Answer['data']> {
    const { status, code, data } = await this.sell('opening', method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${code}`);
    // oxlint-disable-next-line typescript/no-unsafe-return -- responses of every shape
    return data;
  }
  /** A request of the seller. */
  sell(operation: string, method: Request['method'], path: string, body?: unknown, headers: Headers_ = {}): Promise<Answer> {
    return this.desk.send(operation, { method, path, body, headers: { ...this.seller, ...headers } });
  }
  async register(spec: Spec): Promise<void> {
    const { name, salePrice, shipping, refundPolicy, values, stock, kind } = spec;
    const isDated = kind === 'DATED';
    const names = Object.keys(values);
    const stocked = (optionValues: string[]) => ({
      optionValues,
      ...(!isDated && { stockQuantity: stock }),
      additionalPrice: values[optionValues[0]!],
    });
    const wanted = {
      name,
      salePrice,
      categoryId: this.#categoryId,
      refundPolicy,
      fulfillment: shipping ? { type: 'SHIPPING', shipping } : { type: 'MANUAL' },
      ...(kind === 'CUSTOM' && { flowId: this.#flowId }),
      ...(isDated && { inventoryMode: 'DATED' }),
      ...(names.length > 0
        ? { optionGroups: [{ name: '종류', values: names }], variants: names.map((value) => stocked([value])) }
        : { stockQuantity: stock }),
    };
    const { status, data } = await this.sell('products.create', 'POST', '/v1/products', wanted);
    if (status !== 201) return;
    const { productId, variants } = data as { productId: string; variants: Variant[] };
    if (isDated) await this.writeNights(productId, variants, { from: day(1), to: day(NIGHTS), stock });
    this.products.push({ productId, spec, variants, isDeleted: false });
  }
  /** Writes the calendar; `isFirst`: nights that nobody has sold yet. */
  async writeNights(
    productId: string,
    variants: readonly Variant[],
    change: { from: string; to: string; stock?: number; price?: number | null },
  ) {
    const isFirst = !this.products.some((product) => product.productId === productId);
    const variantIds = variants.map(({ variantId }) => variantId);
    const { status, requestId } = await this.sell('products.writeCalendar', 'PUT', `/v1/products/${productId}/calendar`, {
      variantIds,
      ...change,
    });
    if (status !== 200 || change.stock === undefined) return;
    for (let offset = 1; offset <= NIGHTS; offset++) {
      if (day(offset) < change.from || day(offset) > change.to) continue;
      for (const variantId of variantIds)
        this.stockWrites.push({ requestId, key: `${variantId}/${day(offset)}`, known: isFirst ? change.stock : null, what: 'calendar' });
    }
  }
  async adjust(customerId: string, amount: number): Promise<void> {
    const body = { amount, reason: '무작위 상점' };
    const { status } = await this.sell('points.adjust', 'POST', `/v1/customers/${customerId}/points/adjustments`, body);
    if (status === 201) this.granted.set(customerId, (this.granted.get(customerId) ?? 0) + amount);
  }
  async guest(): Promise<Shopper> {
    const { data } = await this.desk.send('auth.anonymous', {
      method: 'POST',
      path: '/storefront/v1/auth/anonymous',
      body: {},
      headers: { 'x-store-code': this.storeCode },
    });
    const { cartToken } = data as { cartToken: string };
    return { buyer: new Guest(this.base, { 'x-store-code': this.storeCode, 'x-cart-token': cartToken }), customerId: null };
  }
  /** A value of an option that no product had before. */
  newValue = (): string => `새 값 ${++this.#values}`;
  specOf(productId: string): Spec {
    return this.products.find((product) => product.productId === productId)!.spec;
  }
}
