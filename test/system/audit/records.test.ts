/** DOMAIN records: what leaves one, with whom, and that nothing goes without (docs/contract.md#audit). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { createKeyring } from '../../../db/kernel/keyring.ts';
import { newId, realClock } from '../../../db/kernel/clock.ts';
import { BY_BUYER, type ChangeOrigin, inTenant, REQUEST, TRANSITION, type Tx } from '../../../db/kernel/tx.ts';
import { changeMember } from '../../../db/identity/members.ts';
import { invite } from '../../../db/invitations/commands.ts';
import { transitionOrderItem } from '../../../db/orders/transition.ts';
import { releaseRefund } from '../../../db/payments/refunds.ts';
import { sealTyped } from '../../../db/runs/origin.ts';
import { transitionRun } from '../../../db/runs/transition.ts';
import type { Command, CommandOrigin } from '../../../workflows/kernel/messages.ts';
import { call } from '../../../bin/dev/client.ts';
import { linkIn, loginAs, mailsTo, mailTo, storeToken } from '../../kernel/login.ts';
import { tenancy } from '../../kernel/tenancy.ts';
import { query, underTest, until } from '../../kernel/world.ts';
import { Audited, type Logged, openApp } from './log.ts';

let log: Audited;
let orm: MikroORM;
let storeId: string;
beforeAll(async () => {
  [log, orm] = await Promise.all([Audited.open(), openApp()]);
  ({ storeId } = log.shop.store);
});
afterAll(() => orm.close());

const brief = ({ action, target, metadata }: Logged) => ({ action, target, metadata });
const transact = <T>(origin: ChangeOrigin | undefined, work: (tx: Tx) => Promise<T>): Promise<T> =>
  inTenant(orm, { ...tenancy(storeId), origin }, REQUEST, work);
const origin: ChangeOrigin = {
  actor: { type: 'AGENT', id: 'tok_1', name: 'Claude/1.0' },
  requestId: 'req_1',
  approvalId: 'apr_1',
  metadata: { approvedBy: 'usr_1' },
};

describe('through the API', () => {
  test('a seller’s cancel has its units, amounts and reason, part by part, and one that pays nothing back too', async () => {
    const { shop } = log;
    const { orderItemId } = await shop.order(await shop.product({ salePrice: 10_000 }), 2);
    const headers = { 'idempotency-key': 'c' };
    const cancel = (body: object) =>
      shop.seller.call('POST', `/v1/order-items/${orderItemId}/cancel`, { reason: 'OUT_OF_STOCK', ...body }, headers);
    const { refundAmount } = (await cancel({ quantity: 1 })).body.data as { refundAmount: number };
    const replayed = await cancel({ quantity: 1 });
    expect([refundAmount > 0, replayed.headers.get('idempotent-replayed')]).toEqual([true, 'true']);
    // The rest costs nothing.
    await query('UPDATE order_item SET total_price_won = 0 WHERE order_item_id = $1', [orderItemId]);
    await query('UPDATE order_bundle SET fee_refunded_won = base_fee_won + surcharge_won WHERE store_id = $1', [storeId]);
    const rest = await shop.act(orderItemId, 'cancel', { reason: 'PRICE_ERROR' });
    expect(rest.body.data).toMatchObject({ quantity: 1, refundAmount: 0, refundId: null });
    const record = (metadata: object) => ({
      action: 'ORDER_ITEM_CANCELED',
      target: { type: 'ORDER_ITEM', id: orderItemId },
      metadata: { quantity: 1, pointRefundAmount: 0, ...metadata },
    });
    expect((await log.ofTarget(orderItemId)).map(brief)).toEqual([
      record({ refundAmount: 0, reason: 'PRICE_ERROR' }),
      record({ refundAmount, reason: 'OUT_OF_STOCK' }),
    ]);
  });

  test('a held refund leaves one when it is let go, and none for a refusal', async () => {
    const { shop } = log;
    const { orderItemId } = await shop.order();
    const canceled = (await shop.act(orderItemId, 'cancel', { reason: 'OUT_OF_STOCK', holdRefund: true })).body.data;
    const { refundId, refundAmount } = canceled as { refundId: string; refundAmount: number };
    expect(await log.ofTarget(refundId)).toEqual([]);
    const process = () => shop.seller.call('POST', `/v1/payments/refunds/${refundId}/process`);
    expect([(await process()).status, (await process()).body.error?.code]).toEqual([200, 'REFUND_NOT_HELD']);
    expect((await log.ofTarget(refundId)).map(brief)).toMatchObject([
      { action: 'REFUND_PROCESSED', target: { type: 'REFUND', id: refundId }, metadata: { refundAmount } },
    ]);
  });

  test('invitations and members: each step, of the invitation or the person', async () => {
    const guest = log.email('guest');
    const invited = (await log.call('POST', '/v1/store/invitations', { email: guest, role: 'STAFF' })).body.data;
    const { invitationId } = invited as { invitationId: string };
    // A resend before the first mail has gone leaves one mail.
    await mailTo(guest);
    expect((await log.call('POST', `/v1/store/invitations/${invitationId}/resend`)).status).toBe(200);
    const link = linkIn(await until('both mails', async () => (await mailsTo(guest)).at(1)));
    const { user } = await loginAs(guest);
    const headers = { authorization: `Bearer ${user.access_token}` };
    expect((await call(underTest.api, 'POST', '/v1/invitations/accept', { body: { token: link }, headers })).status).toBe(200);
    const target = { type: 'INVITATION', id: invitationId };
    expect((await log.ofTarget(invitationId)).map(brief).toReversed()).toMatchObject(
      ['MEMBER_INVITED', 'MEMBER_INVITATION_RESENT', 'MEMBER_INVITATION_ACCEPTED'].map((action) => ({ action, target })),
    );
    const userId = await log.userId('guest');
    expect((await log.call('PATCH', `/v1/store/members/${userId}`, { role: 'ADMIN' })).status).toBe(200);
    // The same role again changes nothing.
    expect((await log.call('PATCH', `/v1/store/members/${userId}`, { role: 'ADMIN' })).status).toBe(200);
    expect((await log.call('DELETE', `/v1/store/members/${userId}`)).status).toBe(200);
    const person = { type: 'MEMBER', id: userId };
    expect((await log.ofTarget(userId)).map(brief).toReversed()).toMatchObject([
      { action: 'MEMBER_ROLE_CHANGED', target: person, metadata: { changes: [{ field: 'role', before: 'STAFF', after: 'ADMIN' }] } },
      { action: 'MEMBER_REMOVED', target: person, metadata: { role: 'ADMIN' } },
    ]);
    const another = (await log.call('POST', '/v1/store/invitations', { email: log.email('other'), role: 'STAFF' })).body.data;
    const other = (another as { invitationId: string }).invitationId;
    expect((await log.call('DELETE', `/v1/store/invitations/${other}`)).status).toBe(200);
    expect((await log.ofTarget(other)).map(({ action }) => action)).toEqual(['MEMBER_INVITATION_CANCELED', 'MEMBER_INVITED']);
    expect(JSON.stringify(await log.items('?source=DOMAIN&limit=100'))).not.toContain(log.email('other'));
  });
});
describe('the origin of a transaction', () => {
  const keyring = createKeyring(`k:${Buffer.alloc(32).toString('base64')}`);
  let invitee = 0;
  const invitation = async (from: ChangeOrigin | undefined): Promise<Logged> => {
    const invitedBy = await log.userId('owner');
    const wanted = { email: `origin${invitee++}@${log.shop.store.storeCode}.example`, role: 'STAFF', invitedBy } as const;
    const { invitationId } = await transact(from, (tx) => invite(tx, keyring, wanted));
    return (await log.ofTarget(invitationId))[0]!;
  };

  test('is that of its records, with the business time', async () => {
    const at = Date.now() + 1234;
    const staff = await log.userId('staff');
    await inTenant(orm, { ...tenancy(storeId, at), origin }, REQUEST, (tx) =>
      changeMember(tx, { actor: { userId: 'x', role: 'OWNER' }, userId: staff, to: 'ADMIN' }),
    );
    const [record] = await log.ofTarget(staff);
    expect(record).toMatchObject({
      actor: origin.actor,
      requestId: 'req_1',
      approvalId: 'apr_1',
      traceId: null,
      statusCode: null,
      errorCode: null,
      outcome: 'SUCCEEDED',
      metadata: { approvedBy: 'usr_1', changes: expect.anything() },
    });
    expect(Date.parse(record!.createdAt)).toBe(at);
    expect(record!.auditId).toMatch(/^aud_[0-9A-Za-z]{22}$/);
    const [low, high] = [newId('aud', at - 1), newId('aud', at + 1)];
    expect([low < record!.auditId, record!.auditId < high]).toEqual([true, true]);
  });

  test('names its actor where it has no name, and is SYSTEM’s where there is none', async () => {
    const id = await log.userId('owner');
    const named = await invitation({ ...origin, actor: { type: 'USER', id, name: null } });
    expect([named.actor.type, named.actor.id, named.actor.name !== id]).toEqual(['USER', id, true]);
    const system = { type: 'SYSTEM', id: 'SYSTEM', name: 'SYSTEM' };
    expect(await invitation(undefined)).toMatchObject({ actor: system, requestId: null, approvalId: null });
    const buyers = await invitation(BY_BUYER);
    expect(buyers).toMatchObject({ actor: system, requestId: null, metadata: { by: 'BUYER' } });
  });

  test('of a transaction that rolls back is in no record', async () => {
    const staff = await log.userId('staff');
    const before = await log.items('?source=DOMAIN&limit=100');
    const undone = transact(origin, async (tx) => {
      await changeMember(tx, { actor: { userId: 'x', role: 'OWNER' }, userId: staff, to: 'STAFF' });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await log.items('?source=DOMAIN&limit=100')).toEqual(before);
  });

  test('goes with a command to its run, a free name sealed; a repeated command leaves no second record', async () => {
    const { orderItemId } = await log.shop.order();
    const keyring = createKeyring(`k:${Buffer.alloc(32).toString('base64')}`);
    const sealed = sealTyped(keyring, storeId, 'req_2', { name: 'Sneaky/9.9', idempotencyKey: null })!;
    const sent: CommandOrigin = {
      actor: { type: 'AGENT', id: 'tok_2' },
      sealed,
      requestId: 'req_2',
      approvalId: null,
      metadata: { via: 'MCP' },
    };
    const key = newId('req', Date.now());
    const command: Command<'orderItem'> = {
      name: 'cancel',
      input: { reason: 'OUT_OF_STOCK' },
      operation: { principal: 't', key, id: 'orders.cancel', fingerprint: key },
      requestId: 'req_2',
      actor: 't',
      origin: sent,
      clock: 0,
      notAfter: Date.now() + 8000,
    };
    const definition = { workflowType: 'orderItem', transition: transitionOrderItem } as const;
    const run = { storeId, entityId: orderItemId };
    for (let times = 0; times < 2; times++)
      await inTenant(orm, tenancy(storeId), TRANSITION, (tx) =>
        transitionRun(tx, definition, run, { type: 'command', command }, { clock: realClock, keyring }),
      );
    expect(await log.ofTarget(orderItemId)).toMatchObject([
      {
        action: 'ORDER_ITEM_CANCELED',
        actor: { type: 'AGENT', id: 'tok_2', name: 'Sneaky/9.9' },
        requestId: 'req_2',
        metadata: { via: 'MCP' },
      },
    ]);
  });

  test('of a refund is who let it go, not who held it', async () => {
    const { orderItemId } = await log.shop.order();
    const canceled = await log.shop.act(orderItemId, 'cancel', { reason: 'OUT_OF_STOCK', holdRefund: true });
    const { refundId } = canceled.body.data as { refundId: string };
    await transact({ ...origin, requestId: 'req_3' }, (tx) => releaseRefund(tx, refundId));
    expect((await log.ofTarget(refundId)).map(({ requestId }) => requestId)).toEqual(['req_3']);
    expect((await log.ofTarget(orderItemId)).map(({ requestId }) => requestId)).not.toEqual(['req_3']);
  });
});

test('records are of their own store’s: another store neither reads them nor is written to', async () => {
  const rival = await Audited.open();
  const staff = await log.userId('staff');
  await log.call('PATCH', `/v1/store/members/${staff}`, { role: 'STAFF' });
  await log.call('PATCH', `/v1/store/members/${staff}`, { role: 'ADMIN' });
  expect((await log.ofTarget(staff)).length).toBeGreaterThan(0);
  expect(await rival.ofTarget(staff)).toEqual([]);
  const token = await storeToken(rival.email('owner'), rival.shop.store.storeId);
  expect((await rival.list(`?targetId=${staff}`, token)).body.data.items).toEqual([]);
  const stores = await query<{ store_id: string }>('SELECT DISTINCT store_id FROM audit_domain WHERE target_id = $1', [staff]);
  expect(stores).toEqual([{ store_id: storeId }]);
});
