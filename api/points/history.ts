import { ENTRY_TYPES } from '../../domain/points/entries.ts';
import { amongAll, fromTime, named, read, toTime } from '../declare/parameters.ts';
import { paging, type Static, Type } from '../declare/schema.ts';
import { afterOf, historyCursor } from './schemas.ts';

/** The parameters of a seller's histories. */
export const historyQuery = {
  ...paging,
  cursor: historyCursor,
  type: named(amongAll(ENTRY_TYPES), 'Any of these, separated by commas'),
  from: fromTime(),
  to: toTime(),
};
const History = Type.Object(historyQuery);
export function historyFilter(query: Static<typeof History>) {
  const { type: types, ...period } = read(History, query);
  return { page: query.page, size: query.size, ...afterOf(query.cursor), ...period, ...(types && { types }) };
}
