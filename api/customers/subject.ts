import { lockCustomer } from '../../db/customers/locks.ts';
import { shownBy } from '../declare/shownBy.ts';
import type { Subject } from '../declare/subject.ts';
import { get } from './get.ts';

/** Who they are is shown in no preview and no record; what they agreed to is. */
export const CUSTOMER: Subject = shownBy(get, {
  type: 'CUSTOMER',
  idField: 'customerId',
  given: ['customerId', 'joinedAt', 'stats.lastOrderedAt', 'consents[].at'],
  hidden: ['name', 'email', 'phone', 'addresses'],
  lock: (tx, customerId) => lockCustomer(tx, customerId, 'UPDATE'),
});
