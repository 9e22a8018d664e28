/** A store in which everything that lists show is as large as it can be stored. */
import { imageUrl, many, moment, type Planter, type Row, text } from './plant.ts';

const PRODUCTS = 101;
const LINES = 100;

/** A hundred products of 500 variants with the longest texts, and nights of one of them. */
export async function fillProducts(plant: Planter): Promise<void> {
  await plant.copies('category', 100, (i) => ({ category_id: `cat_${i}`, name: text(50) }));
  const groups = [text(49), text(48), text(47)].map((name) => ({
    name,
    values: Array.from({ length: 100 }, (_, i) => `${text(48)}${i}`),
  }));
  const images = Array.from({ length: 10 }, (_, i) => imageUrl(i));
  await plant.copies('product', PRODUCTS, (i) => ({
    product_id: `prd_${i}`,
    product_no: 1000 + i,
    name: text(100),
    description: text(20_000),
    images,
    option_groups: groups,
    original_price_won: 2_000_000_000,
    discount: { method: 'AMOUNT', value: 1, startDate: '2026-01-01', endDate: '2030-01-01' },
    refund_policy: { returnDeliveryFee: 2_000_000_000, exchangeDeliveryFee: 2_000_000_000, sellerFaultFreeShipping: false },
  }));
  await plant.query(
    `INSERT INTO variant SELECT made.* FROM (SELECT v FROM variant v
      WHERE store_id = (SELECT store_id FROM product WHERE product_id = 'prd_0')
       LIMIT 1) one, product p, generate_series(1, 500) n,
       jsonb_populate_record(one.v, jsonb_build_object('variant_id', 'var_' || p.product_id || '_' || n, 'product_id', p.product_id,
         'variant_no', p.product_no || '-' || n, 'seq', n, 'option_values', jsonb_build_array($1::text || n, $1::text, $1::text),
         'sku', $2::text, 'barcode', $2::text, 'seller_code', $2::text, 'additional_price_won', n)) made WHERE p.product_id LIKE 'prd\\_%'
       AND p.product_no >= 1000`,
    [text(40), text(100)],
  );
}

/** A hundred orders of a hundred lines, whose flows have gathered more than a list loads. */
export async function fillOrders(plant: Planter): Promise<void> {
  const address = { receiverName: text(50), phone: '0'.repeat(20), zipCode: '06236', address1: text(200), address2: text(200) };
  const order = (await plant.first('orders')) as { readonly buyer: Row };
  await plant.copies('orders', 101, (i) => ({
    order_id: `ord_${i}`,
    order_no: String(20_000_000_000_000 + i),
    ordered_at: moment(i),
    last_changed_at: moment(i),
    checkout_id: `chk_${i}`,
    payment_id: `pay_${i}`,
    shipping_address: address,
    buyer: { ...order.buyer, name: text(50), email: `${'e'.repeat(242)}@example.com` },
  }));
  const frozen = {
    name: text(50),
    receiver: text(50),
    mobile: '0'.repeat(20),
    zipCode: '06236',
    address: text(200),
    detailAddress: text(200),
  };
  const item = (await plant.first('order_item')) as { readonly flow_state: Row };
  const inputs = Object.fromEntries(Array.from({ length: 3 }, (_, i) => [`input${String(i)}`, text(2000)]));
  const nights = many(30, (i) => ({ date: `2026-12-${String(1 + (i % 31)).padStart(2, '0')}`, price: 2_000_000_000 }));
  const claim = {
    claimId: 'clm_x',
    claimNo: 'C26112700000000',
    type: 'RETURN',
    status: 'WITHDRAWN',
    quantity: 1,
    reason: 'CHANGE_OF_MIND',
  };
  const large = {
    product_name: text(100),
    option_label: text(156),
    seller_memo: text(5000),
    stay: { checkIn: '2026-12-01', checkOut: '2026-12-31', nights },
    ship_from: { addressId: 'adr_1', ...frozen },
    return_to: { addressId: 'adr_2', ...frozen },
    fulfillment_snapshot: {
      type: 'MANUAL',
      method: 'PICKUP',
      pickupLocation: { pickupLocationId: 'pul_1', name: text(100), address: text(300), contact: text(50), availableHours: text(200) },
    },
    fulfillment: { status: 'PROVIDED', note: text(1000), fulfilledAt: 1_795_000_000_000 },
    hold: { reason: text(500), expectedDispatchDate: '2026-12-01', heldAt: 1_795_000_000_000 },
    flow_state: {
      ...item.flow_state,
      inputs,
      data: { block: text(2000) },
      earlierAttachments: Array.from({ length: 10 }, (_, i) => imageUrl(i)),
    },
    claims: many(200, () => ({ ...claim, requestedAt: 1_795_000_000_000 })),
  };
  await plant.copies('order_item', LINES, (n) => ({
    ...large,
    order_item_id: `oit_0_${n}`,
    order_item_no: `20000000000000${n}`,
    order_id: 'ord_0',
    position: n + 1,
    last_changed_at: moment(n),
  }));
  await plant.query(
    `INSERT INTO order_item SELECT made.* FROM order_item i, generate_series(1, 100) n, jsonb_populate_record(i, jsonb_build_object(
       'order_item_id', replace(i.order_item_id, 'oit_0', 'oit_' || n), 'order_item_no', i.order_item_no || '-' || n, 'order_id', 'ord_' || n))
       made WHERE i.order_id = 'ord_0'`,
  );
  await plant.copies('payment', 101, (i) => ({
    payment_id: `pay_${i}`,
    checkout_id: `chk_${i}`,
    order_id: `ord_${i}`,
    order_no: String(20_000_000_000_000 + i),
    created_at: moment(i),
  }));
}

/** Records of a group of thirty lines, with twenty messages for each of them at each of fifty steps. */
export async function fillRuns(plant: Planter): Promise<void> {
  const step = await plant.first('flow_step');
  const notices = many(20, (i) => ({ type: 'notify', at: 1_795_000_000_000, name: `notice${String(i)}`, to: 'buyer', message: text(500) }));
  for (let run = 0; run < 50; run++)
    await plant.rows(
      'flow_step',
      many(30, (n) => ({
        ...step,
        order_item_id: `oit_0_${n}`,
        seq: 1000 + run,
        run_id: `flr_${run}`,
        event: { type: 'event', name: 'custom.x', reason: text(500) },
        effects: notices.map((notice) => ({ ...notice, members: [`oit_0_${n}`] })),
      })),
    );
}

export async function fillClaims(plant: Planter): Promise<void> {
  const images = Array.from({ length: 5 }, (_, i) => imageUrl(i));
  await plant.copies('claim', 101, (i) => ({
    claim_id: `clm_${i}`,
    claim_no: `C2611${i}`,
    requested_at: moment(i),
    order_id: `ord_${i}`,
    order_item_id: `oit_${i}_0`,
    status: 'COLLECTED',
    type: 'RETURN',
    detail: text(1000),
    images,
    hold_reason: text(500),
    inspection: { soundQuantity: 1, damagedQuantity: 0, missingQuantity: 0, note: text(1000), images },
    rejection: { reason: 'OTHER', explanation: text(1000), evidenceImages: images, rejectedAt: 1_795_000_000_000 },
  }));
  for (let i = 0; i < 101; i++)
    await plant.copies('claim_step', 12, (n) => ({ claim_id: `clm_${i}`, seq: n + 1, name: 'completeCollection' }));
}

/** Members with reviews, inquiries, points, consents and marks. */
export async function fillMembers(
  plant: Planter,
  { customerId, productId }: { readonly customerId: string; readonly productId: string },
): Promise<void> {
  await plant.copies('customer', 101, (i) => ({
    customer_id: `cus_${i}`,
    email: `${'e'.repeat(240)}${i}@x.com`,
    name: text(50),
    created_at: moment(i),
  }));
  await plant.copies('customer_stats', 101, (i) => ({ customer_id: `cus_${i}` }));
  await plant.copies('customer_consent', 101, (i) => ({
    consent_id: `con_${i}`,
    customer_id: customerId,
    version: text(40),
    url: imageUrl(i),
    at: moment(i),
  }));
  const images = Array.from({ length: 5 }, (_, i) => imageUrl(i));
  const names = { product_id: productId, customer_id: customerId };
  await plant.rows(
    'review',
    many(101, (i) => ({
      ...names,
      review_id: `rev_${i}`,
      product_name: text(100),
      option_label: text(156),
      order_id: `ord_${i}`,
      order_item_id: `oit_${i}_1`,
      rating: 5,
      content: text(2000),
      images,
      reward_point: 100_000,
      created_at: moment(i),
      updated_at: moment(i),
    })),
  );
  await plant.rows(
    'inquiry',
    many(101, (i) => ({
      ...names,
      inquiry_id: `inq_${i}`,
      title: text(100),
      content: text(2000),
      is_secret: false,
      status: 'ANSWERED',
      answer: text(2000),
      answered_at: moment(i),
      created_at: moment(i),
    })),
  );
  const point = { customer_id: customerId, type: 'ADJUST', amount_won: 2_000_000_000, expires_at: '2029-01-01T00:00:00Z' };
  await plant.rows(
    'point_history',
    many(101, (i) => ({
      ...point,
      history_id: `pth_${i}`,
      seq: 1000 + i,
      balance_won: 9_000_000_000,
      memo: text(200),
      created_at: moment(i),
    })),
  );
  await plant.rows(
    'point_lot',
    many(1500, (i) => ({
      ...point,
      lot_id: `lot_${i}`,
      history_id: `pth_${i}`,
      seq: i,
      type: 'ADJUST',
      remaining_won: 2_000_000_000,
      refills: 0,
      earned_at: moment(i),
    })),
  );
  await plant.rows(
    'wishlist_item',
    many(PRODUCTS, (i) => ({ customer_id: customerId, product_id: `prd_${i}`, added_at: moment(i) })),
  );
}
