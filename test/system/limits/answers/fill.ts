/** A store in which everything that lists show is as large as it can be stored (D90). */
import { DAY } from '../../../../domain/kernel/time.ts';
import { imageUrl, moment, type Planter, type Row, text } from './plant.ts';

export const PRODUCTS = 101;
const LINES = 100;
const many = (count: number, row: (i: number) => Row): Row[] => Array.from({ length: count }, (_, i) => row(i));

/** A hundred products of 500 variants with the longest texts, and nights of one of them. */
export async function fillProducts(plant: Planter): Promise<void> {
  await plant.copies('category', 100, (i) => ({ category_id: `cat_${i}`, name: text(50) }));
  const groups = [text(49), text(48), text(47)].map((name) => ({
    name,
    values: many(100, (i) => ({ i })).map(({ i }) => `${text(48)}${i}`),
  }));
  const images = many(10, (i) => ({ url: imageUrl(i) })).map(({ url }) => url);
  await plant.copies('product', PRODUCTS, (i) => ({
    ...{ product_id: `prd_${i}`, product_no: 1000 + i, name: text(100), description: text(20_000), images, option_groups: groups },
    original_price_won: 2_000_000_000,
    discount: { method: 'AMOUNT', value: 1, startDate: '2026-01-01', endDate: '2030-01-01' },
    refund_policy: { returnDeliveryFee: 2_000_000_000, exchangeDeliveryFee: 2_000_000_000, sellerFaultFreeShipping: false },
  }));
  await plant.query(
    `INSERT INTO variant SELECT made.* FROM (SELECT v FROM variant v WHERE store_id = (SELECT store_id FROM product WHERE product_id = 'prd_0')
       LIMIT 1) one, product p, generate_series(1, 500) n,
       jsonb_populate_record(one.v, jsonb_build_object('variant_id', 'var_' || p.product_id || '_' || n, 'product_id', p.product_id,
         'variant_no', p.product_no || '-' || n, 'seq', n, 'option_values', jsonb_build_array($1::text || n, $1::text, $1::text),
         'sku', $2::text, 'barcode', $2::text, 'seller_code', $2::text, 'additional_price_won', n)) made WHERE p.product_id LIKE 'prd\\_%'
       AND p.product_no >= 1000`,
    [text(40), text(100)],
  );
}

/** A hundred orders of a hundred lines, whose flows have gathered 64 KiB each. */
export async function fillOrders(plant: Planter): Promise<void> {
  const address = { receiverName: text(50), phone: '0'.repeat(20), zipCode: '06236', address1: text(200), address2: text(200) };
  const order = (await plant.first('orders')) as { readonly buyer: Row };
  await plant.copies('orders', 101, (i) => ({
    ...{ order_id: `ord_${i}`, order_no: String(20_000_000_000_000 + i), ordered_at: moment(i), last_changed_at: moment(i) },
    ...{ checkout_id: `chk_${i}`, payment_id: `pay_${i}`, shipping_address: address },
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
  const inputs = Object.fromEntries(many(8, (i) => ({ i })).map(({ i }) => [`input${String(i)}`, text(2000)]));
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
    ...{
      product_name: text(100),
      option_label: text(156),
      seller_memo: text(5000),
      stay: { checkIn: '2026-12-01', checkOut: '2026-12-31', nights },
    },
    ...{ ship_from: { addressId: 'adr_1', ...frozen }, return_to: { addressId: 'adr_2', ...frozen } },
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
      earlierAttachments: many(50, (i) => ({ i })).map(() => imageUrl(1)),
    },
    claims: many(200, () => ({ ...claim, requestedAt: 1_795_000_000_000 })),
  };
  for (let i = 0; i < 101; i++)
    await plant.copies('order_item', LINES, (n) => ({
      ...large,
      ...{ order_item_id: `oit_${i}_${n}`, order_item_no: `${20_000_000_000_000 + i}${n}`, order_id: `ord_${i}`, position: n + 1 },
      last_changed_at: moment(i * LINES + n),
    }));
  await plant.copies('payment', 101, (i) => ({
    payment_id: `pay_${i}`,
    checkout_id: `chk_${i}`,
    order_id: `ord_${i}`,
    started_at: moment(i),
  }));
}

/** Records of a group of a hundred lines, with twenty messages for each of them at each of fifty steps. */
export async function fillRuns(plant: Planter): Promise<void> {
  const step = await plant.first('flow_step');
  const notices = many(20, (i) => ({ type: 'notify', at: 1_795_000_000_000, name: `notice${String(i)}`, to: 'buyer', message: text(500) }));
  for (let run = 0; run < 50; run++)
    await plant.rows(
      'flow_step',
      many(LINES, (n) => ({
        ...{
          ...step,
          order_item_id: `oit_0_${n}`,
          seq: 1000 + run,
          run_id: `flr_${run}`,
          event: { type: 'event', name: 'custom.x', reason: text(500) },
        },
        effects: notices.map((notice) => ({ ...notice, members: [`oit_0_${n}`] })),
      })),
    );
}

export async function fillClaims(plant: Planter): Promise<void> {
  const images = many(5, (i) => ({ url: imageUrl(i) })).map(({ url }) => url);
  await plant.copies('claim', 101, (i) => ({
    ...{ claim_id: `clm_${i}`, claim_no: `C2611${i}`, requested_at: moment(i), order_id: `ord_${i}`, order_item_id: `oit_${i}_0` },
    ...{ status: 'COLLECTED', type: 'RETURN', detail: text(1000), images, hold_reason: text(500) },
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
  await plant.copies('customer_consent', 101, (i) => ({
    consent_id: `con_${i}`,
    customer_id: customerId,
    version: text(40),
    url: imageUrl(i),
    at: moment(i),
  }));
  const images = many(5, (i) => ({ url: imageUrl(i) })).map(({ url }) => url);
  const names = { product_id: productId, customer_id: customerId };
  await plant.rows(
    'review',
    many(101, (i) => ({
      ...{
        ...names,
        review_id: `rev_${i}`,
        product_name: text(100),
        option_label: text(156),
        order_id: `ord_${i}`,
        order_item_id: `oit_${i}_1`,
      },
      ...{ rating: 5, content: text(2000), images, reward_point: 100_000, created_at: moment(i), updated_at: moment(i) },
    })),
  );
  await plant.rows(
    'inquiry',
    many(101, (i) => ({
      ...{ ...names, inquiry_id: `inq_${i}`, title: text(100), content: text(2000), is_secret: false, status: 'ANSWERED' },
      ...{ answer: text(2000), answered_at: moment(i), created_at: moment(i) },
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
      ...{ ...point, lot_id: `lot_${i}`, history_id: `pth_${i}`, seq: i, type: 'ADJUST', remaining_won: 2_000_000_000, refills: 0 },
      earned_at: moment(i),
    })),
  );
  await plant.rows(
    'wishlist_item',
    many(PRODUCTS, (i) => ({ customer_id: customerId, product_id: `prd_${i}`, added_at: moment(i) })),
  );
}

/** What the management API keeps of itself. */
export async function fillLogs(plant: Planter, userId: string): Promise<void> {
  const changes = many(500, (i) => ({ field: `field${String(i)}`, before: text(400), after: text(400) }));
  const actor = { actor_type: 'USER', actor_id: userId, actor_name: text(100) };
  const [{ audit_id: auditId }] = (await plant.query('SELECT max(audit_id) AS audit_id FROM audit_request')) as [
    { readonly audit_id: string },
  ];
  await plant.rows(
    'audit_request',
    many(101, (i) => ({
      ...{ ...actor, audit_id: `${auditId}${String(i).padStart(3, '0')}`, created_at: moment(i), action: 'flows.saveDraft' },
      ...{ target_type: 'FLOW', target_id: 'x'.repeat(64), outcome: 'SUCCEEDED', status_code: 200, request_id: `req_${i}` },
      ...{ idempotency_key: 'k'.repeat(255), metadata: { changes, onBehalfOf: 'x'.repeat(64) } },
    })),
  );
  await plant.rows(
    'approval_request',
    many(101, (i) => ({
      ...{ approval_id: `apr_${i}`, status: 'SUCCEEDED', operation_id: 'flows.publish', reason: text(200), principal: 'p', token_ref: {} },
      ...{
        actor_type: 'AGENT',
        actor_id: 'x',
        actor_name: text(100),
        method: 'POST',
        path: '/v1/x',
        params: {},
        querystring: '',
        headers: {},
      },
      ...{ fingerprint: 'f', preview: { operationId: 'flows.publish', target: null, changes, facts: {} }, required_scopes: ['flow:rw'] },
      ...{ approver_role: 'ADMIN', created_at: moment(i), expires_at: moment(i), attempts: 1, body: { graph: text(60_000) } },
      ...{
        decision: 'APPROVE',
        decided_at: moment(i),
        decision_note: text(500),
        approver_user_id: userId,
        result_status: 200,
        result_code: 'OK',
      },
      result_data: { text: text(60_000) },
    })),
  );
  await plant.copies('api_request_log', 101, (i) => ({
    ...{ request_id: `${auditId.replace('aud', 'req')}${String(i).padStart(3, '0')}`, path: `/${text(499)}`, user_agent: text(300) },
    actor_name: text(100),
    created_at: new Date(Date.now() - i * 1000).toISOString(),
  }));
}

/** Everything else of a store. */
export async function fillStore(plant: Planter, userId: string): Promise<void> {
  const person = { user_id: userId };
  const users = many(150, (i) => ({
    user_id: `usr_x${i}`,
    email: `${'e'.repeat(230)}${userId}${i}@x.com`,
    name: text(100),
    created_at: moment(i),
  }));
  await plant.query(
    'INSERT INTO user_account SELECT * FROM jsonb_populate_recordset(NULL::user_account, $1::jsonb) ON CONFLICT DO NOTHING',
    [JSON.stringify(users)],
  );
  await plant.rows(
    'member',
    users.map(({ user_id: id }) => ({ user_id: id, role: 'STAFF', created_at: moment(1) })),
  );
  const hash = (i: number) => `\\x${String(i).padStart(64, '0')}`;
  await plant.rows(
    'invitation',
    many(101, (i) => ({
      ...{ invitation_id: `inv_${i}`, email: `${'e'.repeat(240)}${i}@x.com`, role: 'STAFF', status: 'EXPIRED', invited_by: userId },
      ...{ token_hash: `\\x${userId.length}${String(i).padStart(63, '0')}`, token_sealed: 'x', send_no: 1, send_attempts: 1 },
      ...{ expires_at: moment(i), created_at: moment(i) },
    })),
  );
  const uris = many(20, (i) => ({ i })).map(({ i }) => `https://${String(i)}.example.com/`.padEnd(500, '가'));
  await plant.copies('client', 101, (i) => ({
    client_id: `cli_${userId}_${i}`,
    name: text(100),
    redirect_uris: uris,
    created_at: moment(i),
  }));
  const scopes = many(50, (i) => ({ i })).map(({ i }) => `${'s'.repeat(20)}${String(i)}:rw`);
  await plant.rows(
    'api_token',
    many(101, (i) => ({
      ...{
        token_id: `tok_${i}`,
        name: text(100),
        scopes,
        purpose: 'plain',
        token_hash: hash(Date.now() + i),
        token_prefix: 'x'.repeat(12),
      },
      ...{ created_by: person.user_id, created_at: moment(i) },
    })),
  );
  await plant.copies('commerce_flow', 100, (i) => ({
    flow_id: `flw_${i}`,
    key: `k-${i}`,
    name: text(50),
    created_at: moment(i),
    default_for: null,
    latest_version: 150,
  }));
  const version = await plant.first('flow_version');
  for (let i = 0; i < 100; i++)
    await plant.rows(
      'flow_version',
      many(150, (n) => ({ ...version, flow_id: `flw_${i}`, key: `k-${i}`, version: n + 1, graph: null, bundle: null })),
    );
  await plant.rows(
    'flow_secret',
    many(101, (i) => ({
      name: `s${i}`,
      url: `https://x.example.com/${'가'.repeat(1975)}`,
      header_name: 'h'.repeat(100),
      value_sealed: 'x',
      updated_at: moment(i),
    })),
  );
  await plant.rows(
    'webhook_delivery',
    many(101, (i) => ({
      ...{ delivery_id: `dlv_${i}`, webhook_id: 'whk_1', event_id: `evt_${i}`, event_type: 'ORDER.PAID', status: 'FAILED', epoch: 0 },
      ...{ url: `https://x.example.com/${'가'.repeat(1975)}`, attempt_count: 5, response_body_excerpt: '\u0001'.repeat(1024) },
      created_at: new Date(Date.now() - i * 1000).toISOString(),
    })),
  );
  const sums = { list: 'SOURCE', day: '2026-11-20', is_test: false };
  const [columns] = await plant.query(
    `SELECT json_object_agg(column_name, 9000000000) AS sums FROM information_schema.columns WHERE table_name = 'visit_sum' AND data_type = 'bigint'`,
  );
  await plant.rows(
    'visit_sum',
    many(101, (i) => ({ ...(columns!['sums'] as Row), ...sums, key: `${text(96)}${i}`, medium: text(100) })),
  );
  await plant.copies('event', 101, (i) => ({
    event_id: `evt_zz${i}`,
    event_no: 5000 + i,
    created_at: new Date(Date.now() - DAY / 2).toISOString(),
  }));
}
