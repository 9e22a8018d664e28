import { ENTRY_TYPES } from '../../domain/points/entries.ts';
import { amongAll, fromTime, moment, named, read, sent, toTime } from '../kernel/query.ts';
import { paging } from '../kernel/schema.ts';
import { afterOf, historyCursor } from './schemas.ts';

const TYPES = ENTRY_TYPES.join('|');
/** The parameters of a seller's histories. */
export const historyQuery = {
  ...paging,
  cursor: historyCursor,
  type: named({ pattern: `^(?:${TYPES})(?:,(?:${TYPES}))*$` }, 'Any of these, separated by commas'),
  from: fromTime(),
  to: toTime(),
};
interface Sent {
  readonly page: number;
  readonly size: number;
  readonly cursor?: string;
  readonly type?: string;
  readonly from?: string;
  readonly to?: string;
}
/** INVALID_PARAMETER. */
export const historyFilter = ({ page, size, cursor, type, from, to }: Sent) => ({
  page,
  size,
  ...afterOf(cursor),
  ...sent({
    types: read('type', type, amongAll(ENTRY_TYPES)),
    from: read('from', from, moment),
    to: read('to', to, moment),
  }),
});
