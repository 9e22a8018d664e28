/** What withdrawals clear of agents' requests (db/personalData/register.ts) is of every request that names a customer. */
import { expect, test } from '@jest/globals';
import { policyOf } from '../../../api/declare/agents.ts';
import { isWrite } from '../../../api/declare/endpoint.ts';
import { endpoints } from '../../../api/endpoints.ts';
import { ITEM_LISTING } from '../../../db/orders/listings.ts';
import { changesBetween } from '../../../domain/audit/changes.ts';

test('the operations about a customer for which agents may need an approval', () => {
  const found = endpoints.filter(
    (endpoint) =>
      endpoint.access === 'store' && endpoint.route.includes('{customerId}') && isWrite(endpoint) && policyOf(endpoint) !== 'direct',
  );
  // Another one needs its own line in CLEARED_REQUEST, if its body, preview or answer has anything of the customer.
  expect(found.map(({ id }) => id).toSorted()).toEqual(['customers.withdraw', 'points.adjust']);
});

test('no line of an order has anything of its buyer, in previews or in the audit log', () => {
  const order = (text: string) => {
    const shippingAddress = { receiverName: text, phone: text, zipCode: text, address1: text, address2: text };
    return { buyer: { name: text, phone: text }, shippingAddress, addressChange: { addressChangeId: 'a', status: text, shippingAddress } };
  };
  const line = (field: string, before: unknown = null, after: unknown = null) => ({ field, before, after });
  expect(changesBetween(order('x'), order('y'), ITEM_LISTING)).toEqual([
    line('addressChange.shippingAddress'),
    line('addressChange.status', 'x', 'y'),
    line('buyer'),
    line('shippingAddress'),
  ]);
});
