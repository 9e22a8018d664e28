import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { findGuestOrder } from '../../db/orders/lookups.ts';
import { readOrder } from '../../db/orders/queries.ts';
import { viewBuyerOrder } from '../../db/orders/views.ts';
import { isContactOf } from '../../domain/orders/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { MINUTE } from '../../domain/kernel/time.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { limitKey } from '../kernel/limits.ts';
import { verifyPassword } from '../kernel/passwords.ts';
import { closed, Type } from '../kernel/schema.ts';
import { BuyerOrder } from './schemas.ts';

/** Wrong attempts within 15 minutes, from all clients together. */
const MAX_WRONG = 10;

export const lookUp = endpoint({
  id: 'orders.lookUp',
  route: 'POST /storefront/v1/guest/orders/{orderId}',
  summary: `Read a guest order, by its id or number; locked after ${MAX_WRONG} wrong attempts in 15 minutes`,
  access: 'storefront',
  change: 'here',
  verifiesPassword: true,
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
  // An unknown order, a wrong contact and a wrong password take the same time and count the same.
  .before(async (call) => {
    const { deps, storeId, params, body } = call;
    // No order has such an id; it does not count as a lookup (X22).
    if (params.orderId.length > 64) throw new Fault('ORDER_NOT_FOUND');
    const found = await inTenant(deps.orm, call, REQUEST, (tx) => findGuestOrder(tx, params.orderId));
    const key = limitKey(call, 'order', storeId, found?.orderId ?? params.orderId);
    const isRight = found !== null && isContactOf(found.buyer, body.contact);
    const limits = [{ key, max: MAX_WRONG, windowMs: 15 * MINUTE }] as const;
    if (!(await verifyPassword(call, { password: body.orderPassword, storedHash: found?.passwordHash ?? null, isRight, limits })))
      throw new Fault('ORDER_NOT_FOUND');
    return found!.orderId;
  })
  .handle(async ({ tx, prepared: orderId }) => viewBuyerOrder(await readOrder(tx, orderId)));
