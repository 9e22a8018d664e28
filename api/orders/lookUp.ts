import { inStore, REQUEST } from '../../db/orm.ts';
import { countAttempt, findGuestOrder, forgetAttempts, MOST_WRONG } from '../../db/orders/lookups.ts';
import { readOrder } from '../../db/orders/store.ts';
import { viewBuyerOrder } from '../../db/orders/views.ts';
import { isContactOf } from '../../workflows/orders/rules.ts';
import { Fault } from '../../workflows/kernel/errors.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { isPassword } from '../kernel/passwords.ts';
import { closed, Type } from '../kernel/schema.ts';
import { BuyerOrder } from './schemas.ts';

export const lookUp = endpoint({
  id: 'orders.lookUp',
  route: 'POST /storefront/v1/guest/orders/{orderId}',
  summary: `Read a guest order, by its id or number; locked after ${MOST_WRONG} wrong attempts in 15 minutes`,
  access: 'shop',
  change: 'here',
  body: closed(
    {
      contact: Type.String({ minLength: 1, maxLength: 254, description: 'The phone or the e-mail of the order' }),
      orderPassword: Type.String({ minLength: 1, maxLength: 128 }),
    },
    { title: 'GuestOrderRequest' },
  ),
  data: BuyerOrder,
  errors: ['ORDER_NOT_FOUND'],
})
  // An unknown order, a wrong contact and a wrong password are alike, in time and in what is counted.
  .before(async ({ deps, storeId, params, body, realNow, setHeader }) => {
    const tx = <T>(work: Parameters<typeof inStore<T>>[3]) => inStore(deps.orm, storeId, REQUEST, work);
    const found = await tx((em) => findGuestOrder(em, storeId, params.orderId));
    const subject = found?.orderId ?? params.orderId;
    // Counted before it is judged, so that guesses made at once are not judged all the same.
    const lockedUntil = await tx((em) => countAttempt(em, storeId, subject, realNow));
    if (lockedUntil !== null) {
      setHeader('Retry-After', String(Math.max(1, Math.ceil((lockedUntil - realNow) / 1000))));
      throw new Fault('TOO_MANY_REQUESTS');
    }
    const isRight = await isPassword(body.orderPassword, found?.passwordHash ?? null);
    if (!found || !isRight || !isContactOf(found.buyer, body.contact)) throw new Fault('ORDER_NOT_FOUND');
    await tx((em) => forgetAttempts(em, storeId, subject));
    return found.orderId;
  })
  .handle(async ({ em, storeId, prepared: orderId }) => viewBuyerOrder(await readOrder(em, storeId, orderId)));
