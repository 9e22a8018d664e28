/** Members and invitations (docs/contract.md#members). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { changeProblem } from '../../../domain/invitations/rules.ts';
import { hashKey } from '../../../db/runs/operations.ts';
import { call } from '../../../bin/dev/client.ts';
import { linkIn, loginAs, mailsTo, people, storeToken } from '../../kernel/login.ts';
import { query, temporalClient, underTest, until, type World, world, seedMembers } from '../../kernel/world.ts';

let shop: World;
let owner: string;
let admin: string;
const at = (role: string) => `${role}@${shop.store.storeCode}.example`;
const request = (token: string, method: string, path: string, body?: unknown, headers = {}) =>
  call(underTest.api, method, path, { body, headers: { authorization: `Bearer ${token}`, ...headers } });
let n = 0;
const invite = async (role = 'STAFF', token = owner, email = `guest${n++}@${shop.store.storeCode}.example`) => {
  const { status, body } = await request(token, 'POST', '/v1/store/invitations', { email, role });
  return { status, error: body.error, email, invitationId: body.data?.invitationId as string, data: body.data };
};
const mailed = (email: string, count = 1) =>
  until(`mail ${count} to ${email}`, async () => {
    const mails = await mailsTo(email);
    return mails.length >= count && mails;
  });
const accept = async (email: string, token: string, headers = {}) => {
  const { user } = await loginAs(email);
  return request(user.access_token, 'POST', '/v1/invitations/accept', { token }, headers);
};
const shown = async (invitationId: string) =>
  ((await request(owner, 'GET', '/v1/store/invitations')).body.data.items as { invitationId: string }[]).find(
    (one) => one.invitationId === invitationId,
  );

beforeAll(async () => {
  shop = await world();
  await people(shop);
  [owner, admin] = await Promise.all([storeToken(at('owner'), shop.store.storeId), storeToken(at('admin'), shop.store.storeId)]);
});

const statusLists = endpoints.filter(({ route, access, query }) => {
  const { properties = {} } = (query ?? {}) as { readonly properties?: object };
  return route.startsWith('GET ') && access === 'store' && 'status' in properties;
});
test('every list by status refuses one that is not known alike', async () => {
  const answers = await Promise.all(
    statusLists.map(async ({ id, route }) => {
      const path = route.slice('GET '.length).replaceAll(/{\w+}/g, 'x');
      const { status, body } = await request(owner, 'GET', `${path}?status=NOPE`);
      return [id, status, body.error?.code, (body.error?.details as { parameter?: string } | undefined)?.parameter];
    }),
  );
  // An unknown webhook comes first.
  const isThere = answers.filter(([id]) => id !== 'webhooks.listDeliveries');
  expect(isThere.length).toBeGreaterThan(5);
  expect(isThere.filter(([, status, code, parameter]) => status !== 400 || code !== 'INVALID_PARAMETER' || parameter !== 'status')).toEqual(
    [],
  );
});
test('members are listed in pages', async () => {
  const { data } = (await request(owner, 'GET', '/v1/store/members?page=2&size=1')).body;
  expect(data).toMatchObject({ page: 2, size: 1, items: [{ role: 'ADMIN' }] });
  expect(data.total).toBeGreaterThanOrEqual(3);
});

describe('invitations', () => {
  test('are not accepted by a dry run, which tells what a real one would, and leaves nothing', async () => {
    const { email, invitationId } = await invite('STAFF');
    const [mail] = await mailed(email);
    const dry = { 'x-svc-dry-run': '1', 'idempotency-key': 'dry' };
    const rehearsal = await accept(email, linkIn(mail!), dry);
    expect([rehearsal.status, rehearsal.body.meta.code, rehearsal.body.data]).toMatchObject([
      200,
      'DRY_RUN',
      { dryRun: true, decision: 'ALLOW' },
    ]);
    expect(await shown(invitationId)).toMatchObject({ status: 'PENDING' });
    const { items } = (await request(owner, 'GET', '/v1/store/members')).body.data;
    expect(items.filter((one: { email: string }) => one.email === email)).toEqual([]);
    expect((await accept('stranger@example.com', linkIn(mail!), dry)).body.error?.code).toBe('INVITATION_NOT_FOUND');
    expect((await accept(email, linkIn(mail!), { 'x-svc-dry-run': 'yes' })).body.error?.fieldErrors).toMatchObject([
      { field: 'x-svc-dry-run' },
    ]);
    expect(await query(`SELECT 1 FROM operation WHERE store_id = '-' AND key = $1`, [hashKey('dry')])).toEqual([]);
    expect((await accept(email, linkIn(mail!), { 'idempotency-key': 'dry' })).body.data).toMatchObject({ status: 'ACCEPTED' });
  });
  test('that are accepted leave the record of the request in the log of their store', async () => {
    const { email, invitationId } = await invite('STAFF');
    const [mail] = await mailed(email);
    const accepted = await accept(email, linkIn(mail!));
    const requestId = accepted.headers.get('x-request-id');
    const { items } = (await request(owner, 'GET', '/v1/audit-logs?source=REQUEST&limit=100')).body.data;
    expect(items.filter((one: { requestId: string }) => one.requestId === requestId)).toMatchObject([
      { action: 'invitations.accept', outcome: 'SUCCEEDED', statusCode: 200, target: { type: 'INVITATION', id: invitationId } },
    ]);
  });
  test('make a member of the person they were sent to, once', async () => {
    const { status, email, data } = await invite('ADMIN');
    expect([status, data]).toMatchObject([201, { status: 'PENDING', deliveryStatus: null, role: 'ADMIN' }]);
    const [mail] = await mailed(email);
    expect(mail).toMatchObject({ subject: expect.stringContaining('시험 상점') });
    expect(mail!.html.match(/\?token=/g)).toHaveLength(2);
    await until('delivered', async () => ((await shown(data.invitationId)) as { deliveryStatus?: string }).deliveryStatus === 'SENT');
    const link = linkIn(mail!);
    expect(JSON.stringify(await shown(data.invitationId))).not.toContain(link);
    expect((await accept('stranger@example.com', link)).body.error?.code).toBe('INVITATION_NOT_FOUND');
    const accepted = await accept(email, link, { 'idempotency-key': 'a' });
    expect(accepted.body.data).toMatchObject({ status: 'ACCEPTED' });
    expect((await accept(email, link, { 'idempotency-key': 'a' })).headers.get('idempotent-replayed')).toBe('true');
    expect((await accept(email, link)).body.error?.code).toBe('INVITATION_NOT_FOUND');
    // The process died between the run's commit and the answer: what is left is what the run stored.
    await query(`DELETE FROM operation WHERE store_id = '-' AND key = $1`, [hashKey('a')]);
    const again = await accept(email, link, { 'idempotency-key': 'a' });
    expect([again.status, again.body.data.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'ACCEPTED', 'true']);
    const { items } = (await request(owner, 'GET', '/v1/store/members')).body.data;
    expect(items).toContainEqual(expect.objectContaining({ email, role: 'ADMIN' }));
    expect((await request(await storeToken(email, shop.store.storeId), 'GET', '/v1/store/members')).status).toBe(200);
    expect((await invite('STAFF', owner, email)).error?.code).toBe('ALREADY_MEMBER');
  });
  test('need a login within ten minutes', async () => {
    const { email } = await invite();
    const [mail] = await mailed(email);
    const { user } = await loginAs(email);
    // As old as a token can be: the login was eleven minutes ago.
    await query(
      `UPDATE login SET authenticated_at = authenticated_at - interval '11 minutes' WHERE user_id = (SELECT user_id FROM user_account
       WHERE email = $1)`,
      [email],
    );
    const refreshed = await loginAs(email, 'offline_access');
    await query(
      `UPDATE login SET authenticated_at = authenticated_at - interval '11 minutes' WHERE user_id = (SELECT user_id FROM user_account
       WHERE email = $1)`,
      [email],
    );
    const { tokens } = await import('../../kernel/login.ts');
    const stale = (await tokens({ grant_type: 'refresh_token', client_id: 'console', refresh_token: refreshed.user.refresh_token! })).body
      .access_token;
    expect((await request(stale, 'POST', '/v1/invitations/accept', { token: linkIn(mail!) })).body.error?.code).toBe(
      'RECENT_LOGIN_REQUIRED',
    );
    expect((await request(user.access_token, 'POST', '/v1/invitations/accept', { token: linkIn(mail!) })).status).toBe(200);
  });
  test('are accepted by their latest link alone', async () => {
    const { email, invitationId } = await invite();
    const first = linkIn((await mailed(email))[0]!);
    expect((await request(owner, 'POST', `/v1/store/invitations/${invitationId}/resend`)).body.data).toMatchObject({ status: 'PENDING' });
    const second = linkIn((await mailed(email, 2))[1]!);
    expect((await accept(email, first)).body.error?.code).toBe('INVITATION_NOT_FOUND');
    expect((await invite('STAFF', owner, email)).error).toMatchObject({ code: 'INVITATION_PENDING', details: { invitationId } });
    await shop.advance('P8D');
    expect(await shown(invitationId)).toMatchObject({ status: 'EXPIRED' });
    expect((await accept(email, second)).body.error?.code).toBe('INVITATION_NOT_FOUND');
    expect((await request(owner, 'POST', `/v1/store/invitations/${invitationId}/resend`)).body.data).toMatchObject({ status: 'PENDING' });
    const third = linkIn((await mailed(email, 3))[2]!);
    const cancel = () => request(owner, 'DELETE', `/v1/store/invitations/${invitationId}`, undefined, { 'idempotency-key': 'c' });
    expect([(await cancel()).body.data, (await cancel()).body.data, (await cancel()).headers.get('idempotent-replayed')]).toEqual([
      null,
      null,
      'true',
    ]);
    expect((await accept(email, third)).body.error?.code).toBe('INVITATION_NOT_FOUND');
    for (const [method, tail] of [
      ['POST', '/resend'],
      ['DELETE', ''],
    ] as const)
      expect((await request(owner, method, `/v1/store/invitations/${invitationId}${tail}`)).body.error?.code).toBe(
        'INVITATION_NOT_PENDING',
      );
  });
  test('stay when their mail is refused', async () => {
    const refused = await invite('STAFF', owner, `refuse@${shop.store.storeCode}.example`);
    await until('refused', async () => ((await shown(refused.invitationId)) as { deliveryStatus?: string }).deliveryStatus === 'FAILED');
    expect(await shown(refused.invitationId)).toMatchObject({ status: 'PENDING', deliveryErrorCode: 'SMTP_550' });
  });
  test('stay when their mail is refused for the time being, again and again', async () => {
    const later = await invite('STAFF', owner, `later@${shop.store.storeCode}.example`);
    await shop.advance('PT10M');
    expect(await shown(later.invitationId)).toMatchObject({ deliveryStatus: 'FAILED', deliveryErrorCode: 'SMTP_450', status: 'PENDING' });
  });
  test('what is limited names its limit', async () => {
    const busy = await world();
    await seedMembers(busy.store.storeId, [{ role: 'OWNER', email: `owner@${busy.store.storeCode}.example` }]);
    const token = await storeToken(`owner@${busy.store.storeCode}.example`, busy.store.storeId);
    const one = await invite('STAFF', token, `often@${busy.store.storeCode}.example`);
    for (let i = 0; i < 4; i++) expect((await request(token, 'POST', `/v1/store/invitations/${one.invitationId}/resend`)).status).toBe(200);
    const often = await request(token, 'POST', `/v1/store/invitations/${one.invitationId}/resend`);
    expect(often.body.error).toMatchObject({ code: 'TOO_MANY_REQUESTS', details: { limit: 'RECIPIENT' } });
    // A day after the first mail, not a second from now.
    expect(Number(often.headers.get('retry-after'))).toBeGreaterThan(86_000);
    const parallel = await Promise.all(
      Array.from({ length: 20 }, (_, i) => invite('STAFF', token, `p${i}@${busy.store.storeCode}.example`)),
    );
    expect(parallel.filter(({ status }) => status === 201)).toHaveLength(15);
    expect(parallel.find(({ status }) => status === 429)!.error).toMatchObject({ details: { limit: 'STORE' } });
  });
  test('are in no history', async () => {
    const { email, invitationId } = await invite();
    const link = linkIn((await mailed(email))[0]!);
    const temporal = await temporalClient();
    const history = JSON.stringify(
      await temporal.workflow.getHandle(`invitation/${shop.store.storeId}/${invitationId}`).fetchHistory(),
      (_, value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString() : value),
    );
    expect(history).toContain(invitationId);
    expect([history.includes(email), history.includes(link)]).toEqual([false, false]);
  });
});

describe('members', () => {
  const idOf = async (email: string) =>
    (await query<{ user_id: string }>('SELECT user_id FROM user_account WHERE email = $1', [email]))[0]!.user_id;
  test('nobody changes a member beyond their own role', async () => {
    const [ownerId, , staffId] = await Promise.all(['owner', 'admin', 'staff'].map((role) => idOf(at(role))));
    const change = (token: string, id: string, role: string) => request(token, 'PATCH', `/v1/store/members/${id}`, { role });
    expect((await invite('ADMIN', admin)).error?.code).toBe('INSUFFICIENT_ROLE');
    expect((await invite('STAFF', admin)).status).toBe(201);
    const ofOwner = await invite('ADMIN', owner);
    for (const [method, tail] of [
      ['POST', '/resend'],
      ['DELETE', ''],
    ] as const)
      expect((await request(admin, method, `/v1/store/invitations/${ofOwner.invitationId}${tail}`)).body.error?.code).toBe(
        'INSUFFICIENT_ROLE',
      );
    expect((await change(admin, staffId!, 'ADMIN')).body.error?.code).toBe('INSUFFICIENT_ROLE');
    expect((await change(admin, ownerId!, 'STAFF')).body.error?.code).toBe('INSUFFICIENT_ROLE');
    expect((await change(owner, ownerId!, 'STAFF')).body.error?.code).toBe('OWNER_CANNOT_LEAVE');
    expect((await change(owner, staffId!, 'OWNER')).body.error?.code).toBe('VALIDATION_FAILED');
    expect((await change(owner, 'usr_none', 'STAFF')).body.error?.code).toBe('MEMBER_NOT_FOUND');
    expect((await change(owner, staffId!, 'ADMIN')).body.data).toMatchObject({ role: 'ADMIN' });
    expect((await change(owner, staffId!, 'STAFF')).body.data).toMatchObject({ role: 'STAFF' });
    expect((await request(owner, 'DELETE', `/v1/store/members/${ownerId}`)).body.error?.code).toBe('OWNER_CANNOT_LEAVE');
  });
  test('STAFF changes nobody, whatever the id, but may leave', async () => {
    const [ownerId, adminId, staffId] = await Promise.all(['owner', 'admin', 'staff'].map((role) => idOf(at(role))));
    const staff = await storeToken(at('staff'), shop.store.storeId);
    for (const id of [adminId, ownerId, 'usr_nobody', 'x'.repeat(65)])
      for (const method of ['DELETE', 'PATCH'])
        expect(
          (await request(staff, method, `/v1/store/members/${id}`, method === 'PATCH' ? { role: 'ADMIN' } : undefined)).body.error?.code,
        ).toBe('INSUFFICIENT_ROLE');
    expect((await request(shop.seller.bearer, 'DELETE', `/v1/store/members/${adminId}`)).body.error?.code).toBe('INSUFFICIENT_ROLE');
    expect((await request(staff, 'DELETE', `/v1/store/members/${staffId}`)).status).toBe(200);
    expect((await request(staff, 'GET', '/v1/products')).status).toBe(401);
  });
  test('the rule, whole', () => {
    const roles = ['OWNER', 'ADMIN', 'STAFF'] as const;
    const table = roles.flatMap((actor) =>
      roles.flatMap((target) =>
        ([null, 'ADMIN', 'STAFF'] as const).map(
          (to) => [actor, target, to, changeProblem({ userId: 'a', role: actor }, { userId: 'b', role: target }, to)] as const,
        ),
      ),
    );
    const allowed = table.filter(([, , , problem]) => problem === null).map(([actor, target, to]) => `${actor} ${target}→${to ?? 'gone'}`);
    expect(allowed).toEqual([
      'OWNER ADMIN→gone',
      'OWNER ADMIN→ADMIN',
      'OWNER ADMIN→STAFF',
      'OWNER STAFF→gone',
      'OWNER STAFF→ADMIN',
      'OWNER STAFF→STAFF',
      'ADMIN STAFF→gone',
      'ADMIN STAFF→STAFF',
    ]);
  });
});
