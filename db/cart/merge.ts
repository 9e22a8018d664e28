/** Merges a guest's cart into a customer's at login or sign-up: quantities of equal lines are added, at most 999. */
import { CHECKOUT_LINES } from '../../domain/checkout/rules.ts';
import { invalid } from '../../domain/kernel/errors.ts';
import { endSession, lockSession } from '../identity/sessions.ts';
import { fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import { MAX_QUANTITY } from './commands.ts';

const SAME_STAY = fragment`(mine.check_in, mine.check_out) IS NOT DISTINCT FROM (theirs.check_in, theirs.check_out)`;

/** Moves the cart of a guest's token to the customer and ends the guest session. An expired token has no effect. */
export async function mergeCart(tx: Tx, cartToken: string, customerId: string): Promise<void> {
  const { sql, storeId } = tx;
  const sessionId = await lockSession(tx, cartToken);
  if (sessionId === null) return;
  // Locks the lines of both carts: a concurrent change of a quantity would be lost.
  await sql`SELECT 1 FROM cart_item WHERE store_id = ${storeId} AND session_id IN (${customerId}, ${sessionId}) ORDER BY cart_item_id
    FOR UPDATE`;
  const [over] = await sql`SELECT 1 AS ok FROM cart_item mine JOIN cart_item theirs USING (store_id, variant_id)
     WHERE ${SAME_STAY} AND store_id = ${storeId} AND mine.session_id = ${customerId} AND theirs.session_id = ${sessionId}
       AND mine.quantity + theirs.quantity > ${MAX_QUANTITY} LIMIT 1`;
  if (over) throw invalid('cartToken', 'OUT_OF_RANGE', `At most ${MAX_QUANTITY} of one option.`);
  await sql`UPDATE cart_item mine SET quantity = mine.quantity + theirs.quantity FROM cart_item theirs
     WHERE mine.store_id = ${storeId} AND mine.session_id = ${customerId} AND theirs.store_id = mine.store_id
       AND theirs.session_id = ${sessionId}
       AND theirs.variant_id = mine.variant_id
       AND ${SAME_STAY}`;
  await sql`DELETE FROM cart_item theirs USING cart_item mine WHERE theirs.store_id = ${storeId} AND theirs.session_id = ${sessionId}
     AND mine.store_id = theirs.store_id
       AND mine.session_id = ${customerId} AND mine.variant_id = theirs.variant_id AND ${SAME_STAY}`;
  await sql`UPDATE cart_item SET session_id = ${customerId} WHERE store_id = ${storeId} AND session_id = ${sessionId}`;
  const [row] = await sql<{ lines: number }>`
    SELECT count(*)::int AS lines FROM cart_item WHERE store_id = ${storeId} AND session_id = ${customerId}`;
  if (row!.lines > CHECKOUT_LINES) throw invalid('cartToken', 'TOO_MANY', `A cart holds ${CHECKOUT_LINES} lines.`);
  await endSession(tx, sessionId);
}
