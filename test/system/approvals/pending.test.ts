/** How many requests wait for people at once: of a principal, and of a store. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { createApproval } from '../../../db/approvals/commands.ts';
import { MAX_PENDING } from '../../../domain/approvals/rules.ts';
import { type Agent, Desk, newApproval } from '../../kernel/approvals.ts';
import { query, underTest, world } from '../../kernel/world.ts';

let desk: Desk;
let agent: Agent;
let productId: string;
beforeAll(async () => {
  desk = await Desk.open(await world());
  agent = await desk.agent();
  await query('UPDATE store SET ever_public_at = now() WHERE store_id = $1', [desk.shop.store.storeId]);
  ({ productId } = await desk.shop.product());
});
afterAll(() => desk.close());

const request = (key: string, from = agent) =>
  call(underTest.api, 'PATCH', `/v1/products/${productId}`, {
    body: { salePrice: 7000 },
    headers: { ...from.headers, 'idempotency-key': key },
  });
const waiting = async (principal: string | null = null): Promise<number> => {
  const [row] = await query<{ n: string }>(
    `SELECT count(*) AS n FROM approval_request WHERE store_id = $1 AND status = 'PENDING' AND principal = coalesce($2, principal)`,
    [desk.shop.store.storeId, principal],
  );
  return Number(row!.n);
};
const expectRefused = (reply: Awaited<ReturnType<typeof request>>, limit: number) => {
  expect([reply.status, reply.body.error?.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
  expect(reply.body.error?.details).toMatchObject({ limit, pendingApprovals: limit, retryAfter: 3600 });
  expect(reply.headers.get('retry-after')).toBe('3600');
};

test('of one principal, however many ask at once; a repeat is answered, and a decision makes room', async () => {
  const key = randomUUID();
  const first = await request(key);
  expect(first.status).toBe(202);
  const wanted = () => newApproval(agent, { id: 'products.remove', params: { productId } });
  const create = () => desk.inTenant((tx) => createApproval(tx, wanted()));
  for (let n = 1; n < MAX_PENDING.principal - 5; n++) await create();
  const ended = await Promise.allSettled(Array.from({ length: 12 }, create));
  const refusals = ended.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code?: string }).code] : []));
  expect(refusals).toEqual(Array.from({ length: 7 }, () => 'TOO_MANY_REQUESTS'));
  expect(await waiting(agent.principal)).toBe(MAX_PENDING.principal);
  const refused = randomUUID();
  expectRefused(await request(refused), MAX_PENDING.principal);
  expect(await waiting(agent.principal)).toBe(MAX_PENDING.principal);
  const repeat = await request(key);
  expect([repeat.status, repeat.body.data]).toEqual([202, first.body.data]);
  // Others are not held up by it.
  expect((await request(randomUUID(), await desk.agent())).status).toBe(202);
  const { approvalId } = first.body.data as { approvalId: string };
  expect((await desk.decide(approvalId, 'reject')).status).toBe(200);
  // Nothing was stored of the refusal.
  expect((await request(refused)).status).toBe(202);
});
test('of a store, whoever asks; what is decided or expired does not count', async () => {
  const other = await desk.agent();
  const columns = `store_id, approval_id, status, operation_id, reason, principal, token_ref, actor_type, actor_id, method, path, params,
    querystring, headers, fingerprint, preview, required_scopes, approver_role, created_at, expires_at, attempts`;
  const copies = (n: number, principal: string, status: string, expires: string) =>
    query(
      `INSERT INTO approval_request (${columns}, notice_round) SELECT store_id, 'apr_' || gen_random_uuid(), $4, operation_id, reason, $3,
         token_ref, actor_type, actor_id, method, path, params, querystring, headers, fingerprint, preview, required_scopes, approver_role,
         created_at, expires_at + $5::interval, attempts, 1 FROM (SELECT * FROM approval_request WHERE store_id = $1 AND expires_at > now()
           LIMIT 1) one, generate_series(1, $2::int)`,
      [desk.shop.store.storeId, n, principal, status, expires],
    );
  await copies(300, other.principal, 'REJECTED', '0');
  await copies(300, other.principal, 'PENDING', '-2 days');
  await copies(MAX_PENDING.store - 2 - (await counted()), 'somebody', 'PENDING', '0');
  expect((await request(randomUUID(), other)).status).toBe(202);
  expect((await request(randomUUID(), other)).status).toBe(202);
  expectRefused(await request(randomUUID(), other), MAX_PENDING.store);
});
const counted = async (): Promise<number> => {
  const [row] = await query<{ n: string }>(
    `SELECT count(*) AS n FROM approval_request WHERE store_id = $1 AND status = 'PENDING' AND expires_at > now()`,
    [desk.shop.store.storeId],
  );
  return Number(row!.n);
};
