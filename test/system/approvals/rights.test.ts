/** What a token may do, judged alike for its next request and for what it asked for and a person approves later. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { call, type Headers_ } from '../../../bin/dev/client.ts';
import { APP, employ, exchange, loginAs, loginThrough, registerApp } from '../../kernel/login.ts';
import { Desk } from '../../kernel/approvals.ts';
import { query, underTest, world } from '../../kernel/world.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open(await world());
});
afterAll(() => desk.close());

const owner = async () => (await desk.person('owner'))['authorization']!.slice('Bearer '.length);
const remove = (email: string) =>
  query('DELETE FROM member WHERE store_id = $1 AND user_id = (SELECT user_id FROM user_account WHERE email = $2)', [
    desk.shop.store.storeId,
    email,
  ]);
const revokeLogins = (email: string) =>
  query('UPDATE login SET revoked_at = now() WHERE user_id = (SELECT user_id FROM user_account WHERE email = $1)', [email]);
let people = 0;
async function admin(): Promise<string> {
  const email = `admin${people++}@${desk.shop.store.storeCode}.example`;
  await employ(desk.shop, email, 'ADMIN');
  return email;
}

/** The headers of a token, and how its rights can end. */
interface Held {
  readonly headers: Headers_;
  readonly ends: Readonly<Record<string, () => Promise<unknown>>>;
}
const bearer = (token: string, more: Headers_ = {}): Headers_ => ({ authorization: `Bearer ${token}`, 'x-svc-agent': 'robot/1', ...more });
const TOKENS: Readonly<Record<string, () => Promise<Held>>> = {
  async 'a server’s client'() {
    const body = { name: 'server', scopes: ['webhook:rw'], grantTypes: ['client_credentials'] };
    const registered = await registerApp(await owner(), {
      client_name: body.name,
      scope: 'webhook:rw',
      grant_types: ['client_credentials'],
      token_endpoint_auth_method: 'client_secret_basic',
      redirect_uris: undefined,
    });
    const { client_id: id, client_secret: secret } = registered as { client_id: string; client_secret: string };
    const basic = { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
    const form = { method: 'POST', headers: basic, body: new URLSearchParams({ grant_type: 'client_credentials' }) };
    const { access_token: token } = (await (await fetch(`${underTest.api}/oauth2/token`, form)).json()) as { access_token: string };
    return {
      headers: bearer(token),
      ends: { 'the client is revoked': () => query(`UPDATE client SET status = 'REVOKED' WHERE client_id = $1`, [id]) },
    };
  },
  async 'a person’s login through an app'() {
    const email = await admin();
    const { client_id: clientId } = await registerApp(await owner(), { scope: 'webhook:rw', redirect_uris: [APP] });
    const { access_token: token } = await loginThrough(clientId, email);
    return {
      headers: bearer(token, { 'x-store-id': desk.shop.store.storeId }),
      ends: {
        'the client is revoked': () => query(`UPDATE client SET status = 'REVOKED' WHERE client_id = $1`, [clientId]),
        'the login is revoked': () => revokeLogins(email),
        'the person is no member any more': () => remove(email),
      },
    };
  },
  async 'a person’s login at the console, exchanged for the store'() {
    const email = await admin();
    const { user } = await loginAs(email);
    const { body } = await exchange(user.access_token, desk.shop.store.storeId);
    return {
      headers: bearer(body.access_token),
      ends: {
        'the login is revoked': () => revokeLogins(email),
        'the person is no member any more': () => remove(email),
        'they left and came back': async () => {
          await remove(email);
          await employ(desk.shop, email, 'ADMIN');
        },
      },
    };
  },
  async 'an agent’s token'() {
    const { tokenId, headers } = await desk.agent();
    return { headers, ends: { 'it is revoked': () => query('UPDATE api_token SET revoked_at = now() WHERE token_id = $1', [tokenId]) } };
  },
};
const CASES: readonly (readonly [string, string | null])[] = [
  ['a server’s client', 'the client is revoked'],
  ['a person’s login through an app', 'the client is revoked'],
  ['a person’s login through an app', 'the login is revoked'],
  ['a person’s login through an app', 'the person is no member any more'],
  ['a person’s login at the console, exchanged for the store', 'the login is revoked'],
  ['a person’s login at the console, exchanged for the store', 'the person is no member any more'],
  ['a person’s login at the console, exchanged for the store', 'they left and came back'],
  ['an agent’s token', 'it is revoked'],
  ...Object.keys(TOKENS).map((token) => [token, null] as const),
];

test.each(CASES)('%s: %s', async (token, end) => {
  const { headers, ends } = await TOKENS[token]!();
  const body = { url: 'https://example.com/hook', eventTypes: ['ORDER.PAID'] };
  const waiting = await call(underTest.api, 'POST', '/v1/webhooks', { body, headers });
  expect([waiting.status, waiting.body.error]).toEqual([202, null]);
  const { approvalId } = waiting.body.data as { approvalId: string };
  await (end === null ? undefined : ends[end]!());
  const isOver = end !== null;
  const direct = await call(underTest.api, 'GET', '/v1/webhooks', { headers });
  const decided = await desk.decide(approvalId, 'approve');
  // Who names a store themself is told that they have nothing to do there.
  const named = 'x-store-id' in headers && end === 'the person is no member any more';
  const refusal = named ? 'TENANT_MISMATCH' : 'UNAUTHORIZED';
  expect(direct.body.error?.code ?? direct.status).toBe(isOver ? refusal : 200);
  expect(decided.body.data).toMatchObject(
    isOver ? { status: 'FAILED', result: { statusCode: 401, code: 'UNAUTHORIZED' } } : { status: 'SUCCEEDED', result: { statusCode: 201 } },
  );
});
