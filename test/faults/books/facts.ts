/** Everything about the shop as it is told from outside: over HTTP, and by the provider. The database adds what neither tells. */
import { Pool } from 'pg';
import { call } from '../../../bin/dev/client.ts';
import { day, NIGHTS, type Shop, type Variant } from './shop.ts';

export interface Item {
  readonly orderItemId: string;
  readonly productId: string;
  readonly optionId: string;
  readonly unitPrice: number;
  readonly quantity: number;
  readonly canceledQuantity: number;
  readonly activeQuantity: number;
  readonly totalPrice: number;
  readonly bundleNo: number;
  readonly pointAllocation: number;
  readonly couponDiscountAmount: number;
  readonly status: string;
  readonly stay: { readonly nights: readonly { readonly date: string; readonly price: number }[] } | null;
}
export interface Order {
  readonly orderId: string;
  readonly orderNo: string;
  readonly buyer: { readonly customerId: string | null };
  readonly payment: { readonly paymentId: string; readonly totalAmount: number; readonly pointAmount: number };
  readonly amounts: Readonly<Record<'productAmount' | 'deliveryFee' | 'couponDiscountAmount' | 'pointAmount' | 'totalAmount', number>>;
  readonly delivery: {
    readonly baseFee: number;
    readonly remoteSurcharge: number;
    readonly remoteArea: string;
    readonly bundleCount: number;
    readonly pointAllocation: number;
  };
  readonly items: readonly Item[];
}
export interface Claim {
  readonly claimId: string;
  readonly type: 'CANCEL' | 'RETURN' | 'EXCHANGE';
  readonly status: string;
  readonly orderId: string;
  readonly orderItemId: string;
  readonly quantity: number;
  readonly reason: string;
  readonly collection: { readonly completedAt: string | null } | null;
  readonly inspection: { readonly soundQuantity: number } | null;
  readonly redelivery: { readonly optionId: string } | null;
  readonly stockShortfall: number;
  readonly deductAmount: number;
  readonly refundId: string | null;
}
export interface Payment {
  readonly paymentId: string;
  readonly status: string;
  readonly orderId: string | null;
  readonly amounts: Order['amounts'];
  readonly refundedAmount: number;
  readonly attempts: readonly { readonly pgOrderId: string; readonly status: string }[];
  readonly refunds: readonly { readonly refundId: string; readonly amount: number; readonly status: string }[];
}
/** A payment on the provider's record. */
export interface Charge {
  readonly orderId: string;
  readonly status: string;
  readonly totalAmount: number;
  readonly balanceAmount: number;
  readonly cancels: readonly { readonly amount: number }[];
}
export interface Movement {
  /** The option, or `option/night`. */
  readonly key: string;
  readonly quantity: number;
  readonly reason: string;
  readonly reference: string;
}
export interface Account {
  readonly customerId: string;
  readonly balance: number;
  readonly lots: number;
  /** Signed, the oldest first, with the balance after each. */
  readonly entries: readonly { readonly amount: number; readonly balance: number }[];
}
export interface Facts {
  readonly orders: readonly Order[];
  readonly claims: readonly Claim[];
  readonly payments: readonly Payment[];
  readonly charges: readonly Charge[];
  readonly accounts: readonly Account[];
  readonly sales: Readonly<Record<string, number>>;
  /** Stock by option and by night as the seller reads it; of deleted ones as the database has it. */
  readonly stock: ReadonlyMap<string, number>;
  readonly movements: readonly Movement[];
  /** What of each bundle's fee was paid in points, by `order/bundle`. */
  readonly bundlePoints: ReadonlyMap<string, number>;
}

export async function readFacts(shop: Shop, databaseUrl: string, simulator: string): Promise<Facts> {
  const orderIds = (await pages<{ orderId: string }>(shop, '/v1/orders')).map(({ orderId }) => orderId);
  const paymentIds = (await pages<{ paymentId: string }>(shop, '/v1/payments?includeTest=true')).map(({ paymentId }) => paymentId);
  const report = await get<{ totals: Record<string, number> }>(shop, `/v1/sales-report?includeTest=true&from=${day(-1)}&to=${day(20)}`);
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  try {
    return {
      orders: await each(orderIds, (id) => get<Order>(shop, `/v1/orders/${id}`)),
      claims: await pages<Claim>(shop, '/v1/claims'),
      payments: await each(paymentIds, (id) => get<Payment>(shop, `/v1/payments/${id}`)),
      charges: (await call(simulator, 'GET', '/__sim/payments')).body as unknown as Charge[],
      accounts: await each(shop.members, ({ customerId }) => account(shop, customerId!)),
      sales: report.totals,
      stock: new Map([...(await storedStock(pool, shop)), ...(await shownStock(shop))]),
      movements: await movements(pool, shop),
      bundlePoints: await bundlePoints(pool, shop),
    };
  } finally {
    await pool.end();
  }
}

/** One after the other: nothing hurries any more. */
async function each<T, R>(all: readonly T[], read: (one: T) => Promise<R>): Promise<R[]> {
  const found: R[] = [];
  for (const one of all) found.push(await read(one));
  return found;
}
async function get<T>(shop: Shop, path: string): Promise<T> {
  const { status, data } = await shop.sell(`reading`, 'GET', path);
  if (status !== 200) throw new Error(`${path}: ${status}`);
  return data as T;
}
async function pages<T>(shop: Shop, path: string): Promise<T[]> {
  const found: T[] = [];
  for (let page = 1; ; page++) {
    const { items, total } = await get<{ items: T[]; total: number }>(
      shop,
      `${path}${path.includes('?') ? '&' : '?'}size=100&page=${page}`,
    );
    found.push(...items);
    if (items.length === 0 || found.length >= total) return found;
  }
}

async function account(shop: Shop, customerId: string): Promise<Account> {
  const path = `/v1/customers/${customerId}/points`;
  const { balance, lots } = await get<{ balance: number; lots: { remaining: number }[] }>(shop, path);
  const entries = await pages<{ amount: number; balance: number }>(shop, `${path}/history`);
  return { customerId, balance, lots: lots.reduce((sum, lot) => sum + lot.remaining, 0), entries: entries.toReversed() };
}

async function shownStock(shop: Shop): Promise<[string, number][]> {
  const found: [string, number][] = [];
  for (const { productId, spec, isDeleted } of shop.products) {
    if (isDeleted) continue;
    const path = `/v1/products/${productId}`;
    const { variants } = await get<{ variants: Variant[] }>(shop, path);
    if (spec.kind !== 'DATED') found.push(...variants.map(({ variantId, stockQuantity }): [string, number] => [variantId, stockQuantity]));
    else {
      const { days } = await get<{ days: { date: string; variantId: string; stock: number }[] }>(
        shop,
        `${path}/calendar?from=${day(1)}&to=${day(NIGHTS)}`,
      );
      found.push(...days.map(({ date, variantId, stock }): [string, number] => [`${variantId}/${date}`, stock]));
    }
  }
  return found;
}

async function storedStock(pool: Pool, { storeId }: Shop): Promise<[string, number][]> {
  const { rows } = await pool.query<{ key: string; stock: number }>(
    `SELECT v.variant_id AS key, v.stock_quantity AS stock FROM variant v JOIN product p USING (store_id, product_id)
      WHERE v.store_id = $1 AND p.inventory_mode = 'STANDARD'
     UNION ALL SELECT n.variant_id || '/' || n.night, n.stock FROM variant_night n WHERE n.store_id = $1`,
    [storeId],
  );
  return rows.map(({ key, stock }) => [key, stock]);
}
async function movements(pool: Pool, { storeId }: Shop): Promise<Movement[]> {
  const { rows } = await pool.query<Movement & Record<string, unknown>>(
    `SELECT variant_id AS key, quantity, reason, reference FROM stock_movement WHERE store_id = $1
     UNION ALL SELECT variant_id || '/' || night, quantity, reason, reference FROM night_movement WHERE store_id = $1`,
    [storeId],
  );
  return rows;
}
async function bundlePoints(pool: Pool, { storeId }: Shop): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ key: string; points: number }>(
    `SELECT order_id || '/' || bundle_no AS key, point_allocation_won AS points FROM order_bundle WHERE store_id = $1`,
    [storeId],
  );
  return new Map(rows.map(({ key, points }) => [key, points]));
}
