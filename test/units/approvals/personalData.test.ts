/** What withdrawals clear of agents' requests (db/personalData/register.ts, U13) is of every request that names a customer. */
import { expect, test } from '@jest/globals';
import { policyOf } from '../../../api/kernel/agents.ts';
import { isWrite } from '../../../api/kernel/endpoint.ts';
import { endpoints } from '../../../api/endpoints.ts';

test('the operations about a customer for which agents may need an approval', () => {
  const found = endpoints.filter(
    (endpoint) =>
      endpoint.access === 'store' && endpoint.route.includes('{customerId}') && isWrite(endpoint) && policyOf(endpoint) !== 'direct',
  );
  // Another one needs its own line in CLEARED_REQUEST, if its body, preview or answer has anything of the customer.
  expect(found.map(({ id }) => id).toSorted()).toEqual(['customers.withdraw', 'points.adjust']);
});
