import { openCredentials } from '../../db/paymentSettings/credentials.ts';
import { recordVerification, setToVerify } from '../../db/paymentSettings/commands.ts';
import { inTenant, REQUEST, type Tenancy, type Tx } from '../../db/kernel/tx.ts';
import { resumeBlocked } from '../../db/payments/blocked.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { koreanOf } from '../../domain/kernel/time.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Type } from '../declare/schema.ts';
import { Environment, Verification } from './schemas.ts';
import { PAYMENT_PROVIDER, providerNamed } from './subject.ts';

const VERIFY_MS = 10_000;

export const verify = endpoint({
  id: 'paymentSettings.verify',
  route: 'POST /v1/store/payment-providers/{provider}/verify',
  summary: 'Read a random order at the provider with the newest credentials: whether it knows them',
  access: 'store',
  console: ['OWNER'],
  agent: 'denied',
  scopes: ['store:rw'],
  target: PAYMENT_PROVIDER,
  change: 'here',
  body: closed({ environment: Type.Optional(Environment) }, { title: 'PaymentProviderVerify' }),
  data: Verification,
  errors: [
    'PAYMENT_PROVIDER_NOT_FOUND',
    'PAYMENT_CREDENTIAL_NOT_FOUND',
    'PAYMENT_CREDENTIAL_CHANGED',
    'PAYMENT_PROVIDER_VERIFICATION_FAILED',
    'PAYMENT_PROVIDER_UNAVAILABLE',
  ],
})
  // A refusal of the provider is recorded although the request fails: in a transaction of its own, before the request's.
  .before(async ({ deps, storeId, at, realNow, origin, params, body, outside }) => {
    const tenancy: Tenancy = { storeId, at, realNow, origin };
    const provider = providerNamed(params.provider);
    const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => inTenant(deps.orm, tenancy, REQUEST, work);
    const set = await inTransaction((tx) => setToVerify(tx, provider, body.environment));
    const check = () => deps.payments(openCredentials(deps.keyring, set)).verify(VERIFY_MS);
    const answer = await outside(check, 'VERIFIED');
    if (answer === 'UNAVAILABLE') throw new Fault('PAYMENT_PROVIDER_UNAVAILABLE');
    if (answer === 'VERIFIED') return set;
    await inTransaction((tx) => recordVerification(tx, set, false));
    const { environment } = set;
    throw new Fault('PAYMENT_PROVIDER_VERIFICATION_FAILED', { details: { environment, reason: 'UNAUTHORIZED' } });
  })
  .handle(async ({ tx, prepared }) => {
    const { provider, environment, verifiedAt } = await recordVerification(tx, prepared, true);
    await resumeBlocked(tx, provider, environment);
    return { provider, environment, status: 'VERIFIED' as const, verifiedAt: koreanOf(verifiedAt!) };
  });
