/** How many events of visits are taken in a Korean day (R8); those beyond it are counted, and told to the seller. */
import { ADDRESS_EVENTS_A_DAY, STORE_EVENTS_A_DAY, VISITOR_EVENTS_A_DAY } from '../../domain/visits/rules.ts';
import { koreanDate } from '../../domain/kernel/time.ts';
import { type Fragment, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';

/** Keyed digests: of a visitor, and of a client address. */
export interface Reporter {
  readonly visitor: string;
  readonly address: string;
}
const STORE = '';

/**
 * SQL that takes as many of `n` events as the day has room for, of the store, the address and the visitor, and is their number. The rest is
 * counted as dropped. Batches of a store take their room one after the other: so it is part of the statement that writes them.
 */
export function takenEvents({ storeId, at }: Tx, { visitor, address }: Reporter, n: number): Fragment {
  const keys = [STORE, address, visitor];
  const room = [STORE_EVENTS_A_DAY, ADDRESS_EVENTS_A_DAY, VISITOR_EVENTS_A_DAY].map(String);
  return fragment`take_visit_events(${storeId}, ${koreanDate(at)}::date, ${keys}::text[], ${room}::integer[], ${n}::int, ${new Date(at)})`;
}
