import { lockCustomer } from '../../db/customers/locks.ts';
import { readBalance } from '../../db/points/ledger.ts';
import { withdrawCustomer } from '../../db/customers/withdrawal.ts';
import { isConfirmation } from '../../domain/customers/rules.ts';
import { invalid } from '../../domain/kernel/errors.ts';
import { korean } from '../../domain/kernel/time.ts';
import { endpoint } from '../declare/endpoint.ts';
import { WithdrawalRequest, Withdrawn } from './schemas.ts';
import { CUSTOMER } from './subject.ts';

export const withdraw = endpoint({
  id: 'customers.withdraw',
  route: 'POST /v1/customers/{customerId}/withdraw',
  summary: 'Close the account of a member; orders, claims, reviews and inquiries stay',
  access: 'store',
  scopes: ['customer:rw'],
  agent: 'approval',
  target: CUSTOMER,
  unshown: ['confirmation'],
  // They are lost with the account.
  context: async (_, { params, tx }) => ({ points: await readBalance(tx, params['customerId']!) }),
  change: 'here',
  idempotent: true,
  body: WithdrawalRequest,
  data: Withdrawn,
  errors: ['CUSTOMER_NOT_FOUND', 'WITHDRAWAL_BLOCKED'],
}).handle(async ({ tx, params: { customerId }, body, at }) => {
  const customer = await lockCustomer(tx, customerId, 'UPDATE');
  if (!isConfirmation(customer, body.confirmation)) throw invalid('confirmation', 'MISMATCH', 'is not the e-mail of the customer');
  await withdrawCustomer(tx, customerId, body.reason);
  return { customerId, withdrawnAt: korean(at) };
});
