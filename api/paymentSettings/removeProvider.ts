import { resetProvider } from '../../db/paymentSettings/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Type } from '../declare/schema.ts';
import { VersionQuery } from './schemas.ts';
import { PAYMENT_PROVIDER, providerNamed } from './subject.ts';

export const removeProvider = endpoint({
  id: 'paymentSettings.removeProvider',
  route: 'DELETE /v1/store/payment-providers/{provider}',
  summary: 'Retire all credentials of a provider that is switched off; what was paid with them is refunded with them',
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
  await resetProvider(tx, providerNamed(params.provider), query.expectedVersion);
  return null;
});
