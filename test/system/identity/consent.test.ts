/** A client of one store leads into that store only, and nobody is logged in to one without being asked. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import {
  APP,
  authorizeUrl,
  Browser,
  exchange,
  employ,
  loginAs,
  loginLured,
  loginThrough,
  people,
  type Question,
  registerApp,
  storeToken,
  tokens,
} from '../../kernel/login.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let rival: World;
/** Registered with the rival. */
let theirs: string;
/** OWNER of the shop, and STAFF of the rival. */
let both: string;
const at = (role: string, store: World) => `${role}@${store.store.storeCode}.example`;
const request = (token: string, method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
  call(underTest.api, method, path, { body, headers: { authorization: `Bearer ${token}`, ...headers } });

/** A token of a person of the shop, given by the rival’s client before anybody was asked. */
const lured = async () => (await loginLured(theirs, rival, at('admin', shop))).access_token;

beforeAll(async () => {
  [shop, rival] = await Promise.all([world(), world()]);
  await Promise.all([people(shop), people(rival)]);
  both = at('owner', shop);
  await employ(rival, both, 'STAFF');
  theirs = (await registerApp(await storeToken(at('owner', rival), rival.store.storeId))).client_id;
});

describe('a client of one store', () => {
  test('opens no other store, whosever login and whatever token it has', async () => {
    const given = (await loginThrough(theirs, both)).access_token;
    for (const token of [given, await lured()]) {
      const foreign = await request(token, 'GET', '/v1/orders', { 'x-store-id': shop.store.storeId });
      const unknown = await request(token, 'GET', '/v1/orders', { 'x-store-id': 'sto_none' });
      expect([foreign.status, foreign.body.error]).toEqual([403, unknown.body.error]);
      expect(foreign.body.error?.code).toBe('TENANT_MISMATCH');
      expect(await exchange(token, shop.store.storeId, { client_id: theirs })).toMatchObject({
        status: 400,
        body: { error: 'invalid_target' },
      });
    }
    expect((await request(given, 'GET', '/v1/orders', { 'x-store-id': rival.store.storeId })).status).toBe(200);
    // By header alone, as the review did it: settings of the other store stay.
    const patched = await request(given, 'PATCH', '/v1/store', { 'x-store-id': shop.store.storeId }, { autoConfirmDays: 29 });
    expect([patched.status, patched.body.error?.code]).toEqual([403, 'TENANT_MISMATCH']);
  });
  test('lists that store only', async () => {
    const stores = async (token: string) =>
      ((await request(token, 'GET', '/me/stores')).body.data.items as { storeId: string }[]).map(({ storeId }) => storeId);
    expect(await stores((await loginThrough(theirs, both)).access_token)).toEqual([rival.store.storeId]);
    expect(await stores(await lured())).toEqual([]);
    expect(await stores((await loginAs(both)).user.access_token)).toEqual([shop.store.storeId, rival.store.storeId]);
  });
  test('a refreshed token is no wider', async () => {
    const { refresh_token: refresh = '' } = await loginThrough(theirs, both, 'order:r offline_access');
    const { body } = await tokens({ grant_type: 'refresh_token', client_id: theirs, refresh_token: refresh });
    expect((await request(body.access_token, 'GET', '/v1/orders', { 'x-store-id': shop.store.storeId })).body.error?.code).toBe(
      'TENANT_MISMATCH',
    );
    expect((await request(body.access_token, 'GET', '/v1/orders', { 'x-store-id': rival.store.storeId })).status).toBe(200);
  });
  test('accepts no invitation: that takes a login at the console', async () => {
    for (const token of [(await loginThrough(theirs, both)).access_token, await lured()]) {
      const reply = await request(token, 'POST', '/v1/invitations/accept', {}, { token: 'x' });
      expect([reply.status, reply.body.error?.code]).toEqual([403, 'INSUFFICIENT_ROLE']);
    }
    const console = await request((await loginAs(both)).user.access_token, 'POST', '/v1/invitations/accept', {}, { token: 'x' });
    expect(console.body.error?.code).toBe('INVITATION_NOT_FOUND');
  });
});

const openConsent = async (email: string, changes: Record<string, string | null> = {}, browser = new Browser()) => {
  const { url, verifier } = authorizeUrl({ client_id: theirs, redirect_uri: APP, ...changes });
  return { browser, verifier, question: (await browser.walk(url, email, APP)) as Question };
};
const staff = () => at('staff', rival);
/** Of this client: other files of tests log people in meanwhile. */
const codes = async () =>
  (await query<{ n: number }>('SELECT count(*)::int AS n FROM auth_code JOIN login USING (login_id) WHERE client_id = $1', [theirs]))[0]!.n;

describe('the consent page', () => {
  test('names everything that is decided on, and runs no script', async () => {
    const owner = await storeToken(at('owner', rival), rival.store.storeId);
    const name = `<img src=x onerror=alert(1)> "Kim's" & Co`;
    const { client_id: client } = await registerApp(owner, { client_name: name, scope: 'order:rw product:r member:rw' });
    await query(`UPDATE store SET name = $2 WHERE store_id = $1`, [rival.store.storeId, '<b>상점</b>']);
    const { question } = await openConsent(staff(), { client_id: client, scope: 'order:rw product:r offline_access openid' });
    const { at: address, page, headers } = question;
    expect(new URL(address).pathname).toMatch(/^\/oauth2\//);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain(`form-action 'self' http://127.0.0.1:4998 http:;`);
    expect(policy).toContain(`default-src 'none'`);
    expect(policy).toContain(`frame-ancestors 'none'`);
    expect(page).not.toMatch(/<img|<script|<b>상점/);
    for (const text of ['&quot;Kim&#39;s&quot; &amp; Co', '&lt;b&gt;상점', '127.0.0.1:4998', staff()]) expect(page).toContain(text);
    for (const scope of ['order:rw', 'product:r']) expect(page).toContain(`<code>${scope}</code>`);
    expect(page).not.toMatch(/member:rw|<code>(openid|offline_access)/);
    expect(page.match(/<form[^>]*method="post"/g)).toHaveLength(1);
    expect([...page.matchAll(/name="decision" value="(\w+)"/g)].map(([, value]) => value)).toEqual(['allow', 'deny']);
    for (const [field] of page.matchAll(/<input[^>]*>/g)) expect(field).not.toMatch(/name="[^"]*(login|email|user|pass)/i);
  });
  test('speaks the browser’s language', async () => {
    const { browser, question } = await openConsent(staff());
    const inLanguage = async (language: string) => (await browser.open(question.at, undefined, { 'accept-language': language })).text();
    expect(await inLanguage('en-GB,en;q=0.9')).toMatch(/<html lang="en">[\s\S]*Deny/);
    expect(await inLanguage('de')).toMatch(/<html lang="ko">[\s\S]*거부/);
  });
  test('gives a code to whoever allows', async () => {
    const yes = await openConsent(staff(), { state: 'yes' });
    const allowed = await yes.browser.open(yes.question.action, { decision: 'allow' });
    const back = new URL(allowed.headers.get('location')!);
    expect([allowed.status, back.searchParams.get('state'), back.searchParams.get('iss')]).toEqual([303, 'yes', underTest.api]);
    const form = { grant_type: 'authorization_code', client_id: theirs, redirect_uri: APP, code_verifier: yes.verifier };
    expect((await tokens({ ...form, code: back.searchParams.get('code')! })).status).toBe(200);
  });
  test('gives no code to whoever denies or has no role', async () => {
    const before = await codes();
    const no = await openConsent(staff(), { state: 'no' });
    const denied = new URL((await no.browser.open(no.question.action, { decision: 'deny' })).headers.get('location')!);
    expect(Object.fromEntries(denied.searchParams)).toMatchObject({ error: 'access_denied', state: 'no', iss: underTest.api });
    const stranger = (await new Browser().walk(
      authorizeUrl({ client_id: theirs, redirect_uri: APP }).url,
      at('owner', await rivalOfBoth()),
      APP,
    )) as URL;
    expect(Object.fromEntries(stranger.searchParams)).toMatchObject({ error: 'access_denied', state: 'a-state', iss: underTest.api });
    expect(await codes()).toBe(before);
  });
  test('is not shown at a login to the console', async () => {
    expect(await new Browser().walk(authorizeUrl().url, staff())).toBeInstanceOf(URL);
  });
  test('is shown at every login', async () => {
    const browser = new Browser();
    for (const changes of [{}, {}, { prompt: 'none' }, { prompt: 'consent' }, { consent: 'allow', decision: 'allow' }]) {
      const { question } = await openConsent(staff(), changes, browser);
      expect(question.page).toContain('name="decision"');
      expect((await browser.open(question.action, { decision: 'allow' })).status).toBe(303);
    }
  });
  test('is good once, also when it is sent twice at once', async () => {
    const { browser, question } = await openConsent(staff());
    const before = await codes();
    const replies = await Promise.all(Array.from({ length: 10 }, () => browser.open(question.action, { decision: 'allow' })));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, ...Array.from({ length: 9 }, () => 400)]);
    expect(await codes()).toBe(before + 1);
    for (const decision of ['allow', 'deny']) expect((await browser.open(question.action, { decision })).status).toBe(400);
    expect((await browser.open(question.at)).status).toBe(400);
    const denied = await openConsent(staff());
    await denied.browser.open(denied.question.action, { decision: 'deny' });
    expect((await denied.browser.open(denied.question.action, { decision: 'allow' })).status).toBe(400);
  });
  test('is good for ten minutes in the browser that began', async () => {
    const { browser, question } = await openConsent(staff());
    const before = await codes();
    const stranger = new Browser();
    for (const refused of [
      await stranger.open(question.action, { decision: 'allow' }),
      await stranger.open(question.at),
      await browser.open(`${question.action}?decision=allow`),
      await browser.open(question.action, { decision: 'maybe' }),
      await browser.open(question.action, {}),
      await browser.open(`${question.action}?decision=allow`, {}),
      await browser.open(`${underTest.api}/oauth2/consent/${'x'.repeat(43)}/decision`, { decision: 'allow' }),
    ])
      expect([refused.status, refused.headers.get('location')]).toEqual([400, null]);
    await query(`UPDATE consent_request SET expires_at = now() - interval '1 second' WHERE consent_id = $1`, [
      new URL(question.at).pathname.split('/').at(-1),
    ]);
    expect((await browser.open(question.action, { decision: 'allow' })).status).toBe(400);
    expect(await codes()).toBe(before);
  });
  test('gives no code for a role or a client that has ended since', async () => {
    const email = `leaver@${rival.store.storeCode}.example`;
    await employ(rival, email, 'STAFF');
    const { browser, question } = await openConsent(email);
    await query(`DELETE FROM member WHERE user_id = (SELECT user_id FROM user_account WHERE email = $1)`, [email]);
    const gone = new URL((await browser.open(question.action, { decision: 'allow' })).headers.get('location')!);
    expect([gone.searchParams.get('error'), gone.searchParams.get('code')]).toEqual(['access_denied', null]);
    const owner = await storeToken(at('owner', rival), rival.store.storeId);
    const { client_id: client } = await registerApp(owner);
    const ended = await openConsent(staff(), { client_id: client });
    await request(owner, 'POST', `/v1/store/api-clients/${client}/deactivate`);
    const refused = await ended.browser.open(ended.question.action, { decision: 'allow' });
    expect([refused.status, refused.headers.get('location')]).toEqual([400, null]);
  });
  test('refuses a person on a page, and everybody else flat', async () => {
    const address = `${underTest.api}/oauth2/consent/${'x'.repeat(43)}`;
    const flat = await fetch(address);
    expect([flat.status, await flat.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_request' })]);
    const shown = await fetch(address, { headers: { accept: 'text/html,*/*;q=0.8', 'accept-language': 'en' } });
    expect([shown.status, await shown.text()]).toEqual([400, expect.stringContaining('This login cannot go on')]);
  });
});

/** A store in which nobody of ours is. */
async function rivalOfBoth(): Promise<World> {
  const third = await world();
  await people(third);
  return third;
}
