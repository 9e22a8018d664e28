/** The everyday requests of buyers and sellers that are measured. */
import type { System } from '../bin/dev/system.ts';
import { Buyer, call, formOf, get, type Seller } from '../bin/dev/client.ts';
import { type Figures, load } from './measure.ts';

/** The products of a benchmark store: one for the buyer flow, the others with options for lists. */
export interface ProductPool {
  readonly productId: string;
  readonly options: readonly { readonly productId: string; readonly optionId: string }[];
}
export async function fillProductPool(seller: Seller, count = 200): Promise<ProductPool> {
  const { productId } = (await seller.call('GET', '/v1/products')).body.data.items[0] as { productId: string };
  const { categoryId } = (await seller.call('POST', '/v1/categories', { name: 'bench' })).body.data as { categoryId: string };
  const optionGroups = [{ name: 'size', values: ['S', 'M', 'L'] }];
  const variants = optionGroups[0]!.values.map((value) => ({ optionValues: [value], stockQuantity: 1000 }));
  const options: { productId: string; optionId: string }[] = [];
  for (let i = 0; i < count; i++) {
    const wanted = { name: `product ${i}`, salePrice: 10_000, categoryId, optionGroups, variants };
    const { body } = await seller.call('POST', '/v1/products', wanted);
    options.push({ productId: body.data.productId as string, optionId: body.data.variants[0].variantId as string });
  }
  return { productId, options };
}

/** Buying, confirming, and the most frequent reads. */
export async function everyday(system: System, seller: Seller, product: ProductPool, orders: number): Promise<Figures[]> {
  const flow = 'buyer flow: session, checkout, start, screen, pay';
  const bought = [
    await load(flow, 1, Math.min(60, orders), () => buy(system, product.productId)),
    await load(flow, 16, orders, () => buy(system, product.productId)),
  ];
  const pages = await Promise.all([1, 2, 3].map((page) => seller.call('GET', `/v1/order-items?size=100&page=${page}&status=PAID`)));
  const items = pages.flatMap(({ body }) => body.data.items as { orderItemId: string }[]);
  const confirm = (i: number) => seller.call('POST', `/v1/order-items/${items[i]!.orderItemId}/confirm`, {});
  const half = Math.min(60, Math.floor(items.length / 3));
  const headers = { 'x-store-code': 'bench' };
  const list = (i: number) => call(system.api, 'GET', `/storefront/v1/products?size=20&page=${1 + (i % 10)}`, { headers });
  const newest = () => seller.call('GET', '/v1/orders?size=20');
  const buyers = await Promise.all(Array.from({ length: 16 }, () => Buyer.arrive(system.api, 'bench')));
  const add = (i: number) => buyers[i % 16]!.call('POST', '/storefront/v1/cart/items', { ...product.options[i % 20], quantity: 1 });
  return [
    ...bought,
    await load('confirm', 1, half, confirm),
    await load('confirm', 16, items.length - half, (i) => confirm(i + half)),
    await load('order list: the newest 20', 1, 100, newest),
    await load('order list: the newest 20', 16, 600, newest),
    await load('product list: 20 of 200 with options', 1, 200, list),
    await load('product list: 20 of 200 with options', 16, 2000, list),
    await load('cart: put an option into it', 1, 100, add),
    await load('cart: put an option into it', 16, 800, add),
  ];
}

/** https, for shops of real payments too. */
const RETURN_URL = 'https://shop.example.com/done';

export async function buy(
  { api }: Pick<System, 'api'>,
  productId: string,
  mark: (step: string) => void = () => {},
  code = 'bench',
  pg = 'tosspayments',
): Promise<void> {
  const buyer = await Buyer.arrive(api, code);
  mark('guest session');
  const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
  mark('checkout');
  const { payUrl } = (await buyer.start(checkoutId, { option: { pg, method: 'CARD' }, returnUrl: RETURN_URL })).body.data as {
    payUrl: string;
  };
  mark('payment start');
  const form = formOf((await get(payUrl)).text, 'pay')!;
  mark('pay screen');
  const submit = new URL(`${form.action}/submit`);
  submit.search = String(new URLSearchParams({ ...form.fields, card: '4111111111110000', outcome: 'pay' }));
  const { location } = await get(submit.href);
  const end = await get(location!.href);
  mark('approve, order, item run');
  if (end.location?.searchParams.get('svcResult') !== 'COMPLETED') throw new Error(`not paid: ${end.location?.href ?? end.text}`);
}
