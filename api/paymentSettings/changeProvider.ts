import { changeProvider as change } from '../../db/paymentSettings/commands.ts';
import type { FieldError } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import type { Static, Fitting } from '../declare/schema.ts';
import { Provider, ProviderPatch } from './schemas.ts';
import { PAYMENT_PROVIDER, providerNamed, readProvider } from './subject.ts';

export const changeProvider = endpoint({
  id: 'paymentSettings.changeProvider',
  route: 'PATCH /v1/store/payment-providers/{provider}',
  summary: 'Switch a provider on or off, or replace its methods',
  access: 'store',
  console: ['OWNER'],
  agent: 'denied',
  scopes: ['store:rw'],
  target: PAYMENT_PROVIDER,
  change: 'here',
  body: ProviderPatch,
  check: methodProblems,
  data: Provider,
  errors: ['PAYMENT_PROVIDER_NOT_FOUND', 'PAYMENT_PROVIDER_CHANGED'],
}).handle(async ({ tx, params, deps, body: { methods, ...rest } }) => {
  const name = providerNamed(params.provider);
  const wanted = methods?.map(({ method, provider = null }) => ({ method, provider }));
  await change(tx, name, { ...rest, ...(wanted && { methods: wanted }) });
  await tx.em.flush();
  return readProvider(tx, name, deps.config.publicUrl);
});

/** EASY_PAY needs a wallet and the others have none; none is there twice. */
function methodProblems({ methods = [] }: Fitting<Static<typeof ProviderPatch>>): FieldError[] {
  const seen = new Set<string>();
  return methods.flatMap((one, i) => {
    if (one?.method === undefined) return [];
    const { method, provider = null } = one;
    const field = `methods[${i}]`;
    if (method === 'EASY_PAY' && provider === null)
      return [{ field: `${field}.provider`, code: 'REQUIRED', message: 'EASY_PAY needs a wallet' }];
    if (method !== 'EASY_PAY' && provider !== null)
      return [{ field: `${field}.provider`, code: 'NOT_APPLICABLE', message: 'only EASY_PAY has a wallet' }];
    const key = `${method}/${provider ?? ''}`;
    if (seen.has(key)) return [{ field, code: 'DUPLICATE', message: 'is there twice' }];
    seen.add(key);
    return [];
  });
}
