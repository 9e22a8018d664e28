import { mergeCart } from '../../db/cart/merge.ts';
import { findByEmail, isCurrentHolder } from '../../db/customers/queries.ts';
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { MINUTE } from '../../domain/kernel/time.ts';
import { endpoint } from '../declare/endpoint.ts';
import { limitKey } from '../web/limits.ts';
import { verifyPassword } from '../callers/passwords.ts';
import { loggedIn } from './loggedIn.ts';
import { LoggedIn, LoginRequest } from './schemas.ts';

export const login = endpoint({
  id: 'auth.login',
  route: 'POST /storefront/v1/auth/login',
  summary: 'Log a customer in; the cart of a guest comes along',
  access: 'storefront',
  change: 'here',
  verifiesPassword: true,
  body: LoginRequest,
  data: LoggedIn,
  errors: ['LOGIN_FAILED'],
})
  // An unknown e-mail and a wrong password take the same time and count the same (X11).
  .before(async (call) => {
    const { deps, storeId, body, clientAddress } = call;
    const email = body.email.toLowerCase();
    const found = await inTenant(deps.orm, call, REQUEST, (tx) => findByEmail(tx, email));
    const limits = [
      { key: limitKey(call, 'login', storeId, email, clientAddress), max: 10, windowMs: 15 * MINUTE },
      { key: limitKey(call, 'login', storeId, email), max: 100, windowMs: 15 * MINUTE },
    ] as const;
    if (!(await verifyPassword(call, { password: body.password, storedHash: found?.passwordHash ?? null, limits })))
      throw new Fault('LOGIN_FAILED');
    return found!;
  })
  .handle(async ({ tx, storeId, body, prepared: holder, realNow, deps }) => {
    // The account was taken over since the password was verified (X8).
    if (!(await isCurrentHolder(tx, holder))) throw new Fault('LOGIN_FAILED');
    if (body.cartToken !== undefined) await mergeCart(tx, body.cartToken, holder.customerId);
    return loggedIn(deps, storeId, holder, realNow);
  });
