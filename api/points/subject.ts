import { isMember, readPoints } from '../../db/points/queries.ts';
import { lockStore } from '../../db/stores/commands.ts';
import { shownBy } from '../declare/shownBy.ts';
import type { Subject } from '../declare/subject.ts';
import { getPolicy } from './getPolicy.ts';

/** The store, as its point policy shows it. */
export const POLICY: Subject = shownBy(getPolicy, { type: 'STORE', lock: lockStore });

/** A customer, as their points show them: the sums, because lots are numbered and dated by the system. */
export const CUSTOMER_POINTS: Subject = {
  type: 'CUSTOMER',
  idField: 'customerId',
  listing: {},
  data: null,
  lock: (tx, customerId) => isMember(tx, customerId, { locks: true }),
  read: async (tx, customerId) => {
    const { balanceWon, expiringSoonWon } = await readPoints(tx, customerId);
    return { balance: balanceWon, expiringSoon: expiringSoonWon };
  },
};
