import { endpoint } from '../declare/endpoint.ts';
import { portoneKeyProblems } from '../../domain/paymentSettings/rules.ts';
import { PortoneKeys, Provider } from './schemas.ts';
import { storeKeys } from './storeKeys.ts';
import { providerSubject } from './subject.ts';

export const putPortOne = endpoint({
  id: 'paymentSettings.putPortOne',
  route: 'PUT /v1/store/payment-providers/portone',
  summary: 'Store PortOne’s keys of one environment; they take payments once they are verified',
  endsInValue: 'PAYMENT_PROVIDER_NOT_FOUND',
  access: 'store',
  console: ['OWNER'],
  agent: 'denied',
  scopes: ['store:rw'],
  target: providerSubject('portone'),
  change: 'here',
  body: PortoneKeys,
  check: portoneKeyProblems,
  data: Provider,
  errors: ['PAYMENT_PROVIDER_CHANGED'],
}).handle(({ body: { expectedVersion, webhookSecret = null, ...keys }, ...call }) =>
  storeKeys(call, { provider: 'portone', webhookSecret, ...keys }, expectedVersion),
);
