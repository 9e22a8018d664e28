/** Merges a guest's cart into a customer's at login or sign-up (D66): quantities of equal lines are added, at most 999 (D60). */
import { CHECKOUT_LINES } from '../../domain/checkout/rules.ts';
import { invalid } from '../../domain/kernel/errors.ts';
import { endSession, findSession } from '../identity/sessions.ts';
import { type Em, sql } from '../kernel/tx.ts';
import { MAX_QUANTITY } from './commands.ts';

const SAME_STAY = '(mine.check_in, mine.check_out) IS NOT DISTINCT FROM (theirs.check_in, theirs.check_out)';

/** Moves the cart of a guest's token to the customer and ends the guest session. An expired token has no effect. */
export async function mergeCart(em: Em, storeId: string, cartToken: string, customerId: string, at: number): Promise<void> {
  const sessionId = await findSession(em, storeId, cartToken, at);
  if (sessionId === null) return;
  // Locks the lines of both carts: a concurrent change of a quantity would be lost.
  await sql(em, 'SELECT 1 FROM cart_item WHERE store_id = ? AND session_id IN (?, ?) ORDER BY cart_item_id FOR UPDATE', [
    storeId,
    customerId,
    sessionId,
  ]);
  const [over] = await sql(
    em,
    `SELECT 1 AS ok FROM cart_item mine JOIN cart_item theirs USING (store_id, variant_id)
     WHERE ${SAME_STAY} AND store_id = ? AND mine.session_id = ? AND theirs.session_id = ?
       AND mine.quantity + theirs.quantity > ${MAX_QUANTITY} LIMIT 1`,
    [storeId, customerId, sessionId],
  );
  if (over) throw invalid('cartToken', 'OUT_OF_RANGE', `At most ${MAX_QUANTITY} of one option.`);
  await sql(
    em,
    `UPDATE cart_item mine SET quantity = mine.quantity + theirs.quantity FROM cart_item theirs
     WHERE mine.store_id = ? AND mine.session_id = ? AND theirs.store_id = mine.store_id AND theirs.session_id = ?
       AND theirs.variant_id = mine.variant_id
       AND ${SAME_STAY}`,
    [storeId, customerId, sessionId],
  );
  await sql(
    em,
    `DELETE FROM cart_item theirs USING cart_item mine WHERE theirs.store_id = ? AND theirs.session_id = ?
     AND mine.store_id = theirs.store_id
       AND mine.session_id = ? AND mine.variant_id = theirs.variant_id AND ${SAME_STAY}`,
    [storeId, sessionId, customerId],
  );
  await sql(em, 'UPDATE cart_item SET session_id = ? WHERE store_id = ? AND session_id = ?', [customerId, storeId, sessionId]);
  const [row] = await sql<{ lines: number }>(em, 'SELECT count(*)::int AS lines FROM cart_item WHERE store_id = ? AND session_id = ?', [
    storeId,
    customerId,
  ]);
  if (row!.lines > CHECKOUT_LINES) throw invalid('cartToken', 'TOO_MANY', `A cart holds ${CHECKOUT_LINES} lines.`);
  await endSession(em, storeId, sessionId);
}
