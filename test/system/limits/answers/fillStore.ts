/** Logs, members, clients, flows and deliveries that are as large as they can be stored. */
import { DAY } from '../../../../domain/kernel/time.ts';
import { many, moment, type Planter, type Row, text } from './plant.ts';

/** What the management API keeps of itself. */
export async function fillLogs(plant: Planter, userId: string): Promise<void> {
  const changes = many(500, (i) => ({ field: `field${String(i)}`, before: text(400), after: text(400) }));
  const actor = { actor_type: 'USER', actor_id: userId, actor_name: text(100) };
  const [{ audit_id: auditId }] = (await plant.query('SELECT max(audit_id) AS audit_id FROM audit_request')) as [
    { readonly audit_id: string },
  ];
  const record = {
    ...actor,
    action: 'flows.saveDraft',
    target_type: 'FLOW',
    target_id: 'x'.repeat(64),
    outcome: 'SUCCEEDED',
    status_code: 200,
    idempotency_key: 'k'.repeat(255),
    metadata: { changes, onBehalfOf: 'x'.repeat(64) },
  };
  await plant.alike(
    'audit_request',
    record,
    many(101, (i) => ({ audit_id: `${auditId}${String(i).padStart(3, '0')}`, created_at: moment(i), request_id: `req_${i}` })),
  );
  const approval = {
    execution_round: 0,
    status: 'SUCCEEDED',
    operation_id: 'flows.publish',
    reason: text(200),
    principal: 'p',
    token_ref: {},
    actor_type: 'AGENT',
    actor_id: 'x',
    actor_name: text(100),
    method: 'POST',
    path: '/v1/x',
    params: {},
    querystring: '',
    headers: {},
    fingerprint: 'f',
    required_scopes: ['flow:rw'],
    approver_role: 'ADMIN',
    attempts: 1,
    body: { graph: text(60_000) },
    decision: 'APPROVE',
    decided_at: moment(0),
    decision_note: text(500),
    approver_user_id: userId,
    result_status: 200,
    result_code: 'OK',
    result_data: { text: text(60_000) },
  };
  const ids = many(101, (i) => ({ approval_id: `apr_${i}`, created_at: moment(i), expires_at: moment(i) }));
  // As much as is listed of them, and more than that, in turn.
  for (const [remainder, steps] of [1800, 20_000].entries()) {
    const preview = { operationId: 'flows.publish', target: null, changes, facts: { steps: text(steps) } };
    await plant.alike(
      'approval_request',
      { ...approval, preview },
      ids.filter((_, i) => i % 2 === remainder),
    );
  }
  await plant.copies('api_request_log', 101, (i) => ({
    request_id: `${auditId.replace('aud', 'req')}${String(i).padStart(3, '0')}`,
    path: `/${text(499)}`,
    user_agent: text(300),
    actor_name: text(100),
    created_at: new Date(Date.now() - i * 1000).toISOString(),
  }));
}

/** Everything else of a store. */
export async function fillStore(plant: Planter, userId: string): Promise<void> {
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
      invitation_id: `inv_${i}`,
      email: `${'e'.repeat(240)}${i}@x.com`,
      role: 'STAFF',
      status: 'EXPIRED',
      invited_by: userId,
      token_hash: hash(9_000_000 + i),
      token_sealed: 'x',
      send_no: 1,
      send_attempts: 1,
      expires_at: moment(i),
      created_at: moment(i),
    })),
  );
  const uris = Array.from({ length: 20 }, (_, i) => `https://${String(i)}.example.com/`.padEnd(500, '가'));
  await plant.copies('client', 101, (i) => ({
    client_id: `cli_${userId}_${i}`,
    name: text(100),
    redirect_uris: uris,
    created_at: moment(i),
  }));
  const scopes = Array.from({ length: 50 }, (_, i) => `${'s'.repeat(20)}${String(i)}:rw`);
  await plant.rows(
    'api_token',
    many(101, (i) => ({
      token_id: `tok_${i}`,
      name: text(100),
      scopes,
      purpose: 'plain',
      token_hash: hash(Date.now() + i),
      token_prefix: 'x'.repeat(12),
      created_by: userId,
      created_at: moment(i),
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
  const now = String((await plant.first('event'))['event_id']);
  await plant.rows(
    'webhook_delivery',
    many(101, (i) => ({
      delivery_id: `${now.replace('evt', 'dlv')}${String(i).padStart(3, '0')}`,
      webhook_id: 'whk_1',
      event_id: `evt_${i}`,
      event_type: 'ORDER.PAID',
      status: 'FAILED',
      epoch: 0,
      url: `https://x.example.com/${'가'.repeat(1975)}`,
      attempt_count: 5,
      response_body_excerpt: text(1024),
      created_at: new Date(Date.now() - i * 1000).toISOString(),
    })),
  );
  const sums = { list: 'SOURCE', day: '2026-11-20', is_test: false };
  const [columns] = await plant.query(
    `SELECT json_object_agg(column_name, 9000000000) AS sums FROM information_schema.columns WHERE table_name = 'visit_sum'
      AND data_type = 'bigint'`,
  );
  await plant.rows(
    'visit_sum',
    many(101, (i) => ({ ...(columns!['sums'] as Row), ...sums, key: `${text(96)}${i}`, medium: text(100) })),
  );
  // Which event of the order is the first one in the table is not said: all are one of the same kind.
  await plant.query(`DELETE FROM event WHERE store_id = $1 AND type <> 'ORDER.PAID'`, [plant.storeId]);
  await plant.copies('event', 101, (i) => ({
    event_id: `${now}${String(i).padStart(3, '0')}`,
    event_no: 5000 + i,
    created_at: new Date(Date.now() - DAY / 2).toISOString(),
  }));
}
