import { retireCredentials } from '../../db/paymentSettings/commands.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { ENVIRONMENTS } from '../../domain/payments/providers.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Type } from '../declare/schema.ts';
import { VersionQuery } from './schemas.ts';
import { PAYMENT_PROVIDER, providerNamed } from './subject.ts';

export const removeCredentials = endpoint({
  id: 'paymentSettings.removeCredentials',
  route: 'DELETE /v1/store/payment-providers/{provider}/credentials/{environment}',
  summary: 'Retire the credentials of one environment; what was paid with them is refunded with them',
  access: 'store',
  console: ['OWNER'],
  agent: 'denied',
  scopes: ['store:rw'],
  target: PAYMENT_PROVIDER,
  change: 'here',
  query: VersionQuery,
  data: Type.Null(),
  errors: ['PAYMENT_PROVIDER_NOT_FOUND', 'PAYMENT_CREDENTIAL_NOT_FOUND', 'PAYMENT_CREDENTIAL_ACTIVE', 'PAYMENT_PROVIDER_CHANGED'],
}).handle(async ({ tx, params, query }) => {
  const provider = providerNamed(params.provider);
  const environment = ENVIRONMENTS.find((one) => one === params.environment.toUpperCase());
  if (!environment) throw new Fault('PAYMENT_CREDENTIAL_NOT_FOUND');
  await retireCredentials(tx, provider, environment, query.expectedVersion);
  return null;
});
