/** Members of a shop, as these suites make them. */
import { Buyer, call, pay, type Reply, Seller } from '../../../bin/dev/client.ts';
import { basic, TOKEN_EXCHANGE, tokens } from '../../kernel/login.ts';
import { makeStore, query, underTest, World } from '../../kernel/world.ts';

export const PASSWORD = 'correct-horse';
let made = 0;

export interface Person {
  readonly buyer: Buyer;
  readonly customerId: string;
  readonly email: string;
}
export const shopping = (shop: World, path: string, body: object): Promise<Reply> =>
  call(underTest.api, 'POST', `/storefront/v1${path}`, { body, headers: { 'x-store-code': shop.store.storeCode } });

/** Somebody who signed up. */
export async function join(shop: World, changes: object = {}): Promise<Person> {
  const email = `member${made++}@${shop.store.storeCode}.example`;
  const consents = [{ kind: 'TERMS' }, { kind: 'PRIVACY' }];
  const body = { email, password: PASSWORD, name: '김회원', phone: '010-2222-3333', consents, ...changes };
  const { data, error } = (await shopping(shop, '/auth/signup', body)).body;
  if (error) throw new Error(JSON.stringify(error));
  const headers = { 'x-store-code': shop.store.storeCode, authorization: `Bearer ${data.accessToken as string}` };
  return { buyer: new Buyer(underTest.api, headers), customerId: data.customerId as string, email: body.email };
}

/** Somebody whom the shop's server vouches for, without a password. */
export async function delegated(shop: World): Promise<Person> {
  const email = `delegated${made++}@${shop.store.storeCode}.example`;
  const form = { grant_type: TOKEN_EXCHANGE, subject_token: email, subject_token_type: 'urn:svc:params:oauth:token-type:member-ref' };
  const { access_token: token } = (await tokens(form, basic(shop.store.clientId, shop.store.clientSecret))).body as {
    access_token: string;
  };
  const { sub: customerId } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { sub: string };
  const headers = { 'x-store-code': shop.store.storeCode, authorization: `Bearer ${token}` };
  return { buyer: new Buyer(underTest.api, headers), customerId, email };
}

/** A sandbox store whose payments are real until `testing`. */
export async function liveWorld(): Promise<World> {
  const code = `live${process.pid.toString(36)}-${Date.now().toString(36)}-${made++}`;
  const store = await makeStore({ code, name: '실결제 상점', sandbox: true, live: true, withProduct: false, aiActionsLimit: null });
  return new World(store, await Seller.login(underTest.api, store));
}
/** From now on its payments are tests. */
export const testing = ({ store }: World) => query('UPDATE payment_settings SET sandbox_mode = true WHERE store_id = $1', [store.storeId]);

/** A paid order; its id. */
export async function bought({ productId }: { productId: string }, buyer: Buyer, quantity = 1): Promise<string> {
  const { checkoutId } = (await buyer.checkout(productId, quantity)).body.data as { checkoutId: string };
  const { data, error } = (await buyer.start(checkoutId, { returnUrl: 'https://shop.example.com/done' })).body;
  if (error) throw new Error(JSON.stringify(error));
  await pay(data.payUrl as string);
  return (await buyer.status(data.paymentId as string)).body.data.orderId as string;
}

export const errorOf = ({ status, body }: Reply): unknown => [status, body.error?.code ?? 'OK'];
export const fieldsOf = ({ body }: Reply): string[] => (body.error?.fieldErrors ?? []).map(({ field, code }) => `${field} ${code}`);
