/** A decision in the moment in which a sandbox clock ends its time: carried out or expired, nothing between. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { MINUTE } from '../../../domain/kernel/time.ts';
import { type Agent, Desk } from '../../kernel/approvals.ts';
import { query, until, untilBlockedBy, world } from '../../kernel/world.ts';

let desk: Desk;
let agent: Agent;
// Of its own: mails about earlier requests would wait for the clock.
beforeEach(async () => {
  desk = await Desk.open(await world());
  agent = await desk.agent();
});
afterEach(() => desk.close());

const offset = async () =>
  Number((await query<{ ms: string }>('SELECT clock_offset_ms AS ms FROM store WHERE store_id = $1', [desk.shop.store.storeId]))[0]!.ms);
/** A request whose own run and whose mail write its row no more. */
async function settled(): Promise<{ readonly approvalId: string; readonly productId: string }> {
  const { productId } = await desk.shop.product();
  const approvalId = await desk.created(agent, { id: 'products.remove', params: { productId } });
  await until(
    'mailed',
    async () => {
      const [row] = await query<{ round: number | null; loaded: Date | null }>(
        `SELECT a.notice_round AS round, r.loaded_at AS loaded FROM approval_request a JOIN run r ON r.entity_id = a.approval_id
         WHERE a.approval_id = $1`,
        [approvalId],
      );
      return row?.loaded && row.round !== null;
    },
    60_000,
  );
  return { approvalId, productId };
}
const locked = (approvalId: string) => desk.lock('SELECT 1 FROM approval_request WHERE approval_id = $1 FOR UPDATE', [approvalId]);
const isThere = async (productId: string) => (await desk.shop.seller.call('GET', `/v1/products/${productId}`)).status === 200;
const advance = (by: string) => desk.shop.seller.call('POST', '/v1/sandbox/clock', { advance: by });

test('approved before the end of its time, which the clock passes meanwhile: it is carried out', async () => {
  const { approvalId, productId } = await settled();
  const lock = await locked(approvalId);
  try {
    const reply = desk.decide(approvalId, 'approve');
    await untilBlockedBy(lock.pid);
    const before = await offset();
    const advanced = advance('P3D');
    // More than the minute in which tries begin.
    await until('the clock moved', async () => (await offset()) > before + 2 * MINUTE);
    await lock.release();
    await Promise.all([reply, advanced]);
  } finally {
    await lock.release();
  }
  expect([await desk.final(approvalId), await isThere(productId)]).toEqual(['SUCCEEDED', false]);
});

test('its time ends before the decision is made: it has expired, and nothing is done', async () => {
  const { approvalId, productId } = await settled();
  await advance('P1D');
  const { body } = await desk.decide(approvalId, 'approve');
  expect([body.error?.code, await desk.final(approvalId), await isThere(productId)]).toEqual(['APPROVAL_EXPIRED', 'EXPIRED', true]);
});

test('both at once, again and again: carried out or expired', async () => {
  const seen = new Set<string>();
  for (let round = 0; round < 6; round++) {
    const { productId } = await desk.shop.product();
    const approvalId = await desk.created(agent, { id: 'products.remove', params: { productId } });
    const advanced = advance('P1D');
    const { body } = await desk.decide(approvalId, 'approve');
    await advanced;
    const status = await desk.final(approvalId);
    seen.add(status);
    expect([status, await isThere(productId)]).toEqual(body.error ? ['EXPIRED', true] : ['SUCCEEDED', false]);
  }
  expect([...seen].every((status) => ['SUCCEEDED', 'EXPIRED'].includes(status))).toBe(true);
}, 120_000);
