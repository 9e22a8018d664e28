import { mergeCart } from '../../db/cart/merge.ts';
import { findByEmail } from '../../db/customers/store.ts';
import { inStore, REQUEST } from '../../db/orm.ts';
import { Fault } from '../../workflows/kernel/errors.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { isPassword } from '../kernel/passwords.ts';
import { loggedIn } from './loggedIn.ts';
import { LoggedIn, LoginRequest } from './schemas.ts';

export const login = endpoint({
  id: 'auth.login',
  route: 'POST /storefront/v1/auth/login',
  summary: 'Log a customer in; the cart of a guest comes along',
  access: 'shop',
  change: 'here',
  body: LoginRequest,
  data: LoggedIn,
  errors: ['LOGIN_FAILED'],
})
  // Unknown addresses and wrong passwords are alike, in time too (D66).
  .before(async ({ deps, storeId, body }) => {
    const found = await inStore(deps.orm, storeId, REQUEST, (em) => findByEmail(em, storeId, body.email));
    if (!(await isPassword(body.password, found?.passwordHash ?? null))) throw new Fault('LOGIN_FAILED');
    return found!.customerId;
  })
  .handle(async ({ em, storeId, body, prepared: customerId, at, realNow, deps }) => {
    if (body.cartToken !== undefined) await mergeCart(em, storeId, body.cartToken, customerId, at);
    return loggedIn(deps, storeId, customerId, realNow);
  });
