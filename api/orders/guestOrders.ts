/** A guest proves by contact and order password that an order is theirs. */
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { findGuestOrder } from '../../db/orders/lookups.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { MINUTE } from '../../domain/kernel/time.ts';
import { isContactOf } from '../../domain/orders/rules.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Caller } from '../declare/caller.ts';
import { limitKey } from '../web/limits.ts';
import { verifyPassword } from '../callers/passwords.ts';
import { Type, VERBATIM } from '../declare/schema.ts';

/** Wrong attempts within 15 minutes, from all clients together; by id and by number they count as one. */
export const MAX_WRONG = 10;

export const guestFields = {
  contact: Type.String({ minLength: 1, maxLength: 254, description: 'The phone or the e-mail of the order' }),
  orderPassword: Type.String({ minLength: 1, maxLength: 128, ...VERBATIM }),
};

type GuestCall = Caller & {
  readonly deps: ApiDeps;
  readonly params: { readonly orderId: string };
  readonly body: { readonly contact: string; readonly orderPassword: string };
};

/**
 * The order's id. An unknown order, a wrong contact and a wrong password take the same time, count the same and are ORDER_NOT_FOUND; too
 * many are TOO_MANY_REQUESTS.
 */
export async function verifyGuest(call: GuestCall): Promise<string> {
  const { deps, storeId, params, body } = call;
  // No order has such an id; it does not count as a lookup.
  if (params.orderId.length > 64) throw new Fault('ORDER_NOT_FOUND');
  const found = await inTenant(deps.orm, call, REQUEST, (tx) => findGuestOrder(tx, params.orderId));
  const key = limitKey(call, 'order', storeId, found?.orderId ?? params.orderId);
  const isRight = found !== null && isContactOf(found.buyer, body.contact);
  const limits = [{ key, max: MAX_WRONG, windowMs: 15 * MINUTE }] as const;
  if (!(await verifyPassword(call, { password: body.orderPassword, storedHash: found?.passwordHash ?? null, isRight, limits })))
    throw new Fault('ORDER_NOT_FOUND');
  return found!.orderId;
}
