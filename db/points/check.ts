/** Compares members' points with their own history. */
import type { Sql } from '../kernel/sql.ts';

export interface CheckedAccount {
  readonly storeId: string;
  readonly customerId: string;
  readonly balanceWon: number;
  /** What is wrong, in words; empty: nothing. */
  readonly differences: readonly string[];
}
interface Row {
  readonly store_id: string;
  readonly customer_id: string;
  readonly balance_won: string;
  readonly history_won: string;
  readonly running_won: string | null;
  readonly lots_won: string;
  readonly wrong_lots: string;
}

/** The next accounts of all stores, behind this one, each with what differs in it; they are read in one statement. */
export async function checkAccounts(
  sql: Sql,
  after: { readonly storeId: string; readonly customerId: string } | null,
  limit: number,
): Promise<readonly CheckedAccount[]> {
  const rows = await sql<Row>`SELECT * FROM check_point_accounts(${after?.storeId ?? ''}, ${after?.customerId ?? ''}, ${limit})`;
  return rows.map(checkedOf);
}

function checkedOf(row: Row): CheckedAccount {
  const [balanceWon, historyWon, lotsWon] = [row.balance_won, row.history_won, row.lots_won].map(Number) as [number, number, number];
  const runningWon = Number(row.running_won ?? 0);
  const differences = [
    historyWon !== balanceWon && `the history adds up to ${historyWon}, not to the balance of ${balanceWon}`,
    runningWon !== balanceWon && `the last entry has a balance of ${runningWon}, not of ${balanceWon}`,
    lotsWon !== balanceWon && `${lotsWon} remain in lots, not the balance of ${balanceWon}`,
    row.wrong_lots !== '0' && `${row.wrong_lots} lots do not have what was moved in them`,
  ].filter((difference) => difference !== false);
  return { storeId: row.store_id, customerId: row.customer_id, balanceWon, differences };
}
