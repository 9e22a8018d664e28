import { endpoint } from '../declare/endpoint.ts';
import { tossKeyProblems } from '../../domain/paymentSettings/rules.ts';
import { Provider, TossKeys } from './schemas.ts';
import { storeKeys } from './storeKeys.ts';
import { providerSubject } from './subject.ts';

export const putTossPayments = endpoint({
  id: 'paymentSettings.putTossPayments',
  route: 'PUT /v1/store/payment-providers/tosspayments',
  summary: 'Store TossPayments’ keys of one environment; they take payments once they are verified',
  endsInValue: 'PAYMENT_PROVIDER_NOT_FOUND',
  access: 'store',
  console: ['OWNER'],
  agent: 'denied',
  scopes: ['store:rw'],
  target: providerSubject('tosspayments'),
  change: 'here',
  body: TossKeys,
  check: tossKeyProblems,
  data: Provider,
  errors: ['PAYMENT_PROVIDER_CHANGED'],
}).handle(({ body: { expectedVersion, ...keys }, ...call }) => storeKeys(call, { provider: 'tosspayments', ...keys }, expectedVersion));
