/** A member's points, as an operator reads and checks them: every entry, every lot, and whether they agree. Reasons are the seller's. */
import { differencesIn } from '../../../domain/points/check.ts';
import { koreanOf } from '../../../domain/kernel/time.ts';
import { UserError } from '../../kernel/cli.ts';
import type { Support } from './context.ts';

interface EntryRow {
  readonly history_id: string;
  readonly seq: number;
  readonly type: string;
  readonly amount_won: string;
  readonly balance_won: string;
  readonly order_id: string | null;
  readonly order_item_id: string | null;
  readonly payment_id: string | null;
  readonly review_id: string | null;
  readonly expires_at: Date | null;
  readonly created_at: Date;
  readonly movements: readonly { readonly lotId: string; readonly amountWon: number }[];
}
interface LotRow {
  readonly lot_id: string;
  readonly type: string;
  readonly amount_won: string;
  readonly remaining_won: string;
  readonly expires_at: Date;
}

export async function points({ sql }: Support, customerId: string) {
  const [account] = await sql<{ store_id: string; store_code: string; balance_won: string }>`
    SELECT a.store_id, s.store_code, a.balance_won FROM point_account a JOIN store s USING (store_id) WHERE a.customer_id = ${customerId}`;
  if (!account) throw new UserError(`${customerId} is no customer, or has withdrawn: there are no points.`);
  const storeId = account.store_id;
  const entries = (
    await sql<EntryRow>`SELECT h.history_id, h.seq, h.type, h.amount_won, h.balance_won, h.order_id, h.order_item_id, h.payment_id,
        h.review_id, h.expires_at, h.created_at,
          (SELECT coalesce(json_agg(json_build_object('lotId', m.lot_id, 'amountWon', m.amount_won)), '[]')
          FROM point_movement m WHERE m.store_id = h.store_id AND m.history_id = h.history_id) AS movements
      FROM point_history h WHERE h.store_id = ${storeId} AND h.customer_id = ${customerId} ORDER BY h.seq`
  ).map((row) => ({
    historyId: row.history_id,
    seq: row.seq,
    type: row.type,
    amountWon: Number(row.amount_won),
    balanceWon: Number(row.balance_won),
    about: row.order_item_id ?? row.order_id ?? row.payment_id ?? row.review_id,
    expiresAt: koreanOf(row.expires_at),
    createdAt: koreanOf(row.created_at),
    movements: row.movements,
  }));
  const lots = (
    await sql<LotRow>`SELECT lot_id, type, amount_won, remaining_won, expires_at FROM point_lot
      WHERE store_id = ${storeId} AND customer_id = ${customerId} ORDER BY expires_at, earned_at, seq`
  ).map((row) => ({
    lotId: row.lot_id,
    type: row.type,
    amountWon: Number(row.amount_won),
    remainingWon: Number(row.remaining_won),
    expiresAt: koreanOf(row.expires_at),
  }));
  const balanceWon = Number(account.balance_won);
  const differences = differencesIn(balanceWon, entries, lots);
  return {
    json: { customerId, storeId, storeCode: account.store_code, balanceWon, entries, lots, differences },
    words: [
      `${customerId} (${account.store_code}): ${balanceWon} won in the ledger`,
      ...entries.map(({ createdAt, type, amountWon, balanceWon: after, about }) =>
        `  ${createdAt}  ${type}  ${amountWon}  → ${after}  ${about ?? ''}`.trimEnd(),
      ),
      'Lots:',
      ...lots.map(
        ({ lotId, type, amountWon, remainingWon, expiresAt }) => `  ${lotId}  ${type}  ${remainingWon} of ${amountWon}  until ${expiresAt}`,
      ),
      ...(differences.length === 0 ? ['Everything agrees.'] : ['It does NOT agree:', ...differences.map((one) => `  ${one}`)]),
    ],
  };
}
