/** A shop with a few orders in different states, for the pictures. */
import type { CreatedStore } from '../../../db/identity/createStore.ts';
import { inTenant, realTime, REQUEST } from '../../../db/kernel/tx.ts';
import { withOrm } from '../../../db/orm.ts';
import { PaymentProviderEntity } from '../../../db/paymentSettings/entities.ts';
import type { Method } from '../../../domain/paymentSettings/routing.ts';
import { orderItemRun } from '../../../workflows/kernel/messages.ts';
import { Buyer, OPTION, pay, Seller } from '../client.ts';
import type { DevelopmentSystem } from '../developmentSystem.ts';

interface Person {
  readonly name: string;
  readonly phone: string;
  readonly email: string;
  readonly zipCode: string;
  readonly address1: string;
  readonly address2: string;
}
const person = (name: string, phone: string, id: string, [zipCode, address1, address2]: readonly [string, string, string]): Person => ({
  name,
  phone,
  email: `${id}@example.com`,
  zipCode,
  address1,
  address2,
});
const SEOYEON = person('김서연', '010-2345-6789', 'seoyeon.kim', ['04524', '서울 중구 세종대로 110', '3층']);
const JUNHO = person('이준호', '010-3456-7890', 'junho.lee', ['48058', '부산 해운대구 센텀중앙로 79', '1203호']);
const JIWOO = person('박지우', '010-4567-8901', 'jiwoo.park', ['34126', '대전 유성구 대학로 99', '204동 801호']);

/** What the screenshots show. */
export interface Shown {
  /** The order whose runs are listed. */
  readonly orderNo: string;
  /** The run of an item in transit. */
  readonly workflowId: string;
  /** Starts a payment and returns its payUrl. */
  readonly startPayment: () => Promise<string>;
  /** From then on there are several ways to pay. */
  readonly addWays: () => Promise<unknown>;
  /** Advances the store's clock. */
  readonly advance: (duration: string) => Promise<unknown>;
}

/** Lines of an order: productId and quantity. */
type Lines = readonly (readonly [productId: string, quantity: number])[];

/** Creates the products and orders. */
export async function sellSome(system: DevelopmentSystem, store: CreatedStore): Promise<Shown> {
  const seller = await Seller.login(system.api, store);
  const request = async (method: string, path: string, body: unknown = {}) => {
    const reply = await seller.call(method, path, body);
    if (reply.body.error) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body.error)}`);
    return reply.body.data;
  };
  const { categoryId } = await request('POST', '/v1/categories', { name: '겨울 소품' });
  const product = async (name: string, salePrice: number): Promise<string> =>
    (await request('POST', '/v1/products', { name, salePrice, categoryId, stockQuantity: 40 })).productId as string;
  const [muffler, gloves, hat] = [
    await product('양모 머플러 (회색)', 39_000),
    await product('가죽 장갑 (M)', 52_000),
    await product('털모자 (남색)', 24_000),
  ];
  const begin = (who: Person, lines: Lines) => beginPayment(system.api, store.storeCode, who, lines);
  const order = async (who: Person, lines: Lines) => {
    const { buyer, paymentId, payUrl } = await begin(who, lines);
    await pay(payUrl);
    const { orderId } = (await buyer.status(paymentId)).body.data as { orderId: string };
    const { orderNo, items } = (await seller.call('GET', `/v1/orders/${orderId}`)).body.data as {
      orderNo: string;
      items: { orderItemId: string; orderItemNo: string }[];
    };
    return { orderNo, items };
  };
  const act = (orderItemId: string, action: string, body: object = {}) => request('POST', `/v1/order-items/${orderItemId}/${action}`, body);

  const first = await order(JUNHO, [[gloves, 1]]);
  const shown = await order(SEOYEON, [
    [muffler, 2],
    [hat, 1],
  ]);
  await order(JIWOO, [[hat, 3]]);
  await act(first.items[0]!.orderItemId, 'confirm');
  for (const { orderItemId } of shown.items) await act(orderItemId, 'confirm');
  const { orderItemId, orderItemNo } = shown.items[0]!;
  // The last digit makes the development courier report a parcel in transit.
  await act(orderItemId, 'dispatch', { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumber: '641208873312' });
  const advance = (duration: string) => request('POST', '/v1/sandbox/clock', { advance: duration });
  await advance('PT9H');
  const startPayment = async () => (await begin(JIWOO, [[muffler, 1]])).payUrl;
  const addWays = () => switchOn(system.databaseUrl, store.storeId, WAYS);
  const { workflowId } = orderItemRun({ storeId: store.storeId, orderItemId, orderItemNo });
  return { orderNo: shown.orderNo, workflowId, startPayment, addWays, advance };
}

const WAYS: readonly Method[] = [
  { method: 'CARD', provider: null },
  { method: 'EASY_PAY', provider: 'KAKAOPAY' },
  { method: 'EASY_PAY', provider: 'NAVERPAY' },
  { method: 'BANK_TRANSFER', provider: null },
];
/** As the shop's owner does in the console. */
const switchOn = (databaseUrl: string, storeId: string, methods: readonly Method[]): Promise<number> =>
  withOrm(databaseUrl, 1, (orm) =>
    inTenant(orm, realTime(storeId, Date.now()), REQUEST, ({ em }) =>
      em.nativeUpdate(PaymentProviderEntity, { storeId, provider: 'tosspayments' }, { methods }),
    ),
  );

async function beginPayment(api: string, storeCode: string, who: Person, lines: Lines) {
  const buyer = await Buyer.arrive(api, storeCode);
  const items = lines.map(([productId, quantity]) => ({ productId, quantity }));
  const { checkoutId } = (await buyer.call('POST', '/storefront/v1/checkout', { items })).body.data as { checkoutId: string };
  const { name, phone, email, ...address } = who;
  const started = await buyer.start(checkoutId, {
    option: OPTION,
    shippingAddress: { receiverName: name, phone, ...address },
    guest: { name, phone, email, orderPassword: 'a-password-1' },
  });
  if (started.body.error) throw new Error(`payment: ${JSON.stringify(started.body.error)}`);
  return { buyer, ...(started.body.data as { paymentId: string; payUrl: string }) };
}
