/** Agents and dry runs of claims: an approval waits for a person and is executed once; what a dry run tells is what then differs. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { changesBetween } from '../../../domain/audit/changes.ts';
import { CLAIM_LISTING } from '../../../db/claims/views.ts';
import { call } from '../../../bin/dev/client.ts';
import { type Agent, Desk } from '../../kernel/approvals.ts';
import { query, underTest } from '../../kernel/world.ts';
import { ClaimShop, codeOf, dataOf, type Fields, PARCEL, PICKUP, rowCounts } from './shop.ts';

let shop: ClaimShop;
let desk: Desk;
let agent: Agent;
beforeAll(async () => {
  shop = await ClaimShop.open();
  desk = await Desk.open(shop.world);
  // Before that, most approvals are skipped.
  await query('UPDATE store SET ever_public_at = now() WHERE store_id = $1', [shop.storeId]);
  agent = await desk.agent(['claim:rw']);
});
afterAll(() => desk.close());
const REJECTION = { reason: 'OTHER', explanation: '이미 포장을 마쳤습니다' };
const send = (claimId: string, path: string, body: Fields = {}, key = `${claimId}/${path}`) =>
  call(underTest.api, 'POST', `/v1/claims/${claimId}/${path}`, { body, headers: { ...agent.headers, 'idempotency-key': key } });
const requested = async () => {
  const bought = await shop.buy('CONFIRMED');
  return { ...bought, claimId: await shop.filed(bought.orderItemId, { type: 'CANCEL' }) };
};

describe('an agent', () => {
  test('has an approval wait for a person, who has it executed once', async () => {
    const { claimId, orderId } = await requested();
    const before = await shop.claim(claimId);
    const sent = await send(claimId, 'approve', { deductAmount: 1000 });
    expect([sent.status, sent.body.meta.code]).toEqual([202, 'APPROVAL_REQUIRED']);
    expect([await shop.claim(claimId), await shop.refunds(orderId)]).toEqual([before, []]);
    const { approvalId } = sent.body.data as { approvalId: string };
    expect((await desk.read(approvalId)).body.data).toMatchObject({
      preview: {
        operationId: 'claims.approve',
        target: { type: 'CLAIM', id: claimId },
        facts: { refundAmount: 12_000, deductAmount: 1000 },
      },
    });
    const decided = await Promise.all([desk.decide(approvalId, 'approve'), desk.decide(approvalId, 'approve', 'admin')]);
    expect(new Set(decided.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect((await desk.read(approvalId)).body.data).toMatchObject({
      status: 'SUCCEEDED',
      result: { data: { claimId, refundAmount: 12_000, deductAmount: 1000 } },
    });
    const again = await send(claimId, 'approve', { deductAmount: 1000 });
    expect([again.body.meta.code, again.body.data.approvalId]).toEqual(['APPROVAL_ALREADY_DECIDED', approvalId]);
    expect([(await shop.claim(claimId)).status, await shop.refunds(orderId)]).toEqual(['COMPLETED', [{ status: 'DONE', won: 12_000 }]]);
  });
  test('whose approval is rejected, or is of a claim that was withdrawn meanwhile, pays nothing back', async () => {
    const [rejected, withdrawn] = [await requested(), await requested()];
    const sent = [await send(rejected.claimId, 'approve'), await send(withdrawn.claimId, 'approve')];
    const [one, other] = sent.map(({ body }) => (body.data as { approvalId: string }).approvalId) as [string, string];
    expect((await desk.decide(one, 'reject', 'owner', { note: '아직 안 됩니다' })).status).toBe(200);
    await shop.withdraw(withdrawn.claimId);
    await desk.decide(other, 'approve');
    expect((await desk.read(other)).body.data.status).not.toBe('SUCCEEDED');
    expect([(await shop.claim(rejected.claimId)).status, (await shop.claim(withdrawn.claimId)).status]).toEqual(['REQUESTED', 'WITHDRAWN']);
    for (const { orderId } of [rejected, withdrawn]) expect(await shop.refunds(orderId)).toEqual([]);
  });
  test('is refused what nobody could approve, and nobody is asked', async () => {
    const { orderItemId } = await shop.buy('DELIVERED');
    const claimId = await shop.filed(orderItemId, { type: 'RETURN' });
    expect(codeOf(await send(claimId, 'approve'))).toEqual([409, 'INVALID_STATUS']);
    expect(codeOf(await send('clm_none', 'approve'))).toEqual([404, 'CLAIM_NOT_FOUND']);
  });
  test('does everything else directly', async () => {
    const { orderItemId } = await shop.buy('DELIVERED');
    const claimId = await shop.filed(orderItemId, { type: 'EXCHANGE' });
    for (const [path, body, status] of [
      ['hold', { reason: '확인 중입니다' }, 'HELD'],
      ['release', {}, 'REQUESTED'],
      ['collect', PICKUP, 'COLLECTING'],
      ['collect/complete', {}, 'COLLECTED'],
      ['redelivery', PARCEL, 'REDELIVERING'],
      ['complete-exchange', {}, 'COMPLETED'],
    ] as const)
      expect([path, dataOf(await send(claimId, path, body)).status]).toEqual([path, status]);
    const { claimId: other } = await requested();
    expect(dataOf(await send(other, 'reject', REJECTION)).status).toBe('REJECTED');
  });
  test('is refused it when the plan’s AI actions are used up, and may send it again', async () => {
    const { claimId } = await requested();
    const before = await shop.claim(claimId);
    const limit = (n: number) => query('UPDATE store SET ai_actions_limit = $2 WHERE store_id = $1', [shop.storeId, n]);
    await limit(0);
    expect(codeOf(await send(claimId, 'hold', { reason: '확인 중입니다' }))).toEqual([429, 'PLAN_AI_ACTIONS_EXCEEDED']);
    expect(await shop.claim(claimId)).toEqual(before);
    await limit(1000);
    expect(dataOf(await send(claimId, 'hold', { reason: '확인 중입니다' })).status).toBe('HELD');
  });
});

describe('a dry run', () => {
  const DRY = { 'x-svc-dry-run': '1' };
  interface DryRun {
    readonly preview: { readonly target: object; readonly changes: readonly object[]; readonly facts: Fields };
  }
  /** What depends on the moment, and what runs write by themselves. */
  const counts = async () => {
    const { run: _run, operation: _operation, command_text: _text, ...rest } = await rowCounts(shop.storeId);
    return rest;
  };
  /** Sends a command dry and then for real, which has to make exactly the difference that was told; returns what was told. */
  async function rehearsed(claimId: string, path: string, body: Fields = {}): Promise<DryRun['preview']> {
    const before = [await shop.claim(claimId), await counts()];
    const dry = await shop.act(claimId, path, body, DRY);
    expect([path, dry.status, dry.body.meta.code]).toEqual([path, 200, 'DRY_RUN']);
    expect([await shop.claim(claimId), await counts()]).toEqual(before);
    const { preview } = dry.body.data as DryRun;
    const real = await shop.acted(claimId, path, body);
    for (const [field, value] of Object.entries(preview.facts)) expect([path, field, real[field]]).toEqual([path, field, value]);
    const differs = changesBetween(before[0] as object, (await shop.claim(claimId)) as object, CLAIM_LISTING);
    expect([path, preview.target, preview.changes]).toEqual([path, { type: 'CLAIM', id: claimId }, differs]);
    return preview;
  }
  test('of each command of the seller leaves nothing and tells the difference', async () => {
    const { claimId } = await requested();
    expect((await rehearsed(claimId, 'hold', { reason: '비밀 사유' })).changes).toContainEqual({
      field: 'status',
      before: 'REQUESTED',
      after: 'HELD',
    });
    await rehearsed(claimId, 'release');
    const { facts, changes } = await rehearsed(claimId, 'approve', { deductAmount: 500, holdRefund: true });
    expect(facts).toMatchObject({ quantity: 1, refundAmount: 12_500, deliveryFeeRefundAmount: 3000, deductAmount: 500 });
    expect(changes).toContainEqual({ field: 'refundAmount', before: 0, after: 12_500 });
    const exchange = await shop.filed((await shop.buy('DELIVERED')).orderItemId, { type: 'EXCHANGE' });
    await rehearsed(exchange, 'collect', { ...PICKUP, trackingNumber: '1-2' });
    await rehearsed(exchange, 'collect/complete', { soundQuantity: 0, damagedQuantity: 1, missingQuantity: 0, note: '비밀 메모' });
    await rehearsed(exchange, 'redelivery', PARCEL);
    await rehearsed(exchange, 'complete-exchange');
    const returned = await shop.collected((await shop.buy('DELIVERED')).orderItemId, { type: 'RETURN' });
    const rejected = await rehearsed(returned, 'reject', REJECTION);
    expect(JSON.stringify(rejected)).not.toContain(REJECTION.explanation);
  });
  test('is refused like the real request', async () => {
    const { claimId } = await requested();
    expect(codeOf(await shop.act(claimId, 'collect', PICKUP, DRY))).toEqual([409, 'INVALID_STATUS']);
    expect(codeOf(await shop.act(claimId, 'hold', {}, DRY))).toEqual([400, 'VALIDATION_FAILED']);
    expect(codeOf(await shop.act('clm_none', 'approve', {}, DRY))).toEqual([404, 'CLAIM_NOT_FOUND']);
    const soldOut = await shop.world.product({ stockQuantity: 2 });
    const first = await shop.buyLines('DELIVERED', [{ productId: soldOut.productId, quantity: 1 }], soldOut);
    const inspection = { soundQuantity: 0, damagedQuantity: 1, missingQuantity: 0 };
    const exchange = await shop.collected(first.orderItemId, { type: 'EXCHANGE' }, inspection);
    await shop.buyLines('PAID', [{ productId: soldOut.productId, quantity: 1 }], soldOut);
    expect(codeOf(await shop.act(exchange, 'redelivery', PARCEL, DRY))).toEqual([409, 'OUT_OF_STOCK']);
  });
});
