import { readPasswordHash } from '../../db/customers/queries.ts';
import { withdrawCustomer } from '../../db/customers/withdrawal.ts';
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { isConfirmation } from '../../domain/customers/rules.ts';
import { invalid } from '../../domain/kernel/errors.ts';
import { korean, MINUTE } from '../../domain/kernel/time.ts';
import { endpoint } from '../declare/endpoint.ts';
import { limitKey } from '../web/limits.ts';
import { verifyPassword } from '../callers/passwords.ts';
import { Withdrawn } from '../customers/schemas.ts';
import { WithdrawRequest } from './schemas.ts';

const mismatch = (field: string) => invalid(field, 'MISMATCH', 'is not that of the account');
const required = (field: string) => invalid(field, 'REQUIRED', 'proves that it is you');

export const withdraw = endpoint({
  id: 'auth.withdraw',
  route: 'POST /storefront/v1/auth/withdraw',
  summary: 'Close my account; it is gone at once, with everything that is mine alone',
  access: 'customer',
  customerLock: 'UPDATE',
  change: 'here',
  verifiesPassword: true,
  body: WithdrawRequest,
  data: Withdrawn,
  errors: ['WITHDRAWAL_BLOCKED'],
})
  // Guesses are limited as at the login; a wrong password is a wrong field, because the token is right (U11).
  .before(async (call) => {
    const { customerId, email, name } = call.customer!;
    const { password, confirmation } = call.body;
    const storedHash = await inTenant(call.deps.orm, call, REQUEST, (tx) => readPasswordHash(tx, customerId));
    if (storedHash === null) {
      if (confirmation === undefined) throw required('confirmation');
      if (!isConfirmation({ email, name }, confirmation)) throw mismatch('confirmation');
      return;
    }
    if (password === undefined) throw required('password');
    const limit = { key: limitKey(call, 'withdraw', call.storeId, customerId), max: 10, windowMs: 15 * MINUTE };
    if (!(await verifyPassword(call, { password, storedHash, limits: [limit] }))) throw mismatch('password');
  })
  .handle(async ({ tx, customer, at }) => {
    const { customerId } = customer!;
    await withdrawCustomer(tx, customerId, null);
    return { customerId, withdrawnAt: korean(at) };
  });
